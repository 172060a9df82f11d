//! Invisible characters and text that is made of them.

use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};

/// The black flag, which tag characters may follow in an emoji (the flags of England, Scotland and Wales).
const BLACK_FLAG: char = '\u{1F3F4}';
/// The character that ends the tags of an emoji.
const CANCEL_TAG: char = '\u{E007F}';
/// The most tag characters between flag and end in the flag of a region.
const MAX_FLAG_TAGS: usize = 6;
const ZERO_WIDTH_JOINER: char = '\u{200D}';

/// Whether a character is invisible and separates nothing: format characters (`Cf`: soft hyphen, zero width, bidi
/// controls, tags), variation selectors, fillers, code points reserved for such, and control characters that are no
/// white space.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !c.is_whitespace();
    }
    // Ideographs, kana, Korean and their punctuation, with one filler among them.
    if matches!(c, '\u{2E80}'..='\u{D7FF}') {
        return c == '\u{3164}';
    }
    is_unseen_by_tables(c)
}

/// As [`is_unseen`], by the tables alone.
fn is_unseen_by_tables(c: char) -> bool {
    let is_filler = matches!(
        c,
        '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{2065}'
            | '\u{3164}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}'
    );
    is_filler
        || is_selector(c)
        || is_tag(c)
        || (c.is_control() && !c.is_whitespace())
        || c.general_category() == GeneralCategory::Format
}

/// Whether a text consists of letters, Han characters and everyday punctuation: nothing in it is unseen or folds to an
/// angle or square bracket. Most text is plain and needs no further table lookups.
#[must_use]
pub fn is_plain(text: &str) -> bool {
    text.chars().all(|c| match c {
        '<' | '>' | '[' | ']' => false,
        c if c.is_ascii() => !c.is_ascii_control() || c.is_whitespace(),
        '\u{A1}'..='\u{2FF}' => c != '\u{AD}',
        '\u{2E80}'..='\u{D7FF}' => c != '\u{3164}',
        '\u{2010}'..='\u{2027}' | '！' | '（' | '）' | '，' | '：' | '；' | '？' => true,
        _ => false,
    })
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// Tag characters and the code points reserved around them.
fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0000}'..='\u{E0FFF}') && !is_selector(c)
}

fn is_emoji(c: Option<char>) -> bool {
    c.is_some_and(|c| !c.is_ascii() && (c.is_emoji_char() || is_selector(c)))
}

/// Whether `c` between these two is not allowed in a name or a rule: unseen characters and the separators U+2028
/// and U+2029. The joiner inside an emoji and one variation selector after a visible character
/// are allowed.
fn is_disallowed(before: Option<char>, c: char, after: Option<char>) -> bool {
    match c {
        '\u{2028}' | '\u{2029}' => true,
        ZERO_WIDTH_JOINER => !(is_emoji(before) && is_emoji(after)),
        c if is_selector(c) => before.is_none_or(|before| is_unseen(before) || before.is_whitespace()),
        c => is_unseen(c),
    }
}

/// Whether a text holds characters that a writer cannot see in it, which a name or a rule must not have.
#[must_use]
pub fn has_unseen(text: &str) -> bool {
    if is_plain(text) {
        return false;
    }
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_disallowed(before, c, chars.peek().copied()) {
            return true;
        }
        before = Some(c);
    }
    false
}

/// The text without the characters that [`has_unseen`] finds; U+2028 and U+2029 become spaces.
#[must_use]
pub fn without_unseen(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut visible = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let before = visible.chars().next_back();
        match c {
            '\u{2028}' | '\u{2029}' => visible.push(' '),
            c if is_disallowed(before, c, chars.peek().copied()) => {}
            c => visible.push(c),
        }
    }
    // A joiner whose neighbour was dropped is no longer inside an emoji.
    if has_unseen(&visible) { visible.chars().filter(|c| !is_unseen(*c)).collect() } else { visible }
}

/// The text without characters that can carry words visible to a model and invisible to a writer: tag characters
/// outside the flag of a region, and variation selectors after a variation selector. All other text stays as it is.
#[must_use]
pub fn without_hidden_words(text: &str) -> String {
    if !text.chars().any(|c| is_tag(c) || is_selector(c)) {
        return text.to_owned();
    }
    let mut visible = String::with_capacity(text.len());
    let mut rest = text.chars();
    let mut before = None;
    while let Some(c) = rest.next() {
        if is_tag(c) || (is_selector(c) && before.is_none_or(is_selector)) {
            continue;
        }
        visible.push(c);
        before = Some(c);
        if c == BLACK_FLAG {
            let tags: String = rest.clone().take_while(|c| is_tag(*c)).take(MAX_FLAG_TAGS + 2).collect();
            let length = tags.chars().count();
            let is_flag = tags.ends_with(CANCEL_TAG) && (4..=MAX_FLAG_TAGS + 1).contains(&length);
            if is_flag {
                visible.push_str(&tags);
                rest = rest.as_str().get(tags.len()..).unwrap_or_default().chars();
            }
        }
    }
    visible
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn east_asian_characters_are_seen_as_the_tables_say() {
        for c in '\u{2E80}'..='\u{D7FF}' {
            assert_eq!(is_unseen(c), is_unseen_by_tables(c), "{c:?}");
        }
    }

    #[test]
    fn a_plain_character_is_seen_and_folds_to_no_bracket() {
        for c in (0..=0x2_FFFF).filter_map(char::from_u32).filter(|c| is_plain(c.encode_utf8(&mut [0; 4]))) {
            assert!(!is_unseen(c), "{c:?}");
            crate::fold::fold(c, |part| {
                assert!(!matches!(part, '<' | '>' | '[' | ']' | '◁' | '|') || part == c, "{c:?}")
            });
        }
    }

    #[test]
    fn invisible_characters_are_found_and_those_that_an_emoji_needs_are_not() {
        for text in [
            "短句",
            "Keep it short.",
            "👩\u{200D}🚀",
            "❤\u{FE0F}",
            "葛\u{E0100}",
            "👩🏽\u{200D}🚀",
            "🏳\u{FE0F}\u{200D}🌈",
            "naïve",
        ] {
            assert!(!has_unseen(text), "{text:?}");
            assert_eq!(without_unseen(text), text);
        }
        let hidden = [
            "a\u{200B}b",
            "a\u{200D}b",
            "\u{200D}",
            "a\u{AD}b",
            "\u{202E}ab",
            "\u{2066}ab",
            "a\u{2028}b",
            "a\u{2029}b",
            "a\u{E0041}\u{E0042}",
            "\u{FE0F}a",
            "a\u{FE0F}\u{FE0E}",
            "a\u{3164}b",
            "a\u{FEFF}b",
            "a\u{2060}b",
            "👩\u{200D}a",
            "a\u{E0001}",
            "🏴\u{E0067}\u{E0062}\u{E007F}",
            "a\u{34F}b",
            "a\u{115F}",
        ];
        for text in hidden {
            assert!(has_unseen(text), "{text:?}");
            assert!(!has_unseen(&without_unseen(text)), "{text:?}");
        }
        assert_eq!(without_unseen("短\u{E0041}句\u{2028}快"), "短句 快");
    }

    #[test]
    fn words_in_tags_and_rows_of_selectors_are_taken_out_and_flags_stay() {
        let scotland = "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}";
        for text in [scotland, "❤\u{FE0F} 葛\u{E0100}飾", "a\u{AD}b", "علی\u{200C}رضا"] {
            assert_eq!(without_hidden_words(text), text);
        }
        assert_eq!(without_hidden_words("He\u{E004F}\u{E0042}\u{E0045}\u{E0059} left"), "He left");
        assert_eq!(without_hidden_words("a\u{FE00}\u{FE01}\u{E0101}b"), "a\u{FE00}b");
        let long = format!("🏴{}\u{E007F}.", "\u{E0061}".repeat(40));
        assert_eq!(without_hidden_words(&long), "🏴.");
    }

    proptest! {
        #[test]
        fn what_is_cleaned_once_is_clean(text in "[ab ❤👩🚀🏴\u{200D}\u{FE0F}\u{E0101}\u{E0041}\u{E007F}\u{202E}\u{2028}\u{3164}]{0,16}") {
            prop_assert!(!has_unseen(&without_unseen(&text)));
            let kept = without_hidden_words(&text);
            prop_assert_eq!(without_hidden_words(&kept), kept);
        }
    }
}
