//! One chapter as two, and two as one: the texts, and the positions of origins in them. No I/O.

use serde::{Deserialize, Serialize};

use crate::origins::{OriginRange, QuoteHasher};
use crate::text;

/// The positions at which the text of a joined chapter is that of its two parts. Offsets are UTF-16 code units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SplitPoint {
    /// The joined text and the first part are equal up to here.
    pub first_end: u32,
    /// From here to its end, the joined text is that of the second part.
    pub joined_from: u32,
    /// The same position in the second part.
    pub second_from: u32,
}

/// A joined chapter and its two parts.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SplitTexts {
    pub joined: String,
    pub first: String,
    pub second: String,
    pub point: SplitPoint,
}

impl std::fmt::Debug for SplitTexts {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SplitTexts").field("point", &self.point).finish_non_exhaustive()
    }
}

/// Splits a text at an offset in UTF-16 code units. White space at the offset belongs to neither part. A heading right
/// after it is the title of the second part unless `title` replaces it; without either there is no title.
///
/// `None` if the offset is no position between two characters, or if either part would have no text besides its title.
pub(crate) fn split_text(joined: &str, at: u32, title: Option<&str>) -> Option<SplitTexts> {
    let at = byte_offset(joined, at)?;
    let (before, after) = joined.split_at(at);
    let start = text::front_matter(joined).max(text::heading(joined).filter(|(from, _)| *from < at).map_or(0, |h| h.1));
    if at < start || before.get(start..)?.trim().is_empty() {
        return None;
    }
    let kept = before.trim_end().len();
    // In the middle of a line the blank between two words goes; at the start of one, an indentation stays.
    let is_mid_line = !before.ends_with('\n');
    let mut from = at + blank_lines(after);
    if is_mid_line && from == at {
        from += after.len() - after.trim_start_matches([' ', '\t']).len();
    }
    let mut found_title = None;
    let line_end = joined[from..].find('\n').map_or(joined.len(), |end| from + end);
    let is_line_start = from == 0 || joined[..from].ends_with('\n');
    if let Some(words) = text::heading_title(&joined[from..line_end]).filter(|_| is_line_start) {
        found_title = Some(words);
        from = line_end + blank_lines(&joined[line_end..]);
    }
    let body = &joined[from..];
    if body.trim().is_empty() {
        return None;
    }
    let heading = title.or(found_title).map(|title| format!("# {title}\n\n")).unwrap_or_default();
    let second = format!("{heading}{}\n", body.trim_end_matches('\n'));
    let point = SplitPoint {
        first_end: utf16_len(&joined[..kept]),
        joined_from: utf16_len(&joined[..from]),
        second_from: utf16_len(&heading),
    };
    Some(SplitTexts { joined: joined.to_owned(), first: format!("{}\n", &joined[..kept]), second, point })
}

/// Joins two texts: the second one without its front matter, its title as a heading of the second level.
pub(crate) fn join_texts(first: &str, second: &str) -> SplitTexts {
    let kept = first.trim_end();
    let body = text::front_matter(second);
    let (lead, from) = match text::heading(second) {
        Some((start, end)) => (format!("{}#{}", &second[body..start], second[start..end].trim_start()), end),
        None => {
            let from = body + blank_lines(&second[body..]);
            (String::new(), from)
        }
    };
    let gap = if kept.is_empty() { "" } else { "\n\n" };
    let start = format!("{kept}{gap}{}", lead.trim_start_matches('\n'));
    let joined = format!("{start}{}\n", second[from..].trim_end_matches('\n'));
    let point = SplitPoint {
        first_end: utf16_len(kept),
        joined_from: utf16_len(&start),
        second_from: utf16_len(&second[..from]),
    };
    SplitTexts { joined, first: first.to_owned(), second: second.to_owned(), point }
}

/// Origins of two parts, and those with a position in neither.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SplitRanges {
    /// In the first part, in the order of the text.
    pub first: Vec<OriginRange>,
    /// In the second part, in the order of the text.
    pub second: Vec<OriginRange>,
    /// As given: all of their text is between the parts.
    pub rest: Vec<OriginRange>,
}

/// The positions of ranges of the joined text in its parts. A range across the split point becomes two.
#[must_use]
pub fn split_ranges(first: &str, second: &str, ranges: &[OriginRange], point: SplitPoint) -> SplitRanges {
    let (in_first, in_second) = (QuoteHasher::new(first), QuoteHasher::new(second));
    let mut split = SplitRanges::default();
    // Blank lines at the end of the joined text are not in the second part.
    let end = utf16_len(second);
    for range in ranges {
        let head = placed(range, range.from, range.to.min(point.first_end), &in_first);
        let shift = |offset: u32| offset.checked_sub(point.joined_from)?.checked_add(point.second_from);
        let tail = shift(range.from.max(point.joined_from))
            .zip(shift(range.to))
            .and_then(|(from, to)| placed(range, from, to.min(end), &in_second));
        if head.is_none() && tail.is_none() {
            split.rest.push(range.clone());
        }
        split.first.extend(head);
        split.second.extend(tail);
    }
    split
}

/// The positions of ranges of both parts in the joined text, in its order, and those with a position in neither. Two
/// ranges of one generation that meet at the split point become one.
#[must_use]
pub fn join_ranges(
    joined: &str,
    first: &[OriginRange],
    second: &[OriginRange],
    point: SplitPoint,
) -> (Vec<OriginRange>, Vec<OriginRange>) {
    let quotes = QuoteHasher::new(joined);
    let (mut all, mut rest): (Vec<OriginRange>, Vec<OriginRange>) = (Vec::new(), Vec::new());
    for range in first {
        match placed(range, range.from, range.to.min(point.first_end), &quotes) {
            Some(placed) => all.push(placed),
            None => rest.push(range.clone()),
        }
    }
    let end = utf16_len(joined);
    let shift = |offset: u32| offset.checked_sub(point.second_from)?.checked_add(point.joined_from);
    for range in second {
        let tail = shift(range.from.max(point.second_from))
            .zip(shift(range.to))
            .and_then(|(from, to)| placed(range, from, to.min(end), &quotes));
        let Some(tail) = tail else {
            rest.push(range.clone());
            continue;
        };
        let last = all.last().filter(|last| {
            last.generation_id == tail.generation_id && last.to == point.first_end && tail.from == point.joined_from
        });
        match last.and_then(|last| placed(last, last.from, tail.to, &quotes)) {
            Some(whole) => {
                all.pop();
                all.push(whole);
            }
            None => all.push(tail),
        }
    }
    (all, rest)
}

/// The range at other offsets; `None` if it is empty there.
fn placed(range: &OriginRange, from: u32, to: u32, quotes: &QuoteHasher) -> Option<OriginRange> {
    let quote_hash = if from < to { quotes.hash(from..to)? } else { return None };
    Some(OriginRange { generation_id: range.generation_id.clone(), from, to, quote_hash })
}

/// The length of the blank lines at the start of a text, in bytes.
fn blank_lines(text: &str) -> usize {
    let is_blank = |line: &&str| line.ends_with('\n') && line.trim().is_empty();
    text.split_inclusive('\n').take_while(is_blank).map(str::len).sum()
}

/// The byte of an offset in UTF-16 code units; `None` outside of the text and inside of a character.
fn byte_offset(text: &str, offset: u32) -> Option<usize> {
    let mut units = 0;
    for (byte, c) in text.char_indices() {
        if units >= offset {
            return (units == offset).then_some(byte);
        }
        units += c.len_utf16() as u32;
    }
    (units == offset).then_some(text.len())
}

fn utf16_len(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origins::quote_hash;
    use proptest::prelude::*;

    fn offset_of(text: &str, words: &str) -> u32 {
        utf16_len(&text[..text.find(words).unwrap()])
    }

    fn check_split(joined: &str, before: &str, title: Option<&str>, expected: Option<(&str, &str)>) {
        let split = split_text(joined, offset_of(joined, before), title);
        let parts = split.as_ref().map(|split| (split.first.as_str(), split.second.as_str()));
        assert_eq!(parts, expected, "{joined:?} before {before:?}");
    }

    #[test]
    fn a_text_is_split_between_paragraphs_in_a_line_and_at_a_heading() {
        check_split(
            "# 雨夜\n\n雨停了。\n\n她推开门。\n",
            "她",
            Some("门"),
            Some(("# 雨夜\n\n雨停了。\n", "# 门\n\n她推开门。\n")),
        );
        check_split(
            "# A\n\nIt rained. She left.\n",
            " She",
            Some("B"),
            Some(("# A\n\nIt rained.\n", "# B\n\nShe left.\n")),
        );
        check_split("# A\n\nOne.\n\n　　Two.\n", "　　", Some("B"), Some(("# A\n\nOne.\n", "# B\n\n　　Two.\n")));
        check_split("# A\n\nOne.\n\n## B\n\nTwo.\n", "## B", None, Some(("# A\n\nOne.\n", "# B\n\nTwo.\n")));
        check_split("# A\n\nOne.\n\n## B\n\nTwo.\n", "## B", Some("C"), Some(("# A\n\nOne.\n", "# C\n\nTwo.\n")));
    }

    #[test]
    fn a_text_is_not_split_where_a_part_would_be_empty() {
        check_split("# A\n\nOne.\n", "One", Some("B"), None);
        check_split("# A\n\nOne.\n", "A\n", Some("B"), None);
        check_split("---\nx: 1\n---\nOne.\n", "x", Some("B"), None);
        check_split("One.\n\n# Two\n", "# Two", Some("B"), None);
        assert!(split_text("One. Two.", 40, Some("B")).is_none());
        assert!(split_text("One 𠀀 two.", 5, Some("B")).is_none(), "inside of a character");
    }

    #[test]
    fn joined_texts_lose_no_title_and_no_front_matter_comes_between_them() {
        let check = |first: &str, second: &str, expected: &str| assert_eq!(join_texts(first, second).joined, expected);
        check("# 雨夜\n\n雨停了。\n", "# 门\n\n她推开门。\n", "# 雨夜\n\n雨停了。\n\n## 门\n\n她推开门。\n");
        check("One.", "\n\nTwo.", "One.\n\nTwo.\n");
        check("One.\n", "---\nx: 1\n---\n# B\n\nTwo.\n", "One.\n\n## B\n\nTwo.\n");
        check("", "# B\n\nTwo.\n", "## B\n\nTwo.\n");
    }

    fn letters(text: &str) -> String {
        text.chars().filter(|c| !c.is_whitespace() && *c != '#').collect()
    }

    fn ranges(text: &str, cuts: &[(u8, u8)]) -> Vec<OriginRange> {
        let length = utf16_len(text);
        let mut end = 0;
        let mut found = Vec::new();
        for (n, (gap, long)) in cuts.iter().enumerate() {
            let (from, to) = (end + u32::from(*gap), end + u32::from(*gap) + u32::from(*long) + 1);
            end = to;
            if to <= length
                && let Some(hash) = quote_hash(text, from..to)
            {
                found.push(OriginRange { generation_id: format!("g{n}"), from, to, quote_hash: hash });
            }
        }
        found
    }

    fn quote(text: &str, range: &OriginRange) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        String::from_utf16(&units[range.from as usize..range.to as usize]).unwrap()
    }

    proptest! {
        #[test]
        fn a_split_loses_no_letter_and_its_parts_hold_the_joined_text(
            text in "(# [雨a]{1,3}\n\n)?([雨门𠀀ab。 　]{0,8}\n{0,2}){1,8}", at in 0..60_u32,
        ) {
            let Some(split) = split_text(&text, at, Some("标题")) else { return Ok(()) };
            let (_, title_and_body) = split.second.split_once("# 标题\n\n").unwrap();
            prop_assert_eq!(letters(&split.first) + &letters(title_and_body), letters(&text));
            let units: Vec<u16> = text.encode_utf16().collect();
            let first: Vec<u16> = split.first.encode_utf16().collect();
            let second: Vec<u16> = split.second.encode_utf16().collect();
            let SplitPoint { first_end, joined_from, second_from } = split.point;
            prop_assert_eq!(&units[..first_end as usize], &first[..first_end as usize]);
            let (tail, part) = (&units[joined_from as usize..], &second[second_from as usize..]);
            prop_assert!(tail.iter().zip(part).all(|(a, b)| a == b));
        }

        #[test]
        fn joining_loses_no_letter(first in "(# 一\n)?([雨a。]{0,6}\n{0,2}){0,5}", second in "(# 二\n)?([门b。]{0,6}\n{0,2}){0,5}") {
            prop_assert_eq!(letters(&join_texts(&first, &second).joined), letters(&first) + &letters(&second));
        }

        #[test]
        fn origins_of_a_split_text_come_back_to_their_quotes(
            text in "([雨门ab。]{1,8}\n\n){2,6}", cuts in prop::collection::vec((0..4_u8, 0..9_u8), 0..8), at in 0..60_u32,
        ) {
            let Some(split) = split_text(&text, at, Some("标题")) else { return Ok(()) };
            let stored = ranges(&text, &cuts);
            let parts = split_ranges(&split.first, &split.second, &stored, split.point);
            for (part, text) in parts.first.iter().map(|r| (r, &split.first)).chain(parts.second.iter().map(|r| (r, &split.second))) {
                prop_assert_eq!(quote_hash(text, part.from..part.to), Some(part.quote_hash.clone()));
                prop_assert!(stored.iter().any(|whole| whole.generation_id == part.generation_id && quote(&split.joined, whole).contains(&quote(text, part))));
            }
            let (back, rest) = join_ranges(&split.joined, &parts.first, &parts.second, split.point);
            prop_assert_eq!(rest.len(), 0);
            // Only white space at the split point is lost at the end of a range.
            prop_assert_eq!(back.len() + parts.rest.len(), stored.len());
            for whole in &back {
                let before = stored.iter().find(|one| one.generation_id == whole.generation_id).unwrap();
                let (whole, before) = (quote(&split.joined, whole), quote(&split.joined, before));
                prop_assert_eq!(whole.trim(), before.trim());
            }
        }
    }
}
