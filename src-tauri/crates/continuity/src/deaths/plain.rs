//! Deaths by phrases that mean nothing else, in a sentence whose narration names one character alone: `Mara gave up the
//! ghost`, `the last breath of Mara`, 周明的心脏停止了跳动.
//!
//! The rules of a language read the grammar around a verb. Where a phrase is plain it is enough that it is near the
//! name, and that no one else is in the sentence who may be meant.

use std::ops::Range;

use palimpsest_text::Language;

use super::Statement;
use crate::{
    en::{KIN, MODALS, Words, is_thought, is_unreal, narration},
    sentences::Sentence,
    zh::{clause_end, is_hypothetical, masked, without_names},
};

/// Most words between a name and its death.
const MAX_BETWEEN: usize = 12;

/// Said of the subject.
const SUBJECT_DIES: [&str; 72] = [
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
    "breathed for the last time",
    "paid the debt of nature",
    "paid the debt to nature",
    "yielded up the ghost",
    "went the way of all flesh",
    "was carried feet",
    "had passed away",
    "was no longer alive",
    "never drew another breath",
    "never saw another sunrise",
    "closed his eyes for good",
    "closed her eyes for good",
    "fell down dead",
    "past all help",
    "lay lifeless",
    "slipped from life",
    "slipped out of life",
    "succumbed to it",
    "already expired",
    "bled out",
    "bled to death",
    "breathed out the last",
    "never to rise",
    "starved to death",
    "burned to death",
    "burnt to death",
    "lay dead",
    "fell dead",
    "dropped dead",
    "lay with a broken neck",
    "quite dead",
    "stone dead",
    "was put in the ground",
    "burned at the stake",
    "burnt at the stake",
    "slipped away under the knife",
];
/// Before `of` and the name, at the beginning of a clause.
const OF_THE_SUBJECT: [&str; 13] = [
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
    "the passing",
];
/// Behind a possessive name.
const OF_THE_OWNER: [&str; 14] = [
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
    "heart beat its last",
    "heart ceased",
    "eyes closed for ever",
    "eyes closed for good",
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
    let mut narrated = sentence.narrated_mentions();
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
    if words.has(&KIN) || is_unreal(&words) && !is_plain {
        return None;
    }
    let (first, after) = (words.word_at(mention.start), words.word_at(mention.end));
    let range = |from: usize, to: usize| Some(words.all.get(from)?.start..words.all.get(to.checked_sub(1)?)?.end);
    if let Some((from, to)) = seen_dead(&words, first, after) {
        return range(from, to);
    }
    if is_thought(&words) {
        return None;
    }
    let is_supposed = words.has(&MODALS) || words.has(&NO_DEATH) || words.has(&["if", "not", "never", "nearly"]);
    if let Some((from, to)) = laid_out(&words, first, after).filter(|_| !is_supposed) {
        return range(from, to);
    }
    let is_denied =
        |at: usize| (0..at).any(|place| MODALS.contains(&words.lower(place)) || NO_DEATH.contains(&words.lower(place)));
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

/// Illnesses that carry somebody off, also where other words of the sentence are about thoughts.
const ILLNESSES: [&str; 10] =
    ["fever", "illness", "disease", "plague", "cholera", "cold", "pneumonia", "consumption", "influenza", "typhus"];

/// The words of a death in another order than subject and verb: `On the floor lay Mara, stone dead`, `Dead was Mara`,
/// `So ended the life of Mara`.
fn seen_dead(words: &Words<'_>, first: usize, after: usize) -> Option<(usize, usize)> {
    let before = |back: usize| first.checked_sub(back).map_or("", |at| words.lower(at));
    if words.all.get(after.checked_sub(1)?)?.is_possessive {
        // `Mara's heart, which had given warning, stopped for good`
        let stops = (after + 1..words.all.len()).find(|&at| {
            words.is_at(at, "stopped for good")
                || words.is_at(at, "stopped for ever")
                || words.is_at(at, "stopped forever")
        });
        return stops.filter(|_| words.lower(after) == "heart").map(|at| (at, at + 3));
    }
    let is_dead = |at: usize| words.lower(at) == "dead" && words.ends_before(at + 1);
    if matches!(before(1), "lay" | "hung" | "sat") {
        let dead = (after..(after + 3).min(words.all.len())).find(|&at| is_dead(at));
        return dead.map(|at| (first - 1, at + 1));
    }
    if first == 2 && words.lower(0) == "dead" && matches!(words.lower(1), "was" | "lay") {
        return Some((0, after));
    }
    if before(1) == "of" && matches!(before(2), "life" | "days") && before(4) == "ended" && first >= 4 {
        return Some((first - 4, after));
    }
    let certifies = words.has(&["certify", "certified", "certifying"]) && before(1) == "that";
    if certifies && words.is_at(after, "was dead") {
        return Some((after, after + 2));
    }
    let is_carried = matches!(before(1), "carried" | "took" | "swept" | "snatched") && words.joined(after) == "off";
    (is_carried && words.has(&ILLNESSES)).then(|| (first - 1, after + 1))
}

/// Verbs before somebody who is found dead, or is called so.
const FOUND: [&str; 7] = ["found", "discovered", "zipped", "lifted", "pulled", "pronounced", "declared"];
/// Verbs for what is done to a dead body.
const BODY_VERBS: [&str; 10] =
    ["washed", "brought", "carried", "buried", "laid", "lifted", "dragged", "dressed", "recovered", "found"];
/// Words for a dead body.
const DEAD: [&str; 7] = ["dead", "lifeless", "stiff", "corpse", "drowned", "murdered", "extinct"];

/// The words of a death by what is done to the body: `found Mara, stiff and cold`, `drew the sheet over Mara's face`.
fn laid_out(words: &Words<'_>, first: usize, after: usize) -> Option<(usize, usize)> {
    let before = |back: usize| first.checked_sub(back).map_or("", |at| words.lower(at));
    let is_owner = words.all.get(after.checked_sub(1)?)?.is_possessive;
    let noun = words.joined(after);
    let has_sheet = words.has(&["sheet", "shroud", "pall"]) && words.has(&["over", "across"]);
    // `closed Mara's eyes`, and not `Mara's eyes closed`
    let closes = (0..first).any(|at| matches!(words.lower(at), "closed" | "shut"));
    if is_owner {
        let is_body = noun == "body" && words.has(&BODY_VERBS);
        return (is_body || noun == "face" && has_sheet || noun == "eyes" && closes).then_some((after, after + 1));
    }
    if before(1) == "of" {
        let is_face = before(2) == "face" && has_sheet || before(2) == "eyes" && closes;
        let is_body = before(2) == "body" && matches!(before(3), "dead" | "lifeless");
        return (is_face || is_body).then_some((first - 2, after));
    }
    // `no life left in Mara`, `Death came for Mara`
    if before(1) == "in" && before(2) == "left" && before(3) == "life" && before(4) == "no" {
        return Some((first - 4, after));
    }
    if before(1) == "for" && before(2) == "came" && before(3) == "death" {
        return Some((first - 3, after));
    }
    let dead = (after..(after + MAX_BETWEEN).min(words.all.len())).find(|at| DEAD.contains(&words.lower(*at)));
    // `stabbed Mara to death`, and not `bored Mara to death`
    let is_killing = before(1).ends_with("ed")
        && !matches!(
            before(1),
            "bored" | "scared" | "frightened" | "worried" | "loved" | "teased" | "tickled" | "talked"
        );
    if is_killing && words.is_at(after, "to death") {
        return Some((first - 1, after + 2));
    }
    // `found Mara dead to the world`
    let is_plain = |at: usize| {
        let next = words.joined(at + 1);
        !matches!(next, "to" | "and" | "tired" | "drunk" | "asleep" | "of")
            || next == "and" && matches!(words.lower(at + 2), "cold" | "stiff")
    };
    dead.filter(|at| FOUND.contains(&before(1)) && is_plain(*at)).map(|at| (first - 1, at + 1))
}

/// Said of the subject, near the name.
const DIES_ZH: [&str; 84] = [
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
    "人就没了",
    "人已经没了",
    "撒手西归",
    "撒手西去",
    "归了西",
    "命归黄泉",
    "见了阎王",
    "气绝",
    "咽了气",
    "断了气",
    "咽了最后一口气",
    "夺去了性命",
    "夺走了性命",
    "夺去性命",
    "夺走了生命",
    "去世了",
    "过世了",
    "没了脉",
    "再没醒来",
    "再没有醒来",
    "再也没醒",
    "没了气",
    "没了性命",
    "没有生命",
    "身首异处",
    "人头落地",
    "葬身",
    "魂归",
    "陨落",
    "横尸",
    "形神俱灭",
    "过多而亡",
    "流尽而亡",
    "当场死亡",
    "当场身亡",
    "瞳孔就散了",
    "瞳孔散了",
    "被人扼死",
    "活活压死",
    "魂断",
    "罹难",
    "毒发身亡",
    "离世",
    "死于",
    "尸身早已僵硬",
    "不幸遇难",
    "一同遇难",
    "遇难了",
    "成了一具尸体",
    "不幸丧生",
];
/// Most characters between a name and its death.
const MAX_BETWEEN_ZH: usize = 16;
/// Characters between a name and a word of death by which somebody else may die.
const OTHERS_ZH: [char; 20] = [
    '他', '她', '的', '见', '听', '知', '看', '守', '等', '望', '陪', '父', '母', '妻', '夫', '儿', '女', '爹', '娘',
    '兄',
];
/// Behind `的` and the name.
const OF_THE_OWNER_ZH: [&str; 36] = [
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
    "身子已经凉",
    "身子早凉",
    "身子早已凉",
    "身子都凉",
    "身体已经凉",
    "身体早已凉",
    "身子凉透",
    "身体凉透",
    "心脏再",
    "死讯",
    "棺材",
    "灵柩",
    "心脏停了",
    "遗骸",
    "尸体",
    "尸首",
    "尸检",
    "心跳停了",
    "心脏骤停",
    "心脏骤然停",
    "生命走到了尽头",
    "一辈子到这里算是完",
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
    let awake = text.replace("睡梦", "");
    if NO_DEATH_ZH.iter().any(|word| awake.contains(word)) {
        return None;
    }
    let behind = &text[mention.end..];
    let found = |word: &str, at: usize| Some(mention.end + at..mention.end + at + word.len());
    let has_before = |list: &[&str]| list.iter().any(|word| text[..mention.start].contains(word));
    if let Some(rest) = behind.strip_prefix('的') {
        // `合上了周明的眼睛`, `白布盖上了周明的脸`, `夺去了周明的性命`
        let is_laid_out = rest.starts_with(['眼', '双']) && has_before(&["合上", "阖上"])
            || rest.starts_with('脸') && has_before(&["白布", "白床单"])
            || ["性命", "命", "生命"].iter().any(|word| rest.starts_with(word))
                && has_before(&["夺去", "夺走", "收走", "要了", "索去", "断送"]);
        if is_laid_out {
            return found("的", 0);
        }
        let word = OF_THE_OWNER_ZH.iter().find(|word| rest.starts_with(**word))?;
        return found(word, '的'.len_utf8());
    }
    // `给周明发丧`, `给周明做了尸检`
    let is_served = ["给", "替", "为"].iter().any(|word| text[..mention.start].ends_with(word));
    if let Some(word) =
        ["发丧", "送葬", "收尸", "尸检", "守灵", "葬礼"].iter().find(|word| is_served && behind.contains(**word))
    {
        return found(word, behind.find(word)?);
    }
    let is_object = ["把", "将"].iter().any(|word| text[..mention.start].ends_with(word));
    if is_object {
        let word = KILLED_ZH.iter().find(|word| behind.starts_with(**word))?;
        return found(word, 0);
    }
    if ["向", "对", "跟", "同", "和", "给", "替"].iter().any(|word| text[..mention.start].ends_with(word)) {
        return None;
    }
    // `医生宣布周明死亡`
    if text[..mention.start].ends_with("宣布") && behind.starts_with(['死', '已']) && behind.contains("死亡") {
        return found("死亡", behind.find("死亡")?);
    }
    // `周明是在一个礼拜天死的`
    let clause = &behind[..clause_end(text, mention.end) - mention.end];
    if clause.starts_with('是') && clause.ends_with("死的") && clause.chars().count() <= MAX_BETWEEN + 4 {
        return found(clause, 0);
    }
    // `与世长辞的，不是别人，正是周明`
    let before = &text[..mention.start];
    if before.ends_with("是") && !before.ends_with("不是") {
        let inverted = DIES_ZH.iter().find_map(|word| Some((before.find(&format!("{word}的"))?, word.len())));
        return inverted.map(|(at, length)| at..at + length);
    }
    DIES_ZH.iter().find_map(|word| {
        let at = behind.find(word)?;
        let between = &behind[..at];
        let is_near = between.chars().count() <= MAX_BETWEEN_ZH && !between.contains(OTHERS_ZH);
        if is_near { found(word, at) } else { None }
    })
}
