//! English sentences that say that a character knows or learns a matter.

mod words;

use palimpsest_reader::mentions::Mention;

use words::{
    AT_LAST, DOUBTS, DREAMS, FIRST_TIME, IGNORANT, KNOWING, LEARNING, NEGATIONS, NEWS, NEWS_PHRASES, NO_SECRET,
    OF_KNOWLEDGE, OLD, OLD_PHRASES, OPENERS, OWN, SUPPOSED, TELLING, TELLING_TO,
};

use super::{Part, Signs, Verbs, is_statement, parts_of};
use crate::{
    en::{Words, narration},
    knowledge::{Step, en::is_grammar},
    sentences::Sentence,
};

/// Least words of a clause that two sentences share.
pub(super) const MIN_WORDS: usize = 4;
/// Least words of it that are no words of grammar.
const MIN_CONTENT: usize = 2;
/// Most words before a matter that opens its sentence.
const MAX_BEFORE_MATTER: usize = 2;

/// The words of a sentence, with those of speech that the named character may say.
fn words_of<'t>(sentence: &Sentence<'t>) -> Words<'t> {
    if is_statement(sentence) { Words::new(sentence.text) } else { narration(sentence) }
}

/// The parts of an English sentence: none without a word that opens the clause of a matter. `None` if it tells of a
/// dream, or of somebody else.
pub(super) fn english_parts(sentence: &Sentence<'_>) -> Option<Vec<Part>> {
    let words = words_of(sentence);
    if !words.has(&OPENERS) {
        return Some(Vec::new());
    }
    if let Some(mention) = sentence.narrated_mentions().next() {
        let behind = words.word_at(mention.range.end);
        let is_owner = behind > 0 && words.all.get(behind - 1).is_some_and(|name| name.is_possessive);
        // `They knew who it was, but did not talk of it in front of Mara`
        let name = words.word_at(mention.range.start);
        let before = |back: usize| name.checked_sub(back).map_or("", |at| words.lower(at));
        let is_audience = matches!((before(2), before(1)), ("front", "of") | (_, "from" | "before"))
            && (0..name).any(|at| OPENERS.contains(&words.lower(at)));
        // `came to Mara's ears`, and not `Mara's brother knew`
        if is_audience || is_owner && !OWN.contains(&words.lower(behind)) {
            return None;
        }
    }
    if words.has(&DREAMS) {
        return None;
    }
    let is_named = |at: usize| sentence.mentions.iter().any(|one| one.range.contains(&at));
    let all = words.all.iter().enumerate().map(|(at, word)| {
        let is_named = is_named(word.start);
        (at, word.lower.clone(), is_named || !word.marks.is_empty(), is_named)
    });
    Some(parts_of(all))
}

/// The signs of an English sentence. `matter` are the numbers of its words that are the matter.
pub(super) fn english_signs(sentence: &Sentence<'_>, matter: &[usize]) -> Signs {
    let mut words = words_of(sentence);
    for at in matter.iter().skip(1) {
        words.all[*at].lower.clear();
    }
    let is_new = is_first(&words) || words.has_phrase(&AT_LAST);
    let is_news = is_first(&words) || words.has(&NEWS) || words.has_phrase(&NEWS_PHRASES);
    let is_old = words.has(&OLD) || words.has_phrase(&OLD_PHRASES);
    let signs = Signs { is_new, is_news, is_old, ..Signs::default() };
    // `The priest told Mara`, `it was broken to Mara`
    let is_told = sentence.narrated_mentions().any(|mention| is_listener(&words, mention));
    // `the photograph revealed who`, and not `Mara revealed who`
    let is_shown = sentence.narrated_mentions().next().is_some_and(|mention| {
        let first = words.word_at(mention.range.start);
        (0..first).any(|at| matches!(words.lower(at), "revealed" | "disclosed"))
            || (0..words.all.len()).any(|at| words.is_at(at, "was revealed") || words.is_at(at, "was disclosed"))
    });
    let is_told = is_told || is_shown;
    match english_step(&words, is_new) {
        Verbs::Step(Step::Knows) | Verbs::Nothing if is_told && !is_old => Signs { learns: true, ..signs },
        verbs => signs.with(verbs),
    }
}

/// Whether somebody tells the character of a mention something: `told Mara`, `explained to Mara`.
fn is_listener(words: &Words<'_>, mention: &Mention) -> bool {
    let first = words.word_at(mention.range.start);
    let before = |back: usize| first.checked_sub(back).map_or("", |at| words.lower(at));
    // `had told Mara` was before, and `had just told Mara` is not.
    let was_before = (0..first).any(|at| words.lower(at) == "had" && words.lower(at + 1) != "just");
    let is_object =
        TELLING_TO.contains(&before(1)) || before(1) == "to" && (0..first).any(|at| TELLING.contains(&words.lower(at)));
    is_object && !was_before
}

/// The start of the clause with a question word or *that* which words contain, if it says something.
pub(super) fn clause_start(words: &[String]) -> Option<usize> {
    let opens = words.iter().position(|word| OPENERS.contains(&word.as_str()))?;
    let clause = &words[opens..];
    let content = clause.iter().filter(|word| !is_grammar(word)).count();
    // `whose handwriting it was` says what is asked.
    let least = if clause[0] == "that" { MIN_CONTENT } else { 1 };
    (content >= least).then_some(opens)
}

/// The step that the verbs of a sentence tell. `is_new` says that something in it is so from then on.
fn english_step(words: &Words<'_>, is_new: bool) -> Verbs {
    // `Whether anybody would find out was more than Mara could say`
    if words.lower(0) == "whether" || words.has_phrase(&["more than"]) && words.has(&["could"]) {
        return Verbs::Doubt;
    }
    let is_able = words.has_phrase(&[
        "could have told",
        "could have recited",
        "could have explained",
        "could have named",
        "could have said",
        "could tell",
        "could say",
        "might have told",
        "could now",
    ]);
    let opens = (0..words.all.len()).find(|at| OPENERS.contains(&words.lower(*at))).unwrap_or(words.all.len());
    // `The rest might guess; Mara knew`: only the clause of the matter counts, and not the matter itself.
    let clause = (0..opens.min(words.all.len())).rev().find(|at| words.all[*at].marks.contains([';', ':']));
    // `Mara pretended not to know`
    if words.has_phrase(&["pretended not", "pretending not", "feigned ignorance", "professed ignorance"]) {
        return Verbs::Step(Step::Knows);
    }
    // `Asked point-blank, Mara said`: somebody else asks.
    let is_supposed = (clause.unwrap_or(0)..opens).any(|at| {
        let is_comparison = words.lower(at) == "if" && at > 0 && words.lower(at - 1) == "as";
        SUPPOSED.contains(&words.lower(at)) && !is_comparison && !(at == 0 && words.lower(0) == "asked")
    }) && !is_able;
    let has_could = (clause.unwrap_or(0)..opens).any(|at| words.lower(at) == "could") && !is_able;
    // `Had Mara but known`, `far from knowing`
    let is_inverted = words.is_at(0, "had") && !is_able || words.has_phrase(&["as far as ever", "far from"]);
    // `No one had ever thought fit to tell Mara`
    let is_kept = matches!(words.lower(0), "nobody" | "none" | "neither") || words.is_at(0, "no one");
    // `No one needed to tell Mara`
    if is_kept && words.has_phrase(&["needed to", "had to", "need have"]) && !is_first(words) {
        return Verbs::Step(Step::Knows);
    }
    let comes_now = words.has_phrase(&["came as", "discovery came", "until now", "until then", "at last"]);
    if is_kept
        && !comes_now
        && words.has(&["telling", "tell", "told", "say", "said", "explain", "explained", "inform", "informed"])
    {
        return Verbs::Doubt;
    }
    let was_ignorant = words.has_phrase(&IGNORANT) && is_new;
    if (is_supposed || has_could || is_inverted) && !was_ignorant {
        return Verbs::Doubt;
    }
    if words.has_phrase(&NO_SECRET) {
        return Verbs::Step(Step::Knows);
    }
    let is_ignorant = words.has_phrase(&IGNORANT);
    // `Having found out long before`
    let found_before =
        words.has_phrase(&["found out", "worked out", "figured out", "made out", "learned", "learnt", "discovered"])
            && words.has_phrase(&["long before", "long since", "long ago", "had long"])
            && !is_new;
    if found_before {
        return Verbs::Step(Step::Knows);
    }
    let finds = is_new
        && words.has_phrase(&[
            "found out",
            "find out",
            "work out",
            "worked out",
            "figure out",
            "figured out",
            "got out of",
            "come to light",
            "put two and two",
        ]);
    let is_told = words.has_phrase(&["being informed", "was informed", "been informed"]);
    let has_learned = words.has(&LEARNING)
        || finds
        || is_told && (is_new || is_ignorant)
        || words.has(&["ears", "saw"]) && is_first(words);
    let is_denied_at = |at: usize| {
        (at.saturating_sub(3)..at).any(|place| {
            NEGATIONS.contains(&words.lower(place))
                && !(place > 0 && matches!(words.lower(place - 1), "needed" | "need"))
        })
    };
    let knows = (0..words.all.len()).filter(|&at| KNOWING.contains(&words.lower(at))).collect::<Vec<_>>();
    if is_ignorant && is_new || has_learned || is_new && knows.iter().any(|&at| !is_denied_at(at)) && is_first(words) {
        return Verbs::Step(Step::Learns);
    }
    if is_ignorant || knows.iter().any(|&at| is_denied_at(at)) {
        return Verbs::Ignorance;
    }
    if !knows.is_empty() {
        return Verbs::Step(Step::Knows);
    }
    // `About who had opened the safe Mara had a theory`: the words behind the matter count.
    let rest = if opens <= MAX_BEFORE_MATTER { 0..words.all.len() } else { clause.unwrap_or(0)..opens };
    let is_doubtful = rest.into_iter().any(|at| {
        let is_denied = NEGATIONS.contains(&words.lower(at))
            && (at + 1..at + 4).any(|behind| OF_KNOWLEDGE.contains(&words.lower(behind)));
        DOUBTS.contains(&words.lower(at)) || is_denied
    });
    if is_doubtful { Verbs::Doubt } else { Verbs::Nothing }
}

/// Whether a sentence says that something is so for the first time, and not only that it is so then.
fn is_first(words: &Words<'_>) -> bool {
    words.has_phrase(&FIRST_TIME)
}
