//! Folding of characters for comparison: one form (NFKD), one case, simplified Chinese.

use std::{collections::HashMap, sync::OnceLock};

use unicode_normalization::char::decompose_compatible;

/// Pairs of a traditional character and its simplified form.
const SIMPLIFIED: &str = include_str!("../data/simplified.txt");

/// The simplified form of a traditional Chinese character; any other character as it is.
fn simplified(c: char) -> char {
    static TABLE: OnceLock<HashMap<char, char>> = OnceLock::new();
    if u32::from(c) < 0x3400 {
        return c;
    }
    let table = TABLE.get_or_init(|| {
        let lines = SIMPLIFIED.lines().filter(|line| !line.starts_with('#'));
        let mut chars = lines.flat_map(str::chars);
        let mut table = HashMap::new();
        while let (Some(from), Some(to)) = (chars.next(), chars.next()) {
            table.insert(from, to);
        }
        table
    });
    table.get(&c).copied().unwrap_or(c)
}

/// Calls `visit` with the characters to which `c` is folded for comparison: its compatibility decomposition (NFKD)
/// without case (full folding, by way of upper case: `ß` is `ss`), Chinese in its simplified form.
pub(crate) fn fold(c: char, mut visit: impl FnMut(char)) {
    if c.is_ascii() {
        visit(c.to_ascii_lowercase());
        return;
    }
    decompose_compatible(c, |part| {
        let upper = part.to_lowercase().flat_map(char::to_uppercase);
        upper.flat_map(char::to_lowercase).for_each(|part| visit(simplified(part)));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut all = String::new();
        text.chars().for_each(|c| fold(c, |part| all.push(part)));
        all
    }

    #[test]
    fn one_character_has_one_form() {
        for (one, other) in [
            ("Ａｎｎａ", "anna"),
            ("𝘀𝗲𝘁", "set"),
            ("ﬁ", "fi"),
            ("Voß", "VOSS"),
            ("ẞ", "ss"),
            ("Zo\u{e9}", "zoe\u{301}"),
            ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
            ("陳默", "陈默"),
            ("歐陽硯", "欧阳砚"),
            ("｜", "|"),
            ("ſ", "s"),
            ("ⓐ", "a"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
    }

    #[test]
    fn the_table_is_one_of_single_steps() {
        assert_eq!(folded("陳"), "陈");
        let lines = SIMPLIFIED.lines().filter(|line| !line.starts_with('#'));
        for c in lines.flat_map(str::chars) {
            assert_eq!(simplified(simplified(c)), simplified(c), "{c}");
        }
    }
}
