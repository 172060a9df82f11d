//! Emphasis: converts between Markdown and runs of text that are italic, bold, both or neither.

/// The most tokens searched backwards for an opening delimiter: a paragraph with more delimiters has no emphasis.
const MAX_LOOKBACK: usize = 500;

/// A run of text in one style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub text: String,
    pub bold: bool,
    pub italic: bool,
}

/// Parses a paragraph of Markdown. Delimiters are paired as in CommonMark, but one next to a letter counts also with
/// punctuation on its other side: `**“雨”**停了` is bold here, as writers expect.
pub(crate) fn parse(markdown: &str) -> Vec<Run> {
    let mut tokens = tokenize(markdown);
    pair_delimiters(&mut tokens);
    let mut runs: Vec<Run> = Vec::new();
    for token in tokens {
        let (text, bold, italic) = match token {
            Token::Words { text, bold, italic } => (text, bold, italic),
            // An unmatched delimiter is text.
            Token::Delimiter(delimiter) => {
                (delimiter.character.to_string().repeat(delimiter.unmatched), delimiter.bold, delimiter.italic)
            }
        };
        push_run(&mut runs, &text, bold, italic);
    }
    runs
}

/// The Markdown of a paragraph. Parsing it gives the same runs, except that white space at the edge of a run loses its
/// style. If no delimiters can express the runs, the text stays and the style is dropped.
pub(crate) fn to_markdown(runs: &[Run]) -> String {
    let runs = normalize(runs);
    let plain: String = runs.iter().map(|run| run.text.as_str()).collect();
    let unstyled = [Run { text: plain, bold: false, italic: false }];
    let unstyled = if runs.is_empty() { &[][..] } else { &unstyled[..] };
    // Literal stars and underscores are escaped only if needed; underscores mark italics if stars would be ambiguous.
    let ways = ["*", "_"].into_iter().flat_map(|italic| ["", "*", "*_", "*_\\"].map(|escaped| (italic, escaped)));
    let express = |runs: &[Run]| {
        ways.clone().map(|(italic, escaped)| render(runs, escaped, italic)).find(|text| parse(text) == runs)
    };
    express(&runs).or_else(|| express(unstyled)).unwrap_or_else(|| render(unstyled, "*_\\", "*"))
}

enum Token {
    Words { text: String, bold: bool, italic: bool },
    Delimiter(Delimiter),
}

struct Delimiter {
    character: char,
    length: usize,
    unmatched: usize,
    opens: bool,
    closes: bool,
    bold: bool,
    italic: bool,
}

fn tokenize(markdown: &str) -> Vec<Token> {
    let chars: Vec<char> = markdown.chars().collect();
    let mut tokens = Vec::new();
    let mut words = String::new();
    let mut at = 0;
    while let Some(&current) = chars.get(at) {
        match current {
            '\\' if chars.get(at + 1).is_some_and(char::is_ascii_punctuation) => {
                words.extend(chars.get(at + 1));
                at += 2;
            }
            '*' | '_' => {
                let length = chars.iter().skip(at).take_while(|&&c| c == current).count();
                let before = at.checked_sub(1).and_then(|i| chars.get(i)).copied();
                let after = chars.get(at + length).copied();
                let solid = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
                let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                if !words.is_empty() {
                    tokens.push(Token::Words { text: std::mem::take(&mut words), bold: false, italic: false });
                }
                tokens.push(Token::Delimiter(Delimiter {
                    character: current,
                    length,
                    unmatched: length,
                    // An underscore inside a word is a letter of it.
                    opens: solid(after) && (current == '*' || !letter(before)),
                    closes: solid(before) && (current == '*' || !letter(after)),
                    bold: false,
                    italic: false,
                }));
                at += length;
            }
            _ => {
                words.push(current);
                at += 1;
            }
        }
    }
    if !words.is_empty() {
        tokens.push(Token::Words { text: words, bold: false, italic: false });
    }
    tokens
}

/// Pairs delimiters as in CommonMark, with its rule of three.
fn pair_delimiters(tokens: &mut [Token]) {
    for closer in 0..tokens.len() {
        while let Some(opener) = find_opener(tokens, closer) {
            let strong = [opener, closer]
                .iter()
                .all(|&at| matches!(&tokens[at], Token::Delimiter(delimiter) if delimiter.unmatched >= 2));
            for (at, token) in tokens.iter_mut().enumerate().take(closer + 1).skip(opener) {
                match token {
                    Token::Delimiter(delimiter) if at == opener || at == closer => {
                        delimiter.unmatched -= if strong { 2 } else { 1 }
                    }
                    Token::Delimiter(Delimiter { bold, italic, opens, closes, .. }) => {
                        // A delimiter inside a pair cannot pair with one outside.
                        (*opens, *closes) = (false, false);
                        *bold |= strong;
                        *italic |= !strong;
                    }
                    Token::Words { bold, italic, .. } => {
                        *bold |= strong;
                        *italic |= !strong;
                    }
                }
            }
        }
    }
}

fn find_opener(tokens: &[Token], closer: usize) -> Option<usize> {
    let Some(Token::Delimiter(close)) = tokens.get(closer) else { return None };
    if !close.closes || close.unmatched == 0 {
        return None;
    }
    (0..closer).rev().take(MAX_LOOKBACK).find(|&at| match tokens.get(at) {
        Some(Token::Delimiter(open)) if open.character == close.character && open.opens && open.unmatched > 0 => {
            let either = open.closes || close.opens;
            let three = (open.length + close.length) % 3 == 0 && (open.length % 3 != 0 || close.length % 3 != 0);
            !(either && three)
        }
        _ => false,
    })
}

fn push_run(runs: &mut Vec<Run>, text: &str, bold: bool, italic: bool) {
    match runs.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if (last.bold, last.italic) == (bold, italic) => last.text.push_str(text),
        _ => runs.push(Run { text: text.to_owned(), bold, italic }),
    }
}

/// Merges neighbours of one style; moves white space at the edges of a style out of it.
fn normalize(runs: &[Run]) -> Vec<Run> {
    let mut merged = Vec::new();
    for run in runs {
        push_run(&mut merged, &run.text, run.bold, run.italic);
    }
    let mut tidy = Vec::new();
    for run in merged {
        let inner = run.text.trim();
        let head = run.text.len() - run.text.trim_start().len();
        push_run(&mut tidy, &run.text[..head], false, false);
        push_run(&mut tidy, inner, run.bold, run.italic);
        push_run(&mut tidy, &run.text[head + inner.len()..], false, false);
    }
    tidy
}

/// Renders runs as Markdown, with a backslash before each of the characters `escaped`.
fn render(runs: &[Run], escaped: &str, italic: &'static str) -> String {
    let mut out = String::new();
    let mut open: Vec<&str> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let wanted = |mark: &str| if mark == "**" { run.bold } else { run.italic };
        while let Some(outer) = open.iter().position(|mark| !wanted(mark)) {
            for mark in open.drain(outer..).rev() {
                out.push_str(mark);
            }
        }
        // The style with the longer range is opened first.
        let range_length =
            |bold: bool| runs.iter().skip(at).take_while(|run| if bold { run.bold } else { run.italic }).count();
        let mut marks = ["**", italic];
        if range_length(false) > range_length(true) {
            marks.reverse();
        }
        for mark in marks {
            if wanted(mark) && !open.contains(&mark) {
                out.push_str(mark);
                open.push(mark);
            }
        }
        for c in run.text.chars() {
            if escaped.contains(c) {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out.extend(open.into_iter().rev());
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn run(text: &str, bold: bool, italic: bool) -> Run {
        Run { text: text.to_owned(), bold, italic }
    }

    #[test]
    fn emphasis_is_read_as_writers_mean_it() {
        let check = |markdown: &str, expected: &[(&str, bool, bool)]| {
            let expected: Vec<Run> = expected.iter().map(|(text, bold, italic)| run(text, *bold, *italic)).collect();
            assert_eq!(parse(markdown), expected, "{markdown}");
        };
        check("雨*停*了", &[("雨", false, false), ("停", false, true), ("了", false, false)]);
        check("**“雨”**停了", &[("“雨”", true, false), ("停了", false, false)]);
        check("***x*** y", &[("x", true, true), (" y", false, false)]);
        check("**a *b***", &[("a ", true, false), ("b", true, true)]);
        check("a * b * c, 2 ** 3", &[("a * b * c, 2 ** 3", false, false)]);
        check("snake_case_name", &[("snake_case_name", false, false)]);
        check(r"\*not\*", &[("*not*", false, false)]);
        check("* * *", &[("* * *", false, false)]);
        check("***", &[("***", false, false)]);
        check("*never closed", &[("*never closed", false, false)]);
    }

    #[test]
    fn adjacent_styles_stay_separate() {
        let touching =
            [run("说：", false, false), run("不", true, false), run("，", false, true), run("真的", true, true)];
        assert_eq!(parse(&to_markdown(&touching)), touching);
    }

    #[test]
    fn literal_marks_are_escaped_only_where_they_would_mean_something() {
        assert_eq!(to_markdown(&[run("***", false, false)]), "***");
        assert_eq!(to_markdown(&[run("f**k", false, false)]), "f**k");
        assert_eq!(to_markdown(&[run("*x*", false, false)]), r"\*x\*");
        assert_eq!(to_markdown(&[run(" bold ", true, false), run("text", false, false)]), " **bold** text");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(runs in prop::collection::vec(("[a雨。*_ \\\\]{1,4}", any::<bool>(), any::<bool>()), 0..6)) {
            let runs: Vec<Run> = runs.into_iter().map(|(text, bold, italic)| Run { text, bold, italic }).collect();
            let words = |runs: &[Run]| runs.iter().map(|run| run.text.as_str()).collect::<String>();
            let back = parse(&to_markdown(&runs));
            prop_assert_eq!(words(&back), words(&runs));
        }

        #[test]
        fn styles_come_back_where_words_part_them(runs in prop::collection::vec(("[a雨]{1,4}", any::<bool>(), any::<bool>()), 0..6)) {
            let mut spaced = Vec::new();
            for (text, bold, italic) in runs {
                spaced.push(Run { text, bold, italic });
                spaced.push(run(" ", false, false));
            }
            prop_assert_eq!(parse(&to_markdown(&spaced)), normalize(&spaced));
        }
    }
}
