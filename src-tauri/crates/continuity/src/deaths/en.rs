//! Deaths and acts in English sentences.

mod words;

use palimpsest_reader::mentions::Mention;
use rustc_hash::FxHashMap;

use words::{
    ADVERBS, BODY, CAUSES, DIES, DREAMS, ENDS, IS_DEAD, KILLED_SO, KILLS, MEMORIES, MOURNING, NO_ACTS, NOT_DEAD,
    OF_THE_DEAD, OPENS_CLAUSE, PERSONS, SUCCUMBS,
};

use super::{Death, Statement};
use crate::{
    en::{ACTS, Words, is_conditional, is_thought, is_unreal, looks_back, narration},
    sentences::{Sentence, leads_back},
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
            deaths.extend(spoken_death(sentence, mention, context));
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
            && !leads_back(sentence)
            && !is_in_memory(context)
            && let Some((from, to)) = act(sentence, &words, first, after).filter(is_stated)
        {
            acts.extend(statement(from, to));
        }
    }
    (deaths, acts)
}

/// A death that somebody tells, `“Mara is dead,” said the doctor`, where the narration beside it mourns.
fn spoken_death(sentence: &Sentence<'_>, mention: &Mention, context: &[Sentence<'_>]) -> Option<Statement> {
    let words = Words::new(sentence.text);
    let (first, after) = (words.word_at(mention.range.start), words.word_at(mention.range.end));
    let is_opened = first == 0 || words.ends_before(first);
    let (from, to) = match (words.joined(after), words.joined(after + 1)) {
        ("is", "dead" | "gone") | ("has", "died") | ("was", "killed") => (after, after + 2),
        ("died", _) => (after, after + 1),
        _ => return None,
    };
    // `is dead to me`, `is dead, isn't she?`
    let is_told = words.ends_before(to) || matches!(words.joined(to), "this" | "last" | "in" | "at" | "now" | "these");
    let asks = sentence.speech.iter().any(|range| sentence.text[range.clone()].contains('?'));
    let mourns = |sentence: &Sentence<'_>| narration(sentence).has(&MOURNING);
    let is_mourned = mourns(sentence) || context.last().is_some_and(mourns);
    let range = words.all[from].start..words.all[to - 1].end;
    (is_opened && is_told && is_mourned && !asks).then_some(Statement { entity: mention.entity, range })
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
    // Only what stands before the name in its clause, or directly behind it.
    let clause = (0..=first).rev().find(|&at| words.ends_before(at)).unwrap_or(0);
    let denies = (clause..(after + 4).min(words.all.len())).any(|at| {
        words.lower(at) == "not"
            && !matches!(words.lower(at + 1), "live" | "survive" | "outlive" | "survived" | "outlived")
    });
    if denies || words.has(&["nearly", "almost", "half"]) {
        return None;
    }
    let before = |back: usize| first.checked_sub(back).map_or("", |at| words.lower(at));
    if is_possessive {
        let noun = words.joined(after);
        // `closed Mara's eyes`
        let closes = before(1) == "closed" && noun == "eyes";
        // `Mara's body was found`
        let is_body =
            noun == "body" && (after + 1..(after + 5).min(words.all.len())).any(|at| BODY.contains(&words.joined(at)));
        // `Mara's heart had stopped at four`, and not `stopped for a moment`
        let beats = noun == "heart"
            && (words.is_at(after + 1, "had stopped")
                && (words.joined(after + 3) == "at" || words.ends_before(after + 3))
                || ["stopped beating", "stopped for ever", "had stopped beating", "ceased to beat", "beat no more"]
                    .iter()
                    .any(|phrase| words.is_at(after + 1, phrase)));
        let is_told = closes
            || beats
            || is_body
            || OF_THE_DEAD.contains(&noun) && !matches!(noun, "death" | "grave" | "deathbed")
            || noun == "death" && matches!(before(1), "after" | "since");
        return is_told.then_some((after, after + 1));
    }
    // `the death of Mara`, `the day they buried Mara`
    if before(1) == "of"
        && matches!(before(2), "funeral" | "burial" | "corpse" | "coffin" | "grave" | "tomb" | "tombstone" | "ashes")
    {
        return Some((first - 2, after));
    }
    if KILLS.contains(&before(1)) && !matches!(before(2), "to" | "never" | "was" | "be" | "") {
        return Some((first - 1, after));
    }
    // `Typhoid carried off Mara`, `They shot Mara at sunrise`
    let has_cause = || (0..first).any(|at| CAUSES.contains(&words.lower(at)));
    if before(1) == "off" && matches!(before(2), "carried" | "swept" | "took") && has_cause() {
        return Some((first - 2, after));
    }
    let is_execution =
        || (after..words.all.len()).any(|at| matches!(words.lower(at), "dawn" | "sunrise" | "wall" | "dead"));
    if before(1) == "shot" && !matches!(before(2), "was" | "had" | "a" | "the" | "") && is_execution() {
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
    let is_figure = NOT_DEAD.contains(&words.joined(after + 1));
    if !is_figure && ENDS.iter().any(|(verb, end)| before(1) == *verb && words.joined(after) == *end) {
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
    // `went down with the Albion`, and not `with the measles`
    let is_ship = matches!(words.joined(at + 3), "the" | "his" | "her")
        && !matches!(
            words.joined(at + 4),
            "flu" | "fever" | "measles" | "mumps" | "influenza" | "others" | "rest" | "cold"
        );
    if words.is_at(at, "went down with") && is_ship && words.all.len() > at + 4 {
        return Some((at, at + 5));
    }
    if let Some(found) = coordinated_death(words, at) {
        return Some(found);
    }
    let limit = at + 4;
    while at < limit && at < words.all.len() {
        if let Some(phrase) = DIES.iter().find(|phrase| words.is_at(at, phrase)) {
            let to = at + phrase.split(' ').count();
            // `succumbed to temptation`
            let of_what = to - usize::from(phrase.ends_with(" to"));
            let is_weak = phrase.starts_with("succumbed")
                && words.joined(of_what) == "to"
                && !(of_what + 1..of_what + 4)
                    .any(|at| CAUSES.contains(&words.lower(at)) || SUCCUMBS.contains(&words.lower(at)));
            let is_other = is_weak
                || matches!(words.joined(to), "away" | "down" | "out" | "hard" | "laughing")
                || matches!(words.joined(to), "of" | "with")
                    && matches!(
                        words.joined(to + 1),
                        "laughter" | "laughing" | "shame" | "boredom" | "curiosity" | "envy"
                    );
            return (!is_other).then_some((at, to));
        }
        if words.has_phrase(&KILLED_SO) && matches!(words.lower(at), "was" | "lay" | "been") {
            return Some((at, at + 1 + usize::from(words.joined(at + 1) == "found")));
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
    let is_alone = words.all.iter().enumerate().all(|(at, word)| {
        let is_name = word.lower.starts_with(char::is_uppercase);
        at < after || !is_name && !PERSONS.contains(&word.lower.as_str())
    });
    let limit = (after + 16).min(words.all.len());
    for at in after + 2..limit {
        // `Mara had a stroke, and within the hour she was dead`: she is alone there.
        if matches!(words.lower(at), "he" | "she") && is_alone && (after..at).any(|place| words.lower(place) == "and") {
            let verb = at + 1 + usize::from(ADVERBS.contains(&words.joined(at + 1)));
            let phrase =
                DIES.iter().find(|phrase| words.is_at(verb, phrase)).map(|phrase| verb + phrase.split(' ').count());
            let dead = || dead_behind(words, verb + 1).filter(|_| words.lower(verb) == "was");
            return phrase.or_else(dead).map(|to| (verb, to));
        }
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

/// The word behind an aside of a name, `leaning on the gate` or `his hat in his hand`, between two commas.
fn closed_aside(words: &Words<'_>, after: usize) -> Option<usize> {
    let opens = words.all.get(after).filter(|word| word.marks == ",")?;
    let is_aside = opens.lower.ends_with("ing") && opens.lower.len() > 5
        || matches!(opens.lower.as_str(), "his" | "her" | "with" | "still" | "now" | "without");
    let end = (after + 1..(after + 11).min(words.all.len())).find(|&at| !words.all[at].marks.is_empty())?;
    (is_aside && words.all[end].marks == ",").then_some(end)
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
    // `Mara, leaning on the gate, asked`
    let mut at = closed_aside(words, after).unwrap_or(after);
    let (behind_aside, limit) = (at, at + 3);
    let is_going_on = |word: &str| {
        word.ends_with("ing")
            && word.len() > 4
            && !matches!(word, "dying" | "lying" | "being" | "missing" | "going" | "nothing" | "something" | "wanting")
    };
    while at < limit {
        let word = if at == behind_aside && at > after { words.lower(at) } else { words.joined(at) };
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
