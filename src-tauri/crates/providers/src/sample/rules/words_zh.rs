//! Chinese phrases of the rules. Every function gets one clause in lower case and returns `None` if it is about
//! something else.

use super::Person;

/// True for long sentences, false for short ones.
pub(super) fn length(clause: &str) -> Option<bool> {
    // Nouns and pairs that contain 长 or 短 and request neither.
    let clause = clause.replace("句长", "句均").replace("长度", "尺度").replace("长短", "错落");
    if !clause.contains('句') {
        return None;
    }
    for (made, long) in [
        ("拆", false),
        ("改短", false),
        ("切短", false),
        ("缩短", false),
        ("拉长", true),
        ("改长", true),
        ("加长", true),
    ] {
        if let Some(at) = clause.find(made) {
            return Some(long != negated(&clause[..at], ""));
        }
    }
    let short = span(&clause, '短');
    let long = span(&clause, '长');
    let (from, to, is_long) = match (short, long) {
        (Some(s), Some(l)) if l.0 < s.0 => (l.0, l.1, true),
        (Some(s), _) => (s.0, s.1, false),
        (None, Some(l)) => (l.0, l.1, true),
        (None, None) => return None,
    };
    Some(is_long != negated(&clause[..to.max(from)], &clause[to..]))
}

/// The range of `size` and 句 close to each other: `短句`, `短一点的句子`, `句子要写得短`.
fn span(clause: &str, size: char) -> Option<(usize, usize)> {
    const NEAR: usize = 8;
    let chars: Vec<(usize, char)> = clause.char_indices().collect();
    let sizes = chars.iter().enumerate().filter(|(_, (_, c))| *c == size).map(|(i, _)| i);
    for i in sizes {
        let near = |j: &usize| chars[*j].1 == '句' && j.abs_diff(i) <= NEAR;
        if let Some(j) = (0..chars.len()).find(near) {
            let (first, last) = (i.min(j), i.max(j));
            let end = chars.get(last + 1).map_or(clause.len(), |(at, _)| *at);
            return Some((chars[first].0, end));
        }
    }
    None
}

/// True for more speech, false for less. `对话` that only says where a rule holds is neither.
pub(super) fn dialogue(clause: &str) -> Option<bool> {
    let (at, word) = ["对话", "对白", "台词"].iter().filter_map(|w| clause.find(w).map(|at| (at, *w))).min()?;
    let after = &clause[at + word.len()..];
    let before = &clause[..at];
    if ["场景", "里", "中", "的", "风格", "时", "部分", "不使用", "不用"].iter().any(|w| after.starts_with(w))
        || before.ends_with('在')
    {
        return None;
    }
    // 对话少一点, 对白要多
    let follow: String = after.chars().take(4).collect();
    if follow.contains('多') {
        return Some(!follow.contains('不') && !follow.contains('别'));
    }
    if follow.contains('少') || after.starts_with("不要") || after.starts_with("删") {
        return Some(false);
    }
    // 多写对话, 不要太多对话, 少用对白
    let near: String = before.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect();
    if negated(&near, "") {
        return Some(false);
    }
    ["多", "增加", "加", "添", "用", "写", "有", "要", "偏好", "喜欢"].iter().any(|w| near.contains(w)).then_some(true)
}

/// False for none, true for some.
pub(super) fn exclamation(line: &str) -> Option<bool> {
    let at = ["感叹号", "惊叹号", "叹号"].iter().filter_map(|w| line.find(w)).min()?;
    let start = line[..at].rfind(['，', '。', '；', '：', ',', ';']).unwrap_or(0);
    let after = line[at..].trim_start_matches(|c: char| "感惊叹号".contains(c));
    Some(!negated(&line[start..at], after))
}

/// The person to narrate in.
pub(super) fn person(clause: &str) -> Option<Person> {
    let mut from = 0;
    while let Some(found) = clause[from..].find("人称") {
        let at = from + found;
        let end = at + "人称".len();
        let before = &clause[from..at];
        let person = match before.chars().next_back() {
            Some('一') => Some(Person::First),
            Some('三') => Some(Person::Third),
            _ => None,
        };
        if let Some(person) = person {
            let turned = ["改", "换", "变"].iter().any(|w| clause[end..].starts_with(w));
            if turned {
                from = end;
                continue;
            }
            let not = negated(before, &clause[end..]);
            // `不用第三人称要第一人称`: what is wanted is still to come.
            if not && clause[end..].contains("人称") {
                from = end;
                continue;
            }
            return Some(if not { other(person) } else { person });
        }
        from = end;
    }
    None
}

fn other(person: Person) -> Person {
    match person {
        Person::First => Person::Third,
        Person::Third => Person::First,
    }
}

/// A wish for more or less of everything: `短一点`, `写长些`.
pub(super) fn amount(line: &str) -> Option<bool> {
    if line.contains('句') {
        return None;
    }
    let says = |words: &[&str]| words.iter().any(|w| line.contains(w));
    if says(&["短一点", "短一些", "短些", "短点", "简短", "别太长", "不要太长", "少写点", "少写一点"])
    {
        return Some(false);
    }
    says(&["长一点", "长一些", "长些", "长点", "多写点", "多写一点", "别太短", "不要太短"]).then_some(true)
}

/// Whether the text between `before` and `after` is negated. Two negations cancel: `不要避免长句`.
fn negated(before: &str, after: &str) -> bool {
    const NONE: [&str; 16] = [
        "不仅",
        "不只",
        "不妨",
        "不断",
        "不管",
        "不论",
        "不错",
        "不少",
        "不时",
        "不超过",
        "特别",
        "分别",
        "别人",
        "级别",
        "至少",
        "多少",
    ];
    const WORDS: [&str; 17] = [
        "避免", "避开", "减少", "杜绝", "拒绝", "讨厌", "去掉", "不", "别", "禁", "勿", "无", "没", "少", "删", "戒",
        "忌",
    ];
    let mut text = before.to_owned();
    for word in NONE {
        text = text.replace(word, "");
    }
    let mut denials = 0;
    for word in WORDS {
        denials += text.matches(word).count();
        text = text.replace(word, "");
    }
    if denials == 0 {
        let after = after.trim().trim_end_matches(['了', '点', '些', '一', '为', '好', '妙', '。']);
        denials += usize::from(
            ["少用", "要少", "不用", "不要", "别用", "禁用", "少", "太少", "免", "去掉", "不能用", "用得少"]
                .contains(&after),
        );
    }
    denials % 2 == 1
}
