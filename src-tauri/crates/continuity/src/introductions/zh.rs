//! Introductions in Chinese sentences.

use std::{borrow::Cow, ops::Range};

use palimpsest_reader::mentions::Mention;

use super::{Encounter, Introductions, Naming, Narration, Role, introductions_of};
use crate::{
    sentences::{Sentence, leads_back},
    zh::{clause_end, clause_start, is_hypothetical, is_unreal, masked, plain_subject, without_names},
};

/// Most bytes between the words for a new person and a name: ten Han characters.
const MAX_PHRASE: usize = 30;
/// Words by which somebody new comes.
const NEW: [&str; 14] = [
    "一个",
    "一位",
    "一名",
    "有个",
    "有位",
    "有名",
    "来了个",
    "来了位",
    "另一个",
    "某个",
    "这么个",
    "是个",
    "个姓",
    "位姓",
];
/// Words before a name that say that it is one.
const LABELS: [&str; 9] = ["名叫", "叫做", "叫作", "叫", "唤作", "名唤", "名为", "名字是", "名字叫"];
/// Professions and relations. The first one of a phrase is its role, so that the longer ones stand before their parts.
const ROLES: [&str; 60] = [
    "司机",
    "医生",
    "大夫",
    "郎中",
    "老师",
    "教书先生",
    "律师",
    "木匠",
    "铁匠",
    "石匠",
    "裁缝",
    "厨子",
    "厨师",
    "船夫",
    "船老大",
    "水手",
    "渔夫",
    "渔民",
    "农夫",
    "农民",
    "商人",
    "掌柜",
    "伙计",
    "老板",
    "学生",
    "教授",
    "警察",
    "士兵",
    "军官",
    "将军",
    "护士",
    "和尚",
    "道士",
    "尼姑",
    "记者",
    "画家",
    "画师",
    "诗人",
    "猎人",
    "猎户",
    "牧羊人",
    "仆人",
    "丫鬟",
    "管家",
    "账房",
    "邮差",
    "屠夫",
    "小偷",
    "乞丐",
    "秀才",
    "县官",
    "捕快",
    "工人",
    "秘书",
    "科长",
    "护林员",
    "表弟",
    "表妹",
    "表哥",
    "侄子",
];
const MEN: [&str; 12] =
    ["男人", "男子", "汉子", "小伙", "男孩", "老头", "老汉", "后生", "少年", "男青年", "老者", "公子"];
const WOMEN: [&str; 9] = ["女人", "女子", "姑娘", "女孩", "妇人", "老太太", "少女", "女学生", "小姐"];
/// Nouns that tell no person from another one.
const PEOPLE: [&str; 13] = [
    "年轻人",
    "中年人",
    "陌生人",
    "外乡人",
    "外地人",
    "过路人",
    "客人",
    "房客",
    "来人",
    "孩子",
    "家伙",
    "旅人",
    "女的",
];
/// Parts of verbs, which no noun has.
const VERBS: [&str; 5] = ["来", "去", "走", "坐", "站"];
/// Words by which a sentence tells of an earlier time.
const EARLIER: [&str; 20] = [
    "想起",
    "记得",
    "回忆",
    "回想",
    "那年",
    "当年",
    "曾",
    "那时",
    "当初",
    "小时候",
    "从前",
    "早年",
    "往年",
    "年轻时",
    "几年",
    "多年",
    "再",
    "又",
    "外号",
    "绰号",
];
/// Words for a first meeting; the verb stands behind them.
const FIRST: [&str; 6] = ["第一次", "头一次", "头一回", "第一回", "初次", "首次"];
const MEETS: [&str; 9] = ["见到", "见面", "遇见", "遇到", "碰见", "碰到", "相识", "相见", "见"];
/// Words by which two people have not met.
const STRANGERS: [&str; 9] =
    ["从没见过", "从未见过", "从来没见过", "从来没有见过", "还没见过", "素不相识", "互不相识", "素未谋面", "从不认识"];
/// Words between two names by which the first has to do with the second.
const CONTACTS: [&str; 38] = [
    "和",
    "跟",
    "与",
    "同",
    "对",
    "向",
    "朝",
    "给",
    "问",
    "告诉",
    "拉着",
    "拉住",
    "扶着",
    "扶起",
    "抱着",
    "抱住",
    "牵着",
    "搂着",
    "陪",
    "陪着",
    "送",
    "递给",
    "递给了",
    "谢过",
    "谢了",
    "救了",
    "扶",
    "背着",
    "拦住",
    "叫住",
    "喊住",
    "推了推",
    "拍了拍",
    "瞪了",
    "嫁给",
    "娶了",
    "骂了",
    "打了",
];
/// Most characters between two names of which the first hands something to the second.
const MAX_HANDED: usize = 9;
/// Words behind a name after which it is no subject that acts.
const NO_ACTS: [&str; 22] = [
    "的", "是", "有", "在", "也", "曾", "、", "和", "与", "跟", "同", "死", "还", "没", "不", "从", "家", "本", "原",
    "这", "那", "之",
];

/// The narration of a sentence, with and without its names.
struct Chinese<'t> {
    text: Cow<'t, str>,
    nameless: String,
}

pub(super) fn introductions_in(sentence: &Sentence<'_>) -> Introductions {
    let text = masked(sentence);
    let nameless = without_names(sentence, &text);
    let is_question = sentence.text.trim_end().ends_with(['？', '?']);
    let is_unsure = is_unreal(&nameless) || is_hypothetical(&nameless) || has_any(&nameless, &EARLIER);
    if is_question || is_unsure || leads_back(sentence) {
        return Introductions::default();
    }
    introductions_of(sentence, &Chinese { text, nameless })
}

impl Narration for Chinese<'_> {
    fn naming(&self, mention: &Mention) -> Option<Naming> {
        naming(&self.text, mention)
    }

    fn act_of(&self, mention: &Mention) -> Option<Range<usize>> {
        words_of_act(&self.text, mention)
    }

    fn meeting(&self, mentions: &[&Mention]) -> Option<Encounter> {
        meeting(&self.text, &self.nameless, mentions)
    }

    fn contact(&self, one: &Mention, other: &Mention) -> Option<Encounter> {
        contact(&self.text, one, other)
    }
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// 一个叫周明的司机, 来了个司机，名叫周明.
fn naming(text: &str, mention: &Mention) -> Option<Naming> {
    let before = text.get(..mention.range.start)?;
    let label = LABELS.iter().find(|label| before.ends_with(*label))?;
    let before = &before[..before.len() - label.len()];
    let reach = before.char_indices().rev().take_while(|(at, _)| before.len() - at <= MAX_PHRASE).last()?.0;
    let near = &before[reach..];
    let (at, _) = NEW.iter().filter_map(|word| Some((near.rfind(word)?, word))).max_by_key(|(at, _)| *at)?;
    let from = reach + at;
    let after = text.get(mention.range.end..)?;
    // Behind the name only 的 continues the noun phrase.
    let end = match after.strip_prefix('的') {
        Some(_) => clause_end(text, mention.range.end),
        None => mention.range.end,
    };
    let phrase = [&text[from..mention.range.start], &text[mention.range.end..end]];
    let first = |words: &[&str]| {
        let in_phrase = |word: &&&str| phrase.iter().any(|part| part.contains(**word));
        words.iter().find(in_phrase).map(|word| (*word).to_owned())
    };
    let role = match (first(&ROLES), first(&MEN), first(&WOMEN)) {
        (Some(noun), ..) => Role::Noun(noun),
        (None, Some(_), None) => Role::Man,
        (None, None, Some(_)) => Role::Woman,
        (None, None, None) => other_noun(&phrase),
        _ => Role::Person,
    };
    // A boat, a village and a dog are called something too.
    let is_thing = ["村", "镇", "城", "山", "河", "船", "狗", "猫", "马", "店", "地方", "书", "岛", "小说"];
    if role == Role::Person && phrase.iter().any(|part| has_any(part, &is_thing)) {
        return None;
    }
    Some(Naming { entity: mention.entity, range: from..mention.range.end, role })
}

/// The noun of a phrase that is in no list: behind 的 after the name, or before the label.
fn other_noun([before, after]: &[&str; 2]) -> Role {
    let new = NEW.iter().filter(|word| before.starts_with(*word)).max_by_key(|word| word.len());
    let before = new.and_then(|word| before.strip_prefix(*word)).unwrap_or(before);
    let label = LABELS.iter().find_map(|label| before.strip_suffix(label)).unwrap_or(before);
    let nouns = [after.trim_matches('的'), label.trim_end_matches(['，', '、', ' '])];
    let noun = nouns.iter().map(|noun| noun.rsplit('的').next().unwrap_or_default()).find(|noun| !noun.is_empty());
    let is_noun =
        |noun: &&str| (2..=4).contains(&noun.chars().count()) && !PEOPLE.contains(noun) && !has_any(noun, &VERBS);
    noun.filter(is_noun).map_or(Role::Person, |noun| Role::Noun(noun.to_owned()))
}

/// The name at the start of a clause, with a predicate behind it.
fn words_of_act(text: &str, mention: &Mention) -> Option<Range<usize>> {
    let start = clause_start(text, mention.range.start);
    let end = clause_end(text, mention.range.end);
    let is_first = text.get(start..mention.range.start)?.trim().is_empty();
    let behind = text.get(mention.range.end..end)?;
    let is_act =
        behind.chars().count() >= 2 && !behind.starts_with(' ') && !NO_ACTS.iter().any(|word| behind.starts_with(word));
    (is_first && is_act).then(|| mention.range.start..mention.range.end + behind.trim_end().len())
}

/// 小满第一次见到周明, 小满从没见过周明, 小满和周明素不相识.
fn meeting(text: &str, bare: &str, mentions: &[&Mention]) -> Option<Encounter> {
    let [one, other] = mentions else { return None };
    let end = clause_end(text, other.range.end);
    let clause = bare.get(clause_start(text, one.range.start)..end)?;
    let first = FIRST.iter().find_map(|word| Some(clause.find(word)? + word.len())).map(|at| &clause[at..]);
    let meets = first.is_some_and(|rest| {
        let rest = rest.trim_start();
        MEETS.iter().any(|verb| rest.starts_with(verb) || rest.chars().skip(1).collect::<String>().starts_with(verb))
    });
    let are_strangers = has_any(clause, &STRANGERS);
    // 第一次见到周明流泪 is no meeting.
    let behind = text.get(other.range.end..end)?.trim();
    let is_whole = ["", "时", "的时候", "是在", "以前", "之前"].contains(&behind)
        || FIRST.iter().chain(&STRANGERS).any(|word| behind.starts_with(word));
    let is_owned = text[one.range.end..].starts_with('的');
    let is_meeting = (meets || are_strangers) && is_whole && !is_owned;
    let range = one.range.start..end;
    is_meeting.then(|| Encounter::new(one.entity, other.entity, range)).flatten()
}

/// 小满对周明说, 小满和周明走了.
fn contact(text: &str, one: &Mention, other: &Mention) -> Option<Encounter> {
    let between = text.get(one.range.end..other.range.start)?;
    let behind = text.get(other.range.end..clause_end(text, other.range.end))?;
    // 周明把钥匙递给了小满
    let hands = between.starts_with('把')
        && between.chars().count() <= MAX_HANDED
        && ["递给", "递给了", "交给", "交给了", "还给", "还给了"].iter().any(|verb| between.ends_with(verb));
    let is_contact = (hands || CONTACTS.contains(&between)) && plain_subject(text, one.range.start);
    let is_stated = !behind.starts_with(['的', '不', '没', '、', '是']) && !behind.starts_with("之间");
    // 小满和周明 alone says nothing; 小满拉住周明 does.
    let is_joined = hands || between.chars().count() >= 2 || !behind.is_empty();
    let range = one.range.start..other.range.end;
    (is_contact && is_stated && is_joined).then(|| Encounter::new(one.entity, other.entity, range)).flatten()
}
