//! Validation by use: the acts of a writer as validations, and the search for an answer in a chapter.
//!
//! Writers press no thumbs. What the exit code is to a program, the chapter is to a writer: an answer that was put into
//! it and is still there a day later was right. An answer about the book has words of the book, and may quote it; so
//! only what the chapter did not have before counts as put in.

use std::collections::HashSet;

use palimpsest_text::{is_han, paragraphs, terms};

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
    tokens: Vec<String>,
    terms: Vec<String>,
}

impl AnswerWords {
    /// The words of an answer.
    #[must_use]
    pub fn new(answer: &str) -> Self {
        Self { tokens: tokens(answer), terms: terms::query_terms(answer) }
    }

    /// The presence of the answer in `after` that `before`, the same chapter at an earlier time, does not have. Words
    /// in a row count only if `before` has them not, and content words only if no paragraph of `before` has half of
    /// them.
    ///
    /// `None` for answers with fewer than [`MIN_CONTENT_TERMS`] content words, unless they are in the chapter as a run.
    #[must_use]
    pub fn put_in(&self, before: &str, after: &str) -> Option<Presence> {
        let old: HashSet<u64> = grams(&tokens(before)).map(hash).collect();
        self.run_in(&tokens(after), &old).map(Presence::Run).or_else(|| {
            let share = self.content_share(after);
            (share >= MIN_CONTENT_SHARE && self.content_share(before) < MIN_CONTENT_SHARE)
                .then_some(Presence::Content(share))
        })
    }

    /// The presence of the answer in `chapter`, from whatever time.
    #[must_use]
    pub fn found_in(&self, chapter: &str) -> Option<Presence> {
        self.put_in("", chapter)
    }

    /// The first run that is long enough, measured up to its end or to that of the chapter's new text.
    fn run_in(&self, chapter: &[String], old: &HashSet<u64>) -> Option<usize> {
        let mut places: std::collections::HashMap<u64, Vec<usize>> = std::collections::HashMap::new();
        for (at, gram) in grams(&self.tokens).enumerate() {
            let code = hash(gram);
            if !old.contains(&code) {
                places.entry(code).or_default().push(at);
            }
        }
        if places.is_empty() {
            return None;
        }
        for (at, gram) in grams(chapter).enumerate() {
            for &start in places.get(&hash(gram)).map_or(&[][..], Vec::as_slice) {
                let shared = chapter[at..].iter().zip(&self.tokens[start..]).take_while(|(one, other)| one == other);
                let length: usize = shared.map(|(token, _)| length_of(token)).sum();
                if length >= MIN_RUN_HAN {
                    return Some(length);
                }
            }
        }
        None
    }

    /// The largest share of the content words that a paragraph of the chapter has, 0..=1; 0 for a short answer.
    fn content_share(&self, chapter: &str) -> f64 {
        if self.terms.len() < MIN_CONTENT_TERMS {
            return 0.0;
        }
        let wanted: HashSet<&str> = self.terms.iter().map(String::as_str).collect();
        let share_of = |paragraph: &str| {
            let mut found = HashSet::new();
            terms::each_index_term(paragraph, |term| {
                found.extend(wanted.get(term).copied());
            });
            found.len() as f64 / wanted.len() as f64
        };
        paragraphs::ranges(chapter).into_iter().map(|range| share_of(&chapter[range])).fold(0.0, f64::max)
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

/// The words of a text in their order: each Han character, and each word of another script in lower case, without
/// apostrophes. Punctuation is not compared.
fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if is_han(c) {
            found.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            found.push(c.to_string());
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if !matches!(c, '\'' | '’') {
            found.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
    }
    found.extend((!word.is_empty()).then_some(word));
    found
}

fn length_of(token: &str) -> usize {
    if token.chars().next().is_some_and(is_han) { 1 } else { MIN_RUN_HAN / MIN_RUN_WORDS }
}

fn grams(tokens: &[String]) -> impl Iterator<Item = &[String]> {
    tokens.windows(GRAM)
}

/// FNV-1a (Fowler, Noll and Vo 1991) of the tokens, with a separator. Equal hashes are compared token by token.
fn hash(gram: &[String]) -> u64 {
    let bytes = gram.iter().flat_map(|token| token.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZH: &str = "潮位每天推迟约五十分钟，周一黎明出港的船，到周五黎明就出不去了，要等到下午。";
    const EN: &str = "High water falls about fifty minutes later each day, so the boat that left at dawn on Monday \
                      cannot leave at dawn on Friday.";

    #[test]
    fn an_answer_that_was_pasted_into_a_chapter_is_found_in_both_languages() {
        for answer in [ZH, EN] {
            let before = "# 九\n\nThe quay was empty.\n\n码头上没有人。\n";
            let after = format!("{before}\n“{answer}”\n");
            assert!(matches!(AnswerWords::new(answer).put_in(before, &after), Some(Presence::Run(_))), "{answer}");
        }
    }

    #[test]
    fn punctuation_and_quotation_marks_do_not_hide_it() {
        let pasted = "so the boat, that left at dawn on Monday — cannot LEAVE at dawn…";
        assert_eq!(AnswerWords::new(EN).found_in(pasted), Some(Presence::Run(26)));
    }

    #[test]
    fn eleven_words_or_twenty_three_characters_are_no_run() {
        let eleven = "boat that left at dawn on Monday cannot leave at dawn";
        assert_eq!(eleven.split(' ').count(), 11);
        assert_eq!(AnswerWords::new(eleven).found_in(&format!("The {eleven} again")), None);
        let han: String = ZH.chars().filter(|c| is_han(*c)).take(23).collect();
        assert_eq!(AnswerWords::new(&han).run_in(&tokens(&han), &HashSet::new()), None);
        let han: String = ZH.chars().filter(|c| is_han(*c)).take(24).collect();
        assert_eq!(AnswerWords::new(&han).run_in(&tokens(&han), &HashSet::new()), Some(24));
    }

    #[test]
    fn a_reworded_answer_is_found_by_half_of_its_words_in_one_paragraph() {
        let reworded = "She knew it: high water came fifty minutes later every day, and a boat that could leave at \
                        dawn on Monday would be stuck by Friday.";
        assert!(matches!(AnswerWords::new(EN).found_in(reworded), Some(Presence::Content(share)) if share >= 0.5));
        let scattered = reworded.replace(", ", "\n\n").replace("leave", "\n\ngo\n\n").replace("came", "\n\n");
        assert_eq!(AnswerWords::new(EN).found_in(&scattered), None);
    }

    #[test]
    fn what_the_chapter_had_before_is_not_put_in() {
        for answer in [ZH, EN] {
            let before = format!("He read aloud: {answer}");
            let after = format!("{before}\n\nThen he closed the book, and the lamp went out.");
            assert_eq!(AnswerWords::new(answer).put_in(&before, &after), None, "{answer}");
            let edited = before.replace("He read", "She read");
            assert_eq!(AnswerWords::new(answer).put_in(&before, &edited), None, "{answer}");
        }
    }

    #[test]
    fn another_paragraph_of_the_same_book_is_no_use() {
        let chapter = "The boat left the harbour at dawn. Nobody waved.\n\n船在黎明离港，没有人挥手。";
        assert_eq!(AnswerWords::new(EN).found_in(chapter), None);
        assert_eq!(AnswerWords::new(ZH).found_in(chapter), None);
        assert_eq!(AnswerWords::new("Grey.").found_in("Her grey eyes."), None, "too short to say anything");
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
