//! Ages in Chinese sentences.

use std::ops::{Range, RangeInclusive};

use super::{MAX_AGE, Statement, When};
use crate::{
    numbers::{zh_number, zh_years},
    sentences::Sentence,
    zh::{
        clause_end, ends_clause, is_hypothetical, is_unreal, looks_back, masked, plain_subject, speaker, without_names,
    },
};

/// Words for stages of life, with the age that each means and the years on either side that it permits.
const STAGES: [(&str, u32, u32); 20] = [
    ("垂髫", 6, 3),
    ("总角", 11, 3),
    ("豆蔻", 13, 2),
    ("及笄", 15, 1),
    ("束发", 15, 2),
    ("二八", 16, 1),
    ("弱冠", 20, 2),
    ("花信", 24, 2),
    ("而立", 30, 2),
    ("不惑", 40, 3),
    ("知天命", 50, 3),
    ("天命", 50, 3),
    ("半百", 50, 2),
    ("花甲", 60, 2),
    ("耳顺", 60, 2),
    ("古稀", 70, 3),
    ("耄耋", 85, 10),
    ("鲐背", 90, 3),
    ("期颐", 100, 3),
    ("百岁", 100, 1),
];
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
const AGE_BEFORE: [&str; 44] = [
    "岁数是",
    "岁数恰好是",
    "岁数正好是",
    "年纪恰好是",
    "年纪正好是",
    "今年",
    "今年才",
    "今年刚",
    "今年已",
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
    let mut found: Vec<Statement> = spoken_age(all, number).into_iter().collect();
    if sentence.mentions.is_empty() {
        return found;
    }
    let text = masked(sentence);
    let Some((ages, range)) = age(&text) else { return found };
    let years = years(&text);
    let time = match years.as_slice() {
        [year] => When::Year(*year),
        [] => year_before(all, number)
            .map(When::Year)
            .or_else(|| years_later(all, number, &text).map(When::Later))
            .unwrap_or(When::Now),
        _ => return found,
    };
    let nameless = without_names(sentence, &text);
    if is_unreal(&nameless) {
        return found;
    }
    let is_doubtful = is_hypothetical(&nameless);
    // Without a year, what looks back is of an unknown time; a birth is so always.
    let is_memory = || {
        looks_back(&nameless)
            || *ages.end() == 0
            || ["那年", "那一年", "时候", "时，", "上，"].iter().any(|word| text[range.end..].starts_with(word))
            || text[range.end..].starts_with('时')
            || text[..range.start].contains("自从")
    };
    let time = match time {
        When::Year(_) if is_doubtful => return found,
        When::Now if is_doubtful || is_memory() => When::Unknown,
        When::Later(_) if is_doubtful || is_memory() => When::Unknown,
        time => time,
    };
    found.extend(subject(sentence, &text, &range).map(|entity| Statement {
        entity,
        sentence: number,
        is_after_memory: is_after_memory(all, number),
        range,
        time,
        ages,
    }));
    found
}

/// Whether one of the two sentences before looks back, so that what follows may belong to a memory.
fn is_after_memory(all: &[Sentence<'_>], number: usize) -> bool {
    let before = all[number.saturating_sub(2)..number].iter().filter(|one| one.chapter == all[number].chapter);
    before.into_iter().any(|one| looks_back(&masked(one)))
}

/// The age that a character says of itself: “我今年二十六。”阿土说.
fn spoken_age(all: &[Sentence<'_>], number: usize) -> Option<Statement> {
    let (entity, sentence) = (speaker(all, number)?, &all[number]);
    let speech = sentence.speech.first()?.start..sentence.speech.last()?.end;
    let said = &sentence.text[speech.clone()];
    let own = ["我今年", "我已经", "我都", "我才", "我刚满", "我"].iter().find_map(|word| {
        let at = said.find(word)? + word.len();
        let (age, length) = zh_number(&said[at..]).filter(|(age, _)| (3..=MAX_AGE).contains(age))?;
        let behind = &said[at + length..];
        let is_age = behind.starts_with('岁') || word.len() > "我".len() && behind.starts_with(['，', '。', '了', ',']);
        is_age.then_some((age, speech.start + at..speech.start + at + length))
    });
    let (age, range) = own?;
    let is_present = |(_, year): &&(u32, Range<usize>)| said[..year.start].ends_with(['是', '今']);
    let time = zh_years(said).iter().find(is_present).map_or(When::Now, |(year, _)| When::Year(*year));
    Some(Statement { entity, sentence: number, range, time, ages: age..=age, is_after_memory: false })
}

/// The years between the text before and a sentence: 三年之后, 又过了五年, 转过年来; in the sentence
/// itself or in a short one before it.
fn years_later(all: &[Sentence<'_>], number: usize, text: &str) -> Option<u32> {
    later_in(text).or_else(|| {
        let before = number.checked_sub(1).map(|before| &all[before]).filter(|one| one.is_beside(&all[number]))?;
        let is_short = before.mentions.is_empty() && before.text.chars().count() <= 12;
        later_in(&masked(before)).filter(|_| is_short)
    })
}

fn later_in(text: &str) -> Option<u32> {
    let next_year = ["第二年", "次年", "翌年", "转年", "转过年", "过了年", "来年", "隔年", "明年"];
    let begins = |at: usize| text[..at].trim_end().is_empty() || text[..at].ends_with(ends_clause);
    if next_year.iter().any(|word| text.find(word).is_some_and(begins)) {
        return Some(1);
    }
    text.match_indices('年').find_map(|(at, mark)| {
        let digits = text[..at].char_indices().rev().take_while(|(_, c)| zh_number(&c.to_string()).is_some());
        let start = digits.last()?.0;
        let (number, length) = zh_number(&text[start..at]).filter(|(number, _)| (1..=90).contains(number))?;
        let (before, behind) = (&text[..start], &text[at + mark.len()..]);
        let is_passed = ["过了", "过去了", "一晃", "转眼", "一过", "又过", "再过", "隔了"]
            .iter()
            .any(|word| before.ends_with(word));
        let is_later = ["之后", "以后", "后", "过去", "过后"].iter().any(|word| behind.starts_with(word));
        (length == at - start && (is_passed || is_later && begins(start))).then_some(number)
    })
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
        let classical = (!is_guess(&text[..at])).then(|| classical(text, at)).flatten();
        if let Some((ages, to)) = classical {
            if found.as_ref().is_some_and(|(other, _)| *other != ages) {
                return None;
            }
            found = found.or(Some((ages, at..to)));
            at = to;
            continue;
        }
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

/// A word for a stage of life at a byte, 弱冠, with the ages that it means: it ends its clause or its noun, or a word of
/// age stands before it.
fn classical(text: &str, at: usize) -> Option<(RangeInclusive<u32>, usize)> {
    let (before, rest) = (&text[..at], &text[at..]);
    let (word, age, slack) = STAGES.iter().find(|(word, ..)| rest.starts_with(word))?;
    let end = at + word.len();
    let is_near = ["年近", "将近", "年将", "行将", "快到", "快", "近"].iter().any(|word| before.ends_with(word));
    let is_past = ["年逾", "年过", "已过", "早过", "过了"].iter().any(|word| before.ends_with(word));
    let is_age = is_near
        || is_past
        || ["年方", "年届", "年已", "已届", "刚及", "方及", "正值", "年", "才", "刚", "已", "未及", "到了", "及"]
            .iter()
            .any(|word| before.ends_with(word));
    let goes_on = ["之年", "之岁", "年华"].iter().find(|word| text[end..].starts_with(**word));
    let end = end + goes_on.map_or(0, |word| word.len());
    if !is_age && goes_on.is_none() || before.ends_with("未及") {
        return None;
    }
    let ages = match (is_near, is_past) {
        (true, _) => age.saturating_sub(5)..=*age,
        (_, true) => *age..=age + 9,
        _ => age.saturating_sub(*slack)..=age + slack,
    };
    Some((ages, end))
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
    // 年过四旬, 年逾六十, 年近三十; 四旬 alone is forty.
    let tens = behind.strip_prefix('旬').filter(|_| (2..=9).contains(&number)).map(|_| number * 10);
    let value = tens.unwrap_or(number);
    let unit = match (tens, behind.starts_with('岁')) {
        (Some(_), _) => '旬'.len_utf8(),
        (None, true) => '岁'.len_utf8(),
        _ => 0,
    };
    let end = to + unit;
    let is_closed = unit > 0 || ["的", "，", "。", "了", "；", "岁"].iter().any(|word| text[end..].starts_with(word));
    if (tens.is_some() || is_decade) && is_closed && !is_guess(before) {
        if ["年逾", "年过", "已过", "早过", "过了"].iter().any(|word| before.ends_with(word)) {
            return Some((value..=value + 9, end));
        }
        if ["年近", "年将", "将近", "年约", "快", "快要", "眼看"].iter().any(|word| before.ends_with(word))
        {
            return Some((value.saturating_sub(4)..=value, end));
        }
        if tens.is_some() && !behind["旬".len()..].starts_with(['之', '间']) {
            return Some((value..=value + 9, end));
        }
    }
    // 六十大寿 may be kept a year early.
    if let Some(word) =
        ["大寿", "寿辰", "寿诞", "岁大寿", "岁寿辰", "岁生日"].iter().find(|word| behind.starts_with(**word))
    {
        return (number >= 10).then_some((number - 1..=number, to + word.len()));
    }
    // A year of life is counted from birth, and another one at each new year.
    if ["虚岁", "虚龄"].iter().any(|word| before.ends_with(word)) && (3..=MAX_AGE).contains(&number) {
        return Some((number - 2..=number, to + if behind.starts_with('岁') { '岁'.len_utf8() } else { 0 }));
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
    // 又长一岁, 大三岁, 小两岁
    let is_difference = before.ends_with(['长', '大', '小']) && is_below_ten(&text[from..to]);
    if is_guess(before)
        || is_difference
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

/// Whether a number is below ten.
fn is_below_ten(text: &str) -> bool {
    zh_number(text).is_some_and(|(number, _)| number < 10)
}

/// The character whose age it is: the only one of the sentence, and not the owner of somebody else.
fn subject(sentence: &Sentence<'_>, text: &str, age: &Range<usize>) -> Option<usize> {
    let mut mentions = sentence.narrated_mentions();
    let first = mentions.next()?;
    if mentions.any(|other| other.entity != first.entity) {
        return None;
    }
    let behind = &text[first.range.end..];
    // 娶了一个四十四岁的女人: the age is that of the noun behind it.
    if let Some(rest) = text[age.end..].strip_prefix('的').filter(|_| first.range.end <= age.start) {
        let is_said_of =
            text[first.range.end..age.start].contains('是') && !text[first.range.end..age.start].contains('的');
        let is_time = ["数", "时候", "寿", "大寿", "那年", "年纪", "生日", "那一年", "春", "夏", "秋", "冬"]
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
    // 给周明做生日: it is the birthday of whom it is made for.
    let is_celebrated = ["给", "为", "替"].iter().any(|word| text[..first.range.start].ends_with(word))
        && ["生日", "做寿", "祝寿", "大寿", "庆生"].iter().any(|word| behind[..clause_end(behind, 0)].contains(word));
    // 1910年对周明来说，不过是到了四十四岁
    let is_for = text[..first.range.start].ends_with('对') && behind.starts_with("来说");
    (is_own && (is_celebrated || is_for || plain_subject(text, first.range.start))).then_some(first.entity)
}
