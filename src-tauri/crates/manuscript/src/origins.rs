//! Origins: ranges of a text that came from a generation, and their positions after the text has changed.
//!
//! Offsets are UTF-16 code units into the text of the editor, with LF line ends; CRLF in a text counts as one
//! unit everywhere here. A range carries a hash of its quote, so that it can be found again without the quote itself.

use std::collections::HashMap;
use std::ops::Range;

use crate::text::normalize_line_ends;

/// A Mersenne prime, modulus of the rolling hash (Karp and Rabin 1987).
const MODULUS: u64 = (1 << 61) - 1;
/// Base of the rolling hash: any number above the largest code unit.
const BASE: u64 = 0x0001_f35d_9a1b_2c47;
/// The most units of text that one call visits in its search, about a second of work: for a chapter of 30,000 units
/// more than thirty thousand different lengths.
const MAX_SEARCH_STEPS: usize = 1 << 30;
/// The number of hexadecimal digits of the rolling hash at the start of a quote's hash.
const WEAK_DIGITS: usize = 16;
/// The number of hexadecimal digits of BLAKE3 in a quote's hash: 128 bits.
const STRONG_DIGITS: usize = 32;

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

/// The hash of the quote at `range` in `text`, as [`reanchor`] finds it again: a rolling hash of its UTF-16 units and
/// the first half of its BLAKE3, in hexadecimal. `None` for a range that is empty, out of bounds, or cuts a surrogate
/// pair.
pub fn quote_hash(text: &str, range: Range<u32>) -> Option<String> {
    QuoteHasher::new(text).hash(range)
}

/// Hashes quotes of one text. The text is converted once, so that the cost of many ranges is that of the text plus
/// their lengths.
#[derive(Debug)]
pub struct QuoteHasher(Vec<u16>);

impl QuoteHasher {
    /// A hasher for this text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(units(text))
    }

    /// The [`quote_hash`] of a range.
    #[must_use]
    pub fn hash(&self, range: Range<u32>) -> Option<String> {
        hash_units(&self.0, &range)
    }
}

/// Finds stored ranges again in `text`.
///
/// A range whose quote is still at its position stays. Any other one moves to the only position of its quote; if there
/// are several positions or none, or another range is there, it is listed as unanchored, for any length of the quote.
/// Of ranges with the same position, the first in `stored` gets it, and those that stay go before those that move.
///
/// Takes O(n + m) for m unmoved ranges in n units of text, and O(n) for each length of quote that has to be searched
/// for, up to [`MAX_SEARCH_STEPS`] in all; quotes of further lengths are listed as unanchored.
pub fn reanchor(text: &str, stored: &[OriginRange]) -> Reanchored {
    let units = units(text);
    let prefixes = PrefixHashes::new(&units);
    let mut used_ranges = RangeSet::default();
    let mut positions: Vec<Option<Range<u32>>> = vec![None; stored.len()];
    for (position, origin) in positions.iter_mut().zip(stored) {
        let range = origin.from..origin.to;
        // Cheap tests first: otherwise many long ranges would be hashed, each over the whole text.
        let is_unmoved = used_ranges.is_free(&range)
            && prefixes.weak(&range).is_some_and(|weak| weak_hash_of(&origin.quote_hash) == Some(weak))
            && hash_units(&units, &range).is_some_and(|hash| hash == origin.quote_hash);
        if is_unmoved && used_ranges.insert(&range) {
            *position = Some(range);
        }
    }
    let mut wanted: Vec<(usize, Vec<&str>)> = Vec::new();
    let mut index_of_length: HashMap<usize, usize> = HashMap::new();
    for (position, origin) in positions.iter().zip(stored) {
        if let (None, Some(length)) = (position, origin.to.checked_sub(origin.from)) {
            let at = *index_of_length.entry(length as usize).or_insert(wanted.len());
            match wanted.get_mut(at) {
                Some((_, quotes)) => quotes.push(&origin.quote_hash),
                None => wanted.push((length as usize, vec![&origin.quote_hash])),
            }
        }
    }
    let mut found: HashMap<(usize, &str), Occurrence> = HashMap::new();
    for (length, quotes) in &wanted[..max_searched_lengths(wanted.len(), units.len())] {
        found.extend(
            search(&units, *length, quotes).into_iter().map(|(quote, occurrence)| ((*length, quote), occurrence)),
        );
    }
    for (position, origin) in positions.iter_mut().zip(stored) {
        let Some(length) = origin.to.checked_sub(origin.from).filter(|_| position.is_none()) else {
            continue;
        };
        if let Some(&Occurrence::Once(from)) = found.get(&(length as usize, origin.quote_hash.as_str())) {
            let range = from..from + length;
            if used_ranges.insert(&range) {
                *position = Some(range);
            }
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

/// The number of quote lengths that are searched for in a text of `units` units.
fn max_searched_lengths(lengths: usize, units: usize) -> usize {
    lengths.min(MAX_SEARCH_STEPS / units.max(1)).max(lengths.min(1))
}

fn units(text: &str) -> Vec<u16> {
    normalize_line_ends(text).encode_utf16().collect()
}

fn hash_units(units: &[u16], range: &Range<u32>) -> Option<String> {
    if range.start >= range.end {
        return None;
    }
    let quote = units.get(range.start as usize..range.end as usize)?;
    Some(format!("{:016x}{}", rolling_hash(quote), strong_hash(quote)?))
}

/// The first half of BLAKE3 of the quote as UTF-8; `None` if the ends cut a surrogate pair.
fn strong_hash(quote: &[u16]) -> Option<String> {
    let quote = String::from_utf16(quote).ok()?;
    let mut digits = String::with_capacity(STRONG_DIGITS);
    for byte in &blake3::hash(quote.as_bytes()).as_bytes()[..STRONG_DIGITS / 2] {
        digits += &format!("{byte:02x}");
    }
    Some(digits)
}

fn rolling_hash(units: &[u16]) -> u64 {
    extend_hash(0, units)
}

fn extend_hash(hash: u64, units: &[u16]) -> u64 {
    units.iter().fold(hash, |hash, &unit| add(times(hash, BASE), u64::from(unit) + 1))
}

/// The rolling hash at the start of a quote's hash.
fn weak_hash_of(quote_hash: &str) -> Option<u64> {
    quote_hash.get(..WEAK_DIGITS).and_then(|digits| u64::from_str_radix(digits, 16).ok())
}

/// The rolling hashes of the prefixes of a text, one for every [`PrefixHashes::STEP`] units: the hash of any range
/// follows from two of them.
struct PrefixHashes<'a> {
    units: &'a [u16],
    hashes: Vec<u64>,
}

impl<'a> PrefixHashes<'a> {
    /// Units per hash. Each hash takes as much memory as four units.
    const STEP: usize = 16;

    fn new(units: &'a [u16]) -> Self {
        let mut hash = 0;
        let mut hashes = vec![0];
        for chunk in units.chunks_exact(Self::STEP) {
            hash = extend_hash(hash, chunk);
            hashes.push(hash);
        }
        Self { units, hashes }
    }

    /// The hash of the first `end` units.
    fn prefix(&self, end: usize) -> Option<u64> {
        let from = end / Self::STEP;
        Some(extend_hash(*self.hashes.get(from)?, self.units.get(from * Self::STEP..end)?))
    }

    /// [`rolling_hash`] of a range; `None` for one that is empty or out of bounds.
    fn weak(&self, range: &Range<u32>) -> Option<u64> {
        let length = range.end.checked_sub(range.start).filter(|length| *length > 0)?;
        let before = times(self.prefix(range.start as usize)?, power(length));
        Some(add(self.prefix(range.end as usize)?, MODULUS - before))
    }
}

/// The base to the power of `exponent`.
fn power(mut exponent: u32) -> u64 {
    let (mut result, mut square) = (1, BASE);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = times(result, square);
        }
        square = times(square, square);
        exponent /= 2;
    }
    result
}

fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    // 2^61 is 1 modulo 2^61 - 1: the upper bits are added to the lower ones, instead of a division.
    add((product & u128::from(MODULUS)) as u64, (product >> 61) as u64)
}

/// The occurrences of a quote.
#[derive(Debug, Clone, Copy)]
enum Occurrence {
    Once(u32),
    Several,
}

/// Searches for all quotes of one length in one pass.
fn search<'a>(units: &[u16], length: usize, quotes: &[&'a str]) -> HashMap<&'a str, Occurrence> {
    let mut found = HashMap::new();
    if length == 0 || length > units.len() {
        return found;
    }
    let mut searched: HashMap<u64, Vec<&'a str>> = HashMap::new();
    // A one-bit filter rejects nearly every position without a lookup in the map.
    let mut filter = [0_u64; 1 << 10];
    let bit = |weak: u64| ((weak >> 6) as usize % (1 << 10), 1_u64 << (weak % 64));
    for quote in quotes {
        let Some(weak) = weak_hash_of(quote) else { continue };
        filter[bit(weak).0] |= bit(weak).1;
        let same = searched.entry(weak).or_default();
        if !same.contains(quote) {
            same.push(quote);
        }
    }
    let lead = power(u32::try_from(length - 1).unwrap_or(u32::MAX));
    let mut hash = rolling_hash(&units[..length]);
    for from in 0..=units.len() - length {
        if from > 0 {
            let leading = times(u64::from(units[from - 1]) + 1, lead);
            let rest = add(hash, MODULUS - leading);
            hash = add(times(rest, BASE), u64::from(units[from + length - 1]) + 1);
        }
        if filter[bit(hash).0] & bit(hash).1 == 0 {
            continue;
        }
        let Some(same) = searched.get_mut(&hash) else {
            continue;
        };
        let Some(digits) = strong_hash(&units[from..from + length]) else {
            continue;
        };
        // A quote found twice is removed from the search: a text of one repeated word stays cheap.
        same.retain(|quote| {
            if quote.get(WEAK_DIGITS..) != Some(digits.as_str()) {
                return true;
            }
            match found.get(quote) {
                None => {
                    found.insert(*quote, u32::try_from(from).map_or(Occurrence::Several, Occurrence::Once));
                    true
                }
                Some(_) => {
                    found.insert(*quote, Occurrence::Several);
                    false
                }
            }
        });
        if same.is_empty() {
            searched.remove(&hash);
        }
    }
    found
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
        let units = units(text);
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
    fn a_range_that_is_none_has_no_hash() {
        let text = "a𠮷b";
        for (from, to) in [(0, 0), (2, 1), (0, 5), (4, 9), (0, 2), (2, 4), (u32::MAX - 1, u32::MAX)] {
            assert_eq!(quote_hash(text, from..to), None, "{from}..{to}");
        }
        assert!(quote_hash(text, 1..3).is_some());
        assert!(quote_hash(text, 0..4).is_some());
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
    fn searching_is_bounded_however_many_lengths_were_lost() {
        assert_eq!(
            (max_searched_lengths(0, 300_000), max_searched_lengths(1, usize::MAX), max_searched_lengths(40, 300_000)),
            (0, 1, 40)
        );
        for units in [1, 30_000, 300_000, 16 << 20] {
            assert!(max_searched_lengths(usize::MAX, units) * units <= MAX_SEARCH_STEPS);
        }
        // Long overlapping ranges whose quotes have changed: none of them is hashed as a whole.
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
        fn the_hash_of_a_range_is_the_same_with_and_without_going_through_it(
            text in "[ab雨𠮷。\n]{0,90}", from in 0..100u32, to in 0..100u32,
        ) {
            let units = units(&text);
            let naive = units.get(from as usize..to as usize).filter(|quote| !quote.is_empty()).map(rolling_hash);
            prop_assert_eq!(PrefixHashes::new(&units).weak(&(from..to)), naive);
            let strong = units.get(from as usize..to as usize).and_then(strong_hash);
            let whole = naive.zip(strong).map(|(weak, strong)| format!("{weak:016x}{strong}"));
            prop_assert_eq!(&QuoteHasher::new(&text).hash(from..to), &whole);
            prop_assert_eq!(quote_hash(&text, from..to), whole);
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
