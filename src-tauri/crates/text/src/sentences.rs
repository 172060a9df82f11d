//! Splits Chinese and English prose into sentences, without a model or a dictionary. The rules:
//!
//! - The end of a paragraph or of a line of verse ends a sentence; the end of a wrapped line does not
//!   ([`paragraphs`](crate::paragraphs)).
//! - Closing quotes and brackets stay with the sentence they close.
//! - A speech tag stays with the speech before it: `“走吧。”他说。` and `“Where?” Zhou asked.` are one sentence each.
//! - `……` and `...` are a pause, and end a sentence only before a line break, or after a closing quote, or (in English)
//!   before a capital. `——` never ends one by itself, but speech that breaks off with it does.
//! - A full stop does not end a sentence after a title (`Mr.`), an initial (`J.`), or before a small letter.

use crate::paragraphs::{replace_breaks, soft_breaks};

/// The sentences of `text` in order, each trimmed. Joined, they are the text without the white space between them; in a
/// wrapped text a sentence contains line ends. Empty text has none.
#[must_use]
pub fn split(text: &str) -> Vec<&str> {
    let breaks = soft_breaks(text);
    if breaks.is_empty() {
        return split_unwrapped(text);
    }
    let joined = replace_breaks(text, &breaks);
    // The position in `text` of a position in `joined`: later by the characters that breaks before it have lost.
    let mut before = 0;
    let (mut lost, mut gained) = (0_usize, 0_usize);
    let mut original = |at: usize, is_end: bool| {
        while let Some(next) = breaks.get(before) {
            let start = next.range.start + gained - lost;
            let is_before = if is_end { start < at } else { start + next.replacement.len() <= at };
            if !is_before {
                break;
            }
            lost += next.range.len();
            gained += next.replacement.len();
            before += 1;
        }
        at + lost - gained
    };
    let start_of = |sentence: &str| sentence.as_ptr().addr() - joined.as_ptr().addr();
    let sentences = split_unwrapped(&joined);
    let ranges = sentences.into_iter().map(|sentence| {
        let start = start_of(sentence);
        (original(start, false), original(start + sentence.len(), true))
    });
    ranges.map(|(from, to)| &text[from..to]).collect()
}

/// The sentences of a text without wrapped lines: a line break always ends one.
pub(crate) fn split_unwrapped(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for line in text.split(['\n', '\r', '\u{2028}', '\u{2029}']) {
        split_line(line, &mut sentences);
    }
    sentences
}

fn split_line<'t>(line: &'t str, sentences: &mut Vec<&'t str>) {
    let mut start = 0;
    let mut straight_open = false;
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        if c == '"' {
            straight_open = !straight_open;
        }
        if !is_end_mark(c) {
            at += c.len_utf8();
            continue;
        }
        let (after_marks, mark) = scan_marks(line, at);
        let (after, closed) = skip_closers(line, after_marks, &mut straight_open);
        if is_end(line, start, at, after, mark, closed) {
            push(&line[start..after], sentences);
            start = after;
        }
        at = after;
    }
    push(&line[start..], sentences);
}

fn push<'t>(sentence: &'t str, sentences: &mut Vec<&'t str>) {
    let sentence = sentence.trim();
    if !sentence.is_empty() {
        sentences.push(sentence);
    }
}

/// The kind of a run of end marks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// 。！？ and their half-width forms, anywhere in the run.
    Full,
    /// One `.`, which may belong to an abbreviation or a number.
    Stop,
    /// ！ or ? of the Latin kind.
    Latin,
    /// …… or ...
    Pause,
    /// — or ——
    Dash,
}

fn is_end_mark(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '‼' | '⁇' | '!' | '?' | '.' | '…' | '—')
}

fn scan_marks(line: &str, from: usize) -> (usize, Mark) {
    let mut end = from;
    let (mut full, mut latin, mut stops, mut dash) = (false, false, 0, false);
    for c in line[from..].chars() {
        if !is_end_mark(c) {
            break;
        }
        match c {
            '。' | '！' | '？' | '｡' | '‼' | '⁇' => full = true,
            '!' | '?' => latin = true,
            '.' => stops += 1,
            '…' => stops += 3,
            _ => dash = true,
        }
        end += c.len_utf8();
    }
    let mark = if full {
        Mark::Full
    } else if latin {
        Mark::Latin
    } else if stops > 1 {
        Mark::Pause
    } else if stops == 1 && !dash {
        Mark::Stop
    } else {
        Mark::Dash
    };
    (end, mark)
}

/// Skips closing quotes and brackets; returns the offset after them and whether a quote was among them.
fn skip_closers(line: &str, from: usize, straight_open: &mut bool) -> (usize, bool) {
    let mut end = from;
    let mut quote = false;
    for c in line[from..].chars() {
        match c {
            '”' | '’' | '」' | '』' | '»' | '›' => quote = true,
            '"' if *straight_open => {
                *straight_open = false;
                quote = true;
            }
            // A straight single quote is taken for a closing one right after a mark.
            '\'' => quote = true,
            '）' | ')' | '】' | ']' | '》' | '〉' | '*' | '_' => {}
            _ => break,
        }
        end += c.len_utf8();
    }
    (end, quote)
}

fn is_end(line: &str, start: usize, at: usize, after: usize, mark: Mark, closed: bool) -> bool {
    let rest = &line[after..];
    let next = rest.trim_start().chars().next();
    let Some(next) = next else { return true };
    if continues_sentence(next) {
        return false;
    }
    let spaced = rest.starts_with(char::is_whitespace);
    // Emphasis and opening quotes are skipped: the letter after them decides.
    let begins = rest.trim_start().trim_start_matches(['“', '‘', '"', '\'', '(', '*', '_', '「', '『', '（', '«']);
    let small = begins.chars().next().is_some_and(char::is_lowercase);
    match mark {
        Mark::Full => !(closed && is_speech_tag(rest)),
        Mark::Latin => {
            if closed && is_speech_tag(rest) {
                return false;
            }
            !small && (spaced || !next.is_ascii_alphanumeric())
        }
        Mark::Stop => {
            // Before an English tag the full stop would have become a comma.
            if small || (closed && is_speech_tag_zh(rest)) {
                return false;
            }
            (spaced || !next.is_alphanumeric() || crate::is_han(next)) && !ends_with_abbreviation(&line[start..at])
        }
        Mark::Pause | Mark::Dash if closed => {
            !small && !is_speech_tag(rest) && (spaced || !next.is_ascii_alphanumeric())
        }
        Mark::Pause => {
            spaced && begins.chars().next().is_some_and(char::is_uppercase) && !starts_with_pronoun_i(begins)
        }
        Mark::Dash => false,
    }
}

/// Marks that cannot begin a sentence.
fn continues_sentence(c: char) -> bool {
    matches!(c, '，' | '、' | '；' | '：' | ',' | ';' | ':' | '—' | '–' | '…')
}

/// Whether the text begins with the pronoun: in `I… I don't know` its capital does not begin a sentence.
fn starts_with_pronoun_i(rest: &str) -> bool {
    let mut chars = rest.chars();
    chars.next() == Some('I') && !chars.next().is_some_and(char::is_alphanumeric)
}

/// Whether the text right after a closing quote says who spoke.
fn is_speech_tag(rest: &str) -> bool {
    if rest.starts_with(char::is_whitespace) { is_speech_tag_en(rest) } else { is_speech_tag_zh(rest) }
}

/// `I said.`, `Zhou asked,`, `Old Zhou answered at last.`: at most two names, then a verb of speech. Tags that begin
/// small (`he said`, `said Zhou`) never begin a sentence and need no check.
fn is_speech_tag_en(rest: &str) -> bool {
    const VERBS: [&str; 18] = [
        "said",
        "asked",
        "answered",
        "replied",
        "told",
        "cried",
        "called",
        "shouted",
        "whispered",
        "muttered",
        "murmured",
        "began",
        "went",
        "added",
        "says",
        "asks",
        "agreed",
        "repeated",
    ];
    let mut words = rest.split_whitespace().take(3).map(|word| word.trim_end_matches(['.', ',', ';', ':']));
    let Some(name) = words.next() else {
        return false;
    };
    if !name.starts_with(char::is_uppercase) {
        return false;
    }
    let Some(second) = words.next() else {
        return false;
    };
    if VERBS.contains(&second) {
        // `Zhou went out.` is a sentence; `Zhou went on.` is a tag.
        let third = words.next();
        return if second == "went" { third == Some("on") } else { third != Some("nothing") };
    }
    second.starts_with(char::is_uppercase)
        && words.next().is_some_and(|third| VERBS.contains(&third) && third != "went")
}

/// `他说。`, `老周低声问，`, `我答道：`. At most [`MAX_TAG_CHARS`] characters, ending with a verb of speech.
fn is_speech_tag_zh(rest: &str) -> bool {
    const VERBS: [char; 14] = ['说', '道', '问', '答', '喊', '叫', '嚷', '骂', '讲', '應', '应', '說', '問', '念'];
    let tag: Vec<char> = rest.chars().take_while(|c| crate::is_han(*c)).take(MAX_TAG_CHARS + 1).collect();
    if tag.is_empty() || tag.len() > MAX_TAG_CHARS {
        return false;
    }
    let stopped =
        rest.chars().nth(tag.len()).is_none_or(|c| matches!(c, '。' | '，' | '：' | '！' | '？' | '；' | '…'));
    let spoken = match tag.as_slice() {
        [.., verb, '着' | '了'] => VERBS.contains(verb),
        [.., verb] => VERBS.contains(verb),
        [] => false,
    };
    // 知道 ends like a tag but is none.
    let knows = matches!(tag.as_slice(), [.., '知' | '难' | '街' | '味' | '航', '道']);
    stopped && spoken && !knows
}

/// Whether the full stop after `before` belongs to a title, an abbreviation or an initial. The caller has handled text
/// that continues in lower case.
fn ends_with_abbreviation(before: &str) -> bool {
    let word =
        before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '“' | '‘' | '"' | '—')).next().unwrap_or("");
    if ABBREVIATIONS.iter().any(|a| a.eq_ignore_ascii_case(word)) {
        return true;
    }
    // An initial, as in `J. Zhou`; but `I` at the end of a sentence is the pronoun.
    let mut chars = word.chars();
    matches!((chars.next(), chars.next()), (Some(c), None) if c.is_ascii_uppercase() && c != 'I')
}

/// The most characters of a Chinese speech tag.
const MAX_TAG_CHARS: usize = 8;

const ABBREVIATIONS: [&str; 27] = [
    "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Mt", "Rev", "Hon", "Capt", "Lt", "Col", "Gen", "Sgt", "Maj", "Cmdr", "Adm",
    "Messrs", "Mme", "Mlle", "vs", "e.g", "i.e", "cf", "fig", "vol", "viz",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, wanted: &[&str]) {
        assert_eq!(split(text), wanted);
    }

    #[test]
    fn chinese_sentences_end_with_their_marks() {
        check("雨停了。檐下还在滴水！你听见没有？他没答", &["雨停了。", "檐下还在滴水！", "你听见没有？", "他没答"]);
        check("真的？！他愣住了。", &["真的？！", "他愣住了。"]);
    }

    #[test]
    fn a_closing_quote_stays_with_its_sentence() {
        check("“水记得。”风把门推开。", &["“水记得。”", "风把门推开。"]);
        check("「水记得。」風把門推開。", &["「水记得。」", "風把門推開。"]);
        check("“The water remembers.” The wind pushed.", &["“The water remembers.”", "The wind pushed."]);
        check("\"Go.\" \"Where?\" She left.", &["\"Go.\"", "\"Where?\"", "She left."]);
    }

    #[test]
    fn a_speech_tag_stays_with_the_speech() {
        check("“你爸让我别扔。”他说。风停了。", &["“你爸让我别扔。”他说。", "风停了。"]);
        check("“谁？”老周低声问道，手没停。", &["“谁？”老周低声问道，手没停。"]);
        check("“走。”他知道。", &["“走。”", "他知道。"]);
        check("“Who?” he asked. Nobody answered.", &["“Who?” he asked.", "Nobody answered."]);
    }

    #[test]
    fn an_english_tag_may_begin_with_a_name() {
        check("“Where?” Zhou asked. Rain fell.", &["“Where?” Zhou asked.", "Rain fell."]);
        check("“It’s mine.” I said no more.", &["“It’s mine.”", "I said no more."]);
        check("“Whose?” I said nothing.", &["“Whose?”", "I said nothing."]);
        check("“Go!” Old Zhou shouted.", &["“Go!” Old Zhou shouted."]);
        check("“Go.” Zhou went out.", &["“Go.”", "Zhou went out."]);
    }

    #[test]
    fn two_speeches_in_a_row_are_two_sentences() {
        check("“来了？”“来了。”", &["“来了？”", "“来了。”"]);
    }

    #[test]
    fn an_ellipsis_is_a_pause_unless_the_line_or_the_speech_ends() {
        check("他走了……天黑了。", &["他走了……天黑了。"]);
        check("他走了……\n天黑了。", &["他走了……", "天黑了。"]);
        check("“可是……”门开了。", &["“可是……”", "门开了。"]);
        check("“可是……”他说。", &["“可是……”他说。"]);
        check("He left… The door closed. I… I don’t know.", &["He left…", "The door closed.", "I… I don’t know."]);
        check("Well... maybe.", &["Well... maybe."]);
    }

    #[test]
    fn a_dash_ends_only_speech_that_breaks_off() {
        check("那条船——他的船——没有回来。", &["那条船——他的船——没有回来。"]);
        check("“我——”灯灭了。", &["“我——”", "灯灭了。"]);
        check("“If you—” She turned away.", &["“If you—”", "She turned away."]);
        check("“If you—” he began.", &["“If you—” he began."]);
    }

    #[test]
    fn titles_initials_and_numbers_do_not_end_a_sentence() {
        check("Mr. Zhou met Dr. Lin. They spoke.", &["Mr. Zhou met Dr. Lin.", "They spoke."]);
        check("J. R. Zhou kept it at 3.14 m. Then he slept.", &["J. R. Zhou kept it at 3.14 m.", "Then he slept."]);
        check("It was between him and I. Then it rained.", &["It was between him and I.", "Then it rained."]);
        check("Ropes, oil, etc. were sold.", &["Ropes, oil, etc. were sold."]);
    }

    #[test]
    fn a_line_is_a_paragraph() {
        check("第一章\n\n雨停了", &["第一章", "雨停了"]);
        check("One\r\nTwo", &["One", "Two"]);
        check("  \n ", &[]);
    }

    #[test]
    fn mixed_scripts_split_in_both_ways() {
        check("他说OK.然后走了。Fine. 好。", &["他说OK.", "然后走了。", "Fine.", "好。"]);
    }

    proptest! {
        #[test]
        fn joined_again_the_sentences_are_the_text(text in "[\\PC\\n。！？…—“”\"'. a-zA-Z说他]{0,120}") {
            let bare = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(bare(&split(&text).concat()), bare(&text));
            prop_assert!(split(&text).iter().all(|s| !s.is_empty() && s.trim() == *s));
        }
    }
}
