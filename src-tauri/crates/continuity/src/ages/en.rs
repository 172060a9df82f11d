//! Ages in English sentences.

mod plain;

use std::ops::{Range, RangeInclusive};

use super::{MAX_AGE, Statement, When};
use crate::{
    en::{KIN, MODALS, Words, is_thought, is_unreal, narration, speaker},
    numbers::{en_number, en_ordinal, en_year},
    sentences::Sentence,
};

/// Words that make an age an estimate, or deny it.
const INEXACT: [&str; 22] = [
    "about",
    "almost",
    "approximately",
    "around",
    "hardly",
    "looked",
    "nearly",
    "nearing",
    "approaching",
    "never",
    "not",
    "over",
    "past",
    "perhaps",
    "scarcely",
    "some",
    "under",
    "above",
    "below",
    "between",
    "wasn't",
    "or",
];
const ADVERBS: [&str; 13] =
    ["already", "barely", "but", "by", "exactly", "just", "now", "only", "still", "then", "yet", "precisely", "fully"];
const COPULAS: [&str; 8] = ["was", "is", "be", "being", "been", "were", "became", "are"];
/// Nouns for a person that an age may follow: `a man of forty`.
const PERSONS: [&str; 22] = [
    "man",
    "woman",
    "boy",
    "girl",
    "lad",
    "lass",
    "child",
    "youth",
    "youngster",
    "fellow",
    "lady",
    "gentleman",
    "bachelor",
    "widow",
    "widower",
    "spinster",
    "soldier",
    "maid",
    "maiden",
    "infant",
    "person",
    "stripling",
];
/// Words by which the sentences after them may belong to a memory.
const MEMORIES: [&str; 14] = [
    "ago",
    "once",
    "remembered",
    "recalled",
    "memory",
    "memories",
    "childhood",
    "boyhood",
    "girlhood",
    "youth",
    "born",
    "earlier",
    "formerly",
    "young",
];
/// Decades of a life.
const DECADES: [&str; 8] =
    ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"];
/// Words before a year that make it another one.
const BEFORE_OTHER_YEAR: [&str; 8] = ["before", "after", "since", "until", "till", "from", "to", "than"];

/// The ages that a sentence gives to the one character that its narration names.
pub(super) fn ages_in(all: &[Sentence<'_>], number: usize) -> Vec<Statement> {
    let sentence = &all[number];
    if sentence.mentions.is_empty() {
        return Vec::new();
    }
    let words = narration(sentence);
    let mut found: Vec<Statement> = spoken_age(sentence, number).into_iter().collect();
    let years = years(&words);
    let time = match years.as_slice() {
        [(year, _)] => When::Year(*year),
        [] => year_before(all, number)
            .map(When::Year)
            .or_else(|| years_later(all, number, &words).map(When::Later))
            .unwrap_or(When::Now),
        _ => return found,
    };
    let own = narrated_age(sentence, number, &words, time)
        .or_else(|| years.first().and_then(|year| plain::plain_age(sentence, number, &words, year)));
    found.extend(own.map(|own| Statement { is_after_memory: is_after_memory(all, number), ..own }));
    found
}

/// Whether one of the two sentences before looks back, so that what follows may belong to a memory.
fn is_after_memory(all: &[Sentence<'_>], number: usize) -> bool {
    let before = all[number.saturating_sub(2)..number].iter().filter(|one| one.chapter == all[number].chapter);
    before.map(narration).any(|words| words.has(&MEMORIES) || words.has_phrase(&["had been", "years before"]))
}

/// The year of the sentence before, if it names a year alone: `The year was 1911.`
fn year_before(all: &[Sentence<'_>], number: usize) -> Option<u32> {
    let before = number.checked_sub(1).map(|before| &all[before]).filter(|one| one.is_beside(&all[number]))?;
    let words = narration(before);
    let is_alone = words.all.len() <= 8 && before.mentions.is_empty() && words.has(&["was", "is", "year"]);
    match years(&words).as_slice() {
        [(year, _)] if is_alone => Some(*year),
        _ => None,
    }
}

/// The years between the text before and a sentence: `Three years later`, `Ten years had gone by`,
/// `the following winter`; in the sentence itself or in a short one before it.
fn years_later(all: &[Sentence<'_>], number: usize, words: &Words<'_>) -> Option<u32> {
    later_in(words).or_else(|| {
        let before = number.checked_sub(1).map(|before| &all[before]).filter(|one| one.is_beside(&all[number]))?;
        let words = narration(before);
        later_in(&words).filter(|_| words.all.len() <= 8 && before.mentions.is_empty())
    })
}

fn later_in(words: &Words<'_>) -> Option<u32> {
    (0..words.all.len()).find_map(|at| {
        let before = |back: usize| at.checked_sub(back).map_or("", |place| words.lower(place));
        let next = words.joined(at + 1);
        match words.lower(at) {
            "years" | "year" => {
                let number = match before(1) {
                    "a" | "one" => 1,
                    "following" | "next" if before(2) == "the" || at == 1 => return Some(1),
                    word => en_number(word)?,
                };
                let is_past = matches!(next, "later" | "after" | "afterwards" | "afterward" | "on" | "thereafter")
                    && (next != "after" || words.ends_before(at + 2) || words.lower(at + 2) == "that")
                    || matches!(next, "passed" | "elapsed")
                    || next == "had"
                        && matches!(words.joined(at + 2), "passed" | "gone" | "elapsed" | "rolled" | "slipped")
                    || next == "went" && matches!(words.joined(at + 2), "by" | "past")
                    || next == "more" && words.joined(at + 2) == "passed";
                is_past.then_some(number)
            }
            "springs" | "summers" | "autumns" | "winters" => {
                en_number(before(1)).filter(|_| matches!(next, "later" | "after" | "afterwards"))
            }
            "spring" | "summer" | "autumn" | "fall" | "winter" | "birthday" | "christmas" | "easter" => {
                (matches!(before(1), "following" | "next") && before(2) == "the").then_some(1)
            }
            _ => None,
        }
    })
}

fn narrated_age(sentence: &Sentence<'_>, number: usize, words: &Words<'_>, time: When) -> Option<Statement> {
    if is_unreal(words) {
        return None;
    }
    let (ages, at) = age(words)?;
    let is_doubtful = is_thought(words)
        || is_supposed(words, at.start)
        || (0..words.all.len()).any(|at| {
            // `did as she was told`
            let is_passive = at > 0 && COPULAS.contains(&words.lower(at - 1));
            matches!(words.lower(at), "said" | "told") && !is_passive
        })
        || (0..at.start).any(|place| {
            matches!(words.lower(place), "looked" | "felt" | "dreamed" | "recalled" | "remembered" | "remember")
        })
        || words.has(&["liar", "lie"])
        || words.has_phrase(&["passed for", "passed as", "pass for", "taken for", "as old as"]);
    let first = words.all.get(at.start)?;
    let range = first.start..words.all[at.end - 1].end;
    let entity = subject(sentence, words, &at)?;
    // Without a year, what looks back is of an unknown time; a birth is so always.
    let is_memory = || {
        words.has(&["when", "since", "ago", "once", "before", "child", "used"])
            || (at.start.saturating_sub(4)..at.start).any(|place| matches!(words.lower(place), "had" | "been"))
                // `had just turned thirteen` is so by now.
                && words.lower(at.start.saturating_sub(1)) != "turned"
            || *ages.end() == 0
    };
    let time = match time {
        When::Year(_) if is_doubtful => return None,
        When::Now if is_doubtful || is_memory() => When::Unknown,
        When::Later(_) if is_doubtful || *ages.end() == 0 => When::Unknown,
        time => time,
    };
    Some(Statement { entity, sentence: number, range, time, ages, is_after_memory: false })
}

/// The age that a character says of itself: `“I am twenty-six,” said Mara`.
fn spoken_age(sentence: &Sentence<'_>, number: usize) -> Option<Statement> {
    let entity = speaker(sentence)?;
    let words = Words::new(sentence.text);
    let is_said = |at: usize| words.all.get(at).is_some_and(|word| sentence.is_spoken(word.start));
    let own = (0..words.all.len()).filter(|&at| is_said(at)).find_map(|at| {
        let from = match (words.lower(at), words.joined(at + 1)) {
            ("i'm", _) => at + 1,
            ("i", "am") => at + 2,
            _ => return None,
        };
        let from = from + usize::from(matches!(words.joined(from), "only" | "just" | "already" | "now"));
        let age = en_number(words.joined(from)).filter(|age| (3..=MAX_AGE).contains(age))?;
        let is_end = words.ends_before(from + 1)
            || words.is_at(from + 1, "years old")
            || words.is_at(from + 1, "years of age")
            || words.joined(from + 1) == "and";
        is_end.then_some((age, from))
    });
    let (age, at) = own?;
    let lower: Vec<&str> = words.all.iter().map(|word| word.lower.as_str()).collect();
    let mut years = (0..words.all.len()).filter(|&at| is_said(at)).filter_map(|at| {
        let is_present = at > 1 && matches!(lower[at - 1], "is" | "it's") || at > 0 && lower[at - 1] == "it's";
        en_year(&lower[at..]).filter(|_| is_present)
    });
    let time = years.next().map_or(When::Now, |(year, _)| When::Year(year));
    let range = words.all[at].start..words.all[at].end;
    Some(Statement { entity, sentence: number, range, time, ages: age..=age, is_after_memory: false })
}

/// The years of a sentence with the numbers of their words.
fn years(words: &Words<'_>) -> Vec<(u32, Range<usize>)> {
    let lower: Vec<&str> = words.all.iter().map(|word| word.lower.as_str()).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lower.len() {
        let Some((year, length)) = en_year(&lower[at..]) else {
            at += 1;
            continue;
        };
        // `1500 sheep` is a number; a year ends its clause, or a name, a verb or a preposition follows it.
        let next = words.joined(at + length);
        let is_amount = next.ends_with('s') && !matches!(next, "was" | "is" | "as" | "his" | "this" | "has");
        let before = at.checked_sub(1).map_or("", |before| lower[before]);
        let is_amount = is_amount && !matches!(before, "in" | "of" | "year" | "by" | "during" | "was" | "for");
        // `Before 1910 was out` is in that year.
        let is_in = words.is_at(at + length, "was out") || words.is_at(at + length, "was over");
        let is_other = at.checked_sub(1).is_some_and(|before| BEFORE_OTHER_YEAR.contains(&lower[before])) && !is_in;
        if !is_amount && !is_other {
            found.push((year, at..at + length));
        }
        at += length;
    }
    found.dedup_by_key(|(year, _)| *year);
    found
}

/// Whether the words before an age say that it may be. `Mara would be forty-four in 1910` looks ahead, and states it.
fn is_supposed(words: &Words<'_>, age: usize) -> bool {
    let states = |at: usize| {
        matches!(words.lower(at), "would" | "will" | "shall" | "should")
            && (words.is_at(at + 1, "be") || words.is_at(at + 1, "have been") || words.joined(at + 1) == "turn")
    };
    let has_if = (age..words.all.len()).any(|at| matches!(words.lower(at), "if" | "unless"));
    has_if || (0..age).any(|at| MODALS.contains(&words.lower(at)) && !states(at))
}

/// The only age of a sentence, and the numbers of the words that say so.
fn age(words: &Words<'_>) -> Option<(RangeInclusive<u32>, Range<usize>)> {
    let exact = |at: usize| age_at(words, at).map(|(age, at)| (age..=age, at));
    let mut found = (0..words.all.len()).filter_map(|at| bounded_age_at(words, at).or_else(|| exact(at)));
    let first = found.next()?;
    let is_same = |other: (RangeInclusive<u32>, Range<usize>)| other.0 == first.0;
    found.all(is_same).then_some(first)
}

/// An age of which the words give a bound: `not yet forty`, `in her forties`, `well past sixty`.
fn bounded_age_at(words: &Words<'_>, at: usize) -> Option<(RangeInclusive<u32>, Range<usize>)> {
    let before = |back: usize| at.checked_sub(back).map_or("", |place| words.lower(place));
    let word = words.lower(at);
    let decade = DECADES.iter().position(|one| *one == word).and_then(|place| u32::try_from(place).ok());
    if let Some(decade) = decade.map(|place| 10 * (place + 2)) {
        let (from, ages) = match before(1) {
            "early" | "earlier" => (2, decade..=decade + 4),
            "mid" | "middle" => (2, decade + 3..=decade + 7),
            "late" | "later" => (2, decade + 5..=decade + 9),
            _ => (1, decade..=decade + 9),
        };
        let is_own = matches!(before(from), "his" | "her" | "the") && matches!(before(from + 1), "in" | "into");
        return is_own.then_some((ages, at..at + 1));
    }
    // `in his fortieth year`
    if let Some(ordinal) = en_ordinal(word).filter(|ordinal| (3..=MAX_AGE).contains(ordinal)) {
        let is_in = matches!(before(2), "in" | "into" | "reached" | "entered" | "attained" | "completed" | "of");
        let is_own = matches!(before(1), "his" | "her") && is_in && words.joined(at + 1) == "year";
        let is_end = words.ends_before(at + 2) || !matches!(words.joined(at + 2), "of" | "as" | "at" | "with");
        return (is_own && is_end).then_some((ordinal - 1..=ordinal, at..at + 2));
    }
    // `the forty-year-old Mara`, `a ten-year-old`
    if let Some(number) = word.strip_suffix("-year-old").and_then(en_number) {
        return Some((number..=number, at..at + 1)).filter(|_| (1..=MAX_AGE).contains(&number));
    }
    let number = en_number(word).filter(|number| (3..=MAX_AGE).contains(number))?;
    // `going on twelve`, `nearly twenty`, `close on sixty`
    let is_copula = |back: usize| COPULAS.contains(&before(back)) || before(back).is_empty();
    let under = match before(1) {
        "on" if before(2) == "going" && is_copula(3) => Some(number - 1..=number),
        "on" if matches!(before(2), "close" | "hard") && is_copula(3) => Some(number - 2..=number),
        "nearly" | "almost" | "nearing" | "approaching" if COPULAS.contains(&before(2)) => Some(number - 2..=number),
        _ => None,
    };
    if let Some(ages) = under {
        let is_end = words.ends_before(at + 1)
            || words.is_at(at + 1, "years old")
            || matches!(words.joined(at + 1), "when" | "and" | "in" | "but" | "then" | "now" | "that");
        return is_end.then_some((ages, at..at + 1));
    }
    let to = if words.is_at(at + 1, "years old") || words.is_at(at + 1, "years of") { at + 3 } else { at + 1 };
    let is_end =
        words.ends_before(to) || matches!(words.joined(to), "in" | "when" | "and" | "but" | "that" | "as" | "age");
    let is_under = before(1) == "yet" && before(2) == "not" && COPULAS.contains(&before(3))
        || before(1) == "under" && COPULAS.contains(&before(2));
    let is_over = matches!(before(1), "past" | "over") && (COPULAS.contains(&before(2)) || before(2) == "well");
    let ages = match (is_under, is_over) {
        (true, _) => 0..=number - 1,
        (_, true) => number..=MAX_AGE,
        _ => return None,
    };
    is_end.then_some((ages, at..to))
}

fn age_at(words: &Words<'_>, at: usize) -> Option<(u32, Range<usize>)> {
    let before = |back: usize| at.checked_sub(back).map_or("", |place| words.lower(place));
    let age = |number: u32, to: usize| (1..=MAX_AGE).contains(&number).then_some((number, at..to));
    let word = words.lower(at);
    if word == "born" {
        // `born thirty years before the summer of 1907`
        if let Some(number) = en_number(words.joined(at + 1)) {
            let is_before = words.is_at(at + 2, "years before");
            return if is_before { age(number, at + 4) } else { None };
        }
        let is_date = matches!(words.joined(at + 1), "in" | "on" | "at" | "during" | "early" | "late")
            || words.ends_before(at + 1);
        if !is_date {
            return None;
        }
        return Some((0, at..at + 1)).filter(|_| matches!(before(1), "was" | "been" | "is") || before(1).is_empty());
    }
    let births = [
        "came into the world",
        "came into this world",
        "saw the light",
        "drew her first breath",
        "drew his first breath",
    ];
    if let Some(phrase) = births.iter().find(|phrase| words.is_at(at, phrase)) {
        return Some((0, at..at + phrase.split(' ').count()));
    }
    if let Some(ordinal) = en_ordinal(word) {
        let next = words.joined(at + 1);
        if next == "birthday" {
            return age(ordinal, at + 2);
        }
        let is_year_of_life = next == "year" && matches!(before(1), "his" | "her" | "their")
            || next == "year" && matches!(words.joined(at + 2), "of") && matches!(words.joined(at + 3), "his" | "her");
        return if is_year_of_life { age(ordinal.saturating_sub(1), at + 2) } else { None };
    }
    // `twenty-three-year-old`
    if let Some(head) = word.strip_suffix("-year-old").or_else(|| word.strip_suffix("-years-old")) {
        return age(en_number(head)?, at + 1).filter(|_| !INEXACT.contains(&before(1)));
    }
    let number = en_number(word).filter(|number| *number >= 1)?;
    if INEXACT.contains(&before(1)) || INEXACT.contains(&before(2)) && ADVERBS.contains(&before(1)) {
        return None;
    }
    let next = words.joined(at + 1);
    if matches!(next, "years" | "year" | "summers" | "winters" | "springs") {
        let second = words.joined(at + 2);
        let is_age = second == "old" || second == "of" && words.joined(at + 3) == "age";
        let has_lived = matches!(before(1), "seen" | "lived" | "numbered" | "counted")
            || ADVERBS.contains(&before(1)) && matches!(before(2), "seen" | "lived" | "numbered" | "counted");
        return match (is_age, has_lived) {
            (true, _) => age(number, at + 3),
            (false, true) => age(number, at + 2),
            _ => None,
        };
    }
    let is_age_word = matches!(before(1), "aged" | "turned" | "turn" | "turning")
        || before(1) == "of" && before(2) == "age"
        || before(1) == "of" && PERSONS.contains(&before(2)) && is_own_noun(words, at - 2)
        // `a grey Mara of forty`
        || before(1) == "of" && before(2).starts_with(char::is_uppercase) && before(4) == "a"
        || before(1) == "reached" && number > 9
        // `owned to thirty-two`
        || before(1) == "to" && matches!(before(2), "owned" | "confessed" | "admitted")
        // `a schoolgirl of fourteen`: said of the subject, any noun is one for a person.
        || before(1) == "of" && number >= 5 && is_said_of_subject(words, at)
        || matches!(before(1), "was" | "as" | "at") && before(2) == "age"
        // `At fifty-four, in 1913,`; with a small number it is an hour.
        || before(1) == "at"
            && (number >= 13 || words.lower(at + 1) == "in" && en_year(&[words.joined(at + 2)]).is_some())
            && words.all.get(at + 1).is_some_and(|next| next.marks.starts_with(','))
        // `At nineteen Mara`
        || before(1) == "at" && number >= 13 && (at == 1 || words.ends_before(at - 1))
            && words.joined(at + 1).starts_with(char::is_uppercase);
    // `The rolls of 1910 put down Mara as forty-four`
    let is_listed =
        before(1) == "as" && words.has(&["put", "entered", "listed", "recorded", "registered", "returned", "gave"]);
    let is_age_word = is_age_word || is_listed;
    // `was no more than twenty-two`
    let is_at_most = before(1) == "than" && matches!(before(2), "more" | "older") && matches!(before(3), "no" | "not");
    // `was all of twenty-two`
    let is_all_of = before(1) == "of" && before(2) == "all" && COPULAS.contains(&before(3));
    let has_copula = is_at_most && COPULAS.contains(&before(4))
        || is_all_of
        || COPULAS.contains(&before(1))
        || ADVERBS.contains(&before(1)) && COPULAS.contains(&before(2));
    let is_end = words.ends_before(at + 1)
        || matches!(
            next,
            "and"
                | "though"
                | "although"
                | "because"
                | "before"
                | "but"
                | "when"
                | "then"
                | "that"
                | "in"
                | "as"
                | "at"
                | "by"
                | "or"
                | "with"
                | "while"
        );
    // `turned nineteen the week the war began`
    let has_turned = matches!(before(1), "turned" | "turning" | "aged")
        && number >= 10
        && matches!(next, "the" | "on" | "this" | "last" | "a" | "just" | "only" | "years");
    // `was fifty-eight the following winter`
    let is_dated = next == "the" && matches!(words.joined(at + 2), "following" | "next");
    let is_copula_age = has_copula && (is_end || is_dated) && number >= 3 && !words.joined(at + 1).starts_with("o'");
    // `Mara, twenty-three,` and `Mara (23)`.
    let marks = words.all[at].marks;
    // `Mara, now twenty-three,`
    let has_adverb = marks.is_empty()
        && ADVERBS.contains(&before(1))
        && at.checked_sub(1).is_some_and(|place| words.all[place].marks.ends_with([',', '(']));
    let is_apposition = (marks.ends_with(',') || marks.ends_with('(') || has_adverb)
        && (words.joined(at + 1) == "and"
            || words.all.get(at + 1).is_some_and(|next| next.marks.starts_with([',', ')'])))
        && number >= 5;
    let opens = before(1) == "at" && words.joined(at + 1).starts_with(char::is_uppercase);
    let is_age = is_age_word && (is_end || opens) || has_turned || is_copula_age || is_apposition;
    if is_age { age(number, at + 1) } else { None }
}

/// Whether `a … of` before a number is said of a name: `Mara was a clerk of forty`, `Mara, a clerk of forty`.
fn is_said_of_subject(words: &Words<'_>, number: usize) -> bool {
    let article =
        (number.saturating_sub(4)..number.saturating_sub(2)).rev().find(|&at| matches!(words.lower(at), "a" | "an"));
    let Some(article) = article.filter(|article| *article > 0) else { return false };
    let before = words.lower(article - 1);
    let is_name = before.starts_with(char::is_uppercase) && words.all[article].marks == ",";
    is_name || COPULAS.contains(&before) && words.all[article].marks.is_empty()
}

/// Whether a noun for a person is said of the subject, and is no object: `was a woman of forty`, and not
/// `married a woman of forty`.
fn is_own_noun(words: &Words<'_>, noun: usize) -> bool {
    let article = (noun.saturating_sub(3)..noun).rev().find(|&at| matches!(words.lower(at), "a" | "an" | "the"));
    let Some(article) = article else { return true };
    let Some(before) = article.checked_sub(1) else { return true };
    let word = words.lower(before);
    !words.all[article].marks.is_empty()
        || COPULAS.contains(&word)
        || ADVERBS.contains(&word)
        || matches!(word, "as" | "into" | "become" | "remained" | "made" | "left")
        || word.chars().next().is_some_and(char::is_uppercase)
}

/// The character whose age it is: the only one of the sentence, and not the owner of somebody else.
fn subject(sentence: &Sentence<'_>, words: &Words<'_>, age: &Range<usize>) -> Option<usize> {
    let mut mentions = sentence.narrated_mentions();
    let first = mentions.next()?;
    // `Mara buried her husband, aged seventy`
    let name_end = words.word_at(first.range.end);
    if (name_end..age.start).any(|at| KIN.contains(&words.lower(at))) {
        return None;
    }
    let mut others = mentions.filter(|one| one.entity != first.entity).peekable();
    let after = words.word_at(first.range.end);
    if others.peek().is_some() {
        // With other names in the sentence the age stands directly behind the name.
        let is_close = after <= age.start
            && (after..age.start).all(|at| {
                let word = words.lower(at);
                COPULAS.contains(&word)
                    || ADVERBS.contains(&word)
                    || matches!(word, "had" | "turned" | "aged" | "reached")
            });
        if !is_close {
            return None;
        }
    }
    let name = words.all.get(after.checked_sub(1)?)?;
    let is_owner = name.is_possessive && !is_own(words, after, age);
    let at = words.word_at(first.range.start);
    let before = at.checked_sub(1).map_or("", |before| words.lower(before));
    let is_object = matches!(before, "of" | "by" | "with" | "than" | "like" | "nor") && !words.ends_before(at);
    (!is_owner && (!is_object || name.is_possessive)).then_some(first.entity)
}

/// Whether the words between an owner and an age say that the age is the owner's own: `Mara's age was`,
/// `Mara's twenty-third birthday`.
fn is_own(words: &Words<'_>, after: usize, age: &Range<usize>) -> bool {
    age.start == after
        || matches!(words.lower(after), "age" | "years" | "birthday" | "birth")
        || words.lower(age.end.saturating_sub(1)) == "birthday" && age.start <= after + 1
}
