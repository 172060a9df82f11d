//! Deaths by phrases that mean nothing else, in a sentence whose narration names one character alone: `Mara gave up the
//! ghost`, `the last breath of Mara`, 周明的心脏停止了跳动.
//!
//! The rules of a language read the grammar around a verb. Where a phrase is plain it is enough that it is near the
//! name, and that no one else is in the sentence who may be meant.

use std::ops::Range;

use palimpsest_text::Language;

use super::Statement;
use crate::{
    en::{KIN, MODALS, is_thought, is_unreal, narration},
    sentences::Sentence,
    zh::{clause_end, is_hypothetical, masked, without_names},
};

/// Most words, or characters, between a name and its death.
const MAX_BETWEEN: usize = 12;

/// Said of the subject.
const SUBJECT_DIES: [&str; 36] = [
    "breathed his last",
    "breathed her last",
    "drew his last breath",
    "drew her last breath",
    "gave up the ghost",
    "gave up his life",
    "gave up her life",
    "ceased to live",
    "ceased to breathe",
    "never woke from",
    "never woke again",
    "not wake again",
    "not open them again",
    "never opened them again",
    "was in his grave",
    "was in her grave",
    "was in the grave",
    "been in the ground",
    "lay in the ground",
    "not last the night",
    "not lasted the night",
    "not live through the night",
    "slipped away in his sleep",
    "slipped away in her sleep",
    "passed out of this world",
    "departed this life",
    "left this world",
    "left this life",
    "met his death",
    "met her death",
    "lost his life",
    "lost her life",
    "paid with his life",
    "paid with her life",
    "went to his grave",
    "went to her grave",
];
/// Before `of` and the name, at the beginning of a clause.
const OF_THE_SUBJECT: [&str; 12] = [
    "the death",
    "the last breath",
    "the last hour",
    "the end",
    "an end",
    "the burial",
    "the corpse",
    "the dead body",
    "the lifeless body",
    "the remains",
    "the wake",
    "the murder",
];
/// Behind a possessive name.
const OF_THE_OWNER: [&str; 10] = [
    "heart gave out",
    "heart failed",
    "heart stopped",
    "heart had stopped",
    "heart beat no longer",
    "life ended",
    "life was over",
    "life came to an end",
    "pulse had stopped",
    "breath stopped",
];
/// Words between a name and a phrase by which it is said of somebody else.
const OTHERS: [&str; 11] = ["how", "that", "the", "a", "an", "who", "whose", "which", "when", "what", "where"];
/// Words behind which an end of somebody is no death.
const NO_DEATH: [&str; 14] = [
    "feared", "fear", "thought", "thoughts", "spoke", "talked", "heard", "hope", "hopes", "patience", "story",
    "almost", "nearly", "wished",
];

/// The death of the only character that the narration of a sentence names.
pub(super) fn plain_death(language: Language, sentence: &Sentence<'_>) -> Option<Statement> {
    let mut narrated = sentence.mentions.iter().filter(|one| !sentence.is_spoken(one.range.start));
    let first = narrated.next()?;
    if narrated.any(|other| other.entity != first.entity) || sentence.text.trim_end().ends_with(['?', '？']) {
        return None;
    }
    let range = match language {
        Language::En => english(sentence, &first.range),
        Language::Zh => {
            let text = masked(sentence);
            let nameless = without_names(sentence, &text);
            let is_doubtful = crate::zh::is_unreal(&nameless) || is_hypothetical(&nameless);
            if is_doubtful { None } else { chinese(&text, &first.range) }
        }
    };
    range.map(|range| Statement { entity: first.entity, range })
}

fn english(sentence: &Sentence<'_>, mention: &Range<usize>) -> Option<Range<usize>> {
    let words = narration(sentence);
    // `gave up the ghost` and `in her sleep` tell of no dream.
    let is_plain = words.has_phrase(&["gave up the ghost", "in his sleep", "in her sleep", "from that sleep"]);
    if words.has(&KIN) || is_unreal(&words) && !is_plain || is_thought(&words) {
        return None;
    }
    let is_denied =
        |at: usize| (0..at).any(|place| MODALS.contains(&words.lower(place)) || NO_DEATH.contains(&words.lower(place)));
    let (first, after) = (words.word_at(mention.start), words.word_at(mention.end));
    let range = |from: usize, to: usize| Some(words.all.get(from)?.start..words.all.get(to.checked_sub(1)?)?.end);
    let phrase_at = |at: usize, list: &[&str]| {
        list.iter().find(|phrase| words.is_at(at, phrase)).map(|phrase| at + phrase.split(' ').count())
    };
    let is_owner = words.all.get(after.checked_sub(1)?)?.is_possessive;
    if is_owner {
        let to = phrase_at(after, &OF_THE_OWNER).filter(|&to| words.joined(to) != "for" && !is_denied(after));
        return to.and_then(|to| range(after, to));
    }
    let before = |back: usize| first.checked_sub(back).map_or("", |at| words.lower(at));
    // `the heart of Mara had stopped`, and not `for a moment`
    let stops = before(1) == "of" && before(2) == "heart" && !is_denied(first);
    if let Some(to) =
        phrase_at(after, &["had stopped", "stopped beating", "beat no more", "gave out"]).filter(|_| stops)
    {
        return if words.joined(to) == "for" { None } else { range(first - 2, to) };
    }
    if matches!(before(1), "of" | "over") {
        let service = before(1) == "over" && matches!(before(2), "service" | "grave" | "earth");
        let from = (first.saturating_sub(4)..first.saturating_sub(2)).find(|&at| {
            let opens = at == 0
                || words.ends_before(at)
                || words.lower(at) == "an"
                || words.lower(at - 1) == "came"
                || words.lower(at - 1) == "was"
                || matches!(words.lower(at - 1), "with" | "after" | "since" | "until");
            opens && phrase_at(at, &OF_THE_SUBJECT).is_some_and(|to| to == first - 1)
        });
        let is_end = from.is_some_and(|at| words.is_at(at, "the end"));
        // `the end of Mara` ends a clause; `the end of Mara and her plans` does not.
        let is_told = (!is_end || words.ends_before(after)) && !is_denied(first);
        return match (service, from) {
            (true, _) if !is_denied(first) => range(first - 2, after),
            (_, Some(from)) if is_told => range(from, after),
            _ => None,
        };
    }
    if matches!(before(1), "to" | "with" | "by" | "from" | "for" | "at" | "about" | "than" | "like") {
        return None;
    }
    if words.is_at(after, "having died") && !is_denied(after) {
        return range(after, after + 2);
    }
    if matches!(words.joined(after), "expired" | "perished" | "drowned") && !is_denied(after) {
        return range(after, after + 1);
    }
    // `did not recover; death came quietly`
    if words.has(&["death", "died", "grave"])
        && words.joined(after + 1) == "not"
        && words.joined(after + 2) == "recover"
    {
        return range(after, after + 3);
    }
    let limit = (after + MAX_BETWEEN).min(words.all.len());
    // `told how the miller had breathed his last`
    let is_own = |at: usize| !(after..at).any(|place| OTHERS.contains(&words.lower(place)));
    (after..limit).find_map(|at| {
        let to = phrase_at(at, &SUBJECT_DIES).filter(|_| !is_denied(at) && is_own(at))?;
        range(at, to)
    })
}

/// Said of the subject, near the name.
const DIES_ZH: [&str; 34] = [
    "摔死了",
    "跌死了",
    "不治而亡",
    "不治身亡",
    "断送了性命",
    "送了性命",
    "丢了性命",
    "送了命",
    "丢了命",
    "没了命",
    "一命呜呼",
    "一命归西",
    "病故",
    "亡故",
    "身故",
    "殒命",
    "毙命",
    "撒手人寰",
    "撒手而去",
    "撒手去了",
    "与世长辞",
    "永远离开了",
    "离开了人世",
    "离了人世",
    "最后一口气",
    "断了气息",
    "没了气息",
    "没有了气息",
    "没了呼吸",
    "停止了呼吸",
    "身子已经硬了",
    "身子已经凉",
    "身子渐渐地冷",
    "再也没有醒",
];
/// Behind `的` and the name.
const OF_THE_OWNER_ZH: [&str; 14] = [
    "心脏停止",
    "心停了",
    "心脏不跳了",
    "心跳停",
    "呼吸停",
    "命断送",
    "命，就断送",
    "命就断送",
    "命送",
    "遗体",
    "尸身",
    "尸骨",
    "棺木",
    "灵堂",
];
/// Verbs of killing behind 把 or 将 and the name.
const KILLED_ZH: [&str; 14] = [
    "砸死了",
    "打死了",
    "害死了",
    "淹死了",
    "烧死了",
    "杀死了",
    "毒死了",
    "撞死了",
    "压死了",
    "咬死了",
    "勒死了",
    "杀了",
    "埋了",
    "葬了",
];
/// Words of a sentence that tells of no death.
const NO_DEATH_ZH: [&str; 14] =
    ["几乎", "差点", "险些", "怕", "仿佛", "好像", "似的", "梦", "听说", "谣传", "如果", "要是", "没有死", "不会死"];

fn chinese(text: &str, mention: &Range<usize>) -> Option<Range<usize>> {
    if NO_DEATH_ZH.iter().any(|word| text.contains(word)) {
        return None;
    }
    let behind = &text[mention.end..];
    let found = |word: &str, at: usize| Some(mention.end + at..mention.end + at + word.len());
    if let Some(rest) = behind.strip_prefix('的') {
        let word = OF_THE_OWNER_ZH.iter().find(|word| rest.starts_with(**word))?;
        return found(word, '的'.len_utf8());
    }
    let is_object = ["把", "将"].iter().any(|word| text[..mention.start].ends_with(word));
    if is_object {
        let word = KILLED_ZH.iter().find(|word| behind.starts_with(**word))?;
        return found(word, 0);
    }
    if ["向", "对", "跟", "同", "和", "给", "替"].iter().any(|word| text[..mention.start].ends_with(word)) {
        return None;
    }
    // `周明是在一个礼拜天死的`
    let clause = &behind[..clause_end(text, mention.end) - mention.end];
    if clause.starts_with('是') && clause.ends_with("死的") && clause.chars().count() <= MAX_BETWEEN + 4 {
        return found(clause, 0);
    }
    DIES_ZH.iter().find_map(|word| {
        let at = behind.find(word)?;
        let between = &behind[..at];
        let is_near = between.chars().count() <= MAX_BETWEEN && !between.contains(['他', '她', '的', '见', '听']);
        if is_near { found(word, at) } else { None }
    })
}
