//! Knowledge that a book tells twice in the same words: `Mara could have told them who opened the safe`, and later
//! `Only by accident did it come to Mara's ears who opened the safe`.
//!
//! The rules of a language read the verb of a statement. Here the clause that both sentences share says that they are
//! about one matter, so that less has to be read of the rest: whether it says that the only character it names knows
//! the matter, or learns it. A sentence that denies, supposes or asks says neither.

use std::ops::Range;

use palimpsest_text::{Language, is_han};

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
                if is_owner || text.contains('梦') {
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

/// The parts of a character by which it knows something.
const OWN: [&str; 6] = ["ears", "knowledge", "notice", "attention", "mind", "lips"];
const OWN_ZH: [&str; 6] = ["口中", "嘴里", "口里", "耳朵", "耳中", "心里"];
const DREAMS: [&str; 7] = ["dream", "dreams", "dreamed", "dreamt", "dreaming", "nightmare", "delirium"];
/// Phrases of knowing that look like a denial.
const NO_SECRET: [&str; 6] =
    ["never in any doubt", "never in doubt", "no secret", "never been a secret", "never a secret", "had no doubt"];
/// Words that open the clause of a matter.
const OPENERS: [&str; 11] = ["who", "what", "where", "why", "how", "whose", "when", "which", "whom", "that", "whether"];
/// Words of knowing and telling.
const KNOWING: [&str; 50] = [
    "knew",
    "known",
    "know",
    "knows",
    "knowing",
    "knowledge",
    "aware",
    "told",
    "tell",
    "telling",
    "explained",
    "explain",
    "confided",
    "clear",
    "plain",
    "certain",
    "sure",
    "heard",
    "secret",
    "said",
    "say",
    "mentioned",
    "whispered",
    "wrote",
    "announced",
    "remarked",
    "remembered",
    "forgotten",
    "forgot",
    "confessed",
    "admitted",
    "declared",
    "related",
    "recounted",
    "described",
    "disclosed",
    "betrayed",
    "acquainted",
    "hearing",
    "hear",
    "doubt",
    "shared",
    "informing",
    "overheard",
    "warned",
    "reported",
    "understood",
    "recited",
    "enlighten",
    "wise",
];
/// Words of learning, which say that it was not known before.
const LEARNING: [&str; 28] = [
    "discovered",
    "discover",
    "discovering",
    "discovery",
    "learned",
    "learnt",
    "learn",
    "learning",
    "realised",
    "realized",
    "realise",
    "realize",
    "dawned",
    "revealed",
    "taught",
    "teach",
    "undeceived",
    "enlightened",
    "disclosed",
    "astonishment",
    "astonished",
    "amazement",
    "surprise",
    "enlightenment",
    "uncovered",
    "reveal",
    "reveals",
    "disclose",
];
/// Phrases of not knowing.
const IGNORANT: [&str; 32] = [
    "never been told",
    "without knowing",
    "no idea",
    "least idea",
    "slightest idea",
    "not known",
    "never known",
    "did not know",
    "in the dark",
    "never heard",
    "never suspected",
    "ignorant of",
    "nothing of",
    "last to hear",
    "hidden from",
    "kept from",
    "knowing nothing",
    "known nothing",
    "knew nothing",
    "never so much as guessed",
    "never guessed",
    "not guessed",
    "breathed a word",
    "in ignorance",
    "no notion",
    "no inkling",
    "no suspicion",
    "unaware",
    "suspected nothing",
    "first inkling",
    "never knew",
    "nothing about",
];
/// Phrases that say that a time of not knowing is over.
const AT_LAST: [&str; 21] = [
    "until",
    "till",
    "now",
    "then",
    "that evening",
    "that night",
    "that day",
    "that morning",
    "that hour",
    "that moment",
    "news to",
    "came as",
    "from this hour",
    "from that hour",
    "never before",
    "suddenly",
    "the discovery",
    "with astonishment",
    "this time",
    "it took",
    "first inkling",
];
/// Phrases that say by themselves that it is so for the first time.
const FIRST_TIME: [&str; 20] = [
    "as never before",
    "not before",
    "in the end",
    "that was how",
    "little by little",
    "eventually",
    "today",
    "at last",
    "at length",
    "finally",
    "first time",
    "only then",
    "not until",
    "ears",
    "only by",
    "only after",
    "only when",
    "only that",
    "last to",
    "now at",
];
/// Words that deny what stands directly behind them.
const NEGATIONS: [&str; 11] =
    ["not", "never", "nobody", "none", "neither", "nor", "without", "hardly", "scarcely", "no", "nothing"];
/// Words of a sentence that says neither.
const SUPPOSED: [&str; 23] = [
    "would",
    "should",
    "might",
    "may",
    "if",
    "unless",
    "wanted",
    "longed",
    "wondered",
    "wondering",
    "wished",
    "wish",
    "suspected",
    "inkling",
    "suspicion",
    "asked",
    "asking",
    "curious",
    "whether",
    "suppose",
    "supposed",
    "doubted",
    "pretended",
];

fn english_step(words: &Words<'_>) -> Option<Step> {
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
    let is_supposed = (clause.unwrap_or(0)..opens).any(|at| SUPPOSED.contains(&words.lower(at))) && !is_able;
    let has_could = (clause.unwrap_or(0)..opens).any(|at| words.lower(at) == "could") && !is_able;
    // `Had Mara but known`, `far from knowing`
    let is_inverted = words.is_at(0, "had") || words.has_phrase(&["as far as ever", "far from"]);
    // `No one had ever thought fit to tell Mara`
    let is_kept = matches!(words.lower(0), "nobody" | "none" | "neither") || words.is_at(0, "no one");
    if is_kept && words.has(&["tell", "told", "say", "said", "explain", "explained", "inform", "informed"]) {
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
    let found_before = words.has_phrase(&["found out", "learned", "learnt", "discovered"])
        && words.has_phrase(&["long before", "long since", "long ago", "had long"])
        && !is_new;
    if found_before {
        return Some(Step::Knows);
    }
    let finds = words.has_phrase(&["found out", "got out of", "come to light", "put two and two"]) && is_new;
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

/// Words of knowing and telling.
const KNOWING_ZH: [&str; 33] = [
    "知道",
    "晓得",
    "明白",
    "清楚",
    "知晓",
    "知情",
    "告诉",
    "讲出",
    "说出",
    "说起",
    "讲给",
    "说给",
    "听到",
    "听说",
    "瞒不过",
    "有数",
    "记得",
    "透露",
    "吐露",
    "道出",
    "提起",
    "了然",
    "看出",
    "看清",
    "瞒不住",
    "探听",
    "打听到",
    "说明",
    "看在眼里",
    "心中雪亮",
    "透出",
    "泄露",
    "提到",
];
/// Words of learning.
const LEARNING_ZH: [&str; 21] = [
    "得知",
    "获悉",
    "发现",
    "发觉",
    "恍然",
    "醒悟",
    "悟到",
    "悟出",
    "问出",
    "打听出",
    "弄清",
    "查明",
    "识破",
    "看破",
    "察觉",
    "方始",
    "头一回",
    "弄明白",
    "方知",
    "探听到",
    "才看出",
];
/// Words that say that it is so for the first time.
const AT_LAST_ZH: [&str; 24] = [
    "才",
    "方始",
    "始知",
    "头一次",
    "头一回",
    "第一次",
    "初次",
    "终于",
    "总算",
    "直到",
    "这时",
    "这一刻",
    "今天",
    "忽然",
    "现在",
    "至今",
    "从这一天",
    "到底",
    "这才",
    "方知",
    "从这时",
    "如今",
    "一点一点",
    "后来",
];
/// Phrases of not knowing.
const IGNORANT_ZH: [&str; 15] = [
    "不知道",
    "不晓得",
    "蒙在鼓里",
    "不明白",
    "一无所知",
    "不知情",
    "从未听",
    "没听说",
    "不清楚",
    "什么也不知道",
    "并不知道",
    "被瞒着",
    "没有听说",
    "没听过",
    "没有人对",
];
/// Words of a sentence that says neither.
const SUPPOSED_ZH: [&str; 31] = [
    "哪里",
    "岂",
    "怎么会",
    "想知",
    "要知",
    "如果",
    "倘",
    "若是",
    "没有人告诉",
    "没人告诉",
    "打听不",
    "还没有人",
    "恐怕",
    "谁也没",
    "没有告诉",
    "没告诉",
    "不告诉",
    "无从",
    "要是",
    "不让",
    "别让",
    "假如",
    "假使",
    "若非",
    "猜想",
    "猜不",
    "猜测",
    "没有谁",
    "谁肯",
    "没有一个人",
    "没人肯",
];

fn chinese_step(text: &str) -> Option<Step> {
    let has = |list: &[&str]| list.iter().any(|word| text.contains(word));
    // `别人都在猜，惟独周明知道`: the guess is that of others.
    let is_of_others = has(&["惟独", "唯独", "只有", "惟有", "唯有"]) && has(&KNOWING_ZH);
    if has(&SUPPOSED_ZH) && !is_of_others {
        return None;
    }
    let (is_new, is_ignorant) = (has(&AT_LAST_ZH), has(&IGNORANT_ZH));
    if has(&LEARNING_ZH) || is_new && (is_ignorant || has(&KNOWING_ZH)) {
        return Some(Step::Learns);
    }
    (!is_ignorant && has(&KNOWING_ZH)).then_some(Step::Knows)
}
