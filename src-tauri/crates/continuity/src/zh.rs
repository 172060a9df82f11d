//! The narration of a Chinese sentence, and the words by which it says that it asserts nothing.

use std::borrow::Cow;

use crate::sentences::Sentence;

/// Words of dreams, pictures and other unreal things.
const UNREAL: [&str; 37] = [
    "梦",
    "仿佛",
    "好像",
    "似乎",
    "好似",
    "犹如",
    "如同",
    "像是",
    "宛如",
    "画像",
    "画里",
    "画上",
    "照片",
    "相片",
    "遗像",
    "肖像",
    "雕像",
    "塑像",
    "戏里",
    "戏台",
    "戏文",
    "鬼",
    "魂",
    "幽灵",
    "影子",
    "幻",
    "恍惚",
    "昏迷",
    "传说",
    "故事里",
    "假装",
    "装作",
    "扮",
    "神话",
    "显灵",
    "想象",
    "信里",
];

/// Words by which a sentence states what may be, or what somebody thinks or says.
const HYPOTHETICAL: [&str; 39] = [
    "如果",
    "要是",
    "假如",
    "倘",
    "若是",
    "若不",
    "万一",
    "即使",
    "就算",
    "哪怕",
    "也许",
    "或许",
    "大概",
    "恐怕",
    "可能",
    "难道",
    "莫非",
    "以为",
    "听说",
    "据说",
    "听人说",
    "说是",
    "谣",
    "传闻",
    "猜",
    "疑心",
    "怀疑",
    "相信",
    "盼",
    "希望",
    "但愿",
    "自称",
    "谎",
    "骗",
    "料想",
    "吗",
    "么？",
    "呢？",
    "假使",
];

/// Words by which a sentence looks back.
const LOOKS_BACK: [&str; 36] = [
    "想起",
    "记得",
    "回忆",
    "回想",
    "记忆",
    "忆起",
    "想到",
    "忘不了",
    "忘记",
    "怀念",
    "思念",
    "从前",
    "以前",
    "先前",
    "当年",
    "生前",
    "曾",
    "那时",
    "往日",
    "昔日",
    "往年",
    "昔年",
    "早年",
    "旧日",
    "往常",
    "平日",
    "活着",
    "在世",
    "在时",
    "年轻时",
    "小时候",
    "一向",
    "总是",
    "常常",
    "在过去",
    "当初",
];

fn has(text: &str, list: &[&str]) -> bool {
    list.iter().any(|word| text.contains(word))
}

/// Whether a sentence tells of something unreal.
pub(crate) fn is_unreal(text: &str) -> bool {
    has(text, &UNREAL)
}

/// Whether a sentence states what may be, or what somebody thinks or says.
pub(crate) fn is_hypothetical(text: &str) -> bool {
    has(text, &HYPOTHETICAL)
}

/// Whether a sentence looks back to an earlier time.
pub(crate) fn looks_back(text: &str) -> bool {
    has(text, &LOOKS_BACK)
}

/// The text of a sentence with spaces in the place of speech, byte for byte.
pub(crate) fn masked<'t>(sentence: &Sentence<'t>) -> Cow<'t, str> {
    if sentence.speech.is_empty() {
        return Cow::Borrowed(sentence.text);
    }
    let mut out = String::with_capacity(sentence.text.len());
    for (at, c) in sentence.text.char_indices() {
        if sentence.is_spoken(at) {
            out.extend(std::iter::repeat_n(' ', c.len_utf8()));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// A masked sentence with spaces in the place of names, byte for byte: 假洋鬼子 is no ghost.
pub(crate) fn without_names(sentence: &Sentence<'_>, masked: &str) -> String {
    let mut out = masked.to_owned();
    for mention in &sentence.mentions {
        if out.get(mention.range.clone()).is_some() {
            out.replace_range(mention.range.clone(), &" ".repeat(mention.range.len()));
        }
    }
    out
}

/// Whether a character ends a clause.
pub(crate) fn ends_clause(c: char) -> bool {
    matches!(
        c,
        '，' | '。'
            | '；'
            | '！'
            | '？'
            | '：'
            | ','
            | '.'
            | ';'
            | '!'
            | '?'
            | ':'
            | '“'
            | '”'
            | '「'
            | '」'
            | '『'
            | '』'
            | '—'
            | '…'
            | '\n'
            | '（'
            | '）'
            | '('
            | ')'
            | '　'
    )
}

/// The start of the clause of a byte.
pub(crate) fn clause_start(text: &str, at: usize) -> usize {
    text[..at].char_indices().rev().find(|(_, c)| ends_clause(*c)).map_or(0, |(place, c)| place + c.len_utf8())
}

/// The end of the clause of a byte.
pub(crate) fn clause_end(text: &str, at: usize) -> usize {
    text[at..].find(ends_clause).map_or(text.len(), |place| at + place)
}

/// Whether a name at a byte may be the subject of its clause: no preposition or verb of giving stands before it.
pub(crate) fn plain_subject(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end();
    !["比", "跟", "和", "与", "同", "给", "对", "向", "被", "把", "替", "为", "像", "叫", "让", "使"]
        .iter()
        .any(|word| before.ends_with(word))
}

/// The character that says the speech of a sentence, by a tag in it or in the next one: “……。”阿土说.
pub(crate) fn speaker(all: &[Sentence<'_>], number: usize) -> Option<usize> {
    let sentence = &all[number];
    if sentence.speech.is_empty() {
        return None;
    }
    let is_all_speech = masked(sentence).chars().all(|c| !c.is_alphanumeric());
    let next = all.get(number + 1).filter(|next| is_all_speech && next.is_beside(sentence) && next.speech.is_empty());
    tagged(next.unwrap_or(sentence), next.is_some())
}

/// The only character of which a tag of speech says that it speaks.
fn tagged(sentence: &Sentence<'_>, must_open: bool) -> Option<usize> {
    let text = masked(sentence);
    let mut tags = sentence.mentions.iter().filter(|mention| {
        let is_open = !must_open || text[..mention.range.start].trim().is_empty();
        if sentence.is_spoken(mention.range.start) || !is_open || !plain_subject(&text, mention.range.start) {
            return false;
        }
        let clause = text[mention.range.end..clause_end(&text, mention.range.end)].trim_end();
        let is_tag = ["说", "说道", "道", "喊", "叫道", "答", "回答", "告诉", "讲", "嚷", "叹", "说了", "说着"]
            .iter()
            .any(|verb| clause.ends_with(verb));
        is_tag && clause.chars().count() <= 8 && !clause.starts_with('的') && !clause.contains(['听', '知', '没', '不'])
    });
    let only = tags.next()?.entity;
    tags.all(|other| other.entity == only).then_some(only)
}
