//! Names with the title that follows them.

use super::{
    EntityKind, WordKind,
    evidence::{Found, WordAt},
    forms::{Kinds, MIN_READINGS, is_rank},
    lexicon::{NUMERALS, SURNAMES, TITLES},
    single::{self, PlaceKey},
    table::Tables,
};
use rustc_hash::FxHashMap;

/// A word with a title behind it.
#[derive(Debug)]
pub(super) struct Titled {
    /// Number of the word.
    id: u32,
    /// It is a name by its reading or by its characters; otherwise only if it is a person's name elsewhere.
    is_name: bool,
    /// The word with the title.
    form: Box<str>,
    is_certain: bool,
}

/// Words before the first character of a title; `None` for one without a title behind it.
pub(super) type KnownTitled = FxHashMap<PlaceKey, Option<TitledPlace>>;

/// A word with a title behind it, whatever its kind.
#[derive(Debug, Clone)]
pub(super) struct TitledPlace {
    /// A surname, or with the characters of one.
    is_surname: bool,
    form: Box<str>,
    is_certain: bool,
}

/// The words of a chapter with a title behind them. `known` are those of other times.
pub(super) fn titled(text: &str, words: &[WordAt], tables: &Tables, known: &mut KnownTitled) -> Vec<Titled> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| word.may_be_titled) {
        let place = || titled_place(text, words, at, &tables.words[word.id as usize].text);
        let place = known.entry(single::place_key(text, words, at)).or_insert_with(place);
        if let Some(TitledPlace { is_surname, form, is_certain }) = place.clone() {
            let is_name = is_surname || word.kind == WordKind::Person;
            found.push(Titled { id: word.id, is_name, form, is_certain });
        }
    }
    found
}

fn titled_place(text: &str, words: &[WordAt], at: usize, name: &str) -> Option<TitledPlace> {
    let range = words[at].range();
    let end = title_at(text, range.end)?;
    let mut chars = name.chars();
    let is_surname = match (chars.next(), chars.next(), chars.next()) {
        (Some(c), None, _) => SURNAMES.contains(c) || NUMERALS.contains(c),
        // 单四, 九斤: a surname with a rank, and what begins with a number and is not counted.
        (Some(a), Some(b), None) => {
            SURNAMES.contains(a) && NUMERALS.contains(b) || NUMERALS.contains(a) && b == '斤' || is_rank(name)
        }
        _ => false,
    };
    let is_certain = single::is_certain_with_title(text, words, at, &text[range.end..end]);
    Some(TitledPlace { is_surname, form: text[range.start..end].into(), is_certain })
}

/// Adds names with the title that follows them: 单四 and 嫂子 are 单四嫂子. A surname with a title is a name too.
pub(super) fn add_titled(found: &Found<'_>, kinds: &mut Kinds) {
    let mut counts: FxHashMap<&str, (u32, bool)> = FxHashMap::default();
    for titled in found.readings.iter().flat_map(|reading| &reading.titled) {
        let is_person = || kinds.get(&*found.word(titled.id).0.text) == Some(&EntityKind::Character);
        if titled.is_name || is_person() {
            let (count, is_certain) = counts.entry(&titled.form).or_default();
            *count += 1;
            *is_certain |= titled.is_certain;
        }
    }
    for (form, (count, is_certain)) in counts {
        if count >= MIN_READINGS || is_certain {
            kinds.insert(form.to_owned(), EntityKind::Character);
        }
    }
}

/// The end of a title that begins at a place of a text.
fn title_at(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    TITLES.iter().find(|title| rest.starts_with(**title)).map(|title| at + title.len())
}
