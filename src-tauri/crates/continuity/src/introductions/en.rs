//! Introductions in English sentences.

use std::ops::Range;

use palimpsest_reader::mentions::Mention;

use super::{Encounter, Introductions, Naming, Narration, Role, introductions_of};
use crate::{
    en::{ACTS, MODALS, SAYS, Words, is_conditional, is_thought, is_unreal, narration},
    sentences::{Sentence, leads_back},
};

/// Most words between the article of a noun phrase and `named`.
const MAX_PHRASE: usize = 7;
/// Most words between two names of a contact.
const MAX_BETWEEN: usize = 2;
const MEN: [&str; 9] = ["man", "fellow", "gentleman", "lad", "boy", "chap", "youth", "guy", "youngster"];
const WOMEN: [&str; 6] = ["woman", "lady", "girl", "lass", "maiden", "widow"];
const PEOPLE: [&str; 8] = ["person", "one", "somebody", "someone", "child", "stranger", "individual", "character"];
/// Nouns of things, animals and words that have a name too.
const NO_PEOPLE: [&str; 44] = [
    "barge", "beast", "bird", "boat", "book", "bull", "camel", "cat", "city", "cow", "dog", "donkey", "estate", "farm",
    "game", "goat", "horse", "hotel", "hound", "house", "inn", "island", "kitten", "lake", "mare", "mountain", "mule",
    "novel", "parrot", "place", "play", "pony", "pub", "puppy", "river", "schooner", "ship", "song", "street",
    "tavern", "thing", "town", "village", "yacht",
];
/// Words by which a sentence tells of an earlier time or of what may be.
const EARLIER: [&str; 21] = [
    "ago",
    "alias",
    "always",
    "childhood",
    "dead",
    "earlier",
    "formerly",
    "memory",
    "memories",
    "never",
    "once",
    "recalled",
    "remember",
    "remembered",
    "since",
    "used",
    "youth",
    "wished",
    "when",
    "again",
    "still",
];
/// Words before a name that say that it is one.
const LABELS: [&str; 5] = ["by the name of", "by name of", "whose name was", "named", "called"];
/// Words of a sentence that names a character only perhaps. *Will* is not among them, since it is a noun too.
const UNCERTAIN: [&str; 7] = ["if", "unless", "whether", "would", "could", "might", "should"];
/// Verbs by which a character has to do with the one that is named next.
const CONTACTS: [&str; 52] = [
    "accompanied",
    "addressed",
    "answered",
    "asked",
    "beat",
    "carried",
    "caught",
    "dragged",
    "drew",
    "embraced",
    "fed",
    "followed",
    "fought",
    "found",
    "gave",
    "greeted",
    "guided",
    "handed",
    "held",
    "helped",
    "hit",
    "hugged",
    "interrupted",
    "joined",
    "kicked",
    "kissed",
    "led",
    "lifted",
    "married",
    "met",
    "nudged",
    "paid",
    "passed",
    "pulled",
    "pushed",
    "scolded",
    "served",
    "shook",
    "showed",
    "slapped",
    "stopped",
    "struck",
    "taught",
    "thanked",
    "threw",
    "told",
    "took",
    "touched",
    "tripped",
    "visited",
    "warned",
    "woke",
];

/// The words of the narration of a sentence.
struct English<'t>(Words<'t>);

pub(super) fn introductions_in(sentence: &Sentence<'_>) -> Introductions {
    let words = narration(sentence);
    let is_question = sentence.text.trim_end().ends_with(['?', '？']);
    if is_question || is_unreal(&words) || is_thought(&words) || leads_back(sentence) {
        return Introductions::default();
    }
    introductions_of(sentence, &English(words))
}

impl Narration for English<'_> {
    fn naming(&self, mention: &Mention) -> Option<Naming> {
        naming(&self.0, mention)
    }

    fn act_of(&self, mention: &Mention) -> Option<Range<usize>> {
        words_of_act(&self.0, mention)
    }

    fn meeting(&self, mentions: &[&Mention]) -> Option<Encounter> {
        meeting(&self.0, mentions)
    }

    fn contact(&self, one: &Mention, other: &Mention) -> Option<Encounter> {
        contact(&self.0, one, other)
    }
}

/// `a driver named Mara`, `whose name was Mara`.
fn naming(words: &Words<'_>, mention: &Mention) -> Option<Naming> {
    let (first, after) = (words.word_at(mention.range.start), words.word_at(mention.range.end));
    let is_owner = words.all.get(after.checked_sub(1)?)?.is_possessive;
    // The number of words before the name that say that it is one.
    let label = LABELS.iter().find_map(|label| {
        let count = label.split(' ').count();
        first.checked_sub(count).filter(|&at| words.is_at(at, label)).map(|_| count)
    })?;
    if is_owner || words.has(&EARLIER) || words.has(&UNCERTAIN) {
        return None;
    }
    let noun = first.checked_sub(label + 1)?;
    // A comma may stand before `whose`, and before no other word of the phrase.
    let article = (noun.saturating_sub(MAX_PHRASE)..noun)
        .rev()
        .take_while(|&at| words.all[at + 1].marks.is_empty())
        .find(|&at| matches!(words.lower(at), "a" | "an" | "another"))?;
    // `a man of about forty named Mara`, `a clerk in the bank called Mara`: the noun stands before the preposition.
    let is_preposition = |at: &usize| matches!(words.lower(*at), "of" | "in" | "from" | "with" | "at" | "about" | "on");
    let head = (article + 1..noun).find(is_preposition).map_or(noun, |at| at - 1);
    if head <= article || NO_PEOPLE.contains(&words.lower(head)) {
        return None;
    }
    let role = match words.lower(head) {
        noun if MEN.contains(&noun) => Role::Man,
        noun if WOMEN.contains(&noun) => Role::Woman,
        noun if PEOPLE.contains(&noun) => Role::Person,
        noun => Role::Noun(noun.to_owned()),
    };
    let range = words.all[article].start..words.all[after - 1].end;
    Some(Naming { entity: mention.entity, range, role })
}

/// Whether a sentence may tell of an earlier time: `Mara had kissed Tobias`.
fn is_earlier(words: &Words<'_>) -> bool {
    words.has(&EARLIER) || words.has(&["had"])
}

/// The name as the subject of a verb of the past: `Mara poured`, `said Mara`.
fn words_of_act(words: &Words<'_>, mention: &Mention) -> Option<Range<usize>> {
    let (first, after) = (words.word_at(mention.range.start), words.word_at(mention.range.end));
    let name = words.all.get(after.checked_sub(1)?)?;
    let is_open = first == 0 || words.ends_before(first) || matches!(words.lower(first - 1), "and" | "but" | "then");
    let verb = words.joined(after);
    let is_said = SAYS.contains(&verb);
    let is_past = verb.len() > 3 && verb.ends_with("ed") || ACTS.contains(&verb);
    let is_stated = !name.is_possessive && is_open && !is_earlier(words) && !is_conditional(words, after);
    if is_stated && (is_past || is_said) {
        return Some(words.all[first].start..words.all[after].end);
    }
    // `“Sit down,” said Mara.`
    let says = first.checked_sub(1).filter(|&at| SAYS.contains(&words.lower(at)) && !words.joined(first).is_empty())?;
    let is_tag = words.ends_before(after) && !matches!(words.lower(says), "told" | "called");
    (is_tag && !name.is_possessive && !is_earlier(words)).then(|| words.all[says].start..words.all[after - 1].end)
}

/// `Mara met Tobias for the first time`, `Mara had never seen Tobias before`, `introduced himself to Mara as Tobias`.
fn meeting(words: &Words<'_>, mentions: &[&Mention]) -> Option<Encounter> {
    let [one, other] = mentions else { return None };
    let meets = |at: usize| matches!(words.lower(at), "met" | "saw" | "seen" | "spoke" | "spoken" | "eyes");
    let has_met = (0..words.all.len()).any(meets);
    let first_time = words.has_phrase(&["for the first time"]) && !words.has(&["since", "again", "after", "alone"]);
    let never = words.has_phrase(&["had never", "never before"]) && words.has(&["before"]);
    let introduced = words.has_phrase(&["introduced himself", "introduced herself"])
        || words.has_phrase(&["made the acquaintance of"]);
    let is_past = words.has(&["ago", "remembered", "recalled", "when", "once", "years", "day"]);
    let is_meeting = introduced || has_met && (first_time || never);
    let (from, to) = (words.word_at(one.range.start), words.word_at(other.range.end));
    let is_owned = [one, other].iter().any(|mention| {
        let after = words.word_at(mention.range.end);
        after.checked_sub(1).and_then(|at| words.all.get(at)).is_none_or(|word| word.is_possessive)
    });
    let is_stated = is_meeting && !is_past && !is_owned && !is_conditional(words, to);
    // `Mara saw Tobias cry for the first time` is no meeting.
    let behind = matches!(words.joined(to), "for" | "before" | "until" | "that") || words.ends_before(to);
    // The verb stands between the two: no third one is met.
    let is_between = (from..to).any(|at| meets(at) || matches!(words.lower(at), "introduced" | "acquaintance"))
        && (introduced || behind || words.has(&["met"]));
    let range = words.all.get(from)?.start..words.all.get(to.checked_sub(1)?)?.end;
    (is_stated && is_between).then(|| Encounter::new(one.entity, other.entity, range)).flatten()
}

/// `Mara kissed Tobias`, `said Mara to Tobias`, `Mara and Tobias walked`.
fn contact(words: &Words<'_>, one: &Mention, other: &Mention) -> Option<Encounter> {
    let (first, after) = (words.word_at(one.range.start), words.word_at(one.range.end));
    let (next, end) = (words.word_at(other.range.start), words.word_at(other.range.end));
    let owner = |at: usize| at.checked_sub(1).and_then(|at| words.all.get(at)).is_none_or(|word| word.is_possessive);
    let between = next.checked_sub(after)?;
    let is_joined = between >= 1 && (after..=next).all(|at| !words.joined(at).is_empty());
    if owner(after) || owner(end) || !is_joined || is_earlier(words) || is_conditional(words, end) {
        return None;
    }
    let verb = words.lower(after);
    let is_denied =
        (first..end).any(|at| matches!(words.lower(at), "not" | "nor" | "or") || MODALS.contains(&words.lower(at)));
    let is_verb =
        CONTACTS.contains(&verb) && (between == 1 || between <= MAX_BETWEEN && words.lower(next - 1).ends_with("ly"));
    let is_told = words.lower(next - 1) == "to"
        && between <= MAX_BETWEEN
        && (SAYS.contains(&verb) || first > 0 && SAYS.contains(&words.lower(first - 1)));
    // `Mara danced with Tobias`
    let is_with = between == 2 && words.lower(next - 1) == "with" && (verb.ends_with("ed") || ACTS.contains(&verb));
    let behind = words.joined(end);
    let is_both = between == 1 && verb == "and" && behind.len() > 3 && behind.ends_with("ed");
    let range = words.all[first].start..words.all[end - 1].end;
    let is_contact = !is_denied && (is_verb || is_told || is_with || is_both);
    is_contact.then(|| Encounter::new(one.entity, other.entity, range)).flatten()
}
