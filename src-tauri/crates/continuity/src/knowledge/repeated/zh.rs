//! Chinese sentences that say that a character knows or learns a matter.

mod words;

use std::borrow::Cow;

use palimpsest_text::is_han;

use words::{AT_LAST, AWAKE, DOUBTS, IGNORANT, KNOWING, LEARNING, NEWS, OLD, OWN, SUPPOSED, TELLING};

use super::{Part, Signs, Verbs, is_statement, parts_of};
use crate::{knowledge::Step, sentences::Sentence, zh::masked};

/// Least characters of a clause that two sentences share.
pub(super) const MIN_CHARS: usize = 5;
/// Least characters of a question after which the two sentences may go on: 写进了日记, 的答案.
const MIN_QUESTION: usize = 6;
/// Most characters from the start of a run of characters to the end of a verb in it.
const MAX_VERB: usize = 6;
/// Words of a question.
const ASKS: [&str; 8] = ["谁", "什么", "怎", "哪", "何", "几", "多少", "是否"];

/// The text of a sentence with spaces in the place of speech, but for speech that the named character may say.
fn text_of<'t>(sentence: &Sentence<'t>) -> Cow<'t, str> {
    if is_statement(sentence) { Cow::Borrowed(sentence.text) } else { masked(sentence) }
}

/// Whether a matter is a question, such as 信是谁写的.
pub(super) fn is_question(matter: &str) -> bool {
    ASKS.iter().any(|word| matter.contains(word))
}

/// The parts of a Chinese sentence: none without a question, and without a verb of knowing or learning. `None` if it
/// tells of a dream, or of somebody else.
pub(super) fn chinese_parts(sentence: &Sentence<'_>) -> Option<Vec<Part>> {
    let text = text_of(sentence);
    let has_verb = || KNOWING.iter().chain(&LEARNING).any(|verb| text.contains(verb));
    if !is_question(&text) && !has_verb() {
        return Some(Vec::new());
    }
    let is_owner = owned_by_name(sentence, &text).is_some_and(|owned| !OWN.iter().any(|word| owned.starts_with(word)));
    let is_dream = AWAKE.iter().fold(text.to_string(), |text, word| text.replace(word, "")).contains('梦');
    if is_owner || is_dream {
        return None;
    }
    let is_named = |at: usize| sentence.mentions.iter().any(|one| one.range.contains(&at));
    let all = text.char_indices().map(|(at, c)| {
        let is_left_out = !is_han(c) || is_named(at);
        (at, c.to_string(), is_left_out, is_left_out)
    });
    Some(parts_of(all))
}

/// The text behind a name and 的.
fn owned_by_name<'t>(sentence: &Sentence<'_>, text: &'t str) -> Option<&'t str> {
    text[sentence.narrated_mentions().next()?.range.end..].strip_prefix('的')
}

/// The signs of a Chinese sentence. `matter` are the bytes of its characters that are the matter.
pub(super) fn chinese_signs(sentence: &Sentence<'_>, matter: &[usize]) -> Signs {
    let text = text_of(sentence);
    // `大家从周明的口中，才听到`: it is the others who learn it.
    let is_source = owned_by_name(sentence, &text)
        .is_some_and(|owned| ["口中", "嘴里", "口里"].iter().any(|word| owned.starts_with(word)));
    if is_source {
        return Signs { knows: true, ..Signs::default() };
    }
    let mut plain = text.to_string();
    for at in matter {
        let length = text[*at..].chars().next().map_or(0, char::len_utf8);
        plain.replace_range(*at..at + length, &" ".repeat(length));
    }
    let text = plain;
    let has = |list: &[&str]| list.iter().any(|word| text.contains(word));
    let is_old = has(&OLD);
    let signs = Signs { is_new: has(&AT_LAST), is_news: has(&NEWS), is_old, ..Signs::default() };
    // `大夫告诉周明`, `对周明讲起`
    let is_told = sentence.narrated_mentions().any(|mention| {
        let before = &text[..mention.range.start];
        let is_addressed = ["对", "向", "跟", "给", "同", "和"].iter().any(|word| before.ends_with(word));
        let behind = &text[mention.range.end..];
        // `对周明来说`
        let tells = || !behind.starts_with("来说") && TELLING.iter().any(|word| behind.contains(word));
        before.ends_with("告诉") || before.ends_with("告诉了") || is_addressed && tells()
    });
    match chinese_step(&text) {
        Verbs::Step(Step::Knows) | Verbs::Nothing if is_told && !is_old => Signs { learns: true, ..signs },
        verbs => signs.with(verbs),
    }
}

/// Whether a run of characters is a question that is long enough to be the whole matter.
pub(super) fn is_whole_question(run: &[String]) -> bool {
    run.len() >= MIN_QUESTION && is_question(&run.concat())
}

/// The number of characters up to the end of a verb of knowing or learning at the start of a run.
pub(super) fn verb_length(run: &[String]) -> usize {
    let text: String = run.iter().take(MAX_VERB).map(String::as_str).collect();
    let ends = KNOWING.iter().chain(&LEARNING).filter_map(|verb| Some(text.find(verb)? + verb.len()));
    ends.max().map_or(0, |end| text[..end].chars().count())
}

/// Phrases with a word of doubt that tell of none.
const CERTAIN: [&str; 15] = [
    "对谁也没",
    "谁也没想到",
    "谁也没料到",
    "没起过疑",
    "没起疑",
    "不曾起疑",
    "谜底",
    "哪里还用",
    "哪有不知道",
    "不知不觉",
    "无人不知",
    "谁人不知",
    "半点疑心",
    "丝毫疑心",
    "人人都不知",
];

/// The step that the verbs of a text tell.
fn chinese_step(text: &str) -> Verbs {
    let text = CERTAIN.iter().fold(text.to_owned(), |text, phrase| text.replace(phrase, ""));
    let has = |list: &[&str]| list.iter().any(|word| text.contains(word));
    // `别人都在猜，惟独周明知道`: the guess is that of others.
    let is_of_others = has(&["惟独", "唯独", "只有", "惟有", "唯有"]) && has(&KNOWING);
    // `这事哪里瞒得过周明`
    if has(&["瞒得过", "瞒得住"]) && has(&["哪里", "怎么", "岂", "如何"]) {
        return Verbs::Step(Step::Knows);
    }
    // `周明装作不知道`
    if has(&["装作不", "假装不", "装不", "佯装不", "推说不"]) {
        return Verbs::Step(Step::Knows);
    }
    // `周明终于不再隐瞒`
    if has(&["不再隐瞒", "熬不住", "招供"]) {
        return Verbs::Step(Step::Knows);
    }
    // `若不是这封信，周明还蒙在鼓里`
    let is_lucky = has(&["要不是", "若不是", "若非", "要没有", "多亏", "幸亏"]);
    if is_lucky && (has(&["今", "撞"]) || has(&IGNORANT) || has(&KNOWING) || has(&LEARNING)) {
        return Verbs::Step(Step::Learns);
    }
    // `要是有人来问，周明满可以说出`
    let is_able = has(&["可以", "能够"]) && has(&["要是有人", "若有人", "倘有人"]) && has(&KNOWING);
    // `周明说漏了嘴，众人这才晓得`
    if has(&["众人这才", "大家这才", "旁人这才", "别人这才", "众人才", "大家才", "旁人才"]) {
        return Verbs::Step(Step::Knows);
    }
    // `从前没人告诉过周明，直到这会儿才有人说了`
    let is_over = has(&["才有人", "终于说破", "终于有了", "终于说", "这才有人", "直到这会儿", "终于有人"]);
    if has(&SUPPOSED) && !is_of_others && !is_able && !is_over {
        return Verbs::Doubt;
    }
    // `这时已经知道` does not say that it is new.
    let is_old = (has(&OLD) || has(&["这时已", "此时已", "现在已"])) && !has(&["才", "第一次", "头一"]);
    let (is_new, is_ignorant) = (has(&AT_LAST) && !is_old, has(&IGNORANT) || is_over);
    if is_old && !is_ignorant && (has(&KNOWING) || has(&LEARNING)) {
        return Verbs::Step(Step::Knows);
    }
    if has(&LEARNING) || is_new && (is_ignorant || has(&KNOWING)) {
        return Verbs::Step(Step::Learns);
    }
    if is_ignorant {
        return Verbs::Ignorance;
    }
    if has(&KNOWING) {
        return Verbs::Step(Step::Knows);
    }
    if has(&DOUBTS) { Verbs::Doubt } else { Verbs::Nothing }
}
