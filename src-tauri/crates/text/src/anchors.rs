//! Anchors: ranges of a text that are found again after the text has changed, by a hash of what they quote.
//!
//! Offsets are UTF-16 code units into a text with LF line ends; CRLF counts as one unit everywhere here. A stored
//! anchor does not need the quote itself.

mod replaced;
mod verify;

use std::{collections::HashMap, ops::Range};

pub use replaced::replacement;
pub use verify::{MIN_HAN, MIN_WORDS, QuotedText, is_verifiable, verify};

use crate::normalize_line_ends;

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

/// A stored range of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor<'a> {
    /// Start, in UTF-16 code units.
    pub from: u32,
    /// End, exclusive, in UTF-16 code units.
    pub to: u32,
    /// The [`quote_hash`] of the range.
    pub quote_hash: &'a str,
}

/// Where a text has the quote of an anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// At the range of the anchor, and perhaps at others.
    Holds,
    /// At one other range only.
    Moved(Range<u32>),
    /// At several other ranges: none is guessed. Also for a quote that was not searched for, because the limit of the
    /// search was reached.
    Several,
    /// Nowhere.
    Gone,
}

/// The hash of the quote at `range` in `text`, as [`follow`] finds it again: a rolling hash of its UTF-16 units and
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

/// Where `text` has the quote of each anchor. Anchors may overlap: each is followed by itself.
///
/// Takes O(n + m) for m unmoved anchors in n units of text, and O(n) for each length of quote that has to be searched
/// for, up to about a second of work in all.
#[must_use]
pub fn follow(text: &str, anchors: &[Anchor<'_>]) -> Vec<Standing> {
    let text = AnchoredText::new(text);
    let moved: Vec<Anchor<'_>> = anchors.iter().filter(|anchor| !text.holds(anchor)).copied().collect();
    let mut searched = text.search(&moved).into_iter();
    let standing = |anchor: &Anchor<'_>| {
        if text.holds(anchor) { Standing::Holds } else { searched.next().unwrap_or(Standing::Gone) }
    };
    anchors.iter().map(standing).collect()
}

/// A text in which anchors are looked up. It is converted and hashed once.
#[derive(Debug)]
pub struct AnchoredText {
    units: Vec<u16>,
    hashes: Vec<u64>,
}

impl AnchoredText {
    /// Converts and hashes a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let units = units(text);
        let hashes = PrefixHashes::hashes_of(&units);
        Self { units, hashes }
    }

    /// Whether the text has the quote of an anchor at its range.
    #[must_use]
    pub fn holds(&self, anchor: &Anchor<'_>) -> bool {
        let range = anchor.from..anchor.to;
        let prefixes = PrefixHashes { units: &self.units, hashes: &self.hashes };
        // The cheap test first: otherwise many long ranges would be hashed, each over the whole text.
        prefixes.weak(&range).is_some_and(|weak| weak_hash_of(anchor.quote_hash) == Some(weak))
            && hash_units(&self.units, &range).is_some_and(|hash| hash == anchor.quote_hash)
    }

    /// Where the text has the quotes of anchors that it does not have at their ranges: never [`Standing::Holds`].
    #[must_use]
    pub fn search(&self, anchors: &[Anchor<'_>]) -> Vec<Standing> {
        let mut wanted: Vec<(usize, Vec<&str>)> = Vec::new();
        let mut index_of_length: HashMap<usize, usize> = HashMap::new();
        for anchor in anchors {
            let Some(length) = anchor.to.checked_sub(anchor.from) else { continue };
            let at = *index_of_length.entry(length as usize).or_insert(wanted.len());
            match wanted.get_mut(at) {
                Some((_, quotes)) => quotes.push(anchor.quote_hash),
                None => wanted.push((length as usize, vec![anchor.quote_hash])),
            }
        }
        let searched = max_searched_lengths(wanted.len(), self.units.len());
        let mut found: HashMap<(usize, &str), Occurrence> = HashMap::new();
        for (length, quotes) in &wanted[..searched] {
            let here = search(&self.units, *length, quotes);
            found.extend(here.into_iter().map(|(quote, occurrence)| ((*length, quote), occurrence)));
        }
        let unsearched: Vec<usize> = wanted[searched..].iter().map(|(length, _)| *length).collect();
        let standing = |anchor: &Anchor<'_>| {
            let Some(length) = anchor.to.checked_sub(anchor.from) else { return Standing::Gone };
            match found.get(&(length as usize, anchor.quote_hash)) {
                Some(&Occurrence::Once(from)) => Standing::Moved(from..from + length),
                Some(Occurrence::Several) => Standing::Several,
                None if unsearched.contains(&(length as usize)) => Standing::Several,
                None => Standing::Gone,
            }
        };
        anchors.iter().map(standing).collect()
    }
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
#[derive(Clone, Copy)]
struct PrefixHashes<'a> {
    units: &'a [u16],
    hashes: &'a [u64],
}

impl PrefixHashes<'_> {
    /// Units per hash. Each hash takes as much memory as four units.
    const STEP: usize = 16;

    fn hashes_of(units: &[u16]) -> Vec<u64> {
        let mut hash = 0;
        let mut hashes = vec![0];
        for chunk in units.chunks_exact(Self::STEP) {
            hash = extend_hash(hash, chunk);
            hashes.push(hash);
        }
        hashes
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

#[cfg(test)]
mod tests;
