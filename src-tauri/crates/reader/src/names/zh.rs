//! Chinese names, from words that a tagger has marked.

use std::collections::BTreeMap;
use std::ops::Range;

use palimpsest_text::is_han;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{DetectedEntity, EntityKind, Form, KnownEntity, MergeReason, Names, Position, sorted};
use crate::mentions::Matcher;

/// The kind of a word, by a tagger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WordKind {
    /// The name of a person.
    Person,
    /// The name of a place.
    Place,
    /// The name of an organisation.
    Organisation,
    /// Another name, or the title of a work.
    Thing,
    /// A date or a time.
    Time,
    /// No name.
    Other,
}

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedWord {
    /// Bytes of the text, from a character to a character.
    pub range: Range<usize>,
    /// Kind of the word where it stands.
    pub kind: WordKind,
}

/// The text of a chapter with its words.
#[derive(Debug, Clone, Copy)]
pub struct TaggedChapter<'t> {
    /// Text of the chapter.
    pub text: &'t str,
    /// Its words in order, without overlap. What they do not cover is no word.
    pub words: &'t [TaggedWord],
}

impl<'t> TaggedChapter<'t> {
    /// The words with their texts. A word whose range is none of the text is left out.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&'t str, &'t TaggedWord)> {
        let text = self.text;
        self.words.iter().filter_map(move |word| Some((text.get(word.range.clone())?, word)))
    }
}

/// Fewest readings as a name of a word that is kept as one.
const MIN_READINGS: u32 = 2;
/// Most characters that are added to a form.
const MAX_EXTENSIONS: usize = 3;
/// Fewest occurrences of a form with the character that is added.
const MIN_EXTENDED: u32 = 3;
/// Characters that stand beside names and are no part of them.
const NO_PART: &str = "的了着是说道问笑想看听走来去在向对和与同把被给叫让便就都也又还却才很不没有这那一个位们到从里上下之其他她它我你大家";
/// Most characters of a form.
const MAX_CHARS: usize = 12;

/// Last characters of names of places and hardly of persons.
const PLACE_ENDINGS: [char; 10] = ['镇', '庄', '村', '县', '省', '街', '巷', '寺', '庙', '祠'];
/// Characters of calls, which the tagger takes for names.
const INTERJECTIONS: [char; 12] = ['呀', '唷', '呵', '哈', '啊', '哦', '呜', '嗯', '唉', '哟', '嘿', '嗳'];
/// Last characters that show that a word goes on behind the name.
const FUNCTION_ENDINGS: [char; 13] = ['说', '向', '便', '都', '也', '又', '就', '在', '的', '了', '着', '是', '们'];
/// Characters of names of rank in a family, such as 三太太 and 七斤嫂.
const NUMERALS: &str = "三四五六七八九十";

/// Words behind a name or a surname that belong to it.
const TITLES: [&str; 46] = [
    "大人",
    "公公",
    "老太太",
    "老太爷",
    "大少爷",
    "太太",
    "老爷",
    "太爷",
    "大爷",
    "少爷",
    "小姐",
    "先生",
    "夫人",
    "奶奶",
    "老太",
    "大妈",
    "大娘",
    "大叔",
    "大伯",
    "大哥",
    "大嫂",
    "嫂子",
    "二嫂",
    "姑娘",
    "师傅",
    "老师",
    "医生",
    "博士",
    "教授",
    "经理",
    "队长",
    "主任",
    "司令",
    "将军",
    "嫂",
    "婶",
    "妈",
    "爷",
    "叔",
    "伯",
    "哥",
    "姐",
    "妹",
    "总",
    "公",
    "娘",
];
/// Surnames of one character, the most frequent of Chinese prose.
const SURNAMES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤康华单";

/// The names of a Chinese book. A form is a name if the tagger reads it as one at least twice and in at least half of
/// its readings as a word; it is then a mention wherever it stands. Forms of one character are too uncertain.
///
/// Nothing that is not in `chapters` has an influence.
#[must_use]
pub fn detect_zh(chapters: &[TaggedChapter<'_>], known: &[KnownEntity]) -> Names {
    let mut kinds = readings(chapters);
    add_titled(chapters, &mut kinds);
    for _ in 0..MAX_EXTENSIONS {
        extend(chapters, &mut kinds);
    }
    let mut forms: Vec<(String, EntityKind, Option<usize>)> = Vec::new();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for (at, entity) in known.iter().enumerate() {
        for name in entity.names.iter().filter(|name| name.contains(is_han)) {
            if taken.insert(name.clone()) {
                forms.push((name.clone(), entity.kind, Some(at)));
            }
        }
    }
    forms.extend(kinds.into_iter().filter(|(form, _)| !taken.contains(form)).map(|(form, kind)| (form, kind, None)));
    let found = occurrences(chapters, &forms);
    build(&forms, &found)
}

/// The forms that the tagger reads as names, with their kinds, in a fixed order.
fn readings(chapters: &[TaggedChapter<'_>]) -> BTreeMap<String, EntityKind> {
    let mut counts: FxHashMap<&str, [u32; 5]> = FxHashMap::default();
    for (text, word) in chapters.iter().flat_map(TaggedChapter::texts) {
        let slot = match word.kind {
            WordKind::Person => 0,
            WordKind::Place => 1,
            WordKind::Organisation => 2,
            WordKind::Thing => 3,
            WordKind::Time | WordKind::Other => 4,
        };
        counts.entry(text).or_default()[slot] += 1;
    }
    let kind_of = |text: &str, counts: &[u32; 5]| {
        let all: u32 = counts.iter().sum();
        if text.ends_with(PLACE_ENDINGS) && counts[..4].iter().sum::<u32>() >= MIN_READINGS {
            return Some(EntityKind::Place);
        }
        let kinds = [EntityKind::Character, EntityKind::Place, EntityKind::Faction, EntityKind::Thing];
        let named = kinds.into_iter().zip(counts).max_by_key(|(kind, count)| (**count, std::cmp::Reverse(*kind)));
        let is_enough =
            |count: u32| count >= MIN_READINGS && count * 2 >= all || count > MIN_READINGS && count * 3 >= all;
        named.filter(|(_, count)| is_enough(**count)).map(|(kind, _)| kind)
    };
    let is_form = |text: &str| {
        let chars = text.chars().count();
        let is_call = text.contains(INTERJECTIONS) || text.chars().skip(1).all(|c| text.starts_with(c));
        (2..=MAX_CHARS).contains(&chars)
            && text.contains(is_han)
            && text.chars().all(char::is_alphanumeric)
            && !is_call
            && !text.ends_with(FUNCTION_ENDINGS)
    };
    counts
        .iter()
        .filter(|(text, _)| is_form(text))
        .filter_map(|(text, counts)| Some(((*text).to_owned(), kind_of(text, counts)?)))
        .collect()
}

/// Adds names with the title that follows them: 单四 and 嫂子 are 单四嫂子. A surname with a title is a name too.
fn add_titled(chapters: &[TaggedChapter<'_>], kinds: &mut BTreeMap<String, EntityKind>) {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for chapter in chapters {
        for (text, word) in chapter.texts() {
            let is_person = kinds.get(text) == Some(&EntityKind::Character) || word.kind == WordKind::Person;
            let mut chars = text.chars();
            let is_surname = match (chars.next(), chars.next(), chars.next()) {
                (Some(c), None, _) => SURNAMES.contains(c) || NUMERALS.contains(c),
                // 单四, 九斤: a surname with a rank, and what begins with a number and is not counted.
                (Some(a), Some(b), None) => {
                    SURNAMES.contains(a) && NUMERALS.contains(b)
                        || NUMERALS.contains(a) && word.kind != WordKind::Time && b == '斤'
                }
                _ => false,
            };
            let title = if is_person || is_surname { title_at(chapter.text, word.range.end) } else { None };
            if let Some(end) = title {
                *counts.entry(&chapter.text[word.range.start..end]).or_default() += 1;
            }
        }
    }
    for (form, count) in counts {
        if count >= MIN_READINGS {
            kinds.insert(form.to_owned(), EntityKind::Character);
        }
    }
}

/// Adds to each person's form the character that is nearly always before or after it: the tagger cuts 公输 from 公输般.
fn extend(chapters: &[TaggedChapter<'_>], kinds: &mut BTreeMap<String, EntityKind>) {
    let persons: Vec<String> =
        kinds.iter().filter(|(_, kind)| **kind == EntityKind::Character).map(|(form, _)| form.clone()).collect();
    let matcher = Matcher::of_forms(persons.iter().enumerate().map(|(at, form)| (form.as_str(), at)));
    let mut counts = vec![0_u32; persons.len()];
    let mut neighbours: FxHashMap<(usize, bool, char), u32> = FxHashMap::default();
    for chapter in chapters {
        for mention in matcher.find_han(chapter.text) {
            counts[mention.entity] += 1;
            let before = chapter.text[..mention.range.start].chars().next_back();
            let after = chapter.text[mention.range.end..].chars().next();
            for (is_after, c) in [(false, before), (true, after)] {
                if let Some(c) = c.filter(|c| is_han(*c) && !NO_PART.contains(*c)) {
                    *neighbours.entry((mention.entity, is_after, c)).or_default() += 1;
                }
            }
        }
    }
    let mut extended: Vec<(usize, bool, char)> = neighbours
        .into_iter()
        .filter(|((at, ..), count)| *count >= MIN_EXTENDED && *count * 5 >= counts[*at] * 4)
        .map(|(key, _)| key)
        .collect();
    extended.sort_unstable();
    extended.dedup_by_key(|(at, ..)| *at);
    for (at, is_after, c) in extended {
        let form = &persons[at];
        let longer = if is_after { format!("{form}{c}") } else { format!("{c}{form}") };
        if longer.chars().count() <= MAX_CHARS {
            kinds.remove(form);
            kinds.insert(longer, EntityKind::Character);
        }
    }
}

/// The end of a title that begins at a place of a text.
fn title_at(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    TITLES.iter().find(|title| rest.starts_with(**title)).map(|title| at + title.len())
}

/// The number of occurrences of each form and the first one, the longest form first.
fn occurrences(
    chapters: &[TaggedChapter<'_>],
    forms: &[(String, EntityKind, Option<usize>)],
) -> Vec<(u32, Position, Vec<u32>)> {
    let matcher = Matcher::of_forms(forms.iter().enumerate().map(|(at, (form, ..))| (form.as_str(), at)));
    let mut found = vec![(0, Position { chapter: 0, offset: 0 }, Vec::new()); forms.len()];
    for (chapter, tagged) in chapters.iter().enumerate() {
        for mention in matcher.find_han(tagged.text) {
            let (count, first, chapters) = &mut found[mention.entity];
            if *count == 0 {
                *first = Position { chapter, offset: mention.range.start };
            }
            *count += 1;
            let number = u32::try_from(chapter).unwrap_or(u32::MAX);
            if chapters.last() != Some(&number) {
                chapters.push(number);
            }
        }
    }
    found
}

/// Joins the forms, and makes entities of them.
fn build(forms: &[(String, EntityKind, Option<usize>)], found: &[(u32, Position, Vec<u32>)]) -> Names {
    let persons: Vec<usize> = (0..forms.len())
        .filter(|&at| forms[at].1 == EntityKind::Character && forms[at].2.is_none() && found[at].0 > 0)
        .collect();
    let mut parent: Vec<usize> = (0..forms.len()).collect();
    let mut asked: Vec<(usize, usize)> = Vec::new();
    let index = Endings::new(forms, &persons);
    for &at in &persons {
        let candidates = index.full_names(forms, at);
        match candidates.as_slice() {
            [one] => parent[at] = *one,
            several => asked.extend(several.iter().map(|&other| (at, other))),
        }
    }
    // The writer's names of one entity are one.
    let mut first_of: FxHashMap<usize, usize> = FxHashMap::default();
    for at in 0..forms.len() {
        if let Some(known) = forms[at].2 {
            parent[at] = *first_of.entry(known).or_insert(at);
        }
    }
    let root = |mut at: usize| {
        // A form is joined to a longer one, or from a short one to a full one: the way is short.
        for _ in 0..MAX_CHARS {
            at = parent[at];
        }
        at
    };
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in (0..forms.len()).filter(|&at| found[at].0 > 0) {
        groups.entry(root(at)).or_default().push(at);
    }
    let mut number: FxHashMap<usize, usize> = FxHashMap::default();
    let mut entities = Vec::new();
    for (root, members) in groups {
        number.insert(root, entities.len());
        entities.push(entity(forms, found, &members));
    }
    let questions: Vec<(usize, usize, MergeReason)> = asked
        .into_iter()
        .filter_map(|(a, b)| Some((*number.get(&root(a))?, *number.get(&root(b))?, MergeReason::SeveralFullNames)))
        .filter(|(a, b, _)| a != b)
        .collect();
    sorted(entities, &questions)
}

/// Persons by the ends of their names and by their surnames.
struct Endings {
    by_ending: FxHashMap<String, Vec<usize>>,
    by_surname: FxHashMap<char, Vec<usize>>,
}

impl Endings {
    fn new(forms: &[(String, EntityKind, Option<usize>)], persons: &[usize]) -> Self {
        let mut index = Self { by_ending: FxHashMap::default(), by_surname: FxHashMap::default() };
        for &at in persons {
            let name = &forms[at].0;
            for (from, _) in name.char_indices().skip(1) {
                index.by_ending.entry(name[from..].to_owned()).or_default().push(at);
            }
            let chars = name.chars().count();
            if let Some(first) = name.chars().next().filter(|c| (2..=3).contains(&chars) && SURNAMES.contains(*c))
                && !TITLES.iter().any(|title| name.ends_with(title))
            {
                index.by_surname.entry(first).or_default().push(at);
            }
        }
        index
    }

    /// The longer names of which this may be a short form: 老栓 of 华老栓, 老周 and 周先生 of 周明.
    fn full_names(&self, forms: &[(String, EntityKind, Option<usize>)], at: usize) -> Vec<usize> {
        let name = forms[at].0.as_str();
        let is_title = TITLES.contains(&name);
        let mut found = if is_title { Vec::new() } else { self.by_ending.get(name).cloned().unwrap_or_default() };
        let chars: Vec<char> = name.chars().collect();
        let surname = match chars.as_slice() {
            ['老' | '小' | '阿', surname] => Some(*surname),
            [surname, ..] if matches!(&name[surname.len_utf8()..], "先生" | "爷" | "老爷" | "总" | "师傅" | "老师") => {
                Some(*surname)
            }
            _ => None,
        };
        if let Some(surname) = surname.filter(|_| found.is_empty()) {
            let persons = self.by_surname.get(&surname).into_iter().flatten().copied();
            // A short form is never the full name of another: otherwise two could be joined to each other.
            found.extend(persons.filter(|&other| other != at && !is_short(&forms[other].0)));
        }
        found
    }
}

/// Whether a name has the form of a short one: with 老, 小 or 阿, or with a title.
fn is_short(name: &str) -> bool {
    name.starts_with(['老', '小', '阿']) || TITLES.iter().any(|title| name.ends_with(title))
}

fn entity(
    forms: &[(String, EntityKind, Option<usize>)],
    found: &[(u32, Position, Vec<u32>)],
    members: &[usize],
) -> DetectedEntity {
    let mut own: Vec<Form> = members.iter().map(|&at| Form { text: forms[at].0.clone(), count: found[at].0 }).collect();
    own.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(&b.text)));
    let count = own.iter().map(|form| form.count).sum();
    let first = members.iter().map(|&at| found[at].1).min().unwrap_or(Position { chapter: 0, offset: 0 });
    let (_, kind, known) = &forms[members[0]];
    let usual = own.iter().filter(|form| form.count > 1 || count < 4);
    let name = usual.max_by_key(|form| (form.text.chars().count(), form.count)).or(own.first());
    let name = name.map(|form| form.text.clone()).unwrap_or_default();
    DetectedEntity { kind: *kind, name, forms: own, count, first, known: *known }
}
