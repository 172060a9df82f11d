//! Evidence for a word as a name: the tagger's readings, and the words beside each occurrence.

use std::{ops::Range, sync::Arc};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    EntityKind, TaggedChapter, TaggedWord, WordKind,
    classes::Class,
    forms,
    lexicon::ACTS,
    single::{self, Single},
    table::{NO_PAIR, Tables, WordForm},
    titled::{self, Titled},
};

/// Fewest occurrences of two words that are read as one.
const MIN_JOINED: u32 = 3;

/// The places of a form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Readings as a person, a place, an organisation, a thing, and as anything else.
    pub(crate) kinds: [u32; 5],
    /// Points for a person, by the words beside each occurrence: ten for a verb of speech behind it, fewer for weaker
    /// signs.
    pub(crate) person: u32,
    /// Places behind a classifier or a pronoun.
    pub(crate) noun: u32,
}

impl Evidence {
    pub(crate) fn count(&self) -> u32 {
        self.kinds.iter().sum()
    }

    /// Adds the words before and behind an occurrence.
    fn add_sides(&mut self, sides: Sides) {
        self.noun += u32::from(sides.shows(Sides::BEHIND_NOUN_SIGN));
        let is_start = sides.shows(Sides::START);
        self.person += match () {
            () if sides.shows(Sides::BEFORE_ACT) => 10,
            () if sides.shows(Sides::BEFORE_ADVERB) && is_start => 5,
            () if sides.shows(Sides::BEFORE_ADVERB) => 2,
            () => 0,
        };
        self.person += if is_start || sides.shows(Sides::BEHIND_PERSON_SIGN) { 3 } else { 0 };
    }

    /// Adds the words before and behind a part of a text.
    pub(crate) fn add_place(&mut self, text: &str, from: usize, to: usize) {
        if text.is_char_boundary(from) && text.is_char_boundary(to) {
            self.add_sides(Sides::new(text, &(from..to)));
        }
    }

    fn change(&mut self, other: &Self, is_added: bool) {
        for (sum, count) in self.kinds.iter_mut().zip(other.kinds) {
            change(sum, count, is_added);
        }
        change(&mut self.person, other.person, is_added);
        change(&mut self.noun, other.noun, is_added);
    }
}

/// The signs in the characters beside an occurrence, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sides(u8);

impl Sides {
    /// No letter stands before it.
    const START: u8 = 1;
    /// Behind a classifier or a pronoun.
    const BEHIND_NOUN_SIGN: u8 = 1 << 1;
    /// Behind a word that stands before persons.
    const BEHIND_PERSON_SIGN: u8 = 1 << 2;
    /// Before a verb of speech or of an act.
    const BEFORE_ACT: u8 = 1 << 3;
    /// Before an adverb.
    const BEFORE_ADVERB: u8 = 1 << 4;
    const BEFORE: u8 = Self::START | Self::BEHIND_NOUN_SIGN | Self::BEHIND_PERSON_SIGN;

    fn new(text: &str, range: &Range<usize>) -> Self {
        let before = text[..range.start].chars().next_back();
        let (class, rest) = (before.map(Class::of), &text[range.end..]);
        let is_behind = |list: Class| class.is_some_and(|class| class.has(list));
        let next = rest.chars().next().map(Class::of);
        let is_before = |list: Class| next.is_some_and(|class| class.has(list));
        let is_act = || is_before(Class::ACT) && ACTS.iter().any(|act| rest.starts_with(act));
        let signs = [
            (Self::START, before.is_none_or(|c| !c.is_alphanumeric())),
            (Self::BEHIND_NOUN_SIGN, is_behind(Class::BEFORE_NOUN)),
            (Self::BEHIND_PERSON_SIGN, is_behind(Class::BEFORE_PERSON)),
            (Self::BEFORE_ACT, is_before(Class::SPEECH) || is_act()),
            (Self::BEFORE_ADVERB, is_before(Class::ADVERB)),
        ];
        Self(signs.into_iter().filter(|(_, has)| *has).fold(0, |all, (sign, _)| all | sign))
    }

    /// Those of a word that begins with the word of these sides and ends with the word of others.
    fn joined_with(self, last: Self) -> Self {
        Self(self.0 & Self::BEFORE | last.0 & !Self::BEFORE)
    }

    fn shows(self, sign: u8) -> bool {
        self.0 & sign != 0
    }
}

/// Adds to a sum, or takes away what is in it. The order does not matter: a sum may be too small for a while.
fn change(sum: &mut u32, count: u32, is_added: bool) {
    *sum = if is_added { sum.wrapping_add(count) } else { sum.wrapping_sub(count) };
}

fn slot(kind: WordKind) -> usize {
    match kind {
        WordKind::Person => 0,
        WordKind::Place => 1,
        WordKind::Organisation => 2,
        WordKind::Thing => 3,
        WordKind::Time | WordKind::Other => 4,
    }
}

/// A word of a chapter where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordAt {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Number of the word.
    pub(super) id: u32,
    /// Number of the pair with the next word, or [`NO_PAIR`].
    pair: u32,
    pub(super) kind: WordKind,
    /// The first character of a title stands behind it.
    pub(super) may_be_titled: bool,
    sides: Sides,
}

impl WordAt {
    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    fn evidence(&self) -> Evidence {
        let mut evidence = Evidence::default();
        evidence.kinds[slot(self.kind)] = 1;
        evidence.add_sides(self.sides);
        evidence
    }

    fn is_person(&self) -> bool {
        self.kind == WordKind::Person
    }

    fn pair_with(&self, next: &Self, tables: &mut Tables) -> u32 {
        if self.end == next.start { tables.pair(self.id, next.id) } else { NO_PAIR }
    }
}

/// The words of a chapter as they were read, with what they add to the sums of a book.
#[derive(Debug)]
pub(super) struct Row {
    words: Vec<WordAt>,
    /// Pairs with their counts, by number.
    pairs: Vec<(u32, u32)>,
    /// By word.
    evidence: Vec<(u32, Evidence)>,
}

impl Row {
    /// The words that are ranges of the text, without overlap.
    pub(super) fn new(chapter: &TaggedChapter<'_>, tables: &mut Tables) -> Self {
        let mut words: Vec<WordAt> = Vec::with_capacity(chapter.words.len());
        for (text, word) in chapter.texts() {
            let (Ok(start), Ok(end)) = (u32::try_from(word.range.start), u32::try_from(word.range.end)) else { break };
            if words.last().is_some_and(|last| last.end > start) {
                continue;
            }
            let behind = chapter.text[word.range.end..].chars().next();
            let may_be_titled = behind.is_some_and(|c| Class::of(c).has(Class::TITLE));
            words.push(WordAt {
                start,
                end,
                id: tables.word_number(text),
                pair: NO_PAIR,
                kind: word.kind,
                may_be_titled,
                sides: Sides::new(chapter.text, &word.range),
            });
        }
        let mut pairs: FxHashMap<u32, u32> = FxHashMap::default();
        let mut evidence: FxHashMap<u32, Evidence> = FxHashMap::default();
        for at in 0..words.len() {
            if let Some(next) = words.get(at + 1).copied() {
                words[at].pair = words[at].pair_with(&next, tables);
            }
            let word = words[at];
            if word.pair != NO_PAIR {
                *pairs.entry(word.pair).or_default() += 1;
            }
            evidence.entry(word.id).or_default().change(&word.evidence(), true);
        }
        let (mut pairs, mut evidence): (Vec<_>, Vec<_>) = (pairs.into_iter().collect(), evidence.into_iter().collect());
        pairs.sort_unstable();
        evidence.sort_unstable_by_key(|(id, _)| *id);
        Self { words, pairs, evidence }
    }

    pub(super) fn words(&self) -> Vec<TaggedWord> {
        self.words.iter().map(|word| TaggedWord { range: word.range(), kind: word.kind }).collect()
    }

    pub(super) fn has_pair(&self, pair: u32) -> bool {
        self.pairs.binary_search_by_key(&pair, |(pair, _)| *pair).is_ok()
    }

    /// The words with those pairs as one word each that are joined in the first round.
    pub(super) fn joined(&self, text: &str, joined: &PairSet, tables: &mut Tables) -> Joined {
        join(&self.words, text, joined, tables)
    }

    fn count(&self, id: u32) -> u32 {
        let at = self.evidence.binary_search_by_key(&id, |(id, _)| *id);
        at.map_or(0, |at| self.evidence[at].1.count())
    }

    /// The evidence of the chapter with the pairs of both rounds as one word each.
    pub(super) fn read(
        &self,
        text: &str,
        (first, second): (&Joined, &PairSet),
        tables: &mut Tables,
        known: &mut KnownPlaces,
    ) -> Reading {
        let Joined { words, changes, .. } = join(&first.words, text, second, tables);
        let mut all = Changes::default();
        for changes in [&first.changes, &changes] {
            all.removed.extend(&changes.removed);
            all.added.extend(&changes.added);
        }
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for (id, _) in &all.added {
            *counts.entry(*id).or_insert_with(|| self.count(*id)) += 1;
        }
        for (id, _) in &all.removed {
            *counts.entry(*id).or_insert_with(|| self.count(*id)) -= 1;
        }
        let is_once = |id: u32| counts.get(&id).copied().unwrap_or_else(|| self.count(id)) == 1;
        let singles = single::singles(text, &words, is_once, &mut known.singles);
        let titled = titled::titled(text, &words, tables, &mut known.titled);
        Reading { changes: all, singles, titled }
    }

    pub(super) fn size(&self) -> usize {
        self.words.len() * size_of::<WordAt>() + self.pairs.len() * 8 + self.evidence.len() * 32
    }
}

/// The evidence that does not depend on other chapters, of places of a chapter that were read before.
#[derive(Debug, Default)]
pub(super) struct KnownPlaces {
    singles: single::KnownSingles,
    titled: titled::KnownTitled,
}

impl KnownPlaces {
    pub(super) fn size(&self) -> usize {
        (self.singles.capacity() + self.titled.capacity()) * 40
    }
}

/// The evidence of single places that joining words takes away and adds.
#[derive(Debug, Default)]
struct Changes {
    removed: Vec<(u32, Evidence)>,
    added: Vec<(u32, Evidence)>,
}

/// The words of a chapter of which some are joined, with the changes that this makes.
#[derive(Debug)]
pub(super) struct Joined {
    words: Vec<WordAt>,
    changes: Changes,
    removed_pairs: Vec<u32>,
    added_pairs: Vec<u32>,
}

impl Joined {
    pub(super) fn has_new_pair(&self, pair: u32) -> bool {
        self.added_pairs.contains(&pair)
    }

    pub(super) fn size(&self) -> usize {
        self.words.len() * size_of::<WordAt>() + (self.changes.removed.len() + self.changes.added.len()) * 32
    }
}

/// Joins pairs of words, from the left.
fn join(words: &[WordAt], text: &str, joined: &PairSet, tables: &mut Tables) -> Joined {
    let mut new: Vec<WordAt> = Vec::with_capacity(words.len());
    let (mut changes, mut removed_pairs, mut added_pairs) = (Changes::default(), Vec::new(), Vec::new());
    let mut is_last_joined = false;
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        let is_joined = joined.contains(word.pair);
        let mut here = word;
        if is_joined {
            let next = words[at + 1];
            let kind = if word.is_person() || next.is_person() { WordKind::Person } else { WordKind::Other };
            let id = tables.joined_word(word.pair, &text[word.start as usize..next.end as usize]);
            let sides = word.sides.joined_with(next.sides);
            here = WordAt { start: word.start, id, kind, sides, ..next };
            changes.removed.extend([word, next].map(|word| (word.id, word.evidence())));
            changes.added.push((id, here.evidence()));
            // The pair before a word that follows another joined one was removed with that one.
            let before = at.checked_sub(1).filter(|_| !is_last_joined).map(|before| words[before].pair);
            let pairs = [before.unwrap_or(NO_PAIR), word.pair, next.pair];
            removed_pairs.extend(pairs.into_iter().filter(|pair| *pair != NO_PAIR));
        }
        if let Some(last) = new.last_mut().filter(|_| is_joined || is_last_joined) {
            last.pair = last.pair_with(&here, tables);
            added_pairs.extend(Some(last.pair).filter(|pair| *pair != NO_PAIR));
        }
        new.push(here);
        is_last_joined = is_joined;
        at += if is_joined { 2 } else { 1 };
    }
    // A joined word at the end of the chapter has no next one.
    if let Some(last) = new.last_mut() {
        last.pair = NO_PAIR;
    }
    Joined { words: new, changes, removed_pairs, added_pairs }
}

/// The pairs that are joined, by number, in order and as bits.
#[derive(Debug, Default)]
pub(super) struct PairSet {
    pairs: Vec<u32>,
    bits: Vec<u64>,
}

impl PairSet {
    fn new(pairs: Vec<u32>) -> Self {
        let mut bits = vec![0; pairs.last().map_or(0, |last| *last as usize / 64 + 1)];
        for pair in &pairs {
            bits[*pair as usize / 64] |= 1 << (pair % 64);
        }
        Self { pairs, bits }
    }

    fn contains(&self, pair: u32) -> bool {
        self.bits.get(pair as usize / 64).is_some_and(|bits| bits >> (pair % 64) & 1 == 1)
    }

    /// The pairs that only one of two sets has.
    pub(super) fn difference(&self, other: &Self) -> Vec<u32> {
        let only = |one: &Self, other: &Self| -> Vec<u32> {
            one.pairs.iter().filter(|pair| !other.contains(**pair)).copied().collect()
        };
        [only(self, other), only(other, self)].concat()
    }
}

/// The evidence of a chapter, once it is known which of its words are read as one.
#[derive(Debug)]
pub(super) struct Reading {
    changes: Changes,
    /// Words that are read as a person and that the chapter has once, in order.
    pub(super) singles: Vec<Single>,
    /// Words with a title behind them.
    pub(super) titled: Vec<Titled>,
}

impl Reading {
    pub(super) fn size(&self) -> usize {
        (self.changes.removed.len() + self.changes.added.len()) * 32
            + self.singles.len() * size_of::<Single>()
            + self.titled.len() * (size_of::<Titled>() + 16)
    }
}

/// Sums over chapters.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// By word.
    evidence: Vec<Evidence>,
    /// By pair.
    pairs: Vec<u32>,
}

impl Sums {
    fn fit(&mut self, tables: &Tables) {
        self.evidence.resize(tables.words.len(), Evidence::default());
        self.pairs.resize(tables.pairs.len(), 0);
    }

    fn add(&mut self, row: &Row, is_added: bool) {
        for (id, evidence) in &row.evidence {
            self.evidence[*id as usize].change(evidence, is_added);
        }
        for &(pair, count) in &row.pairs {
            change(&mut self.pairs[pair as usize], count, is_added);
        }
    }

    fn add_changes(&mut self, changes: &Changes, is_added: bool) {
        changes.added.iter().for_each(|(id, evidence)| self.evidence[*id as usize].change(evidence, is_added));
        changes.removed.iter().for_each(|(id, evidence)| self.evidence[*id as usize].change(evidence, !is_added));
    }

    fn add_joined(&mut self, joined: &Joined, is_added: bool) {
        self.add_changes(&joined.changes, is_added);
        joined.added_pairs.iter().for_each(|pair| change(&mut self.pairs[*pair as usize], 1, is_added));
        joined.removed_pairs.iter().for_each(|pair| change(&mut self.pairs[*pair as usize], 1, !is_added));
    }

    /// The pairs of words that always stand together: the tagger reads 老拱 as 老 and 拱.
    fn pairs_to_join(&self, tables: &Tables) -> PairSet {
        let is_joined = |pair: &u32| {
            let count = self.pairs[*pair as usize];
            if count < MIN_JOINED {
                return false;
            }
            let (a, b) = tables.pairs[*pair as usize];
            let (first, second) = (self.counts(a), self.counts(b));
            let is_always = count * 5 >= first.0.min(second.0) * 4;
            // A word that nearly always follows a word of several characters is rather its verb.
            let is_part = first.0 <= second.0 || tables.begins_with_character(a);
            let is_person = |(all, persons): (u32, u32)| persons * 2 >= all;
            is_always && is_part && !is_person(first) && !is_person(second)
        };
        PairSet::new((0..).take(self.pairs.len()).filter(is_joined).collect())
    }

    /// All readings of a word, and those as a person.
    fn counts(&self, id: u32) -> (u32, u32) {
        let evidence = &self.evidence[id as usize];
        (evidence.count(), evidence.kinds[0])
    }
}

/// The chapters up to a position with their sums: of the words as they were read, after the first round of joining, and
/// after the second. A chapter that another position has too stays in the sums.
#[derive(Debug, Default)]
pub(super) struct Summed {
    rows: Vec<Arc<Row>>,
    joined: Vec<Arc<Joined>>,
    readings: Vec<Arc<Reading>>,
    read: Sums,
    once: Sums,
    twice: Sums,
    /// By word: the kind that it has by its evidence, with the evidence.
    kinds: Vec<(Evidence, Option<EntityKind>)>,
}

impl Summed {
    /// The pairs that the first round joins in these chapters.
    pub(super) fn first_pairs(&mut self, rows: Vec<Arc<Row>>, tables: &Tables) -> PairSet {
        let Self { read, once, twice, .. } = self;
        [&mut *read, once, twice].into_iter().for_each(|sums| sums.fit(tables));
        replace(&mut self.rows, rows, |row, is_added| {
            [&mut *read, once, twice].into_iter().for_each(|sums| sums.add(row, is_added));
        });
        self.read.pairs_to_join(tables)
    }

    /// The pairs that the second round joins.
    pub(super) fn second_pairs(&mut self, joined: Vec<Arc<Joined>>, tables: &Tables) -> PairSet {
        self.once.fit(tables);
        replace(&mut self.joined, joined, |joined, is_added| self.once.add_joined(joined, is_added));
        self.once.pairs_to_join(tables)
    }

    /// The evidence after the second round.
    pub(super) fn found<'t>(&'t mut self, readings: Vec<Arc<Reading>>, tables: &'t Tables) -> Found<'t> {
        self.twice.fit(tables);
        replace(&mut self.readings, readings, |reading, is_added| {
            self.twice.add_changes(&reading.changes, is_added);
        });
        self.kinds.resize(tables.words.len(), (Evidence::default(), None));
        let words = tables.words.iter().zip(&self.twice.evidence).zip(&mut self.kinds);
        for ((word, evidence), known) in words.filter(|((_, evidence), known)| **evidence != known.0) {
            *known = (*evidence, forms::kind_of(word, evidence));
        }
        Found { tables, evidence: &self.twice.evidence, kinds: &self.kinds, readings: &self.readings }
    }

    pub(super) fn size(&self) -> usize {
        let kinds = self.kinds.len() * size_of::<(Evidence, Option<EntityKind>)>();
        self.read.evidence.len() * 3 * size_of::<Evidence>() + self.read.pairs.len() * 3 * 4 + kinds
    }
}

/// Replaces a list, and calls `change` with each item that is new or gone.
fn replace<T>(list: &mut Vec<Arc<T>>, new: Vec<Arc<T>>, mut change: impl FnMut(&T, bool)) {
    let of = |list: &[Arc<T>]| -> FxHashSet<*const T> { list.iter().map(Arc::as_ptr).collect() };
    let (before, after) = (of(list), of(&new));
    new.iter().filter(|item| !before.contains(&Arc::as_ptr(item))).for_each(|item| change(item, true));
    list.iter().filter(|item| !after.contains(&Arc::as_ptr(item))).for_each(|item| change(item, false));
    *list = new;
}

/// The evidence of every word up to a position.
#[derive(Debug)]
pub(super) struct Found<'t> {
    tables: &'t Tables,
    evidence: &'t [Evidence],
    /// By word.
    kinds: &'t [(Evidence, Option<EntityKind>)],
    /// Of each chapter.
    pub(super) readings: &'t [Arc<Reading>],
}

impl<'t> Found<'t> {
    pub(super) fn get(&self, text: &str) -> Option<&Evidence> {
        let id = self.tables.known_word(text)?;
        self.evidence.get(id as usize).filter(|evidence| evidence.count() > 0)
    }

    pub(super) fn has(&self, text: &str) -> bool {
        self.get(text).is_some()
    }

    pub(super) fn word(&self, id: u32) -> (&'t WordForm, &Evidence) {
        (&self.tables.words[id as usize], &self.evidence[id as usize])
    }

    /// The words that are names by their evidence, with their kinds.
    pub(super) fn kinds(&self) -> impl Iterator<Item = (&'t WordForm, EntityKind)> {
        let all = self.tables.words.iter().zip(self.kinds);
        all.filter_map(|(word, (_, kind))| Some((word, (*kind)?)))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'t WordForm, &Evidence)> {
        let all = self.tables.words.iter().zip(self.evidence);
        all.filter(|(_, evidence)| evidence.count() > 0)
    }
}
