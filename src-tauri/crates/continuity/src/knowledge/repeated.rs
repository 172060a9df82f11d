//! Knowledge that a book tells twice in the same words: `Mara could have told them who opened the safe`, and later
//! `Only by accident did it come to Mara's ears who opened the safe`.
//!
//! The rules of a language read the verb of a statement. Here the clause that both sentences share says that they are
//! about one matter, so that less has to be read of the rest: whether it says that the only character it names knows
//! the matter, or learns it. A sentence that denies, supposes or asks says neither.

mod words;

use std::ops::Range;

use palimpsest_text::{Language, is_han};

use words::{
    AT_LAST, AT_LAST_ZH, AWAKE_ZH, DREAMS, FIRST_TIME, IGNORANT, IGNORANT_ZH, KNOWING, KNOWING_ZH, LEARNING,
    LEARNING_ZH, NEGATIONS, NO_SECRET, OPENERS, OWN, OWN_ZH, SUPPOSED, SUPPOSED_ZH,
};

use super::Step;
use crate::{
    en::{Words, narration},
    sentences::Sentence,
    zh::masked,
};

/// Least words of a clause that two English sentences share.
const MIN_WORDS: usize = 4;
/// Least words of it that are no words of grammar.
const MIN_CONTENT: usize = 2;
/// Least characters of a clause that two Chinese sentences share.
const MIN_CHARS: usize = 5;

/// A sentence that says that a character knows, or learns, something.
pub(super) struct Telling {
    pub(super) entity: usize,
    pub(super) step: Step,
    /// Its words, or its Han characters, between marks and names.
    parts: Vec<Vec<String>>,
}

impl Telling {
    /// The telling of a sentence that names one character alone.
    pub(super) fn of(language: Language, sentence: &Sentence<'_>) -> Option<Self> {
        if sentence.text.trim_end().ends_with(['?', '？']) {
            return None;
        }
        let mut narrated = sentence.mentions.iter().filter(|one| !sentence.is_spoken(one.range.start));
        let first = narrated.next()?;
        let entity = first.entity;
        if narrated.any(|other| other.entity != entity) {
            return None;
        }
        let (step, parts) = match language {
            Language::En => {
                let words = narration(sentence);
                let behind = words.word_at(first.range.end);
                let is_owner = behind > 0 && words.all.get(behind - 1).is_some_and(|name| name.is_possessive);
                // `They knew who it was, but did not talk of it in front of Mara`
                let name = words.word_at(first.range.start);
                let before = |back: usize| name.checked_sub(back).map_or("", |at| words.lower(at));
                let is_audience = matches!((before(2), before(1)), ("front", "of") | (_, "from" | "before"))
                    && (0..name).any(|at| OPENERS.contains(&words.lower(at)));
                if is_audience {
                    return None;
                }
                // `came to Mara's ears`, and not `Mara's brother knew`
                if is_owner && !OWN.contains(&words.lower(behind)) || words.has(&DREAMS) {
                    return None;
                }
                (english_step(&words)?, english_parts(sentence, &words))
            }
            Language::Zh => {
                let text = masked(sentence);
                let owned = text[first.range.end..].strip_prefix('的');
                let is_owner = owned.is_some_and(|owned| !OWN_ZH.iter().any(|word| owned.starts_with(word)));
                let is_dream =
                    AWAKE_ZH.iter().fold(text.to_string(), |text, word| text.replace(word, "")).contains('梦');
                if is_owner || is_dream {
                    return None;
                }
                // `大家从周明的口中，才听到`: it is the others who learn it.
                let is_source =
                    owned.is_some_and(|owned| ["口中", "嘴里", "口里"].iter().any(|word| owned.starts_with(word)));
                let step = if is_source { Step::Knows } else { chinese_step(&text)? };
                (step, chinese_parts(sentence, &text))
            }
        };
        Some(Self { entity, step, parts })
    }

    /// Its shortest runs that two sentences must share: each word with its neighbours, by which others are looked up.
    pub(super) fn runs(&self, language: Language) -> impl Iterator<Item = String> {
        let least = if language == Language::En { MIN_WORDS } else { MIN_CHARS };
        self.parts.iter().flat_map(move |part| part.windows(least).map(|run| run.join(" ")))
    }

    /// Whether two sentences share a clause.
    pub(super) fn shares_clause(&self, other: &Self, language: Language) -> bool {
        self.parts.iter().any(|one| other.parts.iter().any(|other| has_common_clause(one, other, language)))
    }
}

fn has_common_clause(one: &[String], other: &[String], language: Language) -> bool {
    let least = if language == Language::En { MIN_WORDS } else { MIN_CHARS };
    runs(one, other, least).any(|run| match language {
        Language::En => is_clause(&one[run]),
        Language::Zh => true,
    })
}

/// The longest runs that two sequences share, of at least so many items, up to the end of one of them: what lies under
/// a tree is not what lies under a stone.
fn runs<'a>(one: &'a [String], other: &'a [String], least: usize) -> impl Iterator<Item = Range<usize>> + 'a {
    let length = move |from: usize, at: usize| {
        one[from..].iter().zip(&other[at..]).take_while(|(one, other)| one == other).count()
    };
    let starts = (0..one.len()).flat_map(move |from| (0..other.len()).map(move |at| (from, at)));
    let is_start = move |&(from, at): &(usize, usize)| from == 0 || at == 0 || one[from - 1] != other[at - 1];
    starts.filter(is_start).filter_map(move |(from, at)| {
        let length = length(from, at);
        let is_whole = from + length == one.len() || at + length == other.len();
        (length >= least && is_whole).then_some(from..from + length)
    })
}

/// Whether words are a clause with a question word or *that*, and say something.
fn is_clause(words: &[String]) -> bool {
    let opens = words.iter().position(|word| OPENERS.contains(&word.as_str()));
    let Some(opens) = opens else { return false };
    let clause = &words[opens..];
    let content = clause.iter().filter(|word| !super::en::is_grammar(word)).count();
    // `whose handwriting it was` says what is asked.
    let least = if clause[0] == "that" { MIN_CONTENT } else { 1 };
    clause.len() >= MIN_WORDS && content >= least
}

fn english_parts(sentence: &Sentence<'_>, words: &Words<'_>) -> Vec<Vec<String>> {
    let is_named = |at: usize| sentence.mentions.iter().any(|one| one.range.contains(&at));
    let mut parts = vec![Vec::new()];
    for word in &words.all {
        if !word.marks.is_empty() || is_named(word.start) {
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| !is_named(word.start)) {
            part.push(word.lower.clone());
        }
    }
    parts
}

fn chinese_parts(sentence: &Sentence<'_>, text: &str) -> Vec<Vec<String>> {
    let is_named = |at: usize| sentence.mentions.iter().any(|one| one.range.contains(&at));
    let mut parts = vec![Vec::new()];
    for (at, c) in text.char_indices() {
        if !is_han(c) || is_named(at) {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c.to_string());
        }
    }
    parts
}

fn english_step(words: &Words<'_>) -> Option<Step> {
    // `Whether anybody would find out was more than Mara could say`
    if words.lower(0) == "whether" || words.has_phrase(&["more than"]) && words.has(&["could"]) {
        return None;
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
    ]);
    let opens = (0..words.all.len()).find(|at| OPENERS.contains(&words.lower(*at))).unwrap_or(words.all.len());
    // `The rest might guess; Mara knew`: only the clause of the matter counts, and not the matter itself.
    let clause = (0..opens.min(words.all.len())).rev().find(|at| words.all[*at].marks.contains([';', ':']));
    // `Asked point-blank, Mara said`: somebody else asks.
    let is_supposed = (clause.unwrap_or(0)..opens)
        .any(|at| SUPPOSED.contains(&words.lower(at)) && !(at == 0 && words.lower(0) == "asked"))
        && !is_able;
    let has_could = (clause.unwrap_or(0)..opens).any(|at| words.lower(at) == "could") && !is_able;
    // `Had Mara but known`, `far from knowing`
    let is_inverted = words.is_at(0, "had") && !is_able || words.has_phrase(&["as far as ever", "far from"]);
    // `No one had ever thought fit to tell Mara`
    let is_kept = matches!(words.lower(0), "nobody" | "none" | "neither") || words.is_at(0, "no one");
    // `No one needed to tell Mara`
    if is_kept && words.has_phrase(&["needed to", "had to", "need have"]) && !is_first(words) {
        return Some(Step::Knows);
    }
    let comes_now = words.has_phrase(&["came as", "discovery came", "until now", "until then", "at last"]);
    if is_kept
        && !comes_now
        && words.has(&["telling", "tell", "told", "say", "said", "explain", "explained", "inform", "informed"])
    {
        return None;
    }
    let is_new = is_first(words) || words.has_phrase(&AT_LAST);
    let was_ignorant = words.has_phrase(&IGNORANT) && is_new;
    if (is_supposed || has_could || is_inverted) && !was_ignorant {
        return None;
    }
    if words.has_phrase(&NO_SECRET) {
        return Some(Step::Knows);
    }
    let is_ignorant = words.has_phrase(&IGNORANT);
    // `Having found out long before`
    let found_before =
        words.has_phrase(&["found out", "worked out", "figured out", "made out", "learned", "learnt", "discovered"])
            && words.has_phrase(&["long before", "long since", "long ago", "had long"])
            && !is_new;
    if found_before {
        return Some(Step::Knows);
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
        return Some(Step::Learns);
    }
    if is_ignorant || knows.is_empty() || knows.iter().any(|&at| is_denied_at(at)) {
        return None;
    }
    Some(Step::Knows)
}

/// Whether a sentence says that something is so for the first time, and not only that it is so then.
fn is_first(words: &Words<'_>) -> bool {
    words.has_phrase(&FIRST_TIME)
}

fn chinese_step(text: &str) -> Option<Step> {
    let has = |list: &[&str]| list.iter().any(|word| text.contains(word));
    // `别人都在猜，惟独周明知道`: the guess is that of others.
    let is_of_others = has(&["惟独", "唯独", "只有", "惟有", "唯有"]) && has(&KNOWING_ZH);
    // `这事哪里瞒得过周明`
    if has(&["瞒得过", "瞒得住"]) && has(&["哪里", "怎么", "岂", "如何"]) {
        return Some(Step::Knows);
    }
    // `要是有人来问，周明满可以说出`
    let is_able = has(&["可以", "能够"]) && has(&["要是有人", "若有人", "倘有人"]) && has(&KNOWING_ZH);
    // `周明说漏了嘴，众人这才晓得`
    if has(&["众人这才", "大家这才", "旁人这才", "别人这才", "众人才", "大家才", "旁人才"]) {
        return Some(Step::Knows);
    }
    // `从前没人告诉过周明，直到这会儿才有人说了`
    let is_over = has(&["才有人", "终于说破", "终于有了", "终于说", "这才有人", "直到这会儿", "终于有人"]);
    if has(&SUPPOSED_ZH) && !is_of_others && !is_able && !is_over {
        return None;
    }
    // `这时已经知道` does not say that it is new.
    let is_old = has(&["这时已", "此时已", "现在已", "早已", "早就"]) && !has(&["才", "第一次", "头一"]);
    let (is_new, is_ignorant) = (has(&AT_LAST_ZH) && !is_old, has(&IGNORANT_ZH) || is_over);
    if is_old && !is_ignorant && (has(&KNOWING_ZH) || has(&LEARNING_ZH)) {
        return Some(Step::Knows);
    }
    if has(&LEARNING_ZH) || is_new && (is_ignorant || has(&KNOWING_ZH)) {
        return Some(Step::Learns);
    }
    (!is_ignorant && has(&KNOWING_ZH)).then_some(Step::Knows)
}
