//! Deaths and acts in English sentences.

mod words;

use rustc_hash::FxHashMap;

use words::{
    ACTS, ADVERBS, CAUSES, DIES, DREAMS, ENDS, IS_DEAD, KILLS, MEMORIES, NO_ACTS, NOT_DEAD, OF_THE_DEAD, OPENS_CLAUSE,
};

use super::{Death, Statement};
use crate::{
    en::{Words, is_conditional, is_thought, is_unreal, looks_back, narration},
    sentences::Sentence,
};

/// The deaths that a sentence tells, and the acts of characters that are dead. `context` are the sentences before it.
pub(super) fn deaths_and_acts(
    sentence: &Sentence<'_>,
    dead: &FxHashMap<usize, Death>,
    context: &[Sentence<'_>],
) -> (Vec<Statement>, Vec<Statement>) {
    let words = narration(sentence);
    let (mut deaths, mut acts) = (Vec::new(), Vec::new());
    // `She died in her sleep` tells of no dream.
    let is_asleep = words.has_phrase(&["in his sleep", "in her sleep"]);
    let is_doubtful = is_unreal(&words) && !is_asleep || is_thought(&words);
    if is_doubtful {
        return (deaths, acts);
    }
    for mention in &sentence.mentions {
        if sentence.is_spoken(mention.range.start) {
            continue;
        }
        let (first, after) = (words.word_at(mention.range.start), words.word_at(mention.range.end));
        let Some(last) = after.checked_sub(1).and_then(|at| words.all.get(at)) else { continue };
        let statement = |from: usize, to: usize| {
            let (from, to) = (words.all.get(from)?, words.all.get(to.checked_sub(1)?)?);
            Some(Statement { entity: mention.entity, range: from.start..to.end })
        };
        let is_stated = |(_, to): &(usize, usize)| !is_conditional(&words, *to);
        if let Some((from, to)) = death(&words, first, after, last.is_possessive).filter(is_stated) {
            deaths.extend(statement(from, to));
        } else if dead.contains_key(&mention.entity)
            && !last.is_possessive
            && !is_asleep
            && !looks_back(&words)
            && !is_in_memory(context)
            && let Some((from, to)) = act(sentence, &words, first, after).filter(is_stated)
        {
            acts.extend(statement(from, to));
        }
    }
    (deaths, acts)
}

/// Whether the sentences before tell of a dream, or the last one looks back.
fn is_in_memory(context: &[Sentence<'_>]) -> bool {
    let is_dream = |sentence: &Sentence<'_>| Words::new(sentence.text).has(&DREAMS);
    let looks_back = |sentence: &Sentence<'_>| {
        let words = Words::new(sentence.text);
        words.has(&MEMORIES) || words.has_phrase(&["in those days", "had been", "had once"])
    };
    context.iter().any(is_dream) || context.last().is_some_and(looks_back)
}

/// The words of the death of the character that words name.
fn death(words: &Words<'_>, first: usize, after: usize, is_possessive: bool) -> Option<(usize, usize)> {
    let denies = (0..words.all.len()).any(|at| {
        words.lower(at) == "not"
            && !matches!(words.lower(at + 1), "live" | "survive" | "outlive" | "survived" | "outlived")
    });
    if denies || words.has(&["nearly", "almost", "half"]) {
        return None;
    }
    let before = |back: usize| first.checked_sub(back).map_or("", |at| words.lower(at));
    if is_possessive {
        let noun = words.joined(after);
        let is_told = OF_THE_DEAD.contains(&noun) && !matches!(noun, "death" | "grave" | "deathbed")
            || noun == "death" && matches!(before(1), "after" | "since");
        return is_told.then_some((after, after + 1));
    }
    // `the death of Mara`, `the day they buried Mara`
    if before(1) == "of" && matches!(before(2), "funeral" | "burial" | "corpse" | "coffin") {
        return Some((first - 2, after));
    }
    if KILLS.contains(&before(1)) && !matches!(before(2), "to" | "never" | "was" | "be" | "") {
        return Some((first - 1, after));
    }
    // `The fever took Mara in a week`, and not `The coach took Mara to town`.
    let takes = matches!(before(1), "took" | "taken" | "claimed" | "killed" | "got" | "swallowed" | "drowned");
    if takes
        && (0..first).any(|at| CAUSES.contains(&words.lower(at)))
        && !matches!(words.joined(after), "to" | "by" | "up" | "into")
    {
        return Some((first - 1, after));
    }
    let is_laid = matches!(before(1), "put" | "laid" | "lowered" | "carried" | "bore" | "followed")
        && matches!(words.joined(after), "in" | "into" | "to");
    if is_laid && matches!(words.joined(after + 2), "ground" | "earth" | "grave" | "churchyard" | "vault") {
        return Some((first - 1, after + 3));
    }
    if ENDS.iter().any(|(verb, end)| before(1) == *verb && words.joined(after) == *end) {
        return Some((first - 1, after + 1));
    }
    if matches!(before(1), "of" | "with" | "by" | "to" | "for" | "from" | "than" | "like" | "about") {
        return None;
    }
    // A relative clause: `Mara, who died in March,`.
    let mut at = after;
    if words.lower(at) == "who" {
        at += 1;
    } else if !words.all.get(at)?.marks.is_empty() {
        return None;
    }
    if let Some(found) = coordinated_death(words, at) {
        return Some(found);
    }
    let limit = at + 4;
    while at < limit && at < words.all.len() {
        if let Some(phrase) = DIES.iter().find(|phrase| words.is_at(at, phrase)) {
            let to = at + phrase.split(' ').count();
            let is_other = matches!(words.joined(to), "away" | "down" | "out" | "hard" | "laughing")
                || matches!(words.joined(to), "of" | "with")
                    && matches!(
                        words.joined(to + 1),
                        "laughter" | "laughing" | "shame" | "boredom" | "curiosity" | "envy"
                    );
            return (!is_other).then_some((at, to));
        }
        if matches!(words.lower(at), "was" | "is" | "lay" | "were" | "been" | "be") {
            return dead_behind(words, at + 1).map(|to| (at, to));
        }
        let word = words.lower(at);
        if !ADVERBS.contains(&word) && !word.ends_with("ly") {
            return None;
        }
        at += 1;
    }
    None
}

/// The words of a death that is the second verb of the character: `Mara fell ill, and died within a week`.
fn coordinated_death(words: &Words<'_>, after: usize) -> Option<(usize, usize)> {
    let limit = (after + 16).min(words.all.len());
    for at in after + 2..limit {
        if matches!(words.lower(at), "he" | "she" | "it" | "they" | "who" | "which" | "that" | "whose" | "we" | "i") {
            return None;
        }
        let is_second = matches!(words.lower(at - 1), "and" | "then" | "soon" | "but")
            || words.lower(at - 1).ends_with("ly") && words.lower(at - 2) == "and";
        let phrase = DIES.iter().find(|phrase| words.is_at(at, phrase)).filter(|_| is_second);
        if let Some(phrase) = phrase {
            let to = at + phrase.split(' ').count();
            return (!matches!(words.joined(to), "away" | "down" | "out")).then_some((at, to));
        }
        if is_second && words.lower(at) == "was" {
            return dead_behind(words, at + 1).map(|to| (at, to));
        }
    }
    None
}

/// The end of words of death behind a form of *be*.
fn dead_behind(words: &Words<'_>, mut at: usize) -> Option<usize> {
    if matches!(
        words.lower(at),
        "already" | "long" | "now" | "quite" | "stone" | "then" | "accidentally" | "instantly" | "being"
    ) {
        at += 1;
    }
    let phrase = IS_DEAD.iter().find(|phrase| words.is_at(at, phrase))?;
    let to = at + phrase.split(' ').count();
    let next = words.joined(to);
    let is_other = *phrase == "dead" && NOT_DEAD.contains(&next)
        || *phrase == "no more" && !words.ends_before(to)
        || matches!(*phrase, "buried" | "drowned")
            && (next == "in" || next == "by")
            && !matches!(words.joined(to + 1), "the" | "a" | "his" | "her");
    let is_figure =
        matches!(*phrase, "buried") && next == "in" && matches!(words.joined(to + 1), "his" | "her" | "thought");
    (!is_other && !is_figure).then_some(to)
}

/// The words of an act of the character that words name.
fn act(sentence: &Sentence<'_>, words: &Words<'_>, first: usize, after: usize) -> Option<(usize, usize)> {
    // A speech tag: `said Mara`.
    let before = first.checked_sub(1).map_or("", |at| words.lower(at));
    let is_tag = !sentence.speech.is_empty()
        && matches!(
            before,
            "said"
                | "cried"
                | "asked"
                | "replied"
                | "answered"
                | "exclaimed"
                | "whispered"
                | "muttered"
                | "added"
                | "returned"
        )
        && words.all.get(first).is_some_and(|word| word.marks.is_empty());
    if is_tag {
        return Some((first - 1, after));
    }
    // `At supper Mara sat`, `The next day Mara rode`.
    let is_time = match words.lower(0) {
        "at" | "in" | "on" | "after" | "that" | "this" | "next" | "towards" | "toward" | "one" | "by" | "from" => true,
        "the" => matches!(words.lower(1), "next" | "following" | "same" | "moment"),
        _ => false,
    };
    let is_preposition = matches!(
        before,
        "of" | "to"
            | "from"
            | "with"
            | "by"
            | "for"
            | "at"
            | "in"
            | "on"
            | "the"
            | "a"
            | "that"
            | "this"
            | "how"
            | "than"
            | "after"
            | "before"
            | "about"
            | "near"
            | "like"
    );
    let opens = first == 0
        || first <= 5 && is_time && !is_preposition && (1..=first).all(|at| words.all[at].marks.is_empty())
        || words.all.get(first).is_some_and(|word| word.marks.ends_with([',', ';', ':', '—', '.', '”', '"']))
        || OPENS_CLAUSE.contains(&before);
    if !opens {
        return None;
    }
    let mut at = after;
    let is_going_on = |word: &str| {
        word.ends_with("ing")
            && word.len() > 4
            && !matches!(word, "dying" | "lying" | "being" | "missing" | "going" | "nothing" | "something" | "wanting")
    };
    while at < after + 3 {
        let word = words.joined(at);
        if matches!(word, "was" | "is") {
            let verb = if words.joined(at + 1).ends_with("ly") || ADVERBS.contains(&words.joined(at + 1)) {
                at + 2
            } else {
                at + 1
            };
            return is_going_on(words.joined(verb)).then_some((first, verb + 1));
        }
        if word.is_empty() || matches!(word, "had" | "has" | "always" | "once") {
            return None;
        }
        let is_past = word.ends_with("ed") && word.len() > 4 || ACTS.contains(&word);
        if is_past && !NO_ACTS.contains(&word) {
            return Some((first, at + 1));
        }
        if !ADVERBS.contains(&word) && !word.ends_with("ly") {
            return None;
        }
        at += 1;
    }
    None
}
