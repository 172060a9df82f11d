//! Words and their functions in a rule.

use std::{collections::HashMap, sync::LazyLock};

use palimpsest_text::{is_han, style::Feature};

use super::{en, zh};

/// Kinds of nouns with a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Sentence,
    Paragraph,
    Passage,
    Word,
}

/// The function of a word in a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Class {
    /// A complete instruction: 口语化, `first person`.
    Says(Feature, i32),
    /// A noun with an amount; an instruction only with a word that says more or less.
    Thing(Feature),
    /// A noun with a length.
    Subject(Measure),
    /// Long or short.
    Quality(i32),
    /// Too long or too short, negated or not.
    Too(i32),
    /// Very long or very short.
    Extreme(i32),
    /// Not over a number.
    Cap,
    /// Not under a number.
    Floor,
    /// A number of something.
    Number(Unit),
    /// To be done.
    Do,
    More,
    /// Less, or not at all: reverses the direction.
    Less,
    /// Too many, negated or not.
    TooMany,
    /// Too few, negated or not.
    TooFew,
    /// An instruction: the words it governs are a rule of their own.
    Must,
    /// Ends a clause; the next one is negated.
    Not,
    /// Ends a clause, which is negated: the original of a replacement.
    Into,
    /// Ends a clause.
    End,
    /// Ends a statement.
    Stop,
    /// Speech: an amount, or the scope of a rule.
    Speech,
    /// A kind of scene.
    Scene(String),
    /// A kind of scene where it opens a clause: 描写少用比喻.
    Lead(&'static str),
    /// Without a meaning.
    Filler,
    /// Not in the lexicon.
    Unknown,
}

/// The unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Words or characters.
    Words,
    /// Sentences or lines.
    Sentences,
    /// Anything else.
    Other,
}

struct Vocabulary {
    zh: HashMap<String, Class>,
    /// Phrases of words with one space between.
    en: HashMap<String, Class>,
    longest_zh: usize,
    longest_en: usize,
    simplified: HashMap<char, char>,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let mut zh = HashMap::new();
    let mut en = HashMap::new();
    for (class, words) in zh::LISTS {
        zh.extend(words.split_whitespace().map(|word| (word.to_owned(), class.clone())));
    }
    for (scene, names) in zh::SCENES {
        for (name, place) in names.split_whitespace().flat_map(|n| zh::PLACES.split_whitespace().map(move |p| (n, p))) {
            zh.insert(format!("{name}{place}"), Class::Scene((*scene).to_owned()));
        }
    }
    for (class, words) in en::LISTS {
        en.extend(words.split_whitespace().map(|word| (word.replace('_', " "), class.clone())));
    }
    for (scene, names) in en::SCENES {
        for name in names.split_whitespace().map(|name| name.replace('_', " ")) {
            for before in en::BEFORE_SCENES.iter().filter(|before| !before.is_empty() || name.contains(" scene")) {
                en.insert(format!("{before}{name}"), Class::Scene((*scene).to_owned()));
            }
        }
    }
    let longest_zh = zh.keys().map(|word| word.chars().count()).max().unwrap_or(1);
    let longest_en = en.keys().map(|phrase| phrase.split(' ').count()).max().unwrap_or(1);
    let pairs: Vec<char> = zh::TRADITIONAL.chars().collect();
    let simplified = pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    Vocabulary { zh, en, longest_zh, longest_en, simplified }
});

/// The normal form of a text: lower case, simplified, one kind of quotation mark and of comparison.
pub(super) fn normal(text: &str) -> String {
    let text = text.to_lowercase();
    let mut open = true;
    text.chars()
        .map(|c| match c {
            '’' | '‘' => '\'',
            '「' | '『' => '“',
            '」' | '』' => '”',
            '"' => {
                open = !open;
                if open { '”' } else { '“' }
            }
            '！' => '!',
            '？' => '?',
            '＜' => '<',
            '＞' => '>',
            '％' => '%',
            '０'..='９' => char::from_u32(u32::from(c) - u32::from('０') + u32::from('0')).unwrap_or(c),
            c => VOCABULARY.simplified.get(&c).copied().unwrap_or(c),
        })
        .collect()
}

/// The words of a normal text with their functions, longest match first.
pub(super) fn tokens(text: &str) -> Vec<Class> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let (class, taken) = next(&chars, at);
        found.extend(class);
        at += taken.max(1);
    }
    found
}

fn next(chars: &[char], at: usize) -> (Option<Class>, usize) {
    if let Some(taken) = own_skill(chars, at) {
        return (None, taken);
    }
    if let Some(found) = own_scene(chars, at).or_else(|| longest_zh(chars, at)).or_else(|| parse_number(chars, at)) {
        return (Some(found.0), found.1);
    }
    match chars[at] {
        '。' | '；' | ';' | '.' | '!' | '?' | '…' => (Some(Class::Stop), 1),
        ',' | '，' | ':' | '：' | '(' | ')' | '（' | '）' | '\n' | '-' | '–' | '—' | '~' => {
            (Some(Class::End), 1)
        }
        c if is_latin(c) => en_phrase(chars, at),
        c if is_han(c) || c.is_alphanumeric() => (Some(Class::Unknown), 1),
        _ => (None, 1),
    }
}

fn longest_zh(chars: &[char], at: usize) -> Option<(Class, usize)> {
    let mut word: String = chars[at..].iter().take(VOCABULARY.longest_zh).collect();
    let mut length = word.chars().count();
    while length > 0 {
        if let Some(class) = VOCABULARY.zh.get(&word) {
            return Some((class.clone(), length));
        }
        word.pop();
        length -= 1;
    }
    None
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || ('À'..='ɏ').contains(&c)
}

/// The end of the word that begins at `at`.
fn word_end(chars: &[char], at: usize) -> usize {
    let inside = |c: char| is_latin(c) || c == '\'';
    at + chars[at..].iter().take_while(|c| inside(**c)).count()
}

/// The words from `at` on, with one space between, and the end of each; a hyphen separates words.
fn en_words(chars: &[char], at: usize, most: usize) -> Vec<(String, usize)> {
    let mut words = Vec::new();
    let mut from = at;
    while words.len() < most && from < chars.len() && is_latin(chars[from]) {
        let end = word_end(chars, from);
        words.push((chars[from..end].iter().collect::<String>().trim_end_matches('\'').to_owned(), end));
        from = end;
        while from < chars.len() && matches!(chars[from], ' ' | '-' | '“' | '”') {
            from += 1;
        }
    }
    words
}

fn en_phrase(chars: &[char], at: usize) -> (Option<Class>, usize) {
    let words = en_words(chars, at, VOCABULARY.longest_en);
    for count in (1..=words.len()).rev() {
        let phrase = words[..count].iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ");
        if let Some(class) = VOCABULARY.en.get(&phrase) {
            return (Some(class.clone()), words[count - 1].1 - at);
        }
    }
    let end = words.first().map_or(at + 1, |(_, end)| *end);
    (Some(Class::Unknown), end - at)
}

/// A scene type that the writer named: `雨夜场景里`, `in flashback scenes`. Only unknown words can be a name.
fn own_scene(chars: &[char], at: usize) -> Option<(Class, usize)> {
    const LONGEST: usize = 40;
    let before = at.checked_sub(1).map(|before| chars[before]);
    let known = || matches!(en_phrase(chars, at).0, Some(Class::Scene(_)));
    if before.is_some_and(|c| !" ，,。；;：:".contains(c)) || known() {
        return None;
    }
    let text: String = chars[at..].iter().take(LONGEST + 8).collect();
    let zh = || {
        let name = text.split_once("场景")?.0.trim_start_matches('在').trim();
        let plain = !name.is_empty() && !name.contains(['，', ',', '。', '；', '：', ':', ' ']);
        let known = || zh::NO_SCENE.split_whitespace().any(|word| name.starts_with(word)) || !all_unknown(name);
        (plain && name.chars().count() <= 12 && !known()).then(|| {
            let skipped = text.split_once("场景").map_or(0, |(head, _)| head.chars().count()) + "场景".chars().count();
            let rest: String = chars[at + skipped..].iter().take(3).collect();
            let more = ["的时候", "里面", "里", "中", "下", "时", "的"];
            let tail = more.iter().find(|tail| rest.starts_with(**tail)).map_or(0, |tail| tail.chars().count());
            (Class::Scene(name.to_owned()), skipped + tail)
        })
    };
    let en = || {
        let rest = text.strip_prefix("in ").or_else(|| text.strip_prefix("for "))?;
        let (name, _) = rest.split_once(" scene")?;
        let name = ["the ", "my ", "a ", "an "].iter().find_map(|article| name.strip_prefix(article)).unwrap_or(name);
        let plain = !name.is_empty() && name.split(' ').count() <= 4 && !name.contains([',', '.', ';', ':']);
        let end = text.split_once(" scene").map_or(0, |(head, _)| head.chars().count()) + " scene".chars().count();
        let plural = usize::from(chars.get(at + end) == Some(&'s'));
        (plain && all_unknown(name)).then(|| (Class::Scene(name.to_owned()), end + plural))
    };
    zh().or_else(en)
}

/// A skill of the writer's, as [`wording`](super::super::wording) names it: 用“…”时, `With “…”`.
fn own_skill(chars: &[char], at: usize) -> Option<usize> {
    const LONGEST: usize = 50;
    let text: String = chars[at..].iter().take(LONGEST).collect();
    let (opening, closing) = if text.starts_with("用“") { ("用“", "”时") } else { ("with “", "”") };
    let name = text.strip_prefix(opening).filter(|_| at == 0 || opening.starts_with('用'))?.split_once(closing)?.0;
    (!name.contains('”')).then(|| (opening.chars().chain(name.chars()).chain(closing.chars())).count())
}

fn all_unknown(name: &str) -> bool {
    let chars: Vec<char> = name.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let known = longest_zh(&chars, at).is_some_and(|(class, _)| !matches!(class, Class::Filler));
        let (class, taken) = if is_latin(chars[at]) { en_phrase(&chars, at) } else { (None, 1) };
        if known || class.is_some_and(|class| !matches!(class, Class::Unknown)) {
            return false;
        }
        at += taken.max(1);
    }
    true
}

/// A number, in digits or in Chinese, with its unit.
fn parse_number(chars: &[char], at: usize) -> Option<(Class, usize)> {
    let is_digit = |c: &char| c.is_ascii_digit() || "一二两三四五六七八九十百几半.→~～".contains(*c);
    let mut end = at + chars[at..].iter().take_while(|c| is_digit(c)).count();
    while end > at && chars[end - 1] == '.' {
        end -= 1;
    }
    if end == at {
        return None;
    }
    let spaces = chars[end..].iter().take_while(|c| **c == ' ').count();
    let rest: String = chars[end + spaces..].iter().take(12).collect();
    const UNITS: &[(&str, Unit)] = &[
        ("个汉字", Unit::Words),
        ("个字", Unit::Words),
        ("字", Unit::Words),
        ("个词", Unit::Words),
        ("词", Unit::Words),
        ("characters", Unit::Words),
        ("words", Unit::Words),
        ("word", Unit::Words),
        ("句话", Unit::Sentences),
        ("个句子", Unit::Sentences),
        ("句", Unit::Sentences),
        ("行", Unit::Sentences),
        ("sentences", Unit::Sentences),
        ("sentence", Unit::Sentences),
        ("lines", Unit::Sentences),
        ("个", Unit::Other),
        ("次", Unit::Other),
        ("处", Unit::Other),
        ("%", Unit::Other),
    ];
    let unit = UNITS.iter().find(|(unit, _)| rest.starts_with(unit));
    if let Some((unit, _)) = unit {
        end += spaces + unit.chars().count();
    } else if !chars[at].is_ascii_digit() {
        return None;
    }
    Some((Class::Number(unit.map_or(Unit::Other, |(_, kind)| *kind)), end - at))
}
