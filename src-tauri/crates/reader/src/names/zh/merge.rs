//! Which forms of Chinese names are one person's.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{
    EntityKind, NamedForm, Occurrences,
    forms::{familiar_character, given_characters, is_short, is_surname, surname_of},
    lexicon::{FAMILIAR_STARTS, NUMERALS, OF_THE_SAME, RESPECTFUL, SAME_TITLES, TITLES},
};

/// The forms that were joined, and the pairs that were not.
pub(crate) struct Joined {
    /// Of each form the one that it is joined to, or itself.
    pub(crate) parent: Vec<usize>,
    /// Pairs of forms that may be one person's.
    pub(crate) questions: Vec<(usize, usize)>,
}

/// Joins each short form to the only full name that it fits.
pub(crate) fn join(forms: &[NamedForm], found: &[Occurrences]) -> Joined {
    let persons: Vec<usize> = (0..forms.len())
        .filter(|&at| forms[at].kind == EntityKind::Character && forms[at].known.is_none() && found[at].count > 0)
        .collect();
    let mut joined = Joined { parent: (0..forms.len()).collect(), questions: Vec::new() };
    let index = Index::new(forms, found, &persons);
    for &at in &persons {
        let mut candidates = index.full_names(forms, at);
        candidates.sort_unstable();
        candidates.dedup();
        match candidates.as_slice() {
            [one] => joined.parent[at] = *one,
            several => joined.questions.extend(several.iter().map(|&other| (at, other))),
        }
    }
    joined
}

/// Persons by their whole names, the ends of their names, their surnames, and the characters of their given names.
struct Index<'f> {
    by_name: FxHashMap<&'f str, usize>,
    by_ending: FxHashMap<&'f str, Vec<usize>>,
    by_surname: FxHashMap<&'f str, Vec<usize>>,
    by_given: BTreeMap<char, Vec<usize>>,
}

impl<'f> Index<'f> {
    fn new(forms: &'f [NamedForm], found: &[Occurrences], persons: &[usize]) -> Self {
        let mut index = Self {
            by_name: FxHashMap::default(),
            by_ending: FxHashMap::default(),
            by_surname: FxHashMap::default(),
            by_given: BTreeMap::new(),
        };
        index.by_name.extend(persons.iter().map(|&at| (forms[at].text.as_str(), at)));
        for &at in persons {
            let name = forms[at].text.as_str();
            for (from, _) in name.char_indices().skip(1) {
                index.by_ending.entry(&name[from..]).or_default().push(at);
            }
            let chars = name.chars().count();
            if let Some(c) = name.strip_prefix('阿').filter(|_| chars == 2).and_then(|rest| rest.chars().next()) {
                index.by_given.entry(c).or_default().push(at);
            }
            // 曹氏 is a wife or a family.
            if is_short(name) || name.ends_with('氏') || is_master(name) {
                continue;
            }
            let surname = surname_of(name).filter(|_| (2..=4).contains(&chars));
            let given = surname.and_then(|surname| name.strip_prefix(surname));
            let is_repeated = found[at].count > 1 || given.is_some_and(|given| index.by_name.contains_key(given));
            let first = name.chars().next().map_or(0, char::len_utf8);
            // 高老师 is rather somebody else than 高尔基, of whom the text speaks once.
            if (2..=4).contains(&chars) && is_repeated {
                index.by_surname.entry(surname.unwrap_or(&name[..first])).or_default().push(at);
            }
            for c in given_characters(name) {
                index.by_given.entry(c).or_default().push(at);
            }
        }
        index
    }

    /// The longer names of which this may be a short form: 老栓 of 华老栓, 老周 and 周先生 of 周明, 道翁 of 道统.
    fn full_names(&self, forms: &[NamedForm], at: usize) -> Vec<usize> {
        let name = forms[at].text.as_str();
        if TITLES.contains(&name) {
            return Vec::new();
        }
        // 八三哥 is 八三, and 小Ｄｏｎ is 小Ｄ.
        let same =
            OF_THE_SAME.iter().filter_map(|title| name.strip_suffix(title)).find_map(|name| self.by_name.get(name));
        let latin = name.trim_end_matches(|c: char| c.is_alphanumeric() && !palimpsest_text::is_han(c));
        let first_letter = name[latin.len()..].chars().next();
        let letter = first_letter.map(|c| &name[..latin.len() + c.len_utf8()]).filter(|short| short.len() < name.len());
        if let Some(&one) = same.or_else(|| self.by_name.get(letter?)) {
            return vec![one];
        }
        if let Some(one) = self.same_with_title(name).filter(|one| *one < at) {
            return vec![one];
        }
        if let Some(found) = self.by_ending.get(name) {
            return self.roots(forms, found, at);
        }
        let title = RESPECTFUL.iter().find_map(|title| name.strip_suffix(title));
        let master = name.strip_suffix('子').filter(|_| is_master(name));
        let surname = title.or(master).or_else(|| without_start(name));
        if let Some(surname) = surname.filter(|surname| is_surname(surname) || is_rare_surname(surname)) {
            let found = self.by_surname.get(surname).map(Vec::as_slice).unwrap_or_default();
            let found = self.roots(forms, found, at);
            if !found.is_empty() || is_surname(surname) {
                return found;
            }
        }
        if let Some(c) = familiar_character(name) {
            let found = self.by_given.get(&c).map(Vec::as_slice).unwrap_or_default();
            return self.roots(forms, found, at);
        }
        Vec::new()
    }

    /// The first name that has another title of respect behind the same word: 茂才公 and 茂才先生.
    fn same_with_title(&self, name: &str) -> Option<usize> {
        let word = SAME_TITLES.iter().find_map(|title| name.strip_suffix(title))?;
        let is_fit = word.chars().count() > 1 && !is_surname(word);
        let others = SAME_TITLES.iter().filter_map(|title| self.by_name.get(format!("{word}{title}").as_str()));
        others.copied().min().filter(|_| is_fit)
    }

    /// The names without those that are the end of another one of them: 道统 is 何道统.
    fn roots(&self, forms: &[NamedForm], found: &[usize], at: usize) -> Vec<usize> {
        let is_end = |one: usize| {
            let longer = self.by_ending.get(forms[one].text.as_str()).map(Vec::as_slice).unwrap_or_default();
            matches!(longer, [other] if found.contains(other))
        };
        found.iter().copied().filter(|&one| one != at && !is_end(one)).collect()
    }
}

/// Whether a name is a surname of two characters with the title of a master: 公输子.
fn is_master(name: &str) -> bool {
    name.strip_suffix('子').is_some_and(|surname| is_surname(surname) && surname.chars().count() == 2)
}

/// Whether a text of one character may be a surname that is none of the frequent ones.
fn is_rare_surname(text: &str) -> bool {
    text.chars().count() == 1 && !text.starts_with(FAMILIAR_STARTS) && !NUMERALS.contains(text) && text != "大"
}

/// The rest of a name with 老, 小 or 阿.
fn without_start(name: &str) -> Option<&str> {
    name.strip_prefix(FAMILIAR_STARTS)
}
