//! Words that say what a question asserts, in both languages.

use std::{collections::HashMap, sync::OnceLock};

use super::{QuestionClass, phrases::Phrases};

/// The meaning of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Question(QuestionClass),
    Negation,
    /// An ordinary word, or several that are one.
    Word,
    /// Nothing: in this place, the phrase does not change a question.
    Filler(Place),
}

/// Where a phrase does not change a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Anywhere,
    Beginning,
    /// Directly after a question word: what exactly.
    AfterQuestionWord,
    /// At the beginning or after a name, and not as a verb: 梅到底了吗.
    Emphasis,
}

/// A meaning, and the form that phrases of the same meaning share.
pub(super) type Entry = (Meaning, &'static str);

use Meaning::{Filler, Negation, Question};

/// Phrases of one meaning: the first of them is the shared form.
const SYNONYMS: &[(Meaning, &[&str])] = &[
    (Question(QuestionClass::Who), &["who", "whom"]),
    (Question(QuestionClass::Who), &["whose"]),
    (Question(QuestionClass::What), &["what"]),
    (Question(QuestionClass::What), &["which"]),
    (Question(QuestionClass::When), &["when", "what time", "at what time", "at what point"]),
    (Question(QuestionClass::Where), &["where", "what place", "in what place", "in which place", "at what place"]),
    (Question(QuestionClass::Why), &["why", "how come", "for what reason", "for which reason"]),
    (Question(QuestionClass::How), &["how", "in what way", "in which way", "in what manner"]),
    (Question(QuestionClass::HowMany), &["how many", "what number of"]),
    (Question(QuestionClass::HowMany), &["how much"]),
    (Question(QuestionClass::How), &["how long", "for how long"]),
    (Question(QuestionClass::How), &["how old"]),
    (Question(QuestionClass::What), &["what color", "what colour", "which color", "which colour"]),
    (Question(QuestionClass::What), &["what kind of", "what sort of", "what type of"]),
    (Question(QuestionClass::What), &["which chapter", "what chapter"]),
    (Question(QuestionClass::Who), &["谁", "什么人", "哪个人", "何人"]),
    (Question(QuestionClass::What), &["什么", "啥", "何物", "什么东西"]),
    (Question(QuestionClass::What), &["哪", "哪个", "哪1个"]),
    (Question(QuestionClass::What), &["哪些"]),
    (Question(QuestionClass::What), &["第几章", "哪1章", "哪章", "第几回"]),
    (Question(QuestionClass::When), &["什么时候", "何时", "啥时候", "几时", "什么时间", "何时候"]),
    (Question(QuestionClass::Where), &["哪里", "哪儿", "何处", "什么地方", "啥地方", "何地", "哪个地方"]),
    (Question(QuestionClass::Why), &["为什么", "为何", "为啥", "什么原因", "因为什么", "因何"]),
    (Question(QuestionClass::Why), &["怎么会"]),
    (Question(QuestionClass::How), &["如何", "怎样", "怎么样"]),
    (Question(QuestionClass::How), &["怎么"]),
    (Question(QuestionClass::HowMany), &["多少"]),
    (Question(QuestionClass::HowMany), &["几"]),
    (Question(QuestionClass::How), &["多久", "多长时间"]),
    (Question(QuestionClass::How), &["多大"]),
    (Question(QuestionClass::How), &["多远"]),
    (Question(QuestionClass::What), &["几岁", "多大岁数", "多大年纪"]),
    (Question(QuestionClass::YesNo), &["吗"]),
    (Negation, &["not"]),
    (Negation, &["never"]),
    (Negation, &["no"]),
    (Negation, &["none"]),
    (Negation, &["no one", "nobody"]),
    (Negation, &["nothing"]),
    (Negation, &["nowhere"]),
    (Negation, &["neither"]),
    (Negation, &["nor"]),
    (Negation, &["without"]),
    (Negation, &["hardly"]),
    (Negation, &["no longer"]),
    (Negation, &["没", "没有"]),
    (Negation, &["不"]),
    (Negation, &["未", "未曾", "不曾"]),
    (Negation, &["从未", "从没", "从来没", "从来没有"]),
    (Negation, &["从不", "从来不"]),
    (Negation, &["无"]),
    (Negation, &["非"]),
    (Negation, &["勿"]),
    (Negation, &["别"]),
    (Negation, &["莫"]),
    // Compounds in which a negation is none.
    (Meaning::Word, &["不过"]),
    (Meaning::Word, &["不久"]),
    (Meaning::Word, &["不得不"]),
    (Meaning::Word, &["不仅"]),
    (Meaning::Word, &["不但"]),
    (Meaning::Word, &["不断"]),
    (Meaning::Word, &["不少"]),
    (Meaning::Word, &["差不多"]),
    (Meaning::Word, &["对不起"]),
    (Meaning::Word, &["时不时"]),
    (Meaning::Word, &["动不动"]),
    (Meaning::Word, &["忍不住"]),
    (Meaning::Word, &["无论"]),
    (Meaning::Word, &["未来"]),
    (Meaning::Word, &["未婚"]),
    (Meaning::Word, &["非常"]),
    (Meaning::Word, &["别人"]),
    (Meaning::Word, &["别的"]),
    (Meaning::Word, &["特别"]),
    (Meaning::Word, &["告别"]),
    (Meaning::Word, &["分别"]),
    (Meaning::Word, &["莫非"]),
    (Meaning::Word, &["除非"]),
    // Words of one meaning.
    (Meaning::Word, &["kill", "killed", "murder", "murdered", "slay", "slew", "slain"]),
    (Meaning::Word, &["color", "colour"]),
    (Meaning::Word, &["gray", "grey"]),
    (Meaning::Word, &["father", "dad"]),
    (Meaning::Word, &["mother", "mom", "mum"]),
    (Meaning::Word, &["die", "died", "dies", "pass away", "passed away"]),
    (Meaning::Word, &["happen", "happened", "occur", "occurred", "take place", "took place"]),
    (Meaning::Word, &["begin", "began", "begun", "start", "started", "commence", "commenced"]),
    (Meaning::Word, &["buy", "bought", "purchase", "purchased"]),
    (Meaning::Word, &["large", "big"]),
    (Meaning::Word, &["reside", "resided", "live", "lived"]),
    (Meaning::Word, &["shut", "close", "closed"]),
    (Meaning::Word, &["child", "kid"]),
    (Meaning::Word, &["get married to", "got married to", "marry", "married"]),
    (Meaning::Word, &["杀", "杀死", "杀害", "谋杀"]),
    (Meaning::Word, &["父亲", "爸爸", "爹"]),
    (Meaning::Word, &["母亲", "妈妈", "娘亲"]),
    (Meaning::Word, &["死", "去世", "死去", "逝世", "过世"]),
    (Meaning::Word, &["知道", "晓得", "知晓"]),
    (Meaning::Word, &["妻子", "老婆", "太太"]),
    (Meaning::Word, &["丈夫", "老公"]),
    (Meaning::Word, &["孩子", "小孩", "小孩子"]),
    (Meaning::Word, &["名字", "姓名"]),
    (Meaning::Word, &["告诉", "告知"]),
    (Meaning::Word, &["遇见", "遇到", "碰见"]),
    (Meaning::Word, &["之前", "以前"]),
    (Meaning::Word, &["之后", "以后"]),
    (Meaning::Word, &["里", "里面", "之中", "里头"]),
    (Meaning::Word, &["第1次", "首次", "初次"]),
    // Phrases that do not change a question.
    (
        Filler(Place::Anywhere),
        &["the", "in this book", "in the novel", "in this novel", "in my novel", "in this story"],
    ),
    (Filler(Place::Anywhere), &["in my book", "in the manuscript", "in my manuscript", "小说里", "小说中", "在小说里"]),
    (Filler(Place::Anywhere), &["在小说中", "故事里", "故事中", "在故事里", "在故事中", "本书中", "这本书里"]),
    (Filler(Place::Beginning), &["in the book", "in the story", "according to the book", "书里", "书中", "文中"]),
    (Filler(Place::Beginning), &["在书里", "在书中", "原文里", "原文中"]),
    (Filler(Place::AfterQuestionWord), &["exactly", "precisely"]),
    (Filler(Place::Emphasis), &["到底", "究竟"]),
];

/// Opposites, each pair once.
const OPPOSITES: &str = "\
before after|alive dead|live die|living dead|life death|birth death|first last|1th last|left right|up down|in out|\
inside outside|above below|over under|early late|earlier later|old young|older younger|elder younger|oldest youngest|\
eldest youngest|large small|large little|long short|tall short|high low|good bad|good evil|better worse|best worst|\
right wrong|true false|truth lie|love hate|friend enemy|ally enemy|win lose|buy sell|give take|open shut|begin end|\
begin stop|beginning end|arrive leave|come go|enter leave|more less|most least|many few|more fewer|always never|\
all none|everyone nobody|everything nothing|male female|man woman|men women|boy girl|husband wife|father mother|\
son daughter|brother sister|king queen|prince princess|uncle aunt|north south|east west|day night|morning evening|\
rich poor|strong weak|hot cold|warm cold|white black|light dark|guilty innocent|same different|remember forget|\
accept refuse|with without|to from|push pull|next previous|past future|full empty|hide reveal|hide show|believe doubt|\
heavy light|near far|fast slow|new old|public secret|war peace|hero villain|teacher student|master servant|\
parent child|forward backward|agree disagree|like dislike|appear disappear|marry divorce|save kill|help hinder|\
can cannot|willing unwilling|known unknown|happy sad|happy unhappy|begin finish|ask answer|until since|\
sunrise sunset|dawn dusk|top bottom|front back|rise fall|raise lower|lock unlock|find lose|keep lose|send receive|\
之前 之后|前 后|前面 后面|从前 以后|活 死|生 死|首 末|1 最后|第1 最后|左 右|上 下|里 外|内 外|大 小|多 少|高 低|高 矮|\
长 短|早 晚|老 少|老 年轻|男 女|父亲 母亲|父 母|兄 弟|哥哥 弟弟|姐姐 妹妹|哥哥 姐姐|弟弟 妹妹|儿子 女儿|妻子 丈夫|爱 恨|敌 友|\
敌人 朋友|来 去|来 走|进 出|开 关|开始 结束|赢 输|胜 败|买 卖|给 拿|送 收|真 假|对 错|好 坏|善 恶|新 旧|黑 白|东 西|南 北|昼 夜|\
白天 晚上|白天 夜里|贫 富|穷 富|强 弱|冷 热|快 慢|记得 忘记|相信 怀疑|接受 拒绝|同意 反对|升 降|始 终|离开 回来|离开 到达|\
轻 重|远 近|深 浅|胖 瘦|明 暗|公开 秘密|战争 和平|老师 学生|主人 仆人|结婚 离婚|救 杀|帮 害|问 答|喜欢 讨厌|有 没|是 非|哭 笑|\
高兴 难过|出生 去世|生前 死后|先 后|向 从|到 从|最早 最晚|最先 最后|第1次 最后1次|上午 下午|早上 晚上|国王 王后|藏 露|得 失|\
前夕 次日|昨天 明天|去年 明年|过去 未来|过去 将来|进去 出来|回 离|男孩 女孩|男人 女人|叔叔 阿姨|爷爷 奶奶|开门 关门|醒 睡";

/// English forms and the verb they are forms of. Forms that are words of their own (left, found, saw, lay) are missing
/// where that word is common in questions.
const IRREGULAR: &str = "\
knew know|known know|told tell|gave give|given give|took take|taken take|went go|gone go|came come|saw see|seen see|\
found find|thought think|said say|made make|met meet|kept keep|lost lose|won win|wrote write|written write|\
spoke speak|spoken speak|stole steal|stolen steal|hid hide|hidden hide|brought bring|caught catch|taught teach|\
fought fight|sold sell|sent send|slept sleep|broke break|broken break|chose choose|chosen choose|drove drive|\
driven drive|ate eat|eaten eat|forgot forget|forgotten forget|became become|heard hear|held hold|led lead|paid pay|\
ran run|sang sing|sank sink|sat sit|stood stand|swore swear|sworn swear|threw throw|thrown throw|understood understand|\
wore wear|worn wear|wept weep|woke wake|burnt burn|drank drink|drew draw|drawn draw|flew fly|flown fly|grew grow|\
grown grow|rode ride|ridden ride|rang ring|shot shoot|struck strike|swam swim|tore tear|torn tear|built build|\
betrayed betray|married marry|buried bury|carried carry|tried try|cried cry|lied lie|tied tie|learnt learn|learned learn";

/// Forms of the past in the table of synonyms that do not end with `ed`.
pub(super) const IRREGULAR_SYNONYMS: &[&str] = &["slew", "slain", "took", "began", "begun", "bought", "got"];

/// The phrases of both languages, with numbers as they are after folding.
pub(super) fn phrases() -> &'static Phrases<Entry> {
    static TABLE: OnceLock<Phrases<Entry>> = OnceLock::new();
    TABLE.get_or_init(|| {
        Phrases::new(SYNONYMS.iter().flat_map(|(meaning, phrases)| {
            let shared = phrases.first().copied().unwrap_or_default();
            phrases.iter().map(move |phrase| (*phrase, (*meaning, shared)))
        }))
    })
}

/// Whether two words are opposites.
pub(crate) fn are_opposites(one: &str, other: &str) -> bool {
    opposites().get(one).is_some_and(|of| of.contains(&other))
}

/// Whether a word has an opposite.
pub(super) fn has_opposite(word: &str) -> bool {
    opposites().contains_key(word)
}

fn opposites() -> &'static HashMap<&'static str, Vec<&'static str>> {
    static TABLE: OnceLock<HashMap<&'static str, Vec<&'static str>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<&str, Vec<&str>> = HashMap::new();
        for (one, other) in OPPOSITES.split('|').filter_map(|pair| pair.split_once(' ')) {
            table.entry(one).or_default().push(other);
            table.entry(other).or_default().push(one);
        }
        table
    })
}

/// The verb that an irregular form is a form of.
pub(super) fn irregular(form: &str) -> Option<&'static str> {
    static TABLE: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    TABLE.get_or_init(|| IRREGULAR.split('|').filter_map(|pair| pair.split_once(' ')).collect()).get(form).copied()
}
