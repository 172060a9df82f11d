//! Validation by use: the acts of a writer as validations, and the search for an answer in a chapter.
//!
//! Writers press no thumbs. What the exit code is to a program, the chapter is to a writer: an answer that was put into
//! it and is still there a day later was right. An answer about the book has words of the book, and may quote it; so
//! only what the chapter did not have before counts as put in.

use std::cell::OnceCell;

use palimpsest_text::{is_han, paragraphs, terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::validation::{Source, Strength, Validation, ValidationResult};

/// Minimum Han characters in a row that a chapter has from an answer; a word of another script counts as two.
pub const MIN_RUN_HAN: usize = 24;
/// Minimum words in a row.
pub const MIN_RUN_WORDS: usize = 12;
/// Minimum share of the content words of an answer in one paragraph.
pub const MIN_CONTENT_SHARE: f64 = 0.5;
/// Minimum number of different content words of an answer of which a share says something.
pub const MIN_CONTENT_TERMS: usize = 8;
/// Milliseconds after the answer within which it is put into a chapter.
pub const MAX_INSERTION_DELAY_MS: i64 = 7 * DAY_MS;
/// Milliseconds after which what was put in must still be there.
pub const MIN_INSERTION_AGE_MS: i64 = DAY_MS;
/// Milliseconds within which the same question asked again says that the answer did not help.
pub const MAX_REASK_DELAY_MS: i64 = 10 * 60 * 1_000;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// Tokens of a stretch that is compared as a whole. Twelve words are a run; Han runs are twice as long.
const GRAM: usize = MIN_RUN_WORDS;

/// An act of the writer that says something about an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UseSignal {
    /// Said that it is right.
    Right,
    /// Said that it is wrong.
    Wrong,
    /// Edited it and kept it. This is stored before the edit, as it is about the text that was edited.
    EditedAndKept,
    /// Put it into a chapter, where it still is a day later.
    InChapter,
    /// Took it out of the chapter again.
    TakenOut,
    /// Its quotes were verified in the text.
    QuotesVerified,
    /// Copied it out of its card.
    Copied,
    /// Asked the same again within [`MAX_REASK_DELAY_MS`].
    AskedAgain,
}

/// How often a signal counts for one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// Each time.
    Always,
    /// The first of a day counts.
    OncePerDay,
    /// Once for a version of the answer.
    Once,
}

impl UseSignal {
    /// The signal as a validation. A question that is asked again is reported only.
    #[must_use]
    pub const fn validation(self) -> Validation {
        use {Source as From, Strength as By, ValidationResult as Is};
        let (result, strength, source) = match self {
            Self::Right => (Is::Pass, By::Strong, From::Writer),
            Self::Wrong => (Is::Fail, By::Strong, From::Writer),
            Self::EditedAndKept => (Is::Partial, By::Strong, From::Writer),
            Self::InChapter => (Is::Pass, By::Strong, From::Inserted),
            Self::TakenOut => (Is::Fail, By::Medium, From::Inserted),
            Self::QuotesVerified => (Is::Pass, By::Medium, From::Cited),
            Self::Copied => (Is::Pass, By::Medium, From::Copied),
            Self::AskedAgain => (Is::Fail, By::Weak, From::Reasked),
        };
        Validation { result, strength, source, used: true, applied: !matches!(self, Self::AskedAgain) }
    }

    /// How often it counts.
    #[must_use]
    pub const fn repetition(self) -> Repetition {
        match self {
            Self::Right | Self::Wrong | Self::EditedAndKept | Self::TakenOut | Self::AskedAgain => Repetition::Always,
            Self::Copied => Repetition::OncePerDay,
            Self::InChapter | Self::QuotesVerified => Repetition::Once,
        }
    }
}

/// The presence of an answer in a chapter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Presence {
    /// Words of it in a row, so many: Han characters, and two for each other word.
    Run(usize),
    /// This share of its content words in one paragraph, 0..=1.
    Content(f64),
}

/// The words of an answer, ready to be looked for.
#[derive(Debug, Clone)]
pub struct AnswerWords {
    tokens: Vec<Token>,
    /// Its content words, each once, as hashes.
    terms: Vec<u64>,
}

/// A change of a chapter, in which many answers are looked for. Only what the change added is indexed; the chapter
/// before it is, when the first answer is found in what was added.
#[derive(Debug)]
pub struct ChapterChange<'t> {
    before: &'t str,
    after: &'t str,
    added: OnceCell<AddedStretches>,
    added_terms: OnceCell<ParagraphTerms>,
    removed_terms: OnceCell<ParagraphTerms>,
    grams_before: OnceCell<FxHashSet<u64>>,
    terms_before: OnceCell<ParagraphTerms>,
}

/// The stretches of [`GRAM`] tokens of a chapter that touch a change.
#[derive(Debug)]
struct AddedStretches {
    /// All tokens of the chapter after the change.
    tokens: Vec<Token>,
    /// Where each stretch begins, by its hash.
    places: FxHashMap<u64, Vec<usize>>,
}

/// The terms of paragraphs: the hash of a term and the number of a paragraph that has it, in order, each pair once.
#[derive(Debug)]
struct ParagraphTerms(Vec<(u64, u32)>);

impl<'t> ChapterChange<'t> {
    /// The change of a chapter's text from `before` to `after`.
    #[must_use]
    pub fn new(before: &'t str, after: &'t str) -> Self {
        Self {
            before,
            after,
            added: OnceCell::new(),
            added_terms: OnceCell::new(),
            removed_terms: OnceCell::new(),
            grams_before: OnceCell::new(),
            terms_before: OnceCell::new(),
        }
    }

    /// A chapter of which everything counts as added.
    #[must_use]
    pub fn all_of(text: &'t str) -> Self {
        Self::new("", text)
    }

    /// The stretches that touch the change: any other one is in the common beginning or in the common end of the two
    /// texts, so the chapter had it before.
    fn added(&self) -> &AddedStretches {
        self.added.get_or_init(|| {
            let (before, tokens) = (tokens(self.before), tokens(self.after));
            let shared = |(one, other): &(&Token, &Token)| one == other;
            let head = before.iter().zip(&tokens).take_while(shared).count();
            let (rest_before, rest) = (&before[head..], &tokens[head..]);
            let tail = rest_before.iter().rev().zip(rest.iter().rev()).take_while(shared).count();
            let first = (head + 1).saturating_sub(GRAM);
            let end = (tokens.len() - tail + GRAM - 1).min(tokens.len());
            let mut places: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
            for (at, gram) in grams(&tokens[first.min(end)..end]).enumerate() {
                places.entry(hash(gram)).or_default().push(first + at);
            }
            AddedStretches { tokens, places }
        })
    }

    /// The terms of the paragraphs that the chapter did not have before.
    fn added_terms(&self) -> &ParagraphTerms {
        self.added_terms.get_or_init(|| ParagraphTerms::of_one_text(self.after, self.before))
    }

    /// The terms of the paragraphs that the chapter no longer has, among them an edited one as it was before.
    fn removed_terms(&self) -> &ParagraphTerms {
        self.removed_terms.get_or_init(|| ParagraphTerms::of_one_text(self.before, self.after))
    }

    fn had_gram(&self, code: u64) -> bool {
        let before = || grams(&tokens(self.before)).map(hash).collect();
        self.grams_before.get_or_init(before).contains(&code)
    }

    fn terms_before(&self) -> &ParagraphTerms {
        self.terms_before.get_or_init(|| ParagraphTerms::new(paragraphs_of(self.before)))
    }
}

fn paragraphs_of(text: &str) -> impl Iterator<Item = &str> {
    paragraphs::ranges(text).into_iter().map(|range| &text[range])
}

impl ParagraphTerms {
    fn new<'t>(paragraphs: impl Iterator<Item = &'t str>) -> Self {
        let mut found = Vec::new();
        for (number, paragraph) in (0..).zip(paragraphs) {
            terms::each_index_term(paragraph, |term| found.push((hash_of_term(term), number)));
        }
        found.sort_unstable();
        found.dedup();
        Self(found)
    }

    /// The terms of the paragraphs of a text that another text does not have.
    fn of_one_text(text: &str, other: &str) -> Self {
        let others: FxHashSet<&str> = paragraphs_of(other).collect();
        Self::new(paragraphs_of(text).filter(|paragraph| !others.contains(paragraph)))
    }

    /// The numbers of the paragraphs that have a term.
    fn with_term(&self, term: u64) -> impl Iterator<Item = u32> {
        let first = self.0.partition_point(|(other, _)| *other < term);
        self.0[first..].iter().take_while(move |(other, _)| *other == term).map(|(_, number)| *number)
    }
}

impl AnswerWords {
    /// The words of an answer.
    #[must_use]
    pub fn new(answer: &str) -> Self {
        let terms = terms::query_terms(answer).iter().map(|term| hash_of_term(term)).collect();
        Self { tokens: tokens(answer), terms }
    }

    /// The presence of the answer in a chapter that it did not have before the change. Words in a row count only if
    /// the chapter had them not, and content words only if none of its paragraphs had half of them.
    ///
    /// `None` for answers with fewer than [`MIN_CONTENT_TERMS`] content words, unless they are in the chapter as a run.
    #[must_use]
    pub fn put_in(&self, change: &ChapterChange<'_>) -> Option<Presence> {
        self.new_run(change).map(Presence::Run).or_else(|| {
            // A paragraph that the chapter had before cannot make the difference. An edited one mostly decides alone,
            // without the terms of the whole chapter.
            let share = self.content_share(change.added_terms());
            let had = |paragraphs| self.content_share(paragraphs) >= MIN_CONTENT_SHARE;
            (share >= MIN_CONTENT_SHARE && !had(change.removed_terms()) && !had(change.terms_before()))
                .then_some(Presence::Content(share))
        })
    }

    /// The first run that is long enough and begins with a stretch that the chapter had not, measured up to its end.
    fn new_run(&self, change: &ChapterChange<'_>) -> Option<usize> {
        let AddedStretches { tokens, places: added } = change.added();
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (start, gram) in grams(&self.tokens).enumerate() {
            let code = hash(gram);
            if let Some(begins) = added.get(&code)
                && !change.had_gram(code)
            {
                places.extend(begins.iter().map(|at| (*at, start)));
            }
        }
        places.sort_unstable();
        places.into_iter().find_map(|(at, start)| {
            let shared = tokens[at..].iter().zip(&self.tokens[start..]).take_while(|(one, other)| one == other);
            let length: usize = shared.map(|(token, _)| length_of(*token)).sum();
            (length >= MIN_RUN_HAN).then_some(length)
        })
    }

    /// The largest share of the content words that one of the paragraphs has, 0..=1; 0 for a short answer.
    fn content_share(&self, paragraphs: &ParagraphTerms) -> f64 {
        if self.terms.len() < MIN_CONTENT_TERMS {
            return 0.0;
        }
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        for number in self.terms.iter().flat_map(|term| paragraphs.with_term(*term)) {
            *counts.entry(number).or_default() += 1;
        }
        counts.into_values().max().unwrap_or_default() as f64 / self.terms.len() as f64
    }
}

/// The state of an answer that was put into a chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Insertion {
    /// It has not been there for a day yet.
    Waiting,
    /// It counts as [`UseSignal::InChapter`].
    Counts,
    /// It is gone again: [`UseSignal::TakenOut`].
    TakenOut,
    /// It came more than seven days after the answer, or before it: no sign.
    Unrelated,
}

/// Decides what an answer that was found in a chapter says at `now`. All times are in milliseconds since 1970.
#[must_use]
pub fn insertion(answered_at: i64, seen_at: i64, now: i64, is_still_there: bool) -> Insertion {
    let delay = seen_at.saturating_sub(answered_at);
    if !(0..=MAX_INSERTION_DELAY_MS).contains(&delay) {
        Insertion::Unrelated
    } else if !is_still_there {
        Insertion::TakenOut
    } else if now.saturating_sub(seen_at) < MIN_INSERTION_AGE_MS {
        Insertion::Waiting
    } else {
        Insertion::Counts
    }
}

/// A Han character as its code point, or the hash of a word of another script with [`IS_WORD`].
type Token = u64;

/// The bit that tells the hash of a word from a character.
const IS_WORD: u64 = 1 << 63;

/// The words of a text in their order: each Han character, and each word of another script in lower case, without
/// apostrophes. Punctuation is not compared.
fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if is_han(c) {
            end_word(&mut word, &mut found);
            found.push(u64::from(u32::from(c)));
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if !matches!(c, '\'' | '’') {
            end_word(&mut word, &mut found);
        }
    }
    end_word(&mut word, &mut found);
    found
}

fn end_word(word: &mut String, found: &mut Vec<Token>) {
    if !word.is_empty() {
        found.push(hash_of(word.bytes().map(u64::from)) | IS_WORD);
        word.clear();
    }
}

const fn length_of(token: Token) -> usize {
    if token < IS_WORD { 1 } else { MIN_RUN_HAN / MIN_RUN_WORDS }
}

fn grams(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    tokens.windows(GRAM)
}

/// The hash of a stretch. Those with equal hashes are compared token by token.
fn hash(gram: &[Token]) -> u64 {
    hash_of(gram.iter().copied())
}

fn hash_of_term(term: &str) -> u64 {
    hash_of(term.bytes().map(u64::from))
}

/// FNV-1a (Fowler, Noll and Vo 1991), a number at a time.
fn hash_of(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, number| (hash ^ number).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const ZH: &str = "潮位每天推迟约五十分钟，周一黎明出港的船，到周五黎明就出不去了，要等到下午。";
    const EN: &str = "High water falls about fifty minutes later each day, so the boat that left at dawn on Monday \
                      cannot leave at dawn on Friday.";

    fn put_in(answer: &str, before: &str, after: &str) -> Option<Presence> {
        AnswerWords::new(answer).put_in(&ChapterChange::new(before, after))
    }

    fn found_in(answer: &str, chapter: &str) -> Option<Presence> {
        AnswerWords::new(answer).put_in(&ChapterChange::all_of(chapter))
    }

    #[test]
    fn an_answer_that_was_pasted_into_a_chapter_is_found_in_both_languages() {
        for answer in [ZH, EN] {
            let before = "# 九\n\nThe quay was empty.\n\n码头上没有人。\n";
            let after = format!("{before}\n“{answer}”\n");
            assert!(matches!(put_in(answer, before, &after), Some(Presence::Run(_))), "{answer}");
        }
    }

    /// The definition of [`AnswerWords::put_in`], with every stretch and every paragraph of both texts.
    fn put_in_by_definition(answer: &str, before: &str, after: &str) -> Option<Presence> {
        let words = AnswerWords::new(answer);
        let before_tokens = tokens(before);
        let after_tokens = tokens(after);
        let had: HashSet<&[Token]> = grams(&before_tokens).collect();
        let run = (0..after_tokens.len()).find_map(|at| {
            (0..words.tokens.len()).find_map(|start| {
                let (text, own) = (&after_tokens[at..], &words.tokens[start..]);
                let is_new = text.len() >= GRAM && own.starts_with(&text[..GRAM]) && !had.contains(&text[..GRAM]);
                let shared = text.iter().zip(own).take_while(|(one, other)| one == other);
                let length: usize = shared.map(|(token, _)| length_of(*token)).sum();
                (is_new && length >= MIN_RUN_HAN).then_some(length)
            })
        });
        let share = |text| words.content_share(&ParagraphTerms::new(paragraphs_of(text)));
        let is_added = share(after) >= MIN_CONTENT_SHARE && share(before) < MIN_CONTENT_SHARE;
        run.map(Presence::Run).or_else(|| is_added.then(|| Presence::Content(share(after))))
    }

    proptest::proptest! {
        #[test]
        fn what_a_change_adds_is_found_as_if_the_whole_chapter_was_compared(
            answer in "([ab潮水] ?){0,40}|((boat|tide|dawn|quay|sail|port|rope|lamp|wind|fog) ){8,16}",
            start in "([ab潮水 \n])*|((boat|tide|dawn|quay|sail|port|rope|lamp|wind|fog)[ \n]){0,30}",
            removed in "([ab潮水] ?){0,20}", added in "([ab潮水] ?){0,20}|((boat|tide|dawn|quay|sail|port|rope)[ \n]){0,9}",
            end in "([ab潮水 \n])*|((boat|tide|dawn|quay|sail|port|rope|lamp|wind|fog)[ \n]){0,30}", pasted in 0..3,
        ) {
            // Not at all, as a whole, or so that the change joins its two halves.
            let (first, second) = answer.split_at(answer.floor_char_boundary(answer.len() / 2));
            let (before, after) = match pasted {
                0 => (format!("{start}{removed}{end}"), format!("{start}{added}{end}")),
                1 => (format!("{start}{removed}{end}"), format!("{start}{added}{answer}{end}")),
                _ => (format!("{start}{first}{removed}{second}{end}"), format!("{start}{first}{second}{end}")),
            };
            proptest::prop_assert_eq!(put_in(&answer, &before, &after), put_in_by_definition(&answer, &before, &after));
            proptest::prop_assert_eq!(put_in(&answer, &after, &before), put_in_by_definition(&answer, &after, &before));
        }
    }

    #[test]
    fn punctuation_and_quotation_marks_do_not_hide_it() {
        let pasted = "so the boat, that left at dawn on Monday — cannot LEAVE at dawn…";
        assert_eq!(found_in(EN, pasted), Some(Presence::Run(26)));
    }

    #[test]
    fn eleven_words_or_twenty_three_characters_are_no_run() {
        let eleven = "boat that left at dawn on Monday cannot leave at dawn";
        assert_eq!(eleven.split(' ').count(), 11);
        assert_eq!(found_in(eleven, &format!("The {eleven} again")), None);
        let run_in = |han: &str| AnswerWords::new(han).new_run(&ChapterChange::all_of(han));
        let han: String = ZH.chars().filter(|c| is_han(*c)).take(23).collect();
        assert_eq!(run_in(&han), None);
        let han: String = ZH.chars().filter(|c| is_han(*c)).take(24).collect();
        assert_eq!(run_in(&han), Some(24));
    }

    #[test]
    fn a_reworded_answer_is_found_by_half_of_its_words_in_one_paragraph() {
        let reworded = "She knew it: high water came fifty minutes later every day, and a boat that could leave at \
                        dawn on Monday would be stuck by Friday.";
        assert!(matches!(found_in(EN, reworded), Some(Presence::Content(share)) if share >= 0.5));
        let scattered = reworded.replace(", ", "\n\n").replace("leave", "\n\ngo\n\n").replace("came", "\n\n");
        assert_eq!(found_in(EN, &scattered), None);
    }

    #[test]
    fn what_the_chapter_had_before_is_not_put_in() {
        for answer in [ZH, EN] {
            let before = format!("He read aloud: {answer}");
            let after = format!("{before}\n\nThen he closed the book, and the lamp went out.");
            assert_eq!(put_in(answer, &before, &after), None, "{answer}");
            let edited = before.replace("He read", "She read");
            assert_eq!(put_in(answer, &before, &edited), None, "{answer}");
        }
    }

    #[test]
    fn another_paragraph_of_the_same_book_is_no_use() {
        let chapter = "The boat left the harbour at dawn. Nobody waved.\n\n船在黎明离港，没有人挥手。";
        assert_eq!(found_in(EN, chapter), None);
        assert_eq!(found_in(ZH, chapter), None);
        assert_eq!(found_in("Grey.", "Her grey eyes."), None, "too short to say anything");
    }

    #[test]
    fn it_counts_after_a_day_if_it_came_within_seven() {
        let day = |days: i64| days * DAY_MS;
        assert_eq!(insertion(0, day(1), day(1), true), Insertion::Waiting);
        assert_eq!(insertion(0, day(1), day(2), true), Insertion::Counts);
        assert_eq!(insertion(0, day(1), day(2), false), Insertion::TakenOut);
        assert_eq!(insertion(0, day(8), day(9), true), Insertion::Unrelated);
        assert_eq!(insertion(day(2), day(1), day(9), true), Insertion::Unrelated);
    }

    #[test]
    fn the_writers_word_is_strong_and_a_repeated_question_moves_nothing() {
        assert_eq!(UseSignal::Wrong.validation().strength, Strength::Strong);
        assert!(!UseSignal::AskedAgain.validation().applied);
        assert_eq!(UseSignal::Copied.repetition(), Repetition::OncePerDay);
    }
}
