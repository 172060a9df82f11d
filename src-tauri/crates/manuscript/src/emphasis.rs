//! Emphasis: the same words as Markdown, and as stretches that are italic, bold, both or neither.

/// How far back the other half of a mark is looked for, in pieces: whoever writes so many in one paragraph means none.
const REACH: usize = 500;

/// A stretch of text in one style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub text: String,
    pub bold: bool,
    pub italic: bool,
}

/// Takes a paragraph of Markdown apart. Delimiters are paired as CommonMark does it, but a mark beside a letter counts
/// whatever punctuation it touches on its other side: `**“雨”**停了` is bold here, as every writer means it.
pub(crate) fn parse(markdown: &str) -> Vec<Run> {
    let mut pieces = pieces(markdown);
    pair(&mut pieces);
    let mut runs: Vec<Run> = Vec::new();
    for piece in pieces {
        let (text, bold, italic) = match piece {
            Piece::Words { text, bold, italic } => (text, bold, italic),
            // What found no other half is what it looks like.
            Piece::Mark(mark) => (mark.character.to_string().repeat(mark.left), mark.bold, mark.italic),
        };
        push(&mut runs, &text, bold, italic);
    }
    runs
}

/// The Markdown of a paragraph. What it reads back as is what was given, but that white space at the edge of a stretch
/// has no style; where no marks can say it, the words stay and the style goes.
pub(crate) fn write(runs: &[Run]) -> String {
    let runs = tidy(runs);
    let plain: String = runs.iter().map(|run| run.text.as_str()).collect();
    let unstyled = [Run { text: plain, bold: false, italic: false }];
    let unstyled = if runs.is_empty() { &[][..] } else { &unstyled[..] };
    // Marks that mean nothing stay as they are; where stars would run into each other, italics are underscores.
    let ways = ["*", "_"].into_iter().flat_map(|italic| ["", "*", "*_", "*_\\"].map(|escaped| (italic, escaped)));
    let said = |runs: &[Run]| {
        ways.clone().map(|(italic, escaped)| marked(runs, escaped, italic)).find(|text| parse(text) == runs)
    };
    said(&runs).or_else(|| said(unstyled)).unwrap_or_else(|| marked(unstyled, "*_\\", "*"))
}

enum Piece {
    Words { text: String, bold: bool, italic: bool },
    Mark(Mark),
}

struct Mark {
    character: char,
    whole: usize,
    left: usize,
    opens: bool,
    closes: bool,
    bold: bool,
    italic: bool,
}

fn pieces(markdown: &str) -> Vec<Piece> {
    let chars: Vec<char> = markdown.chars().collect();
    let mut pieces = Vec::new();
    let mut words = String::new();
    let mut at = 0;
    while let Some(&here) = chars.get(at) {
        match here {
            '\\' if chars.get(at + 1).is_some_and(char::is_ascii_punctuation) => {
                words.extend(chars.get(at + 1));
                at += 2;
            }
            '*' | '_' => {
                let whole = chars.iter().skip(at).take_while(|&&c| c == here).count();
                let before = at.checked_sub(1).and_then(|i| chars.get(i)).copied();
                let after = chars.get(at + whole).copied();
                let solid = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
                let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                if !words.is_empty() {
                    pieces.push(Piece::Words { text: std::mem::take(&mut words), bold: false, italic: false });
                }
                pieces.push(Piece::Mark(Mark {
                    character: here,
                    whole,
                    left: whole,
                    // An underscore inside a word is a letter of it.
                    opens: solid(after) && (here == '*' || !letter(before)),
                    closes: solid(before) && (here == '*' || !letter(after)),
                    bold: false,
                    italic: false,
                }));
                at += whole;
            }
            _ => {
                words.push(here);
                at += 1;
            }
        }
    }
    if !words.is_empty() {
        pieces.push(Piece::Words { text: words, bold: false, italic: false });
    }
    pieces
}

/// CommonMark's way of pairing delimiters, with its rule of three.
fn pair(pieces: &mut [Piece]) {
    for closer in 0..pieces.len() {
        while let Some(opener) = opener_of(pieces, closer) {
            let strong = [opener, closer].iter().all(|&at| matches!(&pieces[at], Piece::Mark(mark) if mark.left >= 2));
            for (at, piece) in pieces.iter_mut().enumerate().take(closer + 1).skip(opener) {
                match piece {
                    Piece::Mark(mark) if at == opener || at == closer => mark.left -= if strong { 2 } else { 1 },
                    Piece::Mark(Mark { bold, italic, opens, closes, .. }) => {
                        // What stands alone inside stays alone.
                        (*opens, *closes) = (false, false);
                        *bold |= strong;
                        *italic |= !strong;
                    }
                    Piece::Words { bold, italic, .. } => {
                        *bold |= strong;
                        *italic |= !strong;
                    }
                }
            }
        }
    }
}

fn opener_of(pieces: &[Piece], closer: usize) -> Option<usize> {
    let Some(Piece::Mark(close)) = pieces.get(closer) else { return None };
    if !close.closes || close.left == 0 {
        return None;
    }
    (0..closer).rev().take(REACH).find(|&at| match pieces.get(at) {
        Some(Piece::Mark(open)) if open.character == close.character && open.opens && open.left > 0 => {
            let either = open.closes || close.opens;
            let three = (open.whole + close.whole) % 3 == 0 && (open.whole % 3 != 0 || close.whole % 3 != 0);
            !(either && three)
        }
        _ => false,
    })
}

fn push(runs: &mut Vec<Run>, text: &str, bold: bool, italic: bool) {
    match runs.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if (last.bold, last.italic) == (bold, italic) => last.text.push_str(text),
        _ => runs.push(Run { text: text.to_owned(), bold, italic }),
    }
}

/// Neighbours of one style become one; white space at the edges of a style leaves it.
fn tidy(runs: &[Run]) -> Vec<Run> {
    let mut merged = Vec::new();
    for run in runs {
        push(&mut merged, &run.text, run.bold, run.italic);
    }
    let mut tidy = Vec::new();
    for run in merged {
        let inner = run.text.trim();
        let head = run.text.len() - run.text.trim_start().len();
        push(&mut tidy, &run.text[..head], false, false);
        push(&mut tidy, inner, run.bold, run.italic);
        push(&mut tidy, &run.text[head + inner.len()..], false, false);
    }
    tidy
}

/// With a backslash before each of the characters `escaped`.
fn marked(runs: &[Run], escaped: &str, italic: &'static str) -> String {
    let mut out = String::new();
    let mut open: Vec<&str> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let wanted = |mark: &str| if mark == "**" { run.bold } else { run.italic };
        while let Some(outer) = open.iter().position(|mark| !wanted(mark)) {
            for mark in open.drain(outer..).rev() {
                out.push_str(mark);
            }
        }
        // What lasts longer is opened first.
        let lasts =
            |bold: bool| runs.iter().skip(at).take_while(|run| if bold { run.bold } else { run.italic }).count();
        let mut marks = ["**", italic];
        if lasts(false) > lasts(true) {
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
    fn styles_that_touch_each_other_are_kept_apart() {
        let touching =
            [run("说：", false, false), run("不", true, false), run("，", false, true), run("真的", true, true)];
        assert_eq!(parse(&write(&touching)), touching);
    }

    #[test]
    fn literal_marks_are_escaped_only_where_they_would_mean_something() {
        assert_eq!(write(&[run("***", false, false)]), "***");
        assert_eq!(write(&[run("f**k", false, false)]), "f**k");
        assert_eq!(write(&[run("*x*", false, false)]), r"\*x\*");
        assert_eq!(write(&[run(" bold ", true, false), run("text", false, false)]), " **bold** text");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(runs in prop::collection::vec(("[a雨。*_ \\\\]{1,4}", any::<bool>(), any::<bool>()), 0..6)) {
            let runs: Vec<Run> = runs.into_iter().map(|(text, bold, italic)| Run { text, bold, italic }).collect();
            let words = |runs: &[Run]| runs.iter().map(|run| run.text.as_str()).collect::<String>();
            let back = parse(&write(&runs));
            prop_assert_eq!(words(&back), words(&runs));
        }

        #[test]
        fn styles_come_back_where_words_part_them(runs in prop::collection::vec(("[a雨]{1,4}", any::<bool>(), any::<bool>()), 0..6)) {
            let mut spaced = Vec::new();
            for (text, bold, italic) in runs {
                spaced.push(Run { text, bold, italic });
                spaced.push(run(" ", false, false));
            }
            prop_assert_eq!(parse(&write(&spaced)), tidy(&spaced));
        }
    }
}
