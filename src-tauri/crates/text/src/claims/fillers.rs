//! Words of politeness and of asking that do not change a question, at its beginning and its end.

use std::sync::OnceLock;

use super::{
    phrases::Phrases,
    reading::{has_choice, has_question_word},
    words::{Gap, Word, WordKind},
};

/// When words at the beginning of a question are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// Before any word.
    Always,
    /// Before punctuation only.
    Greeting,
    /// Before an English question word only: `tell me who`.
    English,
    /// Before any word in Chinese that does not make a noun of it: 告诉我的人.
    Chinese,
    /// As [`Opening::Chinese`], before a question: 我想知道谁, but not 我想知道秘密.
    Wish,
    /// As [`Opening::Chinese`]; it is a question, and 吗 at the end belongs to it.
    Asked,
}

/// Words at the beginning of a question.
const OPENINGS: &[(Opening, &[&str])] = &[
    (Opening::Always, &["please", "请问", "请问一下", "请教一下", "想请问", "我想请问"]),
    (Opening::Greeting, &["excuse me", "hello", "hi", "hey", "你好", "您好", "请", "劳驾"]),
    (
        Opening::English,
        &[
            "could you please tell me",
            "can you please tell me",
            "would you please tell me",
            "will you please tell me",
            "could you kindly tell me",
            "would you kindly tell me",
            "could you tell me",
            "can you tell me",
            "would you tell me",
            "will you tell me",
            "kindly tell me",
            "tell me",
            "tell me please",
            "let me know",
            "i want to know",
            "i would like to know",
            "i'd like to know",
            "i should like to know",
            "i wonder",
            "i was wondering",
            "i am wondering",
            "i'm wondering",
            "may i ask",
            "can i ask",
            "could i ask",
        ],
    ),
    (
        Opening::Chinese,
        &[
            "告诉我",
            "请告诉我",
            "请你告诉我",
            "请您告诉我",
            "麻烦告诉我",
            "麻烦你告诉我",
            "麻烦您告诉我",
            "能不能告诉我",
            "你能不能告诉我",
            "可否告诉我",
            "能否告诉我",
            "你能否告诉我",
        ],
    ),
    (Opening::Wish, &["我想知道", "想知道", "我想问一下", "我想问", "想问一下"]),
    (Opening::Asked, &["能告诉我", "你能告诉我", "您能告诉我", "可以告诉我", "你可以告诉我"]),
];

/// Words before which an English opening is dropped.
const QUESTION_WORDS: &[&str] =
    &["who", "whom", "whose", "what", "which", "when", "where", "why", "how", "if", "whether"];

/// Words at the end of a question, after punctuation.
const ENDINGS: &[&str] = &[
    "please",
    "thanks",
    "thank you",
    "thank you very much",
    "many thanks",
    "谢谢",
    "谢谢你",
    "谢谢您",
    "多谢",
    "拜托",
    "请问",
    "请告诉我",
    "拜托了",
];

/// Maximum number of openings, and of final particles, that are dropped.
const MAX_FILLERS: usize = 4;
/// Final particles without a meaning of their own.
const PARTICLES: &[&str] = &["啊", "呀"];
/// Characters before which 么 is not a final particle: 什么, 怎么, 那么, 这么, 多么, 要么, 老么.
const BEFORE_ME: &[&str] = &["什", "怎", "那", "这", "多", "要", "老"];

/// The words of a question without its fillers; all words, if there are only fillers.
pub(crate) fn without_fillers(words: &[Word]) -> &[Word] {
    let mut rest = without_endings(words);
    let mut is_asked = false;
    for _ in 0..MAX_FILLERS {
        let Some((length, opening)) = opening(rest) else { break };
        is_asked |= opening == Opening::Asked;
        rest = rest.get(length..).unwrap_or_default();
    }
    let rest = without_particles(rest, is_asked);
    if rest.is_empty() { words } else { rest }
}

/// The words of an opening at the beginning that may be dropped: their number, and when they are.
fn opening(words: &[Word]) -> Option<(usize, Opening)> {
    static TABLE: OnceLock<Phrases<Opening>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        Phrases::new(OPENINGS.iter().flat_map(|(opening, phrases)| phrases.iter().map(|phrase| (*phrase, *opening))))
    });
    let is_allowed = |length: usize, opening: Opening| {
        let rest = words.get(length..).unwrap_or_default();
        let Some(next) = rest.first() else { return false };
        let is_clause = next.text != "的" && !is_noun(rest);
        match opening {
            Opening::Always => true,
            Opening::Greeting => next.gap == Gap::Punctuation,
            Opening::English => QUESTION_WORDS.contains(&next.text.as_str()),
            Opening::Chinese | Opening::Asked => is_clause,
            Opening::Wish => is_clause && (has_question_word(rest) || has_choice(rest)),
        }
    };
    table.at(words).map(|(length, opening)| (length, *opening)).find(|(length, opening)| is_allowed(*length, *opening))
}

/// Whether the words are the end of a noun: …的是谁, …的人是谁.
fn is_noun(words: &[Word]) -> bool {
    words.windows(2).any(|pair| match pair {
        [first, second] => first.text == "的" && ["是", "人"].contains(&second.text.as_str()),
        _ => false,
    })
}

fn without_endings(words: &[Word]) -> &[Word] {
    static TABLE: OnceLock<Phrases<()>> = OnceLock::new();
    let table = TABLE.get_or_init(|| Phrases::new(ENDINGS.iter().map(|phrase| (*phrase, ()))));
    let mut rest = words;
    while let Some(begin) = rest.iter().rposition(|word| word.gap == Gap::Punctuation).filter(|begin| *begin > 0) {
        let end = rest.get(begin..).unwrap_or_default();
        if !table.at(end).any(|(length, ())| length == end.len()) {
            break;
        }
        rest = rest.get(..begin).unwrap_or_default();
    }
    rest
}

/// `is_asked`: a request before the words was a question, to which 吗 belongs.
fn without_particles(words: &[Word], mut is_asked: bool) -> &[Word] {
    let mut rest = words;
    let mut has_ma = false;
    for _ in 0..MAX_FILLERS {
        let Some((last, before)) = rest.split_last() else { break };
        if last.kind != WordKind::Han || before.is_empty() {
            break;
        }
        let text = last.text.as_str();
        let is_dropped = match text {
            // 她知道什么吗 asks whether, 她知道什么 asks what.
            "吗" => std::mem::take(&mut is_asked) || !has_question_word(before),
            "么" => {
                before.last().is_some_and(|word| !BEFORE_ME.contains(&word.text.as_str())) && !has_question_word(before)
            }
            // 君呢 asks about Jun; 谁呢 is 谁.
            "呢" => has_question_word(before) || has_choice(before),
            _ => PARTICLES.contains(&text),
        };
        if !is_dropped || has_ma {
            break;
        }
        has_ma = text == "吗" || text == "么";
        rest = before;
    }
    rest
}
