//! Length of a passage in the unit that writers count in.

use crate::language::is_han;

/// The number of Han characters plus words of every other script. Punctuation does not count; `don't`, `tide-house` and
/// `3.14` are one word each.
#[must_use]
pub fn words(text: &str) -> u32 {
    let mut total = 0_u32;
    let mut in_word = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_han(c) {
            total = total.saturating_add(1);
            in_word = false;
        } else if c.is_alphanumeric() {
            if !in_word {
                total = total.saturating_add(1);
            }
            in_word = true;
        } else if in_word
            && (is_mark(c) || (joins(c) && chars.peek().is_some_and(|n| n.is_alphanumeric() && !is_han(*n))))
        {
            // Still the same word.
        } else {
            in_word = false;
        }
    }
    total
}

/// Marks that bind two halves into one word when a letter or digit is on both sides.
fn joins(c: char) -> bool {
    matches!(c, '\'' | '’' | '-' | '‐' | '‑' | '.' | ',')
}

/// Combining marks and joiners, which never end a word.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0x200C..=0x200D | 0x00AD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_han_character_counts_and_punctuation_does_not() {
        assert_eq!(words("“你爸让我别扔。”他说。"), 8);
    }

    #[test]
    fn english_counts_words() {
        assert_eq!(words("He pushed the folding stool toward me with one foot."), 10);
    }

    #[test]
    fn contractions_hyphens_and_decimals_are_one_word_each() {
        assert_eq!(words("I don’t keep the tide-house at 3.14 metres"), 8);
        assert_eq!(words("cafe\u{301} au lait"), 3);
    }

    #[test]
    fn a_dash_or_a_full_stop_between_words_ends_the_word() {
        assert_eq!(words("Gone—all of it. Then"), 5);
        assert_eq!(words("rock 'n' roll"), 3);
    }

    #[test]
    fn mixed_text_adds_both() {
        assert_eq!(words("第3章 The Old Gauge 旧水尺"), 9);
    }

    #[test]
    fn nothing_counts_nothing() {
        assert_eq!(words(" \n……——\t"), 0);
    }
}
