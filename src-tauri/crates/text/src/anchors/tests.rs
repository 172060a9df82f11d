use proptest::prelude::*;

use super::*;

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
fn searching_is_bounded_however_many_lengths_were_lost() {
    assert_eq!(
        (max_searched_lengths(0, 300_000), max_searched_lengths(1, usize::MAX), max_searched_lengths(40, 300_000)),
        (0, 1, 40)
    );
    for units in [1, 30_000, 300_000, 16 << 20] {
        assert!(max_searched_lengths(usize::MAX, units) * units <= MAX_SEARCH_STEPS);
    }
}

/// The anchor of the first `quote` in `text`.
fn range_of(text: &str, quote: &str) -> Range<u32> {
    let at = text.find(quote).unwrap();
    let from = text[..at].encode_utf16().count() as u32;
    from..from + quote.encode_utf16().count() as u32
}

fn followed(before: &str, quote: &str, after: &str) -> Standing {
    let range = range_of(before, quote);
    let hash = quote_hash(before, range.clone()).unwrap();
    let anchor = Anchor { from: range.start, to: range.end, quote_hash: &hash };
    follow(after, &[anchor]).remove(0)
}

#[test]
fn a_quote_holds_where_it_was_and_is_found_where_it_moved() {
    assert_eq!(followed("雨停了。她推开门。", "她推开门。", "雨停了。她推开门。她走了。"), Standing::Holds);
    assert_eq!(followed("She left.", "She left.", "It rained. She left."), Standing::Moved(11..20));
    assert_eq!(followed("她笑。", "她笑。", "她笑。她笑。"), Standing::Holds, "where it was, it holds");
}

#[test]
fn no_place_of_a_quote_is_guessed() {
    assert_eq!(followed("她笑。", "她笑。", "夜。她笑。她笑。"), Standing::Several);
    assert_eq!(followed("She left.", "She left.", "She had left."), Standing::Gone);
    assert_eq!(followed("她笑。", "她笑。", ""), Standing::Gone);
}

#[test]
fn several_anchors_of_one_sentence_are_followed_each_by_itself() {
    let (text, after) = ("雨停了。她推开门。", "夜里，雨停了。她推开门。");
    let ranges = [range_of(text, "她推开门。"), range_of(text, "推开"), range_of(text, "她推开门。")];
    let hashes: Vec<String> = ranges.iter().map(|range| quote_hash(text, range.clone()).unwrap()).collect();
    let anchors: Vec<Anchor<'_>> = ranges
        .iter()
        .zip(&hashes)
        .map(|(range, hash)| Anchor { from: range.start, to: range.end, quote_hash: hash })
        .collect();
    assert_eq!(follow(after, &anchors), [Standing::Moved(7..12), Standing::Moved(8..10), Standing::Moved(7..12)]);
}

/// An edit of a text: where, how many units are deleted, and what is written there.
fn edits() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
    prop::collection::vec((0_usize..60, 0_usize..6, "[a雨𠮷。 ]{0,5}"), 1..12)
}

/// The text after an edit, in UTF-16 code units; one that would cut a surrogate pair is none.
fn edited(text: &str, (at, deleted, written): &(usize, usize, String)) -> String {
    let mut units: Vec<u16> = text.encode_utf16().collect();
    let from = (*at).min(units.len());
    let to = (from + deleted).min(units.len());
    units.splice(from..to, written.encode_utf16());
    String::from_utf16(&units).unwrap_or_else(|_| text.to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_hash_of_a_range_is_the_same_with_and_without_going_through_it(
        text in "[ab雨𠮷。\n]{0,90}", from in 0..100u32, to in 0..100u32,
    ) {
        let units = units(&text);
        let naive = units.get(from as usize..to as usize).filter(|quote| !quote.is_empty()).map(rolling_hash);
        prop_assert_eq!(PrefixHashes { units: &units, hashes: &PrefixHashes::hashes_of(&units) }.weak(&(from..to)), naive);
        let strong = units.get(from as usize..to as usize).and_then(strong_hash);
        let whole = naive.zip(strong).map(|(weak, strong)| format!("{weak:016x}{strong}"));
        prop_assert_eq!(&QuoteHasher::new(&text).hash(from..to), &whole);
        prop_assert_eq!(quote_hash(&text, from..to), whole);
    }

    /// Some thirteen thousand random edits: each anchor is followed after each of them.
    #[test]
    fn an_anchor_that_is_said_to_hold_or_to_have_moved_quotes_what_it_quoted(
        text in "[ab雨𠮷。 \n]{1,60}", from in 0_u32..50, length in 1_u32..12, edits in edits(),
    ) {
        let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
        let quote = |text: &str, range: Range<u32>| {
            units(text).get(range.start as usize..range.end as usize).map(<[u16]>::to_vec)
        };
        if let Some(hash) = quote_hash(&text, from..from + length) {
            let (quoted, mut range, mut now) = (quote(&text, from..from + length), from..from + length, text);
            for edit in &edits {
                now = edited(&now, edit);
                let anchor = Anchor { from: range.start, to: range.end, quote_hash: &hash };
                match follow(&now, &[anchor]).remove(0) {
                    Standing::Holds => prop_assert_eq!(&quote(&now, range.clone()), &quoted),
                    Standing::Moved(to) => {
                        prop_assert_eq!(&quote(&now, to.clone()), &quoted);
                        range = to;
                    }
                    Standing::Several | Standing::Gone => prop_assert_ne!(&quote(&now, range.clone()), &quoted),
                }
            }
        }
    }
}
