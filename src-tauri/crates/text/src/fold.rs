//! Folding of characters for comparison: one form (NFKD), one case, simplified Chinese.

use std::sync::OnceLock;

use unicode_normalization::char::decompose_compatible;

/// Pairs of a traditional character and its simplified form.
const SIMPLIFIED: &str = include_str!("../data/simplified.txt");

/// The first character that has a simplified form.
const FIRST_TRADITIONAL: u32 = 0x3400;

/// The simplified form of a traditional Chinese character; any other character as it is.
fn simplified(c: char) -> char {
    // By the distance from the first one; `\0` for a character without a simplified form.
    static TABLE: OnceLock<Vec<char>> = OnceLock::new();
    let Some(place) = u32::from(c).checked_sub(FIRST_TRADITIONAL) else { return c };
    let table = TABLE.get_or_init(|| {
        let lines = SIMPLIFIED.lines().filter(|line| !line.starts_with('#'));
        let mut chars = lines.flat_map(str::chars);
        let mut table = Vec::new();
        while let (Some(from), Some(to)) = (chars.next(), chars.next()) {
            let Some(place) = u32::from(from).checked_sub(FIRST_TRADITIONAL) else { continue };
            let place = place as usize;
            if table.len() <= place {
                table.resize(place + 1, '\0');
            }
            if let Some(entry) = table.get_mut(place) {
                *entry = to;
            }
        }
        table
    });
    table.get(place as usize).copied().filter(|found| *found != '\0').unwrap_or(c)
}

/// The character to which `c` is folded, for characters that have no decomposition and no case but that of ASCII:
/// ASCII, the unified ideographs, and the signs most often between them, which most texts consist of. `None` for
/// others.
pub(crate) fn fold_plain(c: char) -> Option<char> {
    match c {
        c if c.is_ascii() => Some(c.to_ascii_lowercase()),
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' => Some(simplified(c)),
        '、' | '。' | '“' | '”' => Some(c),
        _ => None,
    }
}

/// Calls `visit` with the characters to which `c` is folded for comparison: its compatibility decomposition (NFKD)
/// without case (full folding, by way of upper case: `ß` is `ss`), Chinese in its simplified form.
pub(crate) fn fold(c: char, mut visit: impl FnMut(char)) {
    if let Some(folded) = fold_plain(c) {
        visit(folded);
        return;
    }
    fold_by_tables(c, visit);
}

/// As [`fold`], by the tables alone.
fn fold_by_tables(c: char, mut visit: impl FnMut(char)) {
    decompose_compatible(c, |part| {
        let upper = part.to_lowercase().flat_map(char::to_uppercase);
        upper.flat_map(char::to_lowercase).for_each(|part| visit(simplified(part)));
    });
}

#[cfg(test)]
mod tests {
    use unicode_normalization::char::canonical_combining_class;

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
    fn plain_characters_fold_as_the_tables_say() {
        let han = ('\u{3400}'..='\u{4DBF}').chain('\u{4E00}'..='\u{9FFF}');
        for c in ('\0'..='\u{7F}').chain(han).chain("、。“”".chars()) {
            let mut by_tables = Vec::new();
            fold_by_tables(c, |part| by_tables.push((canonical_combining_class(part), part)));
            assert_eq!(by_tables, [(0, fold_plain(c).unwrap())], "{c}");
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
