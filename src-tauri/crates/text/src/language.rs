//! Detection of the language of a passage.

/// The languages the program writes and measures in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Chinese, in either script.
    Zh,
    /// English; also the answer for any other language written without Han characters.
    En,
}

/// A Han character carries about as much as this many letters of a word, so a Chinese sentence that names an English
/// brand stays Chinese, and an English one that quotes two characters stays English.
const LETTERS_PER_HAN: usize = 3;

/// The language most of `text` is written in, by its share of Han characters. Text without any letters is English.
#[must_use]
pub fn detect(text: &str) -> Language {
    detect_or(text, Language::En)
}

/// Like [`detect`], but text without any letters (empty, digits, punctuation) is `unknown`.
#[must_use]
pub fn detect_or(text: &str, unknown: Language) -> Language {
    let mut han = 0_usize;
    let mut letters = 0_usize;
    for c in text.chars() {
        if is_han(c) {
            han += 1;
        } else if c.is_alphabetic() {
            letters += 1;
        }
    }
    if han == 0 && letters == 0 {
        unknown
    } else if han * LETTERS_PER_HAN >= letters {
        Language::Zh
    } else {
        Language::En
    }
}

/// Whether `c` is a Han character (unified ideographs with their extensions, compatibility forms, and 〇 々).
#[must_use]
pub fn is_han(c: char) -> bool {
    matches!(
        u32::from(c),
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF | 0x3005 | 0x3007
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chinese_passage_is_chinese() {
        assert_eq!(detect("雨停了，檐下还在滴水。"), Language::Zh);
    }

    #[test]
    fn an_english_passage_is_english() {
        assert_eq!(detect("The rain had stopped; the eaves went on dripping."), Language::En);
    }

    #[test]
    fn a_chinese_sentence_with_an_english_name_stays_chinese() {
        assert_eq!(detect("他把那本 Moby Dick 放回架上，没有再看。"), Language::Zh);
    }

    #[test]
    fn an_english_sentence_that_quotes_two_characters_stays_english() {
        assert_eq!(detect("The board said 验潮 and nothing else that she could read."), Language::En);
    }

    #[test]
    fn text_without_letters_is_english_unless_the_book_says_otherwise() {
        assert_eq!(detect(""), Language::En);
        assert_eq!(detect("1998 — 07"), Language::En);
        assert_eq!(detect_or("……", Language::Zh), Language::Zh);
    }
}
