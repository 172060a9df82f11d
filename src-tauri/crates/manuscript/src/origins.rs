//! Origins: ranges of a text that came from a generation, and their positions after the text has changed.
//!
//! Offsets are UTF-16 code units into the text of the editor, with LF line ends; CRLF in a text counts as one
//! unit everywhere here. A range carries a hash of its quote, so that it can be found again without the quote itself.

use std::ops::Range;

use palimpsest_text::anchors::{Anchor, AnchoredText, Standing};
pub use palimpsest_text::anchors::{QuoteHasher, quote_hash};

/// A range of a text that came from a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginRange {
    /// UUID of the generation that wrote the range.
    pub generation_id: String,
    /// Start, in UTF-16 code units.
    pub from: u32,
    /// End, exclusive, in UTF-16 code units.
    pub to: u32,
    /// The [`quote_hash`] of the range.
    pub quote_hash: String,
}

/// Result of [`reanchor`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reanchored {
    /// The ranges found, at their current positions: in the order of the text, without overlap.
    pub anchored: Vec<OriginRange>,
    /// The ranges whose quote is not in the text, occurs several times, or overlaps another range: as stored, in their
    /// order. No position is guessed.
    pub unanchored: Vec<OriginRange>,
}

/// Finds stored ranges again in `text`.
///
/// A range whose quote is still at its position stays. Any other one moves to the only position of its quote; if there
/// are several positions or none, or another range is there, it is listed as unanchored, for any length of the quote.
/// Of ranges with the same position, the first in `stored` gets it, and those that stay go before those that move.
///
/// Takes O(n + m) for m unmoved ranges in n units of text, and O(n) for each length of quote that has to be searched
/// for, up to about a second of work in all; quotes of further lengths are listed as unanchored.
pub fn reanchor(text: &str, stored: &[OriginRange]) -> Reanchored {
    let text = AnchoredText::new(text);
    let mut used_ranges = RangeSet::default();
    let mut positions: Vec<Option<Range<u32>>> = vec![None; stored.len()];
    for (position, origin) in positions.iter_mut().zip(stored) {
        let range = origin.from..origin.to;
        if used_ranges.is_free(&range) && text.holds(&anchor(origin)) && used_ranges.insert(&range) {
            *position = Some(range);
        }
    }
    let moved: Vec<usize> = (0..stored.len()).filter(|&number| positions[number].is_none()).collect();
    let anchors: Vec<Anchor<'_>> = moved.iter().map(|&number| anchor(&stored[number])).collect();
    for (number, standing) in moved.into_iter().zip(text.search(&anchors)) {
        if let Standing::Moved(range) = standing
            && used_ranges.insert(&range)
        {
            positions[number] = Some(range);
        }
    }
    let mut result = Reanchored::default();
    for (position, origin) in positions.into_iter().zip(stored) {
        match position {
            Some(range) => result.anchored.push(OriginRange { from: range.start, to: range.end, ..origin.clone() }),
            None => result.unanchored.push(origin.clone()),
        }
    }
    result.anchored.sort_by_key(|origin| origin.from);
    result
}

fn anchor(origin: &OriginRange) -> Anchor<'_> {
    Anchor { from: origin.from, to: origin.to, quote_hash: &origin.quote_hash }
}

/// Ranges that do not overlap.
#[derive(Default)]
struct RangeSet(std::collections::BTreeMap<u32, u32>);

impl RangeSet {
    fn is_free(&self, range: &Range<u32>) -> bool {
        self.0.range(..range.end).next_back().is_none_or(|(_, &end)| end <= range.start)
    }

    /// Inserts a range if it overlaps no other. Returns whether it was inserted.
    fn insert(&mut self, range: &Range<u32>) -> bool {
        let free = self.is_free(range);
        if free {
            self.0.insert(range.start, range.end);
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The range of the first `quote` in `text`.
    fn origin(generation: &str, text: &str, quote: &str) -> OriginRange {
        let at = text.find(quote).unwrap();
        let from = text[..at].encode_utf16().count() as u32;
        let to = from + quote.encode_utf16().count() as u32;
        OriginRange { generation_id: generation.to_owned(), from, to, quote_hash: quote_hash(text, from..to).unwrap() }
    }

    fn quotes(text: &str, origins: &[OriginRange]) -> Vec<(String, String)> {
        let units: Vec<u16> = text.replace("\r\n", "\n").encode_utf16().collect();
        let quote = |o: &OriginRange| String::from_utf16(&units[o.from as usize..o.to as usize]).unwrap();
        origins.iter().map(|o| (o.generation_id.clone(), quote(o))).collect()
    }

    /// Marks the quotes in the first text, changes it to the second, and returns those found there.
    fn check(before: &str, marked: &[&str], after: &str, expected: &[&str]) {
        let stored: Vec<_> = marked.iter().map(|quote| origin(quote, before, quote)).collect();
        let result = reanchor(after, &stored);
        let expected: Vec<_> = expected.iter().map(|quote| ((*quote).to_owned(), (*quote).to_owned())).collect();
        assert_eq!(quotes(after, &result.anchored), expected);
        assert_eq!(result.anchored.len() + result.unanchored.len(), marked.len());
    }

    #[test]
    fn text_written_before_a_passage_moves_its_mark() {
        check("雨停了。她推开门。", &["她推开门。"], "夜里，雨停了。她推开门。", &["她推开门。"]);
        check("It rained. She left.", &["She left."], "At night it rained. She left.", &["She left."]);
    }

    #[test]
    fn passages_in_another_order_keep_their_marks() {
        check("一、山。二、水。", &["一、山。", "二、水。"], "二、水。一、山。", &["二、水。", "一、山。"]);
    }

    #[test]
    fn a_changed_or_deleted_passage_is_listed_and_not_guessed() {
        check("雨停了。她推开门。", &["她推开门。"], "雨停了。她推开了门。", &[]);
        check("It rained. She left.", &["She left."], "It rained.", &[]);
        check("abc", &["abc"], "", &[]);
    }

    #[test]
    fn a_passage_found_twice_is_not_guessed_unless_it_stands_where_it_was() {
        check("他说好。", &["他说好。"], "她笑。他说好。他说好。", &[]);
        check("他说好。", &["他说好。"], "他说好。他说好。", &["他说好。"]);
    }

    #[test]
    fn a_very_short_passage_needs_to_be_the_only_one_too() {
        check("好。", &["好。"], "她说：好。", &["好。"]);
        check("好。", &["好。"], "好的，好。真好。", &[]);
        check("a b", &["b"], "c a b", &["b"]);
    }

    #[test]
    fn overlapping_claims_go_to_the_first() {
        check("雨停了。", &["雨停了。", "停了"], "雨停了。", &["雨停了。"]);
        check("雨停了。", &["停了", "雨停了。"], "夜。雨停了。", &["停了"]);
    }

    #[test]
    fn line_ends_do_not_matter() {
        let (lf, crlf) = ("一\n二\n三", "一\r\n二\r\n三");
        assert_eq!(quote_hash(lf, 2..5), quote_hash(crlf, 2..5));
        assert_eq!(reanchor(crlf, &[origin("g", lf, "二\n三")]).anchored, [origin("g", lf, "二\n三")]);
    }

    #[test]
    fn one_repeated_word_in_a_long_text_stays_cheap() {
        let text = "哈".repeat(200_000);
        let stored = OriginRange { from: 200_001, to: 250_001, ..origin("g", &text, &"哈".repeat(50_000)) };
        assert_eq!(reanchor(&text, std::slice::from_ref(&stored)).unanchored, [stored]);
    }

    #[test]
    fn ten_thousand_marks_are_found_again_after_the_text_has_moved() {
        let text: String = (0..10_000).map(|n| format!("{n:05} 雨。")).collect();
        let quotes = QuoteHasher::new(&text);
        let stored: Vec<OriginRange> = (0..10_000)
            .map(|n| OriginRange {
                generation_id: n.to_string(),
                from: n * 8,
                to: n * 8 + 8,
                quote_hash: quotes.hash(n * 8..n * 8 + 8).unwrap(),
            })
            .collect();
        assert_eq!(reanchor(&text, &stored).anchored, stored);
        let moved = reanchor(&format!("夜。{text}"), &stored);
        assert!(moved.unanchored.is_empty());
        assert!(moved.anchored.iter().zip(&stored).all(|(now, was)| now.from == was.from + 2));
    }

    #[test]
    fn long_overlapping_marks_whose_quotes_have_changed_stay_cheap() {
        let text = "雨".repeat(300_000);
        let lost =
            |n: u32| OriginRange { generation_id: n.to_string(), from: n, to: 300_000, quote_hash: "0".repeat(48) };
        let stored: Vec<OriginRange> = (0..200_000)
            .map(lost)
            .map(|mut o| {
                o.to = o.from + 99_999;
                o
            })
            .collect();
        assert_eq!(reanchor(&text, &stored).unanchored, stored);
    }

    fn text() -> impl Strategy<Value = String> {
        "[ab雨𠮷。\n]{0,30}"
    }

    prop_compose! {
        /// A text and honest ranges in it, that may overlap.
        fn marked_text()(text in text())(cuts in prop::collection::vec((0..40u32, 0..40u32), 0..6), text in Just(text))
            -> (String, Vec<OriginRange>)
        {
            let stored = cuts.iter().enumerate().filter_map(|(n, &(from, to))| Some(OriginRange {
                generation_id: n.to_string(), from, to, quote_hash: quote_hash(&text, from..to)?,
            })).collect();
            (text, stored)
        }
    }

    /// Keeps the ranges that do not overlap an earlier one.
    fn apart(stored: Vec<OriginRange>) -> Vec<OriginRange> {
        let mut used_ranges = RangeSet::default();
        stored.into_iter().filter(|o| used_ranges.insert(&(o.from..o.to))).collect()
    }

    proptest! {
        #[test]
        fn an_unchanged_text_keeps_every_mark((text, stored) in marked_text()) {
            let mut stored = apart(stored);
            let result = reanchor(&text, &stored);
            stored.sort_by_key(|o| o.from);
            prop_assert_eq!(result.anchored, stored);
            prop_assert!(result.unanchored.is_empty());
        }

        #[test]
        fn what_is_written_before_shifts_every_mark((text, stored) in marked_text(), before in "[xyz]{1,9}") {
            let after = format!("{before}{text}");
            // A quote that occurs twice can by chance be at the position of the first one.
            let only = |o: &OriginRange| {
                let quote = &quotes(&text, std::slice::from_ref(o))[0].1;
                after.char_indices().filter(|&(at, _)| after[at..].starts_with(quote.as_str())).count() == 1
            };
            let stored = apart(stored.into_iter().filter(only).collect());
            let shift = before.len() as u32;
            let result = reanchor(&after, &stored);
            prop_assert!(result.unanchored.is_empty());
            for o in result.anchored {
                let was = stored.iter().find(|s| s.generation_id == o.generation_id).unwrap();
                prop_assert_eq!((o.from, o.to), (was.from + shift, was.to + shift));
            }
        }

        #[test]
        fn every_mark_quotes_what_it_quoted_and_none_is_lost((text, stored) in marked_text(), other in text()) {
            let result = reanchor(&other, &stored);
            prop_assert_eq!(result.anchored.len() + result.unanchored.len(), stored.len());
            for o in &result.anchored {
                let was = stored.iter().find(|s| s.generation_id == o.generation_id).unwrap();
                prop_assert_eq!(quotes(&other, std::slice::from_ref(o)), quotes(&text, std::slice::from_ref(was)));
            }
            for pair in result.anchored.windows(2) {
                prop_assert!(pair[0].to <= pair[1].from);
            }
        }

        #[test]
        fn the_rolling_search_finds_what_a_naive_one_finds(text in "[ab]{0,12}", quote in "[ab]{1,4}") {
            let stored = OriginRange { from: 90, to: 90 + quote.len() as u32, ..origin("g", &quote, &quote) };
            let positions: Vec<usize> = (0..text.len()).filter(|&at| text[at..].starts_with(&quote)).collect();
            let found: Vec<usize> = reanchor(&text, &[stored]).anchored.iter().map(|o| o.from as usize).collect();
            prop_assert_eq!(found, if positions.len() == 1 { positions } else { Vec::new() });
        }

        #[test]
        fn no_text_and_no_range_is_too_strange(
            text in any::<String>(), ranges in prop::collection::vec((any::<u32>(), any::<u32>(), any::<String>()), 0..8),
            near in prop::collection::vec((0..20u32, 0..20u32), 0..8),
        ) {
            let near = near.into_iter().map(|(from, to)| (from, to, quote_hash(&text, from..to).unwrap_or_default()));
            let stored: Vec<_> = ranges.into_iter().chain(near).map(|(from, to, quote_hash)| OriginRange {
                generation_id: String::new(), from, to, quote_hash,
            }).collect();
            let result = reanchor(&text, &stored);
            prop_assert_eq!(result.anchored.len() + result.unanchored.len(), stored.len());
        }
    }
}
