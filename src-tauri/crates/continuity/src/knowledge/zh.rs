//! Knowledge in Chinese sentences.

use std::ops::Range;

use palimpsest_reader::mentions::Mention;
use palimpsest_text::is_han;

use super::{Content, Statement, Step};
use crate::{
    sentences::Sentence,
    zh::{clause_end, clause_start, ends_clause, is_unreal, masked, plain_subject, speaker, without_names},
};

/// Verbs of learning, which say that it was not known before.
const LEARNS: [&str; 37] = [
    "得到消息",
    "得了消息",
    "接到消息",
    "收到消息",
    "得了信",
    "得知",
    "获悉",
    "发现",
    "发觉",
    "恍然大悟",
    "醒悟",
    "弄清楚",
    "弄清",
    "弄明白",
    "查明",
    "查清",
    "打听到",
    "打听出",
    "看破",
    "识破",
    "想通",
    "悟出",
    "才知",
    "始知",
    "方知",
    "查出",
    "弄懂",
    "觉察",
    "察觉",
    "领悟",
    "看穿",
    "看透",
    "打探到",
    "探听到",
    "问出",
    "了悟",
    "如梦方醒",
];
/// Verbs that say so only with a word of [`FIRST_TIME`].
const HEARS: [&str; 23] = [
    "知道",
    "晓得",
    "明白",
    "听说",
    "听到",
    "听见",
    "清楚",
    "懂得",
    "看清",
    "了解",
    "想到",
    "听人说",
    "听人讲",
    "知晓",
    "听得",
    "意识到",
    "反应过来",
    "看出",
    "知悉",
    "听人说起",
    "听人讲起",
    "搞清楚",
    "想明白",
];
/// Words that say that it was not known before.
const FIRST_TIME: [&str; 24] = [
    "才",
    "方",
    "第一次",
    "头一次",
    "头一回",
    "第一回",
    "初次",
    "终于",
    "到底",
    "直到",
    "至此",
    "这下",
    "总算",
    "这时",
    "此时",
    "此刻",
    "始",
    "猛然",
    "忽然",
    "突然",
    "顿时",
    "一下子",
    "豁然",
    "今天",
];
/// Verbs of knowing and saying.
const KNOWS: [&str; 85] = [
    "偷听到",
    "亲耳听到",
    "亲耳听见",
    "亲眼看到",
    "亲眼看见",
    "撞见",
    "既知",
    "已知",
    "素知",
    "久知",
    "深悉",
    "知道",
    "晓得",
    "明白",
    "清楚",
    "知晓",
    "深知",
    "早知",
    "明知",
    "心知",
    "记得",
    "说出",
    "说破",
    "说明",
    "讲出",
    "道出",
    "告诉",
    "提起",
    "提到",
    "透露",
    "泄露",
    "揭穿",
    "点破",
    "宣布",
    "声明",
    "交代",
    "说起",
    "讲明",
    "了解",
    "吐露",
    "承认",
    "懂得",
    "漏出",
    "说漏",
    "走漏",
    "提醒",
    "没有忘记",
    "没忘记",
    "没有忘",
    "不曾忘记",
    "说",
    "讲起",
    "讲出来",
    "断言",
    "一口咬定",
    "认定",
    "指出",
    "心里有数",
    "心中有数",
    "说穿",
    "戳穿",
    "道破",
    "坦白",
    "招认",
    "供出",
    "讲过",
    "提过",
    "说过",
    "抖出",
    "挑明",
    "表示",
    "知情",
    "有数",
    "知道得",
    "一清二楚",
    "写明",
    "逢人便讲",
    "写道",
    "招供",
    "心知肚明",
    "了如指掌",
    "报告",
    "禀告",
    "通报",
    "报知",
];
/// Verbs that are followed by the person who gets the information.
const TELLS: [&str; 9] = ["告诉", "告诉了", "提醒", "通知", "报告", "禀告", "告知", "通报", "报知"];
/// Words that bound the time of not knowing.
const BOUNDS: [&str; 10] = ["以前", "之前", "此前", "直到", "一直", "至今", "还", "到现在", "从来", "先前"];
/// Words by which somebody does not know, or wants to.
const DENIES: [&str; 28] = [
    "哪", "岂", "怎", "不", "没", "未", "无从", "莫", "猜", "疑", "想知", "要知", "打听", "问", "不想", "愿", "若",
    "倘", "如果", "要是", "将", "会", "能", "恐怕", "以为", "别", "假", "吹嘘",
];
/// Words behind a verb before what is known.
const FILLERS: [&str; 24] = [
    "过来",
    "出来",
    "了出来",
    "到了",
    "得",
    "原来是",
    "起来",
    "起",
    "一句",
    "说",
    "原来",
    "了",
    "过",
    "到",
    "：",
    "，",
    "大家",
    "众人",
    "他们",
    "人们",
    "别人",
    "他",
    "她",
    "着",
];
/// Characters of grammar, which are no part of what is known.
const GRAMMAR: &str = "的了在呢吗啊呀么着过就都也又才便却把被给";

/// Most characters of speech that state one matter.
const MAX_SAID: usize = 24;

/// The knowledge and the learning of the first character that the narration of a sentence names, and the matter that it
/// says.
pub(super) fn knowledge_in(all: &[Sentence<'_>], number: usize) -> Vec<Statement> {
    let mut found = narrated_knowledge(&all[number]);
    found.extend(spoken(all, number));
    found
}

/// The statements of the narration.
fn narrated_knowledge(sentence: &Sentence<'_>) -> Vec<Statement> {
    let text = masked(sentence);
    if is_unreal(&without_names(sentence, &text)) || text.trim_end().ends_with(['？', '?']) {
        return Vec::new();
    }
    let mut mentions = sentence.narrated_mentions();
    let Some(mention) = mentions.next() else { return Vec::new() };
    let behind = &text[mention.range.end..];
    let names: Vec<Mention> = sentence.narrated_mentions().cloned().collect();
    let informed = names.iter().find_map(|one| learns_as_object(&text, one.entity, &one.range, &names));
    let mut found: Vec<Statement> = informed.into_iter().collect();
    if found.iter().any(|one| one.entity == mention.entity) {
        return found;
    }
    if behind.starts_with('的') || !plain_subject(&text, mention.range.start) {
        return found;
    }
    // 阿土向小满透露: the other name is whom it is said to.
    let is_addressee =
        |range: &Range<usize>| ["向", "对", "跟", "和", "同"].iter().any(|word| text[..range.start].ends_with(word));
    let until = mentions.find(|next| !is_addressee(&next.range)).map_or(text.len(), |next| next.range.start);
    let own = statement(&text, &mention.range, until, &names);
    found.extend(own.map(|(step, range, content)| Statement { entity: mention.entity, step, range, content }));
    found
}

fn statement(
    text: &str,
    mention: &Range<usize>,
    until: usize,
    names: &[Mention],
) -> Option<(Step, Range<usize>, Content)> {
    let end = clause_end(text, mention.end).min(until.max(mention.end));
    // 他们 and 大家 may hear it before the verb: the verb stands in the clause of the name.
    let clause = &text[mention.end..end];
    let verbs = || KNOWS.iter().chain(&HEARS).chain(&LEARNS);
    // 阿土看了信，方才知道: the verb stands in the next clause, and the name is its subject.
    let next = text[end..].strip_prefix('，').filter(|_| !verbs().any(|verb| clause.contains(verb)));
    let goes_on = next.is_some_and(|next| ["才", "方", "这才", "终于", "就"].iter().any(|word| next.starts_with(word)));
    // 阿土写信给姑母，说船沉了
    let writes = ["信", "电报", "电话", "捎话", "传话", "对人"].iter().any(|word| clause.contains(word));
    let goes_on = goes_on
        || writes && next.is_some_and(|next| ["说", "告诉", "道", "称"].iter().any(|word| next.starts_with(word)));
    let end = if goes_on { clause_end(text, end + '，'.len_utf8()).min(until.max(end)) } else { end };
    let clause = &text[mention.end..end];
    if let Some(range) = told_matter(text, mention.end) {
        let content = content_in(text, &range, names);
        return (content.weight() >= 3).then_some((Step::Knows, mention.start..range.end, content));
    }
    // 清清楚楚地知道: the verb stands behind the adverb.
    let skip = clause.find('地').map_or(0, |at| at + '地'.len_utf8());
    let is_adverb = clause[..skip].chars().count() <= 6 && verbs().any(|verb| clause[skip..].starts_with(verb));
    let skip = if is_adverb { skip } else { 0 };
    let start = clause_start(text, mention.start);
    let is_first_time = |before: &str| {
        FIRST_TIME.iter().any(|word| before.contains(word))
            || ["直到", "这时", "此时", "至此", "到了", "终于"].iter().any(|word| text[..mention.start].contains(word))
    };
    let find = |list: &[&str]| {
        let found = list.iter().filter_map(|word| Some((skip + clause[skip..].find(word)?, word.len())));
        found.min_by_key(|(at, length)| (*at, std::cmp::Reverse(*length)))
    };
    let (verb, step) = {
        let learns = find(&LEARNS);
        let hears = find(&HEARS).filter(|(at, _)| is_first_time(&clause[..*at]));
        let knows = find(&KNOWS);
        match (learns.or(hears), knows) {
            (Some(learns), Some(knows)) if learns.0 <= knows.0 + "才".len() => (learns, Step::Learns),
            (Some(learns), None) => (learns, Step::Learns),
            (_, Some(knows)) if !is_first_time(&clause[..knows.0]) => (knows, Step::Knows),
            _ => return None,
        }
    };
    let before = &clause[..verb.0];
    let is_ignorant = BOUNDS.iter().any(|word| before.contains(word) || text[..mention.start].contains(word))
        && ["不", "没有", "没", "未", "不曾", "无从"].iter().any(|word| before.ends_with(word));
    // 早已得知 says that it was known.
    let is_old = step == Step::Learns && ["早", "早已", "早就", "已经", "已"].iter().any(|word| before.ends_with(word));
    let step = match (is_ignorant, is_old) {
        (true, _) => Step::Learns,
        (_, true) => Step::Knows,
        _ => step,
    };
    // 没有忘记 denies nothing.
    let plain = ["忍不住", "禁不住", "不由得", "毫不", "不禁", "不慌不忙"]
        .iter()
        .fold(before.to_owned(), |text, word| text.replace(word, ""));
    let is_denied = !is_ignorant && DENIES.iter().any(|word| plain.contains(word)) || before.ends_with('想');
    if before.chars().count() > 10 || is_denied {
        return None;
    }
    let verb_end = mention.end + verb.0 + verb.1;
    let behind = complement(text, verb_end, names);
    let content = content_in(text, &behind, names);
    if content.weight() >= 3 {
        return Some((step, mention.start..behind.end, content));
    }
    // The matter may stand before the name: 信是谁写的，阿土早就知道。
    let topic = text[..start].trim_end_matches(ends_clause);
    let topic = clause_start(text, topic.len())..topic.len();
    let content = content_in(text, &topic, names);
    (content.weight() >= 3).then_some((step, topic.start..verb_end, content))
}

/// The matter between 把 and the verb of telling behind a name: 阿土把船沉了的事告诉了小满.
fn told_matter(text: &str, from: usize) -> Option<Range<usize>> {
    let clause = &text[from..clause_end(text, from)];
    let start = ["把", "将"].iter().find(|word| clause.starts_with(**word))?.len();
    let (at, word) =
        ["的事", "的消息", "的秘密", "的真相"].iter().find_map(|word| Some((clause.find(word)?, *word)))?;
    let behind = clause[at + word.len()..].trim_start_matches(['儿', '情', '都', '全']);
    let is_told = ["告诉", "说给", "讲给", "说了", "讲了", "透露", "抖", "捅", "写信告诉"]
        .iter()
        .any(|word| behind.starts_with(word));
    (is_told && at > start).then_some(from + start..from + at)
}

/// The matter that a character is informed of: 一封信告诉阿土信是谁写的.
fn learns_as_object(text: &str, entity: usize, mention: &Range<usize>, names: &[Mention]) -> Option<Statement> {
    let start = clause_start(text, mention.start);
    let before = &text[start..mention.start];
    let is_told = ["告诉", "告诉了", "告知", "通知", "让", "使", "对"].iter().any(|word| before.ends_with(word));
    let tells = ["告诉", "告诉了", "告知", "通知"].iter().any(|word| before.ends_with(word));
    let behind = &text[mention.end..];
    let verb = ["知道了", "明白了", "知道", "明白", "晓得了"].iter().find(|word| behind.starts_with(**word));
    let from = match verb {
        Some(verb) if is_told && !tells => mention.end + verb.len(),
        _ if tells => mention.end,
        _ => return None,
    };
    if ["没", "不", "未", "别", "谁也", "想", "要", "早", "又", "再", "曾"].iter().any(|word| before.contains(word))
    {
        return None;
    }
    let range = complement(text, from, &[]);
    let content = content_in(text, &range, names);
    (content.weight() >= 3).then_some(Statement { entity, step: Step::Learns, range: start..range.end, content })
}

/// The bytes of the words behind a verb, up to the end of their clause.
fn complement(text: &str, from: usize, names: &[Mention]) -> Range<usize> {
    // 告诉小满, 提醒小满: a name directly behind a verb of telling is no part of what is known.
    let is_told = TELLS.iter().any(|word| text[..from].ends_with(word));
    let mut at = from;
    // 告诉乡亲们，船沉了: those who are told stand before the comma.
    let telling =
        text[from..].find('，').filter(|comma| is_told && (1..=5).contains(&text[from..from + comma].chars().count()));
    if let Some(comma) =
        telling.filter(|comma| !names.iter().any(|name| (from..from + comma).contains(&name.range.start)))
    {
        at = from + comma;
    }
    loop {
        if let Some(word) = FILLERS.iter().find(|word| text[at..].starts_with(**word)) {
            at += word.len();
        } else if let Some(name) = names.iter().find(|name| name.range.start == at && at == from && is_told) {
            at = name.range.end;
        } else {
            break;
        }
    }
    at..clause_end(text, at)
}

/// The content of a text: its pairs of characters.
pub(super) fn content_of(text: &str) -> Content {
    let mut content = Content::default();
    add_pairs(&mut content, text);
    content
}

fn add_pairs(content: &mut Content, text: &str) {
    let chars: Vec<char> = text.chars().filter(|c| is_han(*c) && !GRAMMAR.contains(*c)).collect();
    content.0.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
}

/// The content of a part of a sentence, with its names as entities.
fn content_in(text: &str, range: &Range<usize>, names: &[Mention]) -> Content {
    let mut content = Content::default();
    let mut at = range.start;
    for name in names.iter().filter(|name| range.start <= name.range.start && name.range.end <= range.end) {
        add_pairs(&mut content, &text[at..name.range.start]);
        content.0.insert(Content::entity(name.entity));
        at = name.range.end;
    }
    add_pairs(&mut content, &text[at..range.end]);
    content
}

/// The matter of what a character says in a sentence: “船沉了。”阿土说.
fn spoken(all: &[Sentence<'_>], number: usize) -> Option<Statement> {
    let (entity, sentence) = (speaker(all, number)?, &all[number]);
    let range = sentence.speech.first()?.start..sentence.speech.last()?.end;
    let said = &sentence.text[range.clone()];
    let is_doubtful = DENIES.iter().any(|word| said.contains(word) && *word != "会" && *word != "能")
        || ["？", "?", "吗", "呢", "吧", "也许", "大概", "听说", "可能", "好像", "怕"]
            .iter()
            .any(|word| said.contains(word));
    if is_doubtful || said.chars().count() > MAX_SAID {
        return None;
    }
    let names: Vec<Mention> = sentence.mentions.iter().filter(|one| one.entity != entity).cloned().collect();
    Some(Statement { entity, step: Step::Knows, content: content_in(sentence.text, &range, &names), range })
}
