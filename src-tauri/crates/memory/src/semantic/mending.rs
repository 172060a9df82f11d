//! Edits that only correct: slips of the pen, look-alike characters, punctuation of another width, names.
//!
//! Best effort, and conservative: an edit that may express a style preference is never taken for a slip. An
//! unrecognised correction counts as one more edit without direction.

use crate::model::HiddenName;

/// Characters that are typed for one another; each group is read as its first one.
const ALIKE: &[&str] = &["的地得", "在再", "做作", "那哪", "像象", "已己", "坐座", "带戴", "账帐", "辨辩", "即既"];
/// Quotation marks of any kind.
const QUOTES: &str = "\"“”「」『』„«»";
const APOSTROPHES: &str = "'’‘`´";
/// Replaces any name.
const NAME: &str = "\u{1}";
/// Minimum characters of a word in which an added or missing letter is a slip, and of one in which another letter is:
/// shorter ones are other words, or other tenses.
const LONG_ENOUGH: [usize; 2] = [6, 7];

/// Whether the two texts differ only by corrections. `names` are those on the project's map: the choice of a name is no
/// evidence of style. Equal texts count too.
#[must_use]
pub fn is_all(before: &str, after: &str, names: &[HiddenName]) -> bool {
    let (before, after) = (plain(before, names), plain(after, names));
    if before == after {
        return true;
    }
    let (before, after) = (tokens(&before), tokens(&after));
    before.len() == after.len() && before.iter().zip(&after).all(|(one, other)| one == other || is_slip(one, other))
}

/// A text without the differences that a correction makes.
fn plain(text: &str, names: &[HiddenName]) -> String {
    let mut names: Vec<&str> =
        names.iter().map(|hidden| hidden.name.as_str()).filter(|name| !name.is_empty()).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut text = text.to_owned();
    for name in names {
        if text.contains(name) {
            text = text.replace(name, NAME);
        }
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.trim().chars() {
        let c = match c {
            // Full-width forms of ASCII characters.
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            '。' => '.',
            '、' => ',',
            '\u{3000}' | '\u{a0}' | '\t' => ' ',
            '\r' => '\n',
            c if QUOTES.contains(c) => '"',
            c if APOSTROPHES.contains(c) => '\'',
            c => ALIKE.iter().find(|alike| alike.contains(c)).and_then(|alike| alike.chars().next()).unwrap_or(c),
        };
        // Several blanks equal one, and a blank at the end of a line none.
        match (plain.chars().next_back(), c) {
            (Some(' ' | '\n'), ' ') | (Some('\n'), '\n') => {}
            (Some(' '), '\n') => {
                plain.pop();
                if !plain.ends_with('\n') {
                    plain.push('\n');
                }
            }
            _ => plain.push(c),
        }
    }
    plain
}

/// Words with letters, and the text between them.
fn tokens(text: &str) -> Vec<&str> {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '\'';
    let mut tokens = Vec::new();
    let mut from = 0;
    let mut was = None;
    for (at, c) in text.char_indices() {
        let is = is_letter(c);
        if was.is_some_and(|was| was != is) {
            tokens.push(&text[from..at]);
            from = at;
        }
        was = Some(is);
    }
    if from < text.len() {
        tokens.push(&text[from..]);
    }
    tokens
}

/// Whether two words are the same except for a slip of the pen. Endings are not slips: they are inflections.
fn is_slip(one: &str, other: &str) -> bool {
    let letters = |word: &str| -> Vec<u8> {
        word.bytes().filter(u8::is_ascii_alphabetic).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'\'');
    if !is_word(one) || !is_word(other) {
        return false;
    }
    let (one, other) = (letters(one), letters(other));
    // Only case and apostrophes differ.
    if one == other {
        return true;
    }
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let tail = |skip: usize, of: &[u8]| of.get(same + skip..).map(<[u8]>::to_vec).unwrap_or_default();
    let [inserted, replaced] = LONG_ENOUGH;
    match one.len().abs_diff(other.len()) {
        0 => {
            let swapped = (one.get(same), one.get(same + 1)) == (other.get(same + 1), other.get(same));
            let rest = tail(2, &one) == tail(2, &other);
            let inside = same > 0 && same + 2 < one.len();
            (swapped && rest && one.len() > 2) || (inside && one.len() >= replaced && tail(1, &one) == tail(1, &other))
        }
        1 => {
            let (short, long) = if one.len() < other.len() { (&one, &other) } else { (&other, &one) };
            let fits = tail(0, short) == tail(1, long);
            let doubled = same > 0 && long.get(same) == long.get(same - 1);
            let inside = same > 0 && same + 2 < long.len() && long.len() >= inserted;
            fits && short.len() > 2 && (doubled || inside)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<HiddenName> {
        ["林默", "苏晚", "Lin Mo", "Su Wan"]
            .map(|name| HiddenName { name: name.into(), alias: "甲".into(), lower_case: None })
            .to_vec()
    }

    #[test]
    fn slips_look_alikes_width_and_names_are_mended() {
        for (before, after) in [
            ("他慢慢的走。", "他慢慢地走。"),
            ("他在也不回来", "他再也不回来"),
            ("灯灭了, 门开了.", "灯灭了， 门开了。"),
            ("林默看着窗外。", "苏晚看着窗外。"),
            ("“走吧。”林默说。", "「走吧。」苏晚说。"),
            ("He saw teh light.", "He saw the light."),
            ("It occured to Lin Mo.", "It occurred to Su Wan."),
            ("A seperate room, dont you see", "A separate room, don't you see"),
            ("the Goverment", "the government"),
            ("One.  Two. \nThree", "One. Two.\nThree"),
            ("灯灭了。", "灯灭了。"),
        ] {
            assert!(is_all(before, after, &names()), "{before} / {after}");
            assert!(is_all(after, before, &names()), "{after} / {before}");
        }
    }

    #[test]
    fn a_possible_wish_about_style_is_no_correction_of_a_slip() {
        for (before, after) in [
            ("他慢慢地走。", "他走。"),
            ("灯灭了，门开了。", "灯灭了。门开了。"),
            ("灯灭了！", "灯灭了。"),
            ("他看着窗外。", "林默看着窗外。"),
            ("我看着窗外。", "他看着窗外。"),
            ("He walks home.", "He walked home."),
            ("They come home.", "They came home."),
            ("He walked quickly home.", "He walked home."),
            ("It was dark.", "It was dark!"),
            ("One. Two.", "One.\nTwo."),
            ("He ran.", "She ran."),
        ] {
            assert!(!is_all(before, after, &names()), "{before} / {after}");
        }
    }
}
