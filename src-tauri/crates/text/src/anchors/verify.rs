//! A quote as somebody repeats it, and its place in the text that it comes from.

use std::ops::Range;

use unicode_normalization::char::decompose_compatible;

use crate::is_han;

/// Minimum Han characters of a quote that can be verified.
pub const MIN_HAN: usize = 6;
/// Minimum words of a quote that can be verified, if it has fewer Han characters.
pub const MIN_WORDS: usize = 4;

/// The forms that a comparison does not distinguish.
const QUOTATION_MARK: char = '"';
const DASH: char = '-';
const ELLIPSIS: char = '…';

/// The range of `text`, in bytes, that `quote` repeats; the first if there are several.
///
/// Quotation marks, dashes, ellipses, white space, and compatibility forms of characters (Unicode NFKD) may differ, and
/// punctuation at the ends of the quote may be missing or added. The parts of a quote that was shortened with ellipses
/// have to follow each other in the text; the range is from the start of the first to the end of the last.
///
/// `None` if the text does not have it, and for a quote with fewer than [`MIN_HAN`] Han characters and fewer than
/// [`MIN_WORDS`] words: too many texts have those by chance. Of a shortened quote, each part needs as many.
#[must_use]
pub fn verify(text: &str, quote: &str) -> Option<Range<usize>> {
    let text = Folded::new(text);
    let quote = Folded::new(quote).text;
    let whole = quote.trim_matches(|c: char| !c.is_alphanumeric());
    for quote in [quote.trim(), whole] {
        if let Some(range) = is_verifiable(quote).then(|| text.find(0, quote)).flatten() {
            return text.original(range);
        }
    }
    let parts: Vec<&str> =
        whole.split(ELLIPSIS).map(|part| part.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    if parts.len() < 2 || !parts.iter().all(|part| is_verifiable(part)) {
        return None;
    }
    let mut place: Option<Range<usize>> = None;
    for part in parts {
        let found = text.find(place.as_ref().map_or(0, |place| place.end), part)?;
        place = Some(place.map_or(found.start, |place| place.start)..found.end);
    }
    text.original(place?)
}

/// A text in which whole quotes are looked up however their marks and spaces are written. It is converted once.
#[derive(Debug)]
pub struct QuotedText(Folded);

impl QuotedText {
    /// Converts a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Folded::new(text))
    }

    /// The range of the text, in bytes, that repeats the whole quote with its punctuation. Quotation marks, dashes,
    /// ellipses, white space, and compatibility forms of characters (Unicode NFKD) may differ. `None` if the text has
    /// it several times or not at all, and for a quote that is not verifiable ([`is_verifiable`]).
    #[must_use]
    pub fn only_place(&self, quote: &str) -> Option<Range<usize>> {
        let quote = Folded::new(quote.trim()).text;
        let found = is_verifiable(&quote).then(|| self.0.find(0, &quote)).flatten()?;
        let next = found.start + self.0.text[found.start..].chars().next()?.len_utf8();
        if self.0.find(next, &quote).is_some() {
            return None;
        }
        self.0.original(found)
    }
}

/// Whether a quote has [`MIN_HAN`] Han characters or [`MIN_WORDS`] words, and so can be verified.
#[must_use]
pub fn is_verifiable(quote: &str) -> bool {
    let words = quote.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    words >= MIN_WORDS || quote.chars().filter(|c| is_han(*c)).count() >= MIN_HAN
}

/// A text as it is compared, with the place of each of its characters in the original.
#[derive(Debug, Default)]
struct Folded {
    text: String,
    /// For each folded character: its first byte, and the range of the original in bytes.
    origins: Vec<(usize, Range<usize>)>,
}

impl Folded {
    fn new(original: &str) -> Self {
        let mut folded = Self::default();
        let mut chars: Vec<(char, Range<usize>)> = Vec::with_capacity(original.len());
        for (at, c) in original.char_indices() {
            let range = at..at + c.len_utf8();
            if c.is_ascii() {
                chars.push((form_of(c), range));
            } else {
                decompose_compatible(c, |part| chars.push((form_of(part), range.clone())));
            }
        }
        let mut at = 0;
        while let Some((c, range)) = chars.get(at) {
            let run = chars[at..].iter().take_while(|(other, _)| other == c).count();
            let end = chars[at + run - 1].1.end;
            let next = chars.get(at + run).map(|(next, _)| *next);
            match c {
                ' ' => {
                    let before = folded.text.chars().next_back();
                    let is_between = before.zip(next).is_some_and(|(before, next)| !is_han(before) && !is_han(next));
                    if is_between {
                        folded.push_folded(' ', range.start..end);
                    }
                }
                '.' if run >= 3 => folded.push_folded(ELLIPSIS, range.start..end),
                &DASH => folded.push_folded(DASH, range.start..end),
                c => chars[at..at + run].iter().for_each(|(_, range)| folded.push_folded(*c, range.clone())),
            }
            at += run;
        }
        folded
    }

    fn push_folded(&mut self, c: char, original: Range<usize>) {
        self.origins.push((self.text.len(), original));
        self.text.push(c);
    }

    /// The range of a folded quote at or after a byte.
    fn find(&self, from: usize, quote: &str) -> Option<Range<usize>> {
        let start = from + self.text[from..].find(quote)?;
        Some(start..start + quote.len())
    }

    /// The range of the original with the characters of a folded range.
    fn original(&self, folded: Range<usize>) -> Option<Range<usize>> {
        let first = self.origins.partition_point(|(at, _)| *at < folded.start);
        let behind = self.origins.partition_point(|(at, _)| *at < folded.end);
        let last = self.origins.get(behind.checked_sub(1)?)?;
        Some(self.origins.get(first)?.1.start..last.1.end)
    }
}

/// The form of a character as it is compared.
fn form_of(c: char) -> char {
    match c {
        '“' | '”' | '„' | '‟' | '‘' | '’' | '‚' | '‛' | '«' | '»' | '‹' | '›' | '「' | '」' | '『' | '』' | '"'
        | '\'' | '`' | '´' => QUOTATION_MARK,
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '─' | '－' | '﹣' | '-' => DASH,
        '⋯' => '.',
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quoted<'a>(text: &'a str, quote: &str) -> Option<&'a str> {
        verify(text, quote).map(|range| &text[range])
    }

    #[test]
    fn a_whole_quote_has_one_place_however_its_marks_and_spaces_are_written() {
        let place = |text: &'static str, quote| QuotedText::new(text).only_place(quote).map(|range| &text[range]);
        let text = "“You are early,”  said Mara Venn. Then “You are late,” said Mara Venn.";
        assert_eq!(place(text, "\"You are early,\" said Mara Venn."), Some("“You are early,”  said Mara Venn."));
        assert_eq!(place(text, "said Mara Venn. Then"), Some("said Mara Venn. Then"));
        assert_eq!(place(text, "You are early, said Mara Venn."), None, "a mark is missing");
        assert_eq!(place(text, "“You are late,” said Mara Venn!"), None, "another end");
        assert_eq!(place("他 说好，就这样办吧。", "他说好，就这样办吧。"), Some("他 说好，就这样办吧。"));
        assert_eq!(place("他说好，就这样办吧。他说好，就这样办吧。", "他说好，就这样办吧。"), None, "twice");
        assert_eq!(place("He said so. And he went.", "He said so."), None, "too short to say anything");
    }

    #[test]
    fn a_quote_is_found_however_its_marks_and_spaces_are_written() {
        let text = "“You are early,” said Mara\nVenn — and she took the rope… slowly.";
        for quote in [
            "\"You are early,\" said Mara Venn",
            "'You are early', said Mara Venn",
            "said Mara  Venn -- and she took the rope... slowly",
            "said Mara Venn – and she took the ropeＸ".trim_end_matches('Ｘ'),
        ] {
            let found = quoted(text, quote);
            assert_eq!(found.is_some(), !quote.contains("early',"), "{quote}");
        }
        assert_eq!(quoted(text, "\"You are early,\" said Mara Venn"), Some("“You are early,” said Mara\nVenn"));
        let text = "她叫阿满，识不了几个字，数目是认得的。岛上派不来别人——她就一天四次去看……";
        assert_eq!(
            quoted(text, "她叫阿满, 识不了几个字, 数目是认得的。"),
            Some("她叫阿满，识不了几个字，数目是认得的。")
        );
        assert_eq!(quoted(text, "岛上派不来别人—她就一天四次去看…"), Some("岛上派不来别人——她就一天四次去看……"));
        assert_eq!(quoted("４像一只小凳子，ﬁsh and chips", "4像一只小凳子"), Some("４像一只小凳子"));
    }

    #[test]
    fn words_that_the_text_does_not_have_are_not_found() {
        let text = "Ji has read the gauge for forty-four years. 纪伯看了四十四年的潮。";
        for quote in ["Ji has read the gauge for forty years", "纪伯看了四十五年的潮", "ji has read the Gauge for", ""]
        {
            assert_eq!(verify(text, quote), None, "{quote}");
        }
    }

    #[test]
    fn a_quote_that_many_texts_have_by_chance_is_not_enough() {
        assert_eq!(verify("he said so to her", "he said so"), None);
        assert!(verify("he said so to her", "he said so to").is_some());
        assert_eq!(verify("纪伯看了四十四年", "纪伯看了四"), None);
        assert!(verify("纪伯看了四十四年", "纪伯看了四十").is_some());
    }

    #[test]
    fn a_shortened_quote_needs_all_its_parts_in_their_order() {
        let text = "The line on the wall was made with a hairpin, and 4.31 was right all along.";
        let shortened = "The line on the wall … 4.31 was right all along";
        assert_eq!(quoted(text, shortened), Some(text.trim_end_matches('.')));
        assert_eq!(verify(text, "4.31 was right all along … The line on the wall"), None);
        assert_eq!(verify(text, "The line on the wall … made by nobody at all"), None);
        assert_eq!(verify(text, "The line on the wall … right"), None, "a part of one word is no quote");
    }

    #[test]
    fn the_first_of_several_places_is_the_one() {
        assert_eq!(verify("他说好，就这样办吧。他说好，就这样办吧。", "他说好就这样办吧"), None);
        assert_eq!(verify("他说好，就这样办吧。他说好，就这样办吧。", "他说好，就这样办吧"), Some(0..27));
    }

    proptest! {
        #[test]
        fn every_stretch_of_a_text_is_found_with_the_same_words(
            text in "[ab“”‘雨𠮷，。…—ﬁＡé \\n]{1,60}", from in 0_usize..60, length in 1_usize..40,
        ) {
            let chars: Vec<char> = text.chars().collect();
            let quote: String = chars.iter().skip(from).take(length).collect();
            if let Some(range) = verify(&text, &quote) {
                let bare = |text: &str| {
                    let folded = Folded::new(text).text;
                    folded.chars().filter(|c| c.is_alphanumeric()).collect::<String>()
                };
                prop_assert_eq!(bare(&text[range]), bare(&quote));
            } else {
                let inner = Folded::new(&quote).text;
                prop_assert!(!is_verifiable(inner.trim_matches(|c: char| !c.is_alphanumeric())), "{:?}", quote);
            }
        }

        #[test]
        fn no_text_and_no_quote_is_too_strange(text in any::<String>(), quote in any::<String>()) {
            if let Some(range) = verify(&text, &quote) {
                prop_assert!(text.get(range).is_some());
            }
        }
    }
}
