//! Deaths and acts in Chinese sentences.

mod act_words;
mod words;

use std::ops::Range;

use palimpsest_text::is_han;
use rustc_hash::FxHashMap;

use act_words::{ACTS, ADVERBS, NO_ACTS, NO_ASPECT};
use words::{
    DEGREES, DIES, DOES_NOT_LIVE, GONE, KILLING, LATE, MEMORIES, MOURNING, NO_DEATH, NO_DEATH_OF, OF_THE_DEAD,
    OPENS_CLAUSE, TIMES, VICTIM,
};

use super::{Death, Statement};
use crate::{
    sentences::{Sentence, leads_back},
    zh::{
        clause_end, clause_start, ends_clause, is_hypothetical, is_unreal, looks_back, masked, plain_subject,
        without_names,
    },
};

/// The deaths that a sentence tells, and the acts of characters that are dead. `context` are the sentences before it.
pub(super) fn deaths_and_acts(
    sentence: &Sentence<'_>,
    dead: &FxHashMap<usize, Death>,
    context: &[Sentence<'_>],
) -> (Vec<Statement>, Vec<Statement>) {
    let text = masked(sentence);
    let (mut deaths, mut acts) = (Vec::new(), Vec::new());
    let nameless = without_names(sentence, &text);
    if is_unreal(&nameless) || is_hypothetical(&nameless) || text.trim_end().ends_with('？') {
        return (deaths, acts);
    }
    for (number, mention) in sentence.mentions.iter().enumerate() {
        if sentence.is_spoken(mention.range.start) {
            let range = spoken_death(sentence, &mention.range, context);
            deaths.extend(range.map(|range| Statement { entity: mention.entity, range }));
            continue;
        }
        let until = sentence.mentions.get(number + 1).map_or(text.len(), |next| next.range.start);
        if let Some(range) = death(&text, &mention.range, until) {
            deaths.push(Statement { entity: mention.entity, range });
        } else if dead.contains_key(&mention.entity)
            && !looks_back(&nameless)
            && !leads_back(sentence)
            && !context.iter().any(|one| one.text.contains(['梦', '魇']))
            && !context.last().is_some_and(|one| MEMORIES.iter().any(|word| one.text.contains(word)))
            && let Some(range) = act(&text, &mention.range, !sentence.speech.is_empty())
        {
            acts.push(Statement { entity: mention.entity, range });
        }
    }
    (deaths, acts)
}

/// The bytes of a death that somebody tells, “阿土死了。”, where the narration beside it mourns.
fn spoken_death(sentence: &Sentence<'_>, mention: &Range<usize>, context: &[Sentence<'_>]) -> Option<Range<usize>> {
    let text = sentence.text;
    let opens = text[..mention.start].chars().next_back().is_none_or(ends_clause);
    let rest = &text[mention.end..];
    let clause = &rest[..clause_end(rest, 0)];
    let tells = ["死了", "没了", "走了", "去世了", "过世了", "牺牲了", "咽气了", "断气了", "不在了", "殁了"];
    let word = tells.iter().find(|word| clause.ends_with(**word))?;
    let between = &clause[..clause.len() - word.len()];
    let is_plain = ["", "已经", "已", "昨夜", "昨晚", "今早", "昨天", "刚刚", "刚才", "他"].contains(&between);
    let mourns = |text: &str| MOURNING.iter().any(|word| text.contains(word));
    let is_mourned = mourns(&masked(sentence)) || context.last().is_some_and(|one| mourns(&masked(one)));
    let asks = rest[clause.len()..].starts_with(['？', '?']);
    (opens && is_plain && is_mourned && !asks).then_some(mention.start..mention.end + clause.len())
}

/// The bytes of the death of the character with a mention; `until` is the start of the next mention.
fn death(text: &str, mention: &Range<usize>, until: usize) -> Option<Range<usize>> {
    if let Some(found) = killed(text, mention) {
        return Some(found);
    }
    let behind = &text[mention.end..];
    if LATE.iter().any(|word| text[..mention.start].ends_with(word)) {
        return Some(clause_start(text, mention.start)..mention.end);
    }
    if let Some(found) = passed_on(text, mention, until) {
        return Some(found);
    }
    if let Some(rest) = behind.strip_prefix('的') {
        if let Some(to) = head_falls(rest).or_else(|| death_of(rest)) {
            return Some(mention.start..text.len() - rest.len() + to);
        }
        let word = OF_THE_DEAD.iter().find(|word| rest.starts_with(**word))?;
        return Some(mention.start..text.len() - rest.len() + word.len());
    }
    if ["死后", "一死", "之死", "死前"].iter().any(|word| behind.starts_with(word)) {
        return Some(mention.start..mention.end + "死后".len());
    }
    if ["埋了", "葬了", "安葬了", "埋葬了", "葬下", "掩埋了", "火化了"]
        .iter()
        .any(|word| text[..mention.start].ends_with(word))
    {
        return Some(clause_start(text, mention.start)..mention.end);
    }
    let end = clause_end(text, mention.end).min(until);
    let clause = &text[mention.end..end];
    if let Some(found) = later_death(text, mention, until).or_else(|| gone(text, mention)) {
        return Some(found);
    }
    let found = DIES.iter().chain(&DOES_NOT_LIVE).filter_map(|word| Some((clause.find(word)?, *word)));
    let (at, word) = found.min_by_key(|(at, word)| (*at, std::cmp::Reverse(word.len())))?;
    let between = &clause[..at];
    let is_near = between.chars().count() <= 14;
    // 没等大夫来, 不到半个月: words of time that deny nothing.
    let plain = TIMES.iter().fold(between.to_owned(), |text, word| text.replace(word, ""));
    let is_denied = NO_DEATH.iter().any(|word| plain.contains(word));
    let is_degree = word.starts_with('死') && between.ends_with(DEGREES) || clause[at + word.len()..].starts_with('心')
        // 死去活来
        || clause[at + word.len()..].starts_with("活来");
    // 牺牲了许多时间 is no death.
    let is_spent = word == "牺牲" && {
        let rest = clause[at + word.len()..].trim_start_matches('了');
        !rest.is_empty() && !rest.starts_with(['在', '于', '的', '后', '以'])
    };
    let is_passive = ["被", "让", "给", "在", "叫", "遭"].iter().any(|word| between.contains(word));
    // 打死了一只老虎: what dies is the object.
    let is_transitive = !is_passive
        && (word.starts_with('死') && between.ends_with(KILLING) || word.starts_with(KILLING))
        && !clause[at + word.len()..].trim_end_matches('了').is_empty();
    // 守着老母亲断了气, 得知老师去世
    let is_watched = [
        "守着", "看着", "陪着", "望着", "等着", "眼看", "看见", "目睹", "得知", "获悉", "听说", "听到", "听见", "知道",
        "想起",
    ]
    .iter()
    .any(|word| between.contains(word));
    let is_another =
        is_watched || between.starts_with('的') || between.starts_with('家') || !is_passive && has_owner(between);
    let is_asked = clause[at..].ends_with(['吗', '么']);
    let is_subject = plain_subject(text, mention.start);
    let is_death =
        is_near && !is_spent && !is_transitive && !is_denied && !is_degree && !is_another && !is_asked && is_subject;
    is_death.then_some(mention.end + at..mention.end + at + word.len())
}

/// The end of 死 behind 的, where it is the death of the owner.
fn death_of(rest: &str) -> Option<usize> {
    let is_death = rest.starts_with('死') && !NO_DEATH_OF.iter().any(|word| rest.starts_with(word));
    let word = if rest.starts_with("死讯") { "死讯" } else { "死" };
    is_death.then_some(word.len())
}

/// The end of words by which the owner loses the head: 人头已经落地.
fn head_falls(rest: &str) -> Option<usize> {
    let head = ["人头", "脑袋", "头颅", "首级", "头"].iter().find(|word| rest.starts_with(**word))?;
    let clause = &rest[..clause_end(rest, 0)];
    let at = ["落地", "滚落", "滚到", "落了地", "被砍", "砍了下来"]
        .iter()
        .find_map(|word| clause.find(word).map(|at| at + word.len()))?;
    (!clause.contains(['不', '没', '险']) && clause.chars().count() <= head.chars().count() + 10).then_some(at)
}

/// The bytes of a death in a word that means it only at the end of a clause: 阿土没了.
fn gone(text: &str, mention: &Range<usize>) -> Option<Range<usize>> {
    let end = clause_end(text, mention.end);
    let clause = &text[mention.end..end];
    let word = GONE.iter().find(|word| clause.ends_with(**word))?;
    let between = &clause[..clause.len() - word.len()];
    let is_own = between.chars().count() <= 8
        && !["的", "家", "说", "想", "看", "见", "问", "把", "跟", "和", "也许", "不"]
            .iter()
            .any(|word| between.contains(word));
    (is_own && is_subject(text, mention)).then_some(end - word.len()..end)
}

/// The bytes of 走了 where an illness or a quiet end says how it is meant: 阿土的病一天重似一天，没等到中秋就走了.
fn passed_on(text: &str, mention: &Range<usize>, until: usize) -> Option<Range<usize>> {
    let sentence = &text[mention.end..until];
    let is_near_death = [
        "病",
        "难产",
        "丧事",
        "守寡",
        "遗孤",
        "没有熬过",
        "没熬过",
        "伤势",
        "弥留",
        "临终",
        "安详",
        "平静地走",
        "安静地走",
        "油尽灯枯",
        "最后一口气",
        "没有痛苦",
        "睡梦中",
    ]
    .iter()
    .any(|word| sentence.contains(word));
    let at = ["就去了", "便去了", "就走了", "便走了", "地走了", "还是走了", "终于走了", "中走了", "走得很安详"]
        .iter()
        .find_map(|word| sentence.find(word).map(|at| at..at + word.len()))?;
    let ends = sentence[at.end..].is_empty() || sentence[at.end..].starts_with(ends_clause);
    let is_other =
        ["医生", "大夫", "看病", "探病", "郎中", "他", "她"].iter().any(|word| sentence[..at.end].contains(word));
    let is_own = is_subject(text, mention) && (!sentence.starts_with('的') || sentence.starts_with("的病"));
    (is_near_death && ends && is_own && !is_other).then_some(mention.end + at.start..mention.end + at.end)
}

/// The bytes of a death that something or somebody brings: 一场病夺去了阿土的性命, 大家把阿土埋了.
fn killed(text: &str, mention: &Range<usize>) -> Option<Range<usize>> {
    let start = clause_start(text, mention.start);
    let (before, behind) = (&text[start..mention.start], &text[mention.end..]);
    let is_denied = ["没", "不", "未", "差点", "几乎", "想", "要把", "险些"].iter().any(|word| before.contains(word));
    let ends = |list: &[&str]| list.iter().any(|word| before.ends_with(word));
    let life = ["的性命", "的命", "的生命"].iter().find(|word| behind.starts_with(**word));
    let takes_life = ends(&[
        "夺去了",
        "夺走了",
        "要了",
        "送了",
        "断送了",
        "夺去",
        "夺走",
        "结束了",
        "取了",
        "索了",
        "索去了",
        "害了",
    ])
    .then_some(life)
    .flatten();
    // 霍乱带走了阿土, and not 火车带走了阿土.
    let is_taken = ends(&["带走了", "夺走了", "卷走了", "吞没了"])
        && ["病", "霍乱", "瘟", "疫", "伤寒", "肺炎", "天花", "痨", "洪水", "大水", "海", "战争", "饥荒", "疟"]
            .iter()
            .any(|word| before.contains(word));
    let is_killed = is_taken
        || ends(&[
            "害死了",
            "杀死了",
            "打死了",
            "毒死了",
            "烧死了",
            "勒死了",
            "处死了",
            "埋葬了",
            "安葬了",
            "杀了",
            "杀害了",
            "枪毙了",
            "处决了",
            "砍死了",
            "刺死了",
            "炸死了",
            "压死了",
            "撞死了",
            "淹死了",
            "咬死了",
            "掩埋了",
            "火化了",
            "带走了人",
        ]);
    // 给阿土办了后事: what is done for the dead.
    let is_mourned = ends(&["给", "替", "为"])
        && [
            "办了后事",
            "办了丧事",
            "送了葬",
            "送葬",
            "收了尸",
            "收尸",
            "送了终",
            "送终",
            "守灵",
            "守了灵",
            "上坟",
            "上了坟",
            "烧纸",
            "烧了纸",
            "戴孝",
            "办丧事",
            "办后事",
            "出了殡",
            "立了碑",
        ]
        .iter()
        .any(|word| behind.starts_with(word));
    // 被土匪杀了, 给人打死了.
    let end = clause_end(behind, 0);
    let is_victim = ["被", "给", "叫", "让", "遭"].iter().any(|word| {
        let at = behind[..end].find(word);
        at.is_some_and(|at| {
            behind[..at].chars().count() <= 4
                && !behind[..at].contains(['的', '没', '不', '家', '怕', '会', '想', '说'])
        })
    });
    // 被自己的学生杀死: any verb with 死 as its result.
    let result = is_victim.then(|| result_of_death(&behind[..end])).flatten();
    let victim = is_victim.then(|| VICTIM.iter().find_map(|word| behind[..end].find(word).map(|at| at + word.len())));
    if let Some(to) = victim.flatten().or(result).filter(|to| {
        !is_denied
            && !behind[..*to].contains(['没', '未', '险', '差', '要', '怕', '会', '想'])
            && !has_owner(&behind[..*to].replace("自己的", ""))
    }) && plain_subject(text, mention.start)
        && !behind[to..].starts_with(['前', '的', '过'])
    {
        return Some(mention.start..mention.end + to);
    }
    let is_laid = ends(&["把", "将"])
        .then(|| {
            [
                "埋",
                "葬",
                "安葬",
                "下葬",
                "火化",
                "入殓",
                "装殓",
                "抬上了山",
                "送上了山",
                "抬去埋",
                "杀了",
                "打死",
                "枪毙",
                "处决",
                "杀害",
                "带走了人",
            ]
            .iter()
            .find(|word| behind.starts_with(**word))
        })
        .flatten();
    let to = match (takes_life, is_laid) {
        (Some(word), _) | (None, Some(word)) => mention.end + word.len(),
        (None, None) if is_killed || is_mourned => mention.end,
        (None, None) => return None,
    };
    (!is_denied).then_some(start..to)
}

/// The end of a verb with 死 or 毙 as its result in the clause of a victim.
fn result_of_death(clause: &str) -> Option<usize> {
    clause.char_indices().find_map(|(at, c)| {
        let to = at + c.len_utf8();
        let is_end = clause[to..].is_empty() || clause[to..].starts_with(['了', '的', '于', '在', '后']);
        let verb = clause[..at].chars().next_back()?;
        let is_result = matches!(c, '死' | '毙') && !DEGREES.contains(&verb) && !matches!(verb, '该' | '要' | '不');
        (is_result && is_end && clause[..at].contains(['被', '给', '叫', '让', '遭'])).then_some(to)
    })
}

/// The bytes of a death that a later clause tells of its silent subject: 阿土病了半个月，终于断了气.
fn later_death(text: &str, mention: &Range<usize>, until: usize) -> Option<Range<usize>> {
    if !is_subject(text, mention) || looks_back(text) {
        return None;
    }
    let mut end = clause_end(text, mention.end);
    let own = &text[mention.end..end.max(mention.end)];
    if own.starts_with('的')
        || own.starts_with('家')
        || ["说", "见", "看", "想", "问", "道", "听", "知道"].iter().any(|word| own.contains(word))
    {
        return None;
    }
    for _ in 0..2 {
        let start = end + text[end..].chars().next().filter(|c| matches!(c, '，' | '；'))?.len_utf8();
        end = clause_end(text, start);
        if until < end {
            return None;
        }
        let clause = &text[start..end];
        let gone = GONE.iter().filter(|word| clause.ends_with(**word));
        let words = DIES.iter().chain(&DOES_NOT_LIVE).chain(gone).filter_map(|word| Some((clause.find(*word)?, *word)));
        if let Some((at, word)) = words.min_by_key(|(at, word)| (*at, std::cmp::Reverse(word.len()))) {
            let between = &clause[..at];
            let is_own = between.is_empty()
                || between.ends_with('地')
                || [
                    "终于",
                    "便",
                    "就",
                    "当夜",
                    "当晚",
                    "当天",
                    "不久",
                    "没几天",
                    "不几天",
                    "没过",
                    "最后",
                    "第二",
                    "到底",
                    "竟",
                    "不到",
                    "随即",
                    "后来",
                    "在",
                    "于",
                    "才",
                    "也",
                    "再",
                    "当场",
                    "当即",
                    "立时",
                    "立刻",
                    "顿时",
                    "即刻",
                    "很快",
                    "没",
                    "几天",
                    "三天",
                    "两天",
                    "第",
                    "次日",
                    "翌日",
                    "过了",
                    "天亮",
                    "天不亮",
                    "终究",
                    "还是",
                    "已经",
                    "已",
                    "没有",
                    "年底",
                    "年内",
                    "半夜",
                    "夜里",
                    "从此",
                    "就此",
                    "因此",
                    "永远",
                    "被",
                    "不上",
                    "不出",
                    "未及",
                    "不满",
                ]
                .iter()
                .any(|word| between.starts_with(word))
                // 捞上来的时候已经没气了: a result of what was done to it.
                || ["已经", "已", "早已", "时", "时候", "后", "就", "便", "终于"].iter().any(|word| between.ends_with(word));
            let is_denied = between.chars().count() > 12
                || NO_DEATH
                    .iter()
                    .any(|word| between.contains(word) && !TIMES.iter().any(|time| between.contains(time)))
                || ["他", "她", "人", "谁", "父", "母", "妻", "夫", "儿", "女", "爹", "娘"]
                    .iter()
                    .any(|word| between.contains(word))
                || has_owner(between);
            return (is_own && !is_denied).then_some(start + at..start + at + word.len());
        }
    }
    None
}

/// Whether the words between a name and a verb have a 的 that does not belong to a time.
fn has_owner(between: &str) -> bool {
    between.match_indices('的').any(|(at, mark)| {
        let rest = &between[at + mark.len()..];
        !["冬", "春", "夏", "秋", "夜", "晚", "早", "清", "时", "那", "一", "第", "傍", "黄", "黎", "深", "雨"]
            .iter()
            .any(|word| rest.starts_with(word))
    })
}

/// Whether a name opens its clause, or has only words of time before it there.
fn is_subject(text: &str, mention: &Range<usize>) -> bool {
    let before = text[clause_start(text, mention.start)..mention.start].trim();
    before.is_empty() || before.chars().count() <= 8 && OPENS_CLAUSE.iter().any(|word| before.ends_with(word))
}

/// The bytes of an act of the character with a mention.
fn act(text: &str, mention: &Range<usize>, has_speech: bool) -> Option<Range<usize>> {
    if !is_subject(text, mention) {
        return None;
    }
    let end = clause_end(text, mention.end);
    let mut rest = &text[mention.end..end];
    // 莞尔一笑
    let is_gesture = ["一笑", "一叹", "一愣", "一怔", "一惊", "一震", "一顿"].iter().any(|word| rest.ends_with(word));
    if is_gesture && rest.chars().count() <= 6 && !rest.starts_with(['的', '那', '曾']) {
        return Some(mention.start..end);
    }
    let begins = |rest: &str| rest.starts_with(|c: char| ACTS.contains(c));
    while let Some(word) = ADVERBS.iter().find(|word| rest.starts_with(**word) && !begins(rest)) {
        rest = &rest[word.len()..];
    }
    // An adverb with 地: 不耐烦地.
    if let Some(at) = rest.find('地').filter(|at| rest[..*at].chars().count() <= 4) {
        rest = &rest[at + '地'.len_utf8()..];
    }
    // 周明用过的椅子靠墙放着
    if rest.starts_with("用过的") {
        return None;
    }
    // 一笑, 在桌边坐下: the verb stands behind a word of place, or of a moment.
    if let Some(place) = rest.strip_prefix('一').filter(|rest| begins(rest)) {
        rest = place;
    }
    if ["在", "向", "朝", "从", "对", "同", "跟", "把", "用", "往", "给", "替", "和"]
        .iter()
        .any(|word| rest.starts_with(word))
    {
        let acts = |(at, c): &(usize, char)| {
            *at > 0 && ACTS.contains(*c) && !rest[at + c.len_utf8()..].starts_with(['的', '过'])
        };
        // 往灶膛里添了一把柴; but 在那年春天满了五十岁 is no act.
        let is_denied = rest.starts_with('在') || rest.contains(['没', '不', '未']);
        let aspect = || {
            let (at, _) = rest.char_indices().skip(3).find(|(_, c)| matches!(c, '了' | '着'))?;
            rest[..at].char_indices().next_back().filter(|(_, c)| is_han(*c) && !NO_ASPECT.contains(*c) && !is_denied)
        };
        let verb = rest.char_indices().find(acts).or_else(aspect);
        let (at, _) = verb.filter(|_| !rest.contains(['坟', '墓', '灵', '棺']))?;
        if !ACTS.contains(rest[at..].chars().next()?) {
            return Some(mention.start..end);
        }
        rest = &rest[at..];
    }
    let mut chars = rest.chars();
    let (first, second, third) = (chars.next()?, chars.next(), chars.next());
    // 拄着拐杖, 安慰着她, 合上书: an aspect or a result makes a verb of the word before it.
    let has_aspect = matches!(second, Some('着' | '上' | '下' | '起' | '住' | '开'))
        || matches!(third, Some('着')) && second.is_some_and(is_han)
        // 抹了一把汗, 裹紧了大衣: 了 before an object.
        || rest.char_indices().nth(1).is_some_and(|(at, c)| c == '了' && rest.len() > at + c.len_utf8())
        || rest.char_indices().nth(2).is_some_and(|(at, c)| c == '了' && rest.len() > at + c.len_utf8());
    let is_active =
        has_aspect && is_han(first) && !NO_ASPECT.contains(first) && !rest.contains(['坟', '墓', '棺', '榻']);
    let verb = Some(first).filter(|c| ACTS.contains(*c) || is_active)?;
    let with_end = &text[end - rest.len()..];
    let is_none = NO_ACTS.iter().any(|word| with_end.starts_with(word))
        || rest[verb.len_utf8()..].starts_with('过') && rest.contains('的');
    let is_relative = rest[verb.len_utf8()..].starts_with('的') && !has_speech;
    let to = end - rest.len() + verb.len_utf8();
    (!is_none && !is_relative).then_some(mention.start..to)
}
