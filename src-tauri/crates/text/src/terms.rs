//! Terms for the full-text index.
//!
//! SQLite's own tokenizers find no Chinese word of two characters, so the segmenting happens here and the index is
//! given terms. A Han run yields its characters and its bigrams; every other word is folded (compatibility forms and
//! case) and, in ASCII, stemmed by Porter2. English stop words are dropped. Indexing and searching
//! use the same folding.

use std::collections::HashSet;
use std::sync::LazyLock;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::language::is_han;
use crate::paragraphs::unwrapped;

static STOP: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());

/// The terms to index `text` under, in order and with repeats (their number is the term frequency): of a Han run every
/// character and every bigram, of other scripts every folded and stemmed word.
#[must_use]
pub fn index_terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    each_index_term(text, |term| terms.push(term.to_owned()));
    terms
}

/// The script of a term, which its code contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TermKind {
    /// One Han character.
    HanCharacter,
    /// Two adjacent Han characters.
    HanPair,
    /// A word of the Latin script.
    LatinWord,
    /// Any other word, such as a number.
    OtherWord,
}

/// The lowest bits of a code hold the kind of its term.
const KIND_BITS: u32 = 0b11;

impl TermKind {
    fn of_term(term: &str) -> Self {
        let mut chars = term.chars();
        match (chars.next(), chars.next()) {
            (Some(first), None) if is_han(first) => Self::HanCharacter,
            (Some(first), Some(_)) if is_han(first) => Self::HanPair,
            (Some(first), _) if first.is_alphabetic() && first < '\u{250}' => Self::LatinWord,
            _ => Self::OtherWord,
        }
    }

    /// The kind of the term that a code stands for.
    #[must_use]
    pub fn of_code(code: u32) -> Self {
        match code & KIND_BITS {
            0 => Self::HanCharacter,
            1 => Self::HanPair,
            2 => Self::LatinWord,
            _ => Self::OtherWord,
        }
    }
}

/// The code of a term: 30 bits of a hash, from which the term cannot be read (FNV-1a; Fowler, Noll and Vo 1991), and
/// its [`TermKind`]. Two terms with the same code are taken for one: among the terms of a book that happens about five
/// times.
#[must_use]
pub fn hash_term(term: &str) -> u32 {
    let hash = term.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let kind = match TermKind::of_term(term) {
        TermKind::HanCharacter => 0,
        TermKind::HanPair => 1,
        TermKind::LatinWord => 2,
        TermKind::OtherWord => 3,
    };
    hash & !KIND_BITS | kind
}

/// The script that a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Script {
    /// Chinese characters.
    Han,
    /// Latin letters.
    Latin,
}

impl Script {
    /// The other of the two.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Han => Self::Latin,
            Self::Latin => Self::Han,
        }
    }
}

/// Minimum share of one script in a text that counts as written in it.
const MIN_SCRIPT_SHARE: f64 = 0.8;
/// Number of Han characters that are as long as one Latin word.
const CHARACTERS_PER_WORD: f64 = 2.0;

/// Counts the scripts of a text's terms.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScriptCount {
    characters: u32,
    words: u32,
}

impl ScriptCount {
    /// Counts the term of a code.
    pub fn add(&mut self, code: u32) {
        match TermKind::of_code(code) {
            TermKind::HanCharacter => self.characters += 1,
            TermKind::LatinWord => self.words += 1,
            // A pair repeats two characters that are counted already.
            TermKind::HanPair | TermKind::OtherWord => {}
        }
    }

    /// The script of the text; `None` if it is mixed or empty.
    #[must_use]
    pub fn script(self) -> Option<Script> {
        let (han, latin) = (f64::from(self.characters), CHARACTERS_PER_WORD * f64::from(self.words));
        let least = MIN_SCRIPT_SHARE * (han + latin);
        if han + latin == 0.0 {
            None
        } else if han >= least {
            Some(Script::Han)
        } else {
            (latin >= least).then_some(Script::Latin)
        }
    }
}

/// The script of the text with these codes.
#[must_use]
pub fn script_of_codes(codes: impl IntoIterator<Item = u32>) -> Option<Script> {
    let mut count = ScriptCount::default();
    codes.into_iter().for_each(|code| count.add(code));
    count.script()
}

/// Calls `visit` with each of [`index_terms`], in order, without collecting them.
pub fn each_index_term(text: &str, mut visit: impl FnMut(&str)) {
    // Two characters of four bytes.
    let mut pair = String::with_capacity(8);
    for segment in segments(&fold(&unwrapped(text))) {
        match segment {
            Segment::Han(run) => {
                for length in [1, 2] {
                    for chars in run.windows(length) {
                        pair.clear();
                        pair.extend(chars);
                        visit(&pair);
                    }
                }
            }
            Segment::Word(word) => {
                if let Some(term) = stem_word(&word) {
                    visit(&term);
                }
            }
        }
    }
}

/// The terms to look for, each once, in order: of a Han run its bigrams (a single character only where the run is one
/// character long: it would match almost everything), of other scripts the folded and stemmed words.
#[must_use]
pub fn query_terms(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut terms = Vec::new();
    let mut add = |term: String| {
        if seen.insert(term.clone()) {
            terms.push(term);
        }
    };
    for segment in segments(&fold(&unwrapped(text))) {
        match segment {
            Segment::Han(run) if run.len() == 1 => add(run.iter().collect()),
            Segment::Han(run) => run.windows(2).for_each(|pair| add(pair.iter().collect())),
            Segment::Word(word) => stem_word(&word).into_iter().for_each(&mut add),
        }
    }
    terms
}

enum Segment {
    Han(Vec<char>),
    Word(String),
}

/// Compatibility composition and lower case: full-width `ＡＢ` becomes `ab`, `é` in two code points becomes one.
/// Curly apostrophes become straight ones, as contractions are listed that way.
fn fold(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).nfc().collect()
}

fn segments(folded: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut run = Vec::new();
    let mut rest = String::new();
    for c in folded.chars() {
        if is_han(c) {
            flush_words(&mut rest, &mut segments);
            run.push(c);
        } else {
            flush_run(&mut run, &mut segments);
            rest.push(c);
        }
    }
    flush_run(&mut run, &mut segments);
    flush_words(&mut rest, &mut segments);
    segments
}

fn flush_run(run: &mut Vec<char>, segments: &mut Vec<Segment>) {
    if !run.is_empty() {
        segments.push(Segment::Han(std::mem::take(run)));
    }
}

fn flush_words(rest: &mut String, segments: &mut Vec<Segment>) {
    segments.extend(rest.unicode_words().map(|word| Segment::Word(word.to_owned())));
    rest.clear();
}

fn stem_word(word: &str) -> Option<String> {
    if STOP.contains(word) {
        return None;
    }
    // The stemmer removes the possessive, but only on the words it stems.
    let word = word.strip_suffix("'s").unwrap_or(word);
    if word.is_empty() || STOP.contains(word) {
        return None;
    }
    if word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'\'') {
        return Some(Stemmer::new(Algorithm::English).stem(word).into_owned());
    }
    Some(word.to_owned())
}

const STOP_WORDS: &str = "\
a an the and or but nor if then else than that this these those there here \
i me my mine myself you your yours yourself he him his himself she her hers herself it its itself \
we us our ours ourselves they them their theirs themselves one ones \
am is are was were be been being do does did doing done have has had having \
will would shall should can could may might must ought \
of in on at by for with without from to into onto out up down off over under about against between through during \
before after above below again further as so too very just also only own same such not no \
what which who whom whose when where why how all any both each few more most other some \
i'm i've i'd i'll you're you've you'd you'll he'd he'll he's she'd she'll she's it's it'd it'll \
we're we've we'd we'll they're they've they'd they'll that's there's here's what's who's where's \
isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't shan't shouldn't \
can't cannot couldn't mightn't mustn't needn't let's";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_two_character_word_is_found_in_a_chinese_sentence() {
        let indexed = index_terms("他把手稿锁进铁皮柜，雨夜没有人来。");
        for wanted in ["手稿", "雨夜", "铁皮", "皮柜", "雨"] {
            assert!(indexed.iter().any(|t| t == wanted), "{wanted} in {indexed:?}");
        }
        assert_eq!(query_terms("手稿"), ["手稿"]);
        assert_eq!(query_terms("铁皮柜"), ["铁皮", "皮柜"]);
    }

    #[test]
    fn a_code_holds_the_kind_of_its_term() {
        let kind = |term| TermKind::of_code(hash_term(term));
        assert_eq!(kind("雨"), TermKind::HanCharacter);
        assert_eq!(kind("雨夜"), TermKind::HanPair);
        assert_eq!(kind("letter"), TermKind::LatinWord);
        assert_eq!(kind("école"), TermKind::LatinWord);
        assert_eq!(kind("1932"), TermKind::OtherWord);
        assert_eq!(kind("море"), TermKind::OtherWord);
    }

    #[test]
    fn a_text_has_the_script_of_nearly_all_its_words() {
        let script = |text: &str| script_of_codes(index_terms(text).iter().map(|term| hash_term(term)));
        assert_eq!(script("他把手稿锁进铁皮柜，雨夜没有人来。OK。"), Some(Script::Han));
        assert_eq!(script("She burned the letters in the stove. 信"), Some(Script::Latin));
        assert_eq!(script("他说 Good morning, keeper, 就走了。"), None);
        assert_eq!(script("1932"), None);
    }

    #[test]
    fn bigrams_do_not_run_across_punctuation() {
        assert!(!index_terms("雨，夜").contains(&"雨夜".to_owned()));
    }

    #[test]
    fn a_single_character_is_looked_for_only_when_it_stands_alone() {
        assert_eq!(query_terms("雨"), ["雨"]);
        assert_eq!(query_terms("雨 大潮"), ["雨", "大潮"]);
    }

    #[test]
    fn repeats_are_kept_in_the_index_and_dropped_from_the_query() {
        assert_eq!(index_terms("雨，雨，雨").iter().filter(|t| *t == "雨").count(), 3);
        assert_eq!(query_terms("雨，雨，雨"), ["雨"]);
        assert_eq!(index_terms("tide after tide").iter().filter(|t| *t == "tide").count(), 2);
    }

    #[test]
    fn forms_of_an_english_word_share_a_stem() {
        assert_eq!(query_terms("measuring"), query_terms("Measured"));
        assert_eq!(query_terms("The keeper’s ledgers"), ["keeper", "ledger"]);
        assert_eq!(query_terms("evenings, added, paste"), ["evening", "add", "paste"]);
    }

    #[test]
    fn stop_words_carry_nothing() {
        assert!(query_terms("it was not the one that they had").is_empty());
        assert!(query_terms("I don’t, he isn't").is_empty());
    }

    #[test]
    fn digits_and_other_scripts_are_kept() {
        assert_eq!(query_terms("1998 Москва"), ["1998", "москва"]);
        assert_eq!(index_terms("一米7"), ["一", "米", "一米", "7"]);
    }

    #[test]
    fn compatibility_forms_and_accents_fold_together() {
        assert_eq!(query_terms("ＴＩＤＥ"), query_terms("tide"));
        assert_eq!(query_terms("cafe\u{301}"), query_terms("café"));
    }

    proptest! {
        #[test]
        fn whatever_a_query_looks_for_is_indexed_in_the_same_text(text in "[\\PC风雨夜潮]{0,60}") {
            let indexed: HashSet<String> = index_terms(&text).into_iter().collect();
            for wanted in query_terms(&text) {
                prop_assert!(indexed.contains(&wanted), "{:?}", wanted);
            }
        }
    }
}
