//! Forms of hidden names in a text that are not hidden with the names: each needs an entry of its own in the list.
//!
//! The search finds parts of a name alone, diminutives and declensions that share a stem, names with digits, without
//! their accents, spelled letter by letter or written as one word; in Chinese given names alone, forms such as 阿默 and
//! 老陈, and family names with a title. A word that the text also has in lower case is not taken for a name.

use std::collections::{BTreeMap, HashMap, HashSet};

use aho_corasick::{AhoCorasick, MatchKind};
use unicode_normalization::char::is_combining_mark;

use super::{
    Pair, everyday,
    finder::{self, Finder},
    folded::{FoldedText, Gap, UnitKind, is_word},
    replace_matches,
};
use crate::language::is_han;

/// The most forms returned of one name.
const MAX_FORMS_PER_NAME: usize = 6;
/// The most forms returned in all.
const MAX_FORMS: usize = 60;
/// Length of the shortest stem, in letters.
const MIN_STEM_LETTERS: usize = 3;
/// The most letters that a form has more than the name.
const MAX_ENDING_LETTERS: usize = 4;
/// Replaces a name that is already hidden; neither a letter nor a gap.
const HIDDEN_PLACEHOLDER: &str = "\u{3013}";
const VOWELS: &str = "aeiouyàáâäèéêëìíòóöùúüаеиоуыэюяйь";
const COMPOUND_SURNAMES: &[&str] = &[
    "欧阳", "司马", "上官", "诸葛", "东方", "皇甫", "尉迟", "公孙", "慕容", "令狐", "司徒", "司空", "夏侯", "南宫",
    "独孤", "宇文", "长孙", "端木", "百里", "轩辕", "闻人", "澹台", "钟离", "西门", "东郭", "呼延", "完颜", "纳兰",
    "拓跋", "赫连",
];
const PREFIXES: &[&str] = &["阿", "小", "老", "大"];
const SUFFIXES: &[&str] = &["哥", "姐", "儿", "叔", "弟", "妹", "爷", "兄"];
const TITLES: &[&str] = &[
    "先生", "小姐", "太太", "女士", "夫人", "老师", "医生", "大夫", "教授", "博士", "师傅", "老板", "经理", "总",
    "总监", "主任", "局长", "处长", "科长", "队长", "队", "警官", "律师", "姑娘", "公子", "少爷", "哥", "姐", "叔",
    "伯", "婶", "爷", "某", "老", "工", "家的",
];

/// A form of a hidden name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The index of the pair whose name it is a form of.
    pub pair: usize,
    /// Its most frequent spelling in the text.
    pub form: String,
    /// Occurrences in the chapters, 1 or more.
    pub count: u32,
}

/// Spellings of a folded word with the number of occurrences of each.
type Spellings = BTreeMap<String, u32>;

/// The forms of these names that are in the texts and would be sent, most frequent first: at most six of a name and
/// sixty in all.
#[must_use]
pub fn find_forms<'a>(pairs: &[Pair], texts: impl Iterator<Item = &'a str>) -> Vec<Form> {
    let finder = Finder::new(pairs);
    let names = NameIndex::new(pairs);
    let mut words: HashMap<String, Spellings> = HashMap::new();
    let mut chinese: BTreeMap<(usize, String), Spellings> = BTreeMap::new();
    let mut found: BTreeMap<(usize, String), Spellings> = BTreeMap::new();
    for text in texts {
        let rest = replace_matches(text, &finder.find_all(text), |_| HIDDEN_PLACEHOLDER);
        for word in rest.split(|c: char| !is_word(c) && !is_combining_mark(c)).filter(|word| !word.is_empty()) {
            let spellings = words.entry(finder::folded_letters(word)).or_default();
            *spellings.entry(word.to_owned()).or_default() += 1;
        }
        let folded = FoldedText::new(&rest);
        names.count_chinese(&folded, &rest, &mut chinese);
        names.count_spelled(&folded, &rest, &mut found);
    }
    for (word, spellings) in words {
        let is_capital = |word: &str| word.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_lowercase());
        let capitals: Spellings =
            spellings.iter().filter(|(word, _)| is_capital(word)).map(|(w, n)| (w.clone(), *n)).collect();
        let is_word_too = capitals.len() < spellings.len() || everyday::is_everyday(&word);
        let pair = match names.joined.get(&word) {
            Some(pair) if !everyday::is_everyday(&word) => Some((*pair, spellings)),
            _ if capitals.is_empty() || is_word_too => None,
            _ => names.pair_of_form(&word).map(|pair| (pair, capitals)),
        };
        if let Some((pair, spellings)) = pair {
            found.insert((pair, word), spellings);
        }
    }
    found.extend(chinese);
    select_most_frequent(found)
}

fn select_most_frequent(found: BTreeMap<(usize, String), Spellings>) -> Vec<Form> {
    let mut forms: Vec<Form> = found
        .into_iter()
        .filter_map(|((pair, _), spellings)| {
            let count = spellings.values().sum();
            // Of equally frequent spellings, the first in order.
            let (form, _) = spellings.into_iter().rev().max_by_key(|(_, count)| *count)?;
            Some(Form { pair, form, count })
        })
        .collect();
    forms.sort_by(|one, other| {
        other.count.cmp(&one.count).then(one.pair.cmp(&other.pair)).then_with(|| one.form.cmp(&other.form))
    });
    let mut of_name: HashMap<usize, usize> = HashMap::new();
    forms.retain(|form| {
        let count = of_name.entry(form.pair).or_default();
        *count += 1;
        *count <= MAX_FORMS_PER_NAME
    });
    forms.truncate(MAX_FORMS);
    forms
}

/// The names in the shapes that the search compares with.
struct NameIndex {
    /// Parts of names in scripts with words, and whether the name has others.
    parts: Vec<(String, usize, bool)>,
    /// Names of several parts, written as one word.
    joined: HashMap<String, usize>,
    /// All letters of names in scripts with words.
    letters: HashMap<String, usize>,
    /// Forms of Chinese names, folded.
    chinese: Vec<(String, usize)>,
    automaton: Option<AhoCorasick>,
}

impl NameIndex {
    fn new(pairs: &[Pair]) -> Self {
        let mut names = Self {
            parts: Vec::new(),
            joined: HashMap::new(),
            letters: HashMap::new(),
            chinese: Vec::new(),
            automaton: None,
        };
        let mut seen = HashSet::new();
        for (number, pair) in pairs.iter().enumerate() {
            let parts = finder::folded_parts(&pair.name);
            let letters = parts.concat();
            if letters.chars().all(is_han) {
                for form in chinese_forms(&parts) {
                    if seen.insert(form.clone()) {
                        names.chinese.push((form, number));
                    }
                }
                continue;
            }
            if parts.len() > 1 {
                names.joined.entry(letters.clone()).or_insert(number);
            }
            let is_part = |part: &&String| part.chars().count() >= 2 && part.chars().all(char::is_alphanumeric);
            let of_several = parts.len() > 1;
            for part in parts.iter().filter(is_part).filter(|part| !(of_several && everyday::is_everyday(part))) {
                names.parts.push((part.clone(), number, of_several));
            }
            names.letters.entry(letters).or_insert(number);
        }
        let patterns: Vec<&str> = names.chinese.iter().map(|(form, _)| form.as_str()).collect();
        names.automaton = match patterns.is_empty() {
            true => None,
            false => AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&patterns).ok(),
        };
        names
    }

    /// The index of the pair whose name a folded word is a form of.
    fn pair_of_form(&self, word: &str) -> Option<usize> {
        let found = self.parts.iter().find(|(part, _, of_several)| is_form(word, part, *of_several));
        found.map(|(_, number, _)| *number)
    }

    fn count_chinese(&self, folded: &FoldedText, text: &str, counts: &mut BTreeMap<(usize, String), Spellings>) {
        let Some(automaton) = &self.automaton else { return };
        let units_by_byte = folded.unit_by_byte();
        let unit_at = |byte: usize| units_by_byte.get(byte).map_or(0, |unit| *unit as usize);
        for found in automaton.find_iter(&folded.text) {
            let units = unit_at(found.start())..unit_at(found.end());
            let is_separated = folded
                .units
                .get(units.clone())
                .is_none_or(|units| units.iter().skip(1).any(|unit| unit.gap != Gap::NONE));
            let Some((form, pair)) = self.chinese.get(found.pattern().as_usize()).filter(|_| !is_separated) else {
                continue;
            };
            if let Some(spelled) = folded.source(units).and_then(|source| text.get(source)) {
                *counts.entry((*pair, form.clone())).or_default().entry(spelled.to_owned()).or_default() += 1;
            }
        }
    }

    /// Names spelled letter by letter: `A-N-N-A`, `A. N. N. A.`.
    fn count_spelled(&self, folded: &FoldedText, text: &str, counts: &mut BTreeMap<(usize, String), Spellings>) {
        let is_single = |at: usize| {
            let Some(unit) = folded.units.get(at) else { return false };
            let is_free = |other: Option<&super::folded::Unit>, gap: Gap| {
                gap != Gap::NONE || other.is_none_or(|other| other.kind != UnitKind::Word)
            };
            unit.kind == UnitKind::Word
                && is_free(at.checked_sub(1).and_then(|at| folded.units.get(at)), unit.gap)
                && is_free(folded.units.get(at + 1), folded.units.get(at + 1).map_or(Gap::NONE, |next| next.gap))
        };
        let mut at = 0;
        while at < folded.len() {
            let start = at;
            while is_single(at) && (at == start || folded.units.get(at).is_some_and(|unit| unit.gap != Gap::NONE)) {
                at += 1;
            }
            let letters: String = folded.units.get(start..at).unwrap_or_default().iter().map(|unit| unit.c).collect();
            let pair = self.letters.get(&letters).filter(|_| letters.chars().count() >= MIN_STEM_LETTERS);
            if let (Some(pair), Some(spelled)) = (pair, folded.source(start..at).and_then(|source| text.get(source))) {
                let spelled = spelled.split_whitespace().collect::<Vec<_>>().join(" ");
                *counts.entry((*pair, spelled.clone())).or_default().entry(spelled).or_default() += 1;
            }
            at = at.max(start + 1);
        }
    }
}

/// Whether a folded word is a form of a part of a name that hiding the name does not hide.
fn is_form(word: &str, part: &str, of_several: bool) -> bool {
    if word == part {
        return of_several;
    }
    let plain = |text: &str| text.chars().filter(|c| !is_combining_mark(*c)).collect::<String>();
    if plain(word) == plain(part) {
        return true;
    }
    if let Some(ending) = word.strip_prefix(part) {
        let is_plural = ending == "s" && !of_several;
        let is_numbered = ending.chars().all(char::is_numeric);
        let is_long_enough = part.chars().count() >= MIN_STEM_LETTERS && ending.chars().count() <= MAX_ENDING_LETTERS;
        return !is_plural && (is_numbered || is_long_enough);
    }
    let stem = stem(part);
    let length = stem.chars().count();
    length >= MIN_STEM_LETTERS
        && word.starts_with(stem)
        && word.chars().count() <= part.chars().count() + MAX_ENDING_LETTERS
}

/// A part of a name without its declined ending: `ann` of `anna`, `marc` of `marcus`.
fn stem(part: &str) -> &str {
    if let Some(stem) = ["us", "os", "is", "as", "es"].iter().find_map(|ending| part.strip_suffix(ending)) {
        return stem;
    }
    part.strip_suffix(|c| VOWELS.contains(c)).unwrap_or(part)
}

fn chinese_forms(parts: &[String]) -> Vec<String> {
    if parts.len() > 1 {
        return parts.iter().filter(|part| part.chars().count() > 1).cloned().collect();
    }
    let Some(name) = parts.first() else { return Vec::new() };
    let length = name.chars().count();
    let compound = COMPOUND_SURNAMES.iter().find_map(|surname| Some((*surname, name.strip_prefix(surname)?)));
    let simple = || name.chars().next().map(|c| name.split_at(c.len_utf8()));
    let Some((surname, given)) = compound.filter(|(_, given)| !given.is_empty()).or_else(simple) else {
        return Vec::new();
    };
    if !(2..=4).contains(&length) {
        return Vec::new();
    }
    let mut forms = Vec::new();
    if given.chars().count() > 1 {
        forms.push(given.to_owned());
    }
    if surname.chars().count() > 1 {
        forms.push(surname.to_owned());
    }
    let last = given.chars().next_back();
    for prefix in PREFIXES {
        forms.push(format!("{prefix}{surname}"));
        forms.extend(last.map(|last| format!("{prefix}{last}")));
    }
    for suffix in SUFFIXES {
        forms.extend(last.map(|last| format!("{last}{suffix}")));
    }
    forms.extend(TITLES.iter().map(|title| format!("{surname}{title}")));
    forms.retain(|form| form != name);
    forms
}
