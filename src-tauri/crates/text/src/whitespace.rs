//! Normalised white space and line ends.

/// The text with each run of white space (also full-width and no-break spaces) as one space, and none at either end. No
/// space is added where the text has no white space, such as between Han characters.
#[must_use]
pub fn single_spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push_str(word);
    }
    spaced
}

/// The text with LF line ends.
#[must_use]
pub fn normalize_line_ends(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn runs_of_white_space_become_one_space_and_chinese_gets_none() {
        for (text, should) in [
            ("  Keep \u{a0} sentences\tshort ", "Keep sentences short"),
            ("　句子　　要短　", "句子 要短"),
            ("句子要短，别用“突然”。", "句子要短，别用“突然”。"),
            (" \u{3000} ", ""),
        ] {
            assert_eq!(single_spaced(text), should);
        }
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_changes(text in ".{0,40}") {
            let once = single_spaced(&text);
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(bare(&once), bare(&text));
            prop_assert_eq!(single_spaced(&once), once);
        }
    }
}
