//! The verdict on a whole draft, by counting.

use std::collections::HashSet;

use palimpsest_text::{Language, detect_or, is_han};
use rapidfuzz::distance::lcs_seq;

use crate::{
    Facts, Reason, Skill,
    loops::hash,
    phrases::{asks_advice, asks_language, critique},
    words::{folded, plain_words},
};

/// Length of the runs of words by which texts are compared.
pub(crate) const RUN: usize = 5;
/// Minimum number of them in a text that is judged by its share of repeated ones.
const MIN_RUNS: usize = 8;
/// Minimum share of a draft's runs of words that are in the passage or the prompt.
const REPEATED_SHARE: f64 = 0.5;
/// The same for a draft from which a repetition was cut.
const STILL_REPEATED_SHARE: f64 = 0.35;
/// Minimum share of words that a rewriting and the selection have in the same order, and of a rewriting's runs of words
/// that are in the passage or the selection.
const COPIED_SHARE: f64 = 0.9;
/// Minimum words of a part of the selection that is returned unchanged.
const MIN_PART_WORDS: usize = 4;
/// Maximum share of distinct runs of words of a loop.
const LOOP_DISTINCT: f64 = 0.55;
/// Minimum words of a loop.
const MIN_LOOP_WORDS: usize = 40;
/// Minimum words of critique, and of them a hundred words of a text, beyond those of the passage.
const MIN_CRITIQUE: usize = 3;
const MIN_CRITIQUE_SHARE: f64 = 0.025;
/// Minimum letters of another language in a Chinese book for a verdict.
const MIN_FOREIGN_LETTERS: usize = 24;
/// Minimum Han characters in an English book for a verdict.
const MIN_FOREIGN_HAN: usize = 8;

/// The reason why a draft is unusable, or `None`.
pub(crate) fn judge(draft: &str, facts: &Facts<'_>) -> Option<Reason> {
    let words = plain_words(draft);
    if words.is_empty() {
        return Some(Reason::Empty);
    }
    if is_loop(&words) {
        return Some(Reason::Loop);
    }
    if facts.skill == Skill::Other {
        return None;
    }
    if is_foreign(draft, facts) {
        return Some(Reason::WrongLanguage);
    }
    repeats(&words, facts)
        .or_else(|| (!asks_advice(facts.instruction) && is_advice(draft, words.len(), facts)).then_some(Reason::Advice))
}

fn is_foreign(draft: &str, facts: &Facts<'_>) -> bool {
    if asks_language(facts.instruction) {
        return false;
    }
    let around = if facts.skill.is_revision() { facts.selection } else { last_part(facts.before) };
    let written = detect_or(draft, facts.language);
    if written == facts.language || written == detect_or(around, facts.language) {
        return false;
    }
    let foreign = |c: &char| c.is_alphabetic() && (is_han(*c) != (facts.language == Language::Zh));
    let enough = if facts.language == Language::Zh { MIN_FOREIGN_LETTERS } else { MIN_FOREIGN_HAN };
    draft.chars().filter(foreign).count() >= enough
}

/// The last thousand bytes or so of a text.
pub(crate) fn last_part(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(1_000))..]
}

fn runs(words: &[String]) -> HashSet<&[String]> {
    words.windows(RUN).collect()
}

/// Whether a text consists of the same words again and again.
fn is_loop(words: &[String]) -> bool {
    let all = words.len().saturating_sub(RUN - 1);
    words.len() >= MIN_LOOP_WORDS && (runs(words).len() as f64) < LOOP_DISTINCT * all as f64
}

/// Whether a draft from which a repetition was cut goes on to repeat what the model was sent.
pub(crate) fn still_repeats(draft: &str, facts: &Facts<'_>) -> bool {
    let sent = plain_words(&[facts.before, "\n", facts.selection].concat());
    let known = runs(&sent);
    let words = plain_words(draft);
    is_mostly_in(&words, STILL_REPEATED_SHARE, |run| known.contains(run))
}

/// Whether a draft is what the model was sent: the selection, the passage, or the memories of the prompt (an earlier
/// draft again, or the rules).
fn repeats(words: &[String], facts: &Facts<'_>) -> Option<Reason> {
    let selection = plain_words(if facts.skill.is_revision() { facts.selection } else { "" });
    let passage = plain_words(&match facts.skill {
        Skill::Polish | Skill::Rewrite | Skill::Condense => facts.before.to_owned(),
        _ => [facts.before, facts.selection].concat(),
    });
    let prompt: Vec<Vec<String>> = facts.prompt_lines.iter().map(|line| plain_words(line)).collect();
    let (selected, before) = (runs(&selection), runs(&passage));
    let lines: HashSet<&[String]> = prompt.iter().flat_map(|line| line.windows(RUN)).collect();

    let is_part = words.len() >= MIN_PART_WORDS && selection.windows(words.len()).any(|part| part == words);
    if words == selection || (is_part && facts.skill != Skill::Condense) {
        return Some(Reason::RepeatsPassage);
    }
    let is_known = |run: &[String]| selected.contains(run) || before.contains(run);
    let is_copied = || kept_share(words, &selection) >= COPIED_SHARE || is_mostly_in(words, COPIED_SHARE, is_known);
    if facts.skill == Skill::Rewrite && words.len() >= MIN_RUNS && is_copied() {
        return Some(Reason::RepeatsPassage);
    }
    let is_before = |run: &[String]| before.contains(run) && !selected.contains(run);
    if is_mostly_in(words, REPEATED_SHARE, is_before) {
        return Some(Reason::RepeatsPassage);
    }
    is_mostly_in(words, REPEATED_SHARE, |run| lines.contains(run) || is_before(run)).then_some(Reason::PromptEcho)
}

/// The share of the longer of both, a draft and the selection, that their words in the same order have: the longest
/// common subsequence.
fn kept_share(draft: &[String], selection: &[String]) -> f64 {
    let hashes = |words: &[String]| words.iter().map(hash).collect::<Vec<u64>>();
    let common = lcs_seq::similarity(hashes(draft), hashes(selection));
    common as f64 / draft.len().max(selection.len()).max(1) as f64
}

/// Whether a share of a text's runs is known; all of them in a short text, where one name may be most of it.
fn is_mostly_in(words: &[String], share: f64, is_known: impl Fn(&[String]) -> bool) -> bool {
    let all = words.windows(RUN).len();
    let repeated = words.windows(RUN).filter(|run| is_known(run)).count();
    all > 1 && (repeated == all || all >= MIN_RUNS && repeated as f64 >= share * all as f64)
}

/// Whether a line belongs to a list.
pub(crate) fn is_listed(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches('*');
    let after_digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after_digits.len() < line.len()
        && line.len() - after_digits.len() <= 2
        && after_digits.starts_with(['.', ')', '、', '．'])
        && !after_digits[1..].starts_with(|c: char| c.is_ascii_digit());
    is_numbered || line.starts_with("- ") || line.starts_with("• ")
}

fn is_advice(draft: &str, count: usize, facts: &Facts<'_>) -> bool {
    let around = [facts.before, "\n", facts.selection].concat();
    let lines = draft.lines().filter(|line| !line.trim().is_empty());
    let (listed, all) = lines.fold((0, 0), |(listed, all), line| (listed + usize::from(is_listed(line)), all + 1));
    if listed >= 2 && listed * 5 >= all * 2 && !around.lines().any(is_listed) {
        return true;
    }
    // The labels of an essay's parts.
    let is_label = |line: &&str| line.trim().starts_with('【') && line.trim().ends_with('】');
    if draft.lines().filter(is_label).count() >= 2 && !around.lines().any(|line| is_label(&line)) {
        return true;
    }
    let found = critique(&folded(draft));
    let usual = critique(&folded(&around)) as f64 / plain_words(&around).len().max(1) as f64;
    found >= MIN_CRITIQUE && found as f64 / count as f64 >= MIN_CRITIQUE_SHARE + 2.0 * usual
}
