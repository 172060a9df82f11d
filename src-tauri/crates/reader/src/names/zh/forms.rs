//! Which forms of a Chinese text are names, and of what kind.

use std::collections::BTreeMap;

use palimpsest_text::is_han;
use rustc_hash::FxHashSet;

use super::{
    super::places::Neighbour,
    EntityKind, MAX_CHARS,
    evidence::{Evidence, Found},
    lexicon::{
        BEFORE_NAMES, BEHIND_NAMES, COMPOUND_SURNAMES, FAMILIAR_ENDINGS, FAMILIAR_STARTS, FAMILY_ENDINGS,
        FUNCTION_ENDINGS, INTERJECTIONS, LOCAL_ENDINGS, NO_PART, NUMERALS, PLACE_ENDINGS, RESPECTFUL, RULERS, SURNAMES,
        TITLES,
    },
    ordinary::is_ordinary,
    places::Search,
    single,
    table::WordForm,
    titled,
};

/// Fewest readings as a name of a word that is kept as one.
pub(super) const MIN_READINGS: u32 = 2;
/// Fewest readings as a name of a word of one character.
const MIN_READINGS_OF_ONE: u32 = 8;
/// Fewest occurrences of a word that is a name by the words beside it alone.
const MIN_PLACES: u32 = 5;
/// Fewest occurrences of such a word with 老 or 阿.
const MIN_FAMILIAR: u32 = 3;
/// Fewest occurrences of a name that begins with a surname and needs the words beside it as evidence too.
const MIN_FOR_SURNAME: u32 = 4;
/// Most characters that are added to a form.
const MAX_EXTENSIONS: usize = 3;
/// Fewest occurrences of a form with the character that is added.
const MIN_EXTENDED: u32 = 3;
/// Most characters of a word that is kept for its places alone.
const MAX_UNREAD_CHARS: usize = 4;

pub(super) type Kinds = BTreeMap<String, EntityKind>;

/// The forms that are names, with their kinds, in a fixed order.
pub(super) fn find_forms(found: &Found<'_>, search: &mut Search<'_>) -> Kinds {
    let mut kinds: Kinds = found.kinds().map(|(word, kind)| (word.text.to_string(), kind)).collect();
    single::add_single(found, &mut kinds);
    titled::add_titled(found, &mut kinds);
    for _ in 0..MAX_EXTENSIONS {
        if !extend(search, &mut kinds) {
            break;
        }
    }
    drop_overlong(&mut kinds);
    add_given_names(found, &mut kinds);
    add_full_names(found, &mut kinds);
    add_familiar(found, &mut kinds);
    kinds
}

/// Whether a word can be a name by its characters.
pub(super) fn is_form(text: &str) -> bool {
    let chars = text.chars().count();
    let is_call = text.contains(INTERJECTIONS) || chars > 1 && text.chars().skip(1).all(|c| text.starts_with(c));
    (1..=MAX_CHARS).contains(&chars)
        && text.contains(is_han)
        && text.chars().all(char::is_alphanumeric)
        && !is_call
        && !text.ends_with(FUNCTION_ENDINGS)
}

/// The kind of a word by its readings and its places; `None` for a word that is no name.
pub(super) fn kind_of(word: &WordForm, evidence: &Evidence) -> Option<EntityKind> {
    let text = &*word.text;
    let counts = &evidence.kinds;
    let all = evidence.count();
    // Every rule asks for as many.
    if all < MIN_READINGS || !word.is_form {
        return None;
    }
    if word.chars == 1 {
        return is_name_of_one_character(text, evidence).then_some(EntityKind::Character);
    }
    if word.is_family {
        return (all >= MIN_READINGS).then_some(EntityKind::Faction);
    }
    if text.ends_with(PLACE_ENDINGS) && counts[..4].iter().sum::<u32>() >= MIN_READINGS {
        return Some(EntityKind::Place);
    }
    if all >= MIN_READINGS && word.is_titled_name {
        return Some(EntityKind::Character);
    }
    let kinds = [EntityKind::Character, EntityKind::Place, EntityKind::Faction, EntityKind::Thing];
    let named = kinds.into_iter().zip(counts).max_by_key(|(kind, count)| (**count, std::cmp::Reverse(*kind)));
    let is_enough = |count: u32| count >= MIN_READINGS && count * 2 >= all || count > MIN_READINGS && count * 3 >= all;
    let kind = named.filter(|(_, count)| is_enough(**count)).map(|(kind, _)| kind);
    match kind {
        Some(EntityKind::Character) if is_thing(word, evidence) => None,
        None if is_person_by_places(word, evidence) => Some(EntityKind::Character),
        kind => kind,
    }
}

/// Whether a word is a person's name by the words beside it, whatever the tagger reads: no ordinary word, and often at
/// the start of a clause or before a verb of speech.
fn is_person_by_places(word: &WordForm, evidence: &Evidence) -> bool {
    let text = &*word.text;
    let all = evidence.count();
    let fewest = if text.starts_with(['老', '阿']) { MIN_FAMILIAR } else { MIN_PLACES };
    all >= fewest
        && (2..=MAX_UNREAD_CHARS).contains(&word.chars)
        && !word.is_ordinary
        && !text.ends_with(|c| LOCAL_ENDINGS.contains(c))
        && text.chars().all(|c| !NO_PART.contains(c))
        && evidence.noun * 5 <= all
        && evidence.person + 5 * evidence.kinds[0] >= 2 * all
}

/// Whether a word that the tagger reads as a person is rather a thing: it follows classifiers, or the words beside it
/// are seldom those of a person.
fn is_thing(word: &WordForm, evidence: &Evidence) -> bool {
    let all = evidence.count();
    let is_always_read = word.is_structured && evidence.kinds[0] == all;
    let is_seldom_person = if word.is_ordinary && !is_always_read {
        evidence.person < 2 * all
    } else if word.is_structured {
        let is_certain = word.has_title || word.text.starts_with(FAMILIAR_STARTS);
        all >= MIN_FOR_SURNAME && evidence.person * 2 < all && !is_certain
    } else {
        evidence.person < all
    };
    evidence.noun > 1 && evidence.noun * 4 > all || is_seldom_person
}

/// Whether a name has the form of a person's: a surname, 老, 小 or 阿, or a title.
pub(super) fn is_structured(text: &str) -> bool {
    let chars = text.chars().count();
    has_title(text)
        || text.starts_with(FAMILIAR_STARTS) && chars < 4
        || (2..=4).contains(&chars) && surname_of(text).is_some()
}

/// Whether a name ends with a title.
pub(super) fn has_title(text: &str) -> bool {
    text.ends_with(RULERS) || TITLES.iter().any(|title| text.len() > title.len() && text.ends_with(title))
}

/// The surname with which a longer text begins.
pub(crate) fn surname_of(text: &str) -> Option<&str> {
    let compound = COMPOUND_SURNAMES.into_iter().find(|surname| text.starts_with(surname));
    let surname = compound.or_else(|| text.get(..text.chars().next()?.len_utf8()).filter(|c| SURNAMES.contains(c)))?;
    (text.len() > surname.len()).then_some(surname)
}

pub(crate) fn is_surname(text: &str) -> bool {
    COMPOUND_SURNAMES.contains(&text) || text.chars().count() == 1 && SURNAMES.contains(text)
}

/// Whether a text is the rank of a child in its family: 四, or 六一, which is also the age of a grandparent.
pub(crate) fn is_rank(text: &str) -> bool {
    let is_number = !text.is_empty() && text.chars().all(|c| NUMERALS.contains(c) || c == '一');
    is_number && text != "一"
}

/// A surname with the word for a house: 赵家.
pub(super) fn is_with_family(text: &str) -> bool {
    text.strip_suffix(FAMILY_ENDINGS).is_some_and(is_surname)
}

/// A surname with a title: 赵太爷.
pub(super) fn is_titled(text: &str) -> bool {
    TITLES.iter().filter_map(|title| text.strip_suffix(title)).any(is_surname)
}

/// A rank in the family with a title: 四爷.
pub(crate) fn is_ranked(text: &str) -> bool {
    TITLES.iter().filter_map(|title| text.strip_suffix(title)).any(is_rank)
}

/// The name of one character, as antiquity has them: the tagger reads it as a person nearly wherever it is a word.
fn is_name_of_one_character(text: &str, evidence: &Evidence) -> bool {
    let readings = evidence.kinds[0];
    readings >= MIN_READINGS_OF_ONE
        && readings * 4 >= evidence.count() * 3
        && !SURNAMES.contains(text)
        && !NO_PART.contains(text)
        && evidence.person >= evidence.count()
}

/// Adds to each person's form the character that is nearly always before or after it: the tagger cuts 公输 from 公输般.
/// Returns whether there was one.
fn extend(search: &mut Search<'_>, kinds: &mut Kinds) -> bool {
    let persons: Vec<String> =
        kinds.iter().filter(|(_, kind)| **kind == EntityKind::Character).map(|(form, _)| form.clone()).collect();
    let mentions = search.mentions_of(persons.iter().map(String::as_str));
    let mut all = vec![(0_u32, [Neighbour::default(); 2]); persons.len()];
    mentions.visit_counts(|wanted, _, form| {
        let (count, sides) = &mut all[wanted];
        *count += form.count;
        sides.iter_mut().zip(form.beside).for_each(|(side, other)| side.merge(other));
    });
    // `c` of `n` mentions have the character, of which `v` is known: `v <= c` and `2c <= n + v`. In most cases this
    // says whether it is four of five; the others are counted.
    let is_counted = |side: &Neighbour, mentions: u32| {
        mentions >= MIN_EXTENDED && side.votes * 5 >= mentions * 3 && side.votes * 5 < mentions * 4
    };
    let counted: Vec<bool> =
        all.iter().map(|(mentions, sides)| sides.iter().any(|side| is_counted(side, *mentions))).collect();
    let mut counts = vec![[0_u32; 2]; persons.len()];
    if counted.contains(&true) {
        mentions.visit_of(&counted, |at, mention| {
            for ((count, side), c) in counts[at].iter_mut().zip(all[at].1).zip(mention.beside) {
                *count += u32::from(side.likely == c);
            }
        });
    }
    let mut extended: Vec<(usize, bool, char)> = Vec::new();
    for (at, (mentions, sides)) in all.iter().enumerate() {
        for ((is_after, side), count) in [false, true].into_iter().zip(sides).zip(counts[at]) {
            let count = side.votes.max(count);
            let is_always = count >= MIN_EXTENDED && count * 5 >= mentions * 4;
            extended.extend(side.likely.filter(|_| is_always).map(|c| (at, is_after, c)));
        }
    }
    extended.sort_unstable();
    extended.dedup_by_key(|(at, ..)| *at);
    let mut is_extended = false;
    for (at, is_after, c) in extended {
        let form = &persons[at];
        let longer = if is_after { format!("{form}{c}") } else { format!("{c}{form}") };
        if longer.chars().count() <= MAX_CHARS {
            kinds.remove(form);
            kinds.insert(longer, EntityKind::Character);
            is_extended = true;
        }
    }
    is_extended
}

/// Removes the names of persons that are another one with a word before or behind it: the tagger reads 墨子道 as one
/// word.
fn drop_overlong(kinds: &mut Kinds) {
    let is_person = |form: &str| kinds.get(form) == Some(&EntityKind::Character);
    let is_overlong = |form: &&String| {
        let (Some(first), Some(last)) = (form.chars().next(), form.chars().next_back()) else { return false };
        let (without_first, without_last) = (&form[first.len_utf8()..], &form[..form.len() - last.len_utf8()]);
        BEHIND_NAMES.contains(last) && is_person(without_last)
            || BEFORE_NAMES.contains(first) && is_person(without_first)
    };
    let dropped: Vec<String> = kinds.keys().filter(is_overlong).cloned().collect();
    for form in dropped {
        kinds.remove(&form);
    }
}

/// Adds the full names that occur once: a surname before a name that the text has more often.
fn add_full_names(found: &Found<'_>, kinds: &mut Kinds) {
    let full = found.iter().filter_map(|(word, _)| Some((&word.text, &word.text[word.surname?..])));
    let is_known = |given: &str| kinds.get(given) == Some(&EntityKind::Character);
    let full: Vec<String> = full.filter(|(_, given)| is_known(given)).map(|(text, _)| text.to_string()).collect();
    kinds.extend(full.into_iter().map(|text| (text, EntityKind::Character)));
}

/// Bytes of the surname of a full name with a given name of two characters.
pub(super) fn full_name_of(text: &str) -> Option<usize> {
    let surname = surname_of(text).filter(|surname| !NO_PART.contains(*surname) && !BEFORE_NAMES.contains(*surname))?;
    let given = &text[surname.len()..];
    (surname_of(given).is_none() && given.chars().count() == 2).then_some(surname.len())
}

/// The end of a full name that may be a given name of two characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenName {
    /// Bytes of the surname before it.
    surname: usize,
    is_ordinary: bool,
}

impl GivenName {
    pub(super) fn in_full_name(full: &str) -> Option<Self> {
        let surname = surname_of(full)?.len();
        let given = &full[surname..];
        let is_fit = given.chars().count() == 2 && is_form(given) && !TITLES.contains(&given);
        is_fit.then(|| Self { surname, is_ordinary: is_ordinary(given) })
    }
}

/// Adds the given names of full names that occur alone too: 士成 of 陈士成. An ordinary word needs the words beside it as
/// evidence.
fn add_given_names(found: &Found<'_>, kinds: &mut Kinds) {
    let persons = kinds.iter().filter(|(_, kind)| **kind == EntityKind::Character).map(|(form, _)| form.as_str());
    let is_read = |(_, evidence): &(&WordForm, &Evidence)| evidence.kinds[0] * 2 > evidence.count();
    let read = found.iter().filter(|(word, _)| word.given.is_some()).filter(is_read);
    let given = |form: &str, name: GivenName| {
        let given = &form[name.surname..];
        let evidence = found.get(given)?;
        let is_person = evidence.count() >= MIN_EXTENDED && evidence.person >= 2 * evidence.count();
        let is_repeated = || found.get(form).is_none_or(|full| full.count() > 1);
        (is_person || !name.is_ordinary && is_repeated()).then(|| given.to_owned())
    };
    let named: Vec<String> = persons.filter_map(|form| given(form, GivenName::in_full_name(form)?)).collect();
    let likely: Vec<String> = read.filter_map(|(word, _)| given(&word.text, word.given?)).collect();
    for form in named {
        kinds.entry(form).or_insert(EntityKind::Character);
    }
    let is_person = |evidence: &Evidence| evidence.person >= 2 * evidence.count() && evidence.count() >= MIN_EXTENDED;
    for form in likely.into_iter().filter(|form| found.get(form).is_some_and(is_person)) {
        if kinds.get(&form) != Some(&EntityKind::Place) {
            kinds.insert(form, EntityKind::Character);
        }
    }
}

/// Adds one character of a given name with the word that friends and relatives put beside it: 道翁, who is 何道统.
fn add_familiar(found: &Found<'_>, kinds: &mut Kinds) {
    let persons = kinds.iter().filter(|(_, kind)| **kind == EntityKind::Character);
    let given: FxHashSet<char> = persons.flat_map(|(form, _)| given_characters(form)).collect();
    let is_familiar = |(word, evidence): &(&WordForm, &Evidence)| {
        let is_enough = evidence.count() >= MIN_READINGS && evidence.noun == 0 && !word.is_ordinary;
        is_enough && word.familiar.is_some_and(|c| given.contains(&c))
    };
    let familiar: Vec<String> = found.iter().filter(is_familiar).map(|(word, _)| word.text.to_string()).collect();
    for form in familiar {
        kinds.entry(form).or_insert(EntityKind::Character);
    }
}

/// The characters of the given name of a full name, or of a given name; none of a name with 老, 小, 阿 or a title.
pub(crate) fn given_characters(name: &str) -> impl Iterator<Item = char> {
    let chars = name.chars().count();
    let given = &name[surname_of(name).map_or(0, str::len)..];
    // 小栓 is the son of 华老栓.
    let is_full = (2..=3).contains(&chars) && !given.starts_with(FAMILIAR_STARTS) && !is_short(name);
    given.chars().filter(move |_| is_full)
}

/// The character of a given name that a familiar form has: 道 of 道翁, 顺 of 阿顺. Surnames and ranks are none.
pub(crate) fn familiar_character(name: &str) -> Option<char> {
    let rest = FAMILIAR_ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    let mut chars = rest.or_else(|| name.strip_prefix(FAMILIAR_STARTS))?.chars();
    let c =
        chars.next().filter(|c| !SURNAMES.contains(*c) && !NUMERALS.contains(*c) && !FAMILIAR_STARTS.contains(c))?;
    (chars.next().is_none() && !"大子儿".contains(c)).then_some(c)
}

/// Whether a name has the form of a short one: with 老, 小 or 阿, or with a title.
pub(crate) fn is_short(name: &str) -> bool {
    name.starts_with(FAMILIAR_STARTS) || TITLES.iter().chain(&RESPECTFUL).any(|title| name.ends_with(title))
}
