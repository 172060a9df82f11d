//! Ages in Chinese sentences.

use std::ops::{Range, RangeInclusive};

use super::{MAX_AGE, Statement};
use crate::{
    numbers::{zh_number, zh_years},
    sentences::Sentence,
    zh::{ends_clause, is_hypothetical, is_unreal, masked, plain_subject, without_names},
};

/// Words that make an age an estimate, or deny it: before the number, and behind it.
const INEXACT_BEFORE: [&str; 16] = [
    "约",
    "大约",
    "将近",
    "快",
    "不到",
    "未满",
    "不满",
    "近",
    "不止",
    "上下",
    "看去",
    "看上去",
    "像",
    "似",
    "不是",
    "没有",
];
const INEXACT_BEHIND: [&str; 8] = ["多", "来", "几", "余", "左右", "上下", "开外", "出头"];
/// Words before a number that make it an age, also without 岁.
const AGE_BEFORE: [&str; 35] = [
    "年方",
    "年已",
    "年仅",
    "时年",
    "现年",
    "行年",
    "年纪是",
    "年龄是",
    "年满",
    "芳龄",
    "虚龄",
    "享年",
    "年",
    "年届",
    "正好",
    "刚好",
    "恰好",
    "虚岁",
    "周岁",
    "实岁",
    "已届",
    "年交",
    "刚满",
    "已满",
    "满了",
    "才满",
    "年逾",
    "年将",
    "已是",
    "已经",
    "刚刚",
    "岁数是",
    "年岁是",
    "岁数",
    "满",
];
/// Words around a year that make it another one.
const OTHER_YEAR: [&str; 8] = ["以前", "之前", "以后", "之后", "前", "后", "以来", "起"];

/// The ages that a sentence gives to the one character that its narration names.
pub(super) fn ages_in(all: &[Sentence<'_>], number: usize) -> Vec<Statement> {
    let sentence = &all[number];
    if sentence.mentions.is_empty() {
        return Vec::new();
    }
    let text = masked(sentence);
    let Some((ages, range)) = age(&text) else { return Vec::new() };
    let years = years(&text);
    let year = match years.as_slice() {
        [year] => Some(*year),
        [] => year_before(all, number),
        _ => None,
    };
    let nameless = without_names(sentence, &text);
    let statement = year.filter(|_| !is_unreal(&nameless) && !is_hypothetical(&nameless)).and_then(|year| {
        let entity = subject(sentence, &text, &range)?;
        Some(Statement { entity, sentence: number, range, year, ages })
    });
    statement.into_iter().collect()
}

/// The years of a text, each once, without those that only bound a time.
fn years(text: &str) -> Vec<u32> {
    let found = zh_years(text).into_iter().filter(|(_, range)| {
        !OTHER_YEAR.iter().any(|word| text[range.end..].starts_with(word)) || text[range.end..].starts_with("前后")
    });
    let mut years: Vec<u32> = found.map(|(year, _)| year).collect();
    years.dedup();
    years
}

/// The year of the sentence before, if it names a year and no character.
fn year_before(all: &[Sentence<'_>], number: usize) -> Option<u32> {
    let before = &all[number.checked_sub(1)?];
    let is_alone = before.is_beside(&all[number]) && before.mentions.is_empty() && before.text.chars().count() <= 16;
    match years(&masked(before)).as_slice() {
        [year] if is_alone => Some(*year),
        _ => None,
    }
}

/// The only age of a text, and its bytes.
fn age(text: &str) -> Option<(RangeInclusive<u32>, Range<usize>)> {
    let mut found: Option<(RangeInclusive<u32>, Range<usize>)> = None;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let Some((number, length)) = number_with_and(&text[at..]) else {
            if let Some(birth) = birth(&text[at..]) {
                if found.is_some() {
                    return None;
                }
                found = Some((0..=0, at..at + birth));
                at += birth;
                continue;
            }
            at += c.len_utf8();
            continue;
        };
        let end = at + length;
        let bounded = decade(text, at, end, number);
        let exact =
            || age_end(text, at, end).filter(|_| (1..=MAX_AGE).contains(&number)).map(|to| (number..=number, to));
        if let Some((ages, to)) = bounded.or_else(exact) {
            if found.as_ref().is_some_and(|(other, _)| *other != ages) {
                return None;
            }
            found = found.or(Some((ages, at..to)));
        }
        at = end;
    }
    found
}

/// A number, also with 有 between tens and ones: 四十有四.
fn number_with_and(text: &str) -> Option<(u32, usize)> {
    let (number, length) = zh_number(text)?;
    let and = text[length..].strip_prefix(['有', '又']).filter(|_| number % 10 == 0 && number >= 10);
    let ones = and.and_then(zh_number).filter(|(ones, _)| (1..10).contains(ones));
    Some(ones.map_or((number, length), |(ones, more)| (number + ones, length + '有'.len_utf8() + more)))
}

/// An age of which the words give the decade, 四十多岁, or a bound, 不到四十岁.
fn decade(text: &str, from: usize, to: usize, number: u32) -> Option<(RangeInclusive<u32>, usize)> {
    let (before, behind) = (&text[..from], &text[to..]);
    let is_decade = number >= 10 && number.is_multiple_of(10) && number <= 90;
    let word = ["多岁", "来岁", "几岁", "余岁", "岁出头", "出头", "岁开外", "开外"]
        .iter()
        .find(|word| behind.starts_with(**word));
    if let Some(word) = word.filter(|_| is_decade && !is_guess(before)) {
        let end = to + word.len();
        return (!text[end..].starts_with('的')).then_some((number..=number + 9, end));
    }
    let is_under = ["不到", "未满", "不满", "还没到", "还不到"].iter().any(|word| before.ends_with(word));
    (is_under && behind.starts_with('岁') && (1..=MAX_AGE).contains(&number) && !is_guess(before))
        .then(|| (0..=number - 1, to + '岁'.len_utf8()))
}

/// Whether words before an age make it a guess, a memory, or the distance of two ages.
fn is_guess(before: &str) -> bool {
    let clause =
        &before[before.rfind(ends_clause).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8))..];
    [
        "比",
        "相差",
        "年长",
        "看起来",
        "看上去",
        "看去",
        "像",
        "似",
        "估",
        "猜",
        "显得",
        "想起",
        "记得",
        "回忆",
        "回想",
        "忆起",
        "讲起",
        "说起",
        "提起",
        "梦",
        "以为",
    ]
    .iter()
    .any(|word| clause.contains(word))
}

/// The length of words of birth at the start of a text.
fn birth(text: &str) -> Option<usize> {
    let word = [
        "出生",
        "生于",
        "诞生",
        "降生",
        "呱呱坠地",
        "出世",
        "年生的",
        "年生人",
        "年所生",
        "生在",
        "落地",
        "来到人世",
        "来到世上",
        "来到这世上",
    ]
    .iter()
    .find(|word| text.starts_with(**word))?;
    Some(word.len())
}

/// The end of the words of an age, whose number is at a range; `None` if the number is none.
fn age_end(text: &str, from: usize, to: usize) -> Option<usize> {
    let (before, behind) = (&text[..from], &text[to..]);
    if is_guess(before)
        || INEXACT_BEFORE.iter().any(|word| before.ends_with(word))
        || INEXACT_BEHIND.iter().any(|word| behind.starts_with(word))
    {
        return None;
    }
    if let Some(rest) = ["岁", "周岁"].iter().find_map(|word| behind.strip_prefix(word)) {
        let is_other = ["月", "多", "左右", "上下", "开外", "出头", "的儿", "的女", "的孩"]
            .iter()
            .any(|word| rest.starts_with(word));
        return (!is_other).then_some(text.len() - rest.len());
    }
    // 四十有四 is an age by its form.
    let is_age = AGE_BEFORE.iter().any(|word| before.ends_with(word)) || text[from..to].contains('有');
    let is_end = behind.is_empty() || behind.starts_with(['，', '。', '；', '了', '！', '、', ',', '的']);
    // 一九一一年二十三 is a date that goes on, and not an age.
    let is_plain_year = before.ends_with('年') && zh_years(before).last().is_some_and(|(_, range)| range.end == from);
    (is_age && is_end && !is_plain_year).then_some(to)
}

/// The character whose age it is: the only one of the sentence, and not the owner of somebody else.
fn subject(sentence: &Sentence<'_>, text: &str, age: &Range<usize>) -> Option<usize> {
    let mut mentions = sentence.mentions.iter().filter(|one| !sentence.is_spoken(one.range.start));
    let first = mentions.next()?;
    if mentions.any(|other| other.entity != first.entity) {
        return None;
    }
    let behind = &text[first.range.end..];
    // 娶了一个四十四岁的女人: the age is that of the noun behind it.
    if let Some(rest) = text[age.end..].strip_prefix('的').filter(|_| first.range.end <= age.start) {
        let is_said_of =
            text[first.range.end..age.start].contains('是') && !text[first.range.end..age.start].contains('的');
        let is_time = ["时候", "寿", "大寿", "那年", "年纪", "生日", "那一年", "春", "夏", "秋", "冬"]
            .iter()
            .any(|word| rest.starts_with(word));
        if !is_said_of && !is_time {
            return None;
        }
    }
    // 她的丈夫四十四岁: somebody else stands between.
    if first.range.end <= age.start
        && [
            "丈夫", "妻子", "父亲", "母亲", "儿子", "女儿", "哥哥", "弟弟", "姐姐", "妹妹", "孩子", "媳妇", "老婆",
            "老伴", "爷爷", "奶奶",
        ]
        .iter()
        .any(|word| text[first.range.end..age.start].contains(word))
    {
        return None;
    }
    let is_own = match behind.strip_prefix('的').or_else(|| behind.strip_prefix('家')) {
        None => true,
        Some(rest) => {
            let is_age_word = ["年纪", "年龄", "岁数", "生日", "生辰"].iter().any(|word| rest.starts_with(word));
            is_age_word || text.len() - rest.len() == age.start && text[age.end..].starts_with("生日")
        }
    };
    (is_own && plain_subject(text, first.range.start)).then_some(first.entity)
}
