//! Where the names of a list stand in a text, in any spelling.

use std::{collections::HashMap, ops::Range};

use aho_corasick::AhoCorasick;

use super::{
    Pair,
    folded::{Folded, Gap},
};

/// A spelling of a name that has an alias of its own.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The spelling that comes back.
    pub(super) name: String,
    /// The alias that the writer gave it.
    pub(super) alias: String,
    /// Which of the pairs it belongs to.
    pub(super) pair: usize,
    is_capitals: bool,
    in_lower_case: bool,
    folded: Folded,
    /// What stands before the first letter and after the last.
    head: String,
    tail: String,
}

/// A place where a name stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// In bytes of the text.
    pub(super) range: Range<usize>,
    /// By its number.
    pub(super) entry: usize,
}

/// Finds names: one pass over the folded text, whatever their number.
#[derive(Debug, Clone, Default)]
pub(super) struct Finder {
    pub(super) entries: Vec<Entry>,
    /// Entries by the pattern of the automaton.
    by_pattern: Vec<Vec<usize>>,
    /// By pattern, whether all of its names are one word.
    one_word: Vec<bool>,
    automaton: Option<AhoCorasick>,
    /// An `s` may follow. Not where that letter is a name itself: it would be left alone.
    plural: bool,
}

impl Entry {
    fn of(pair: usize, of: &Pair, is_capitals: bool) -> Option<Self> {
        let (name, alias) = match is_capitals {
            true => (of.name.to_uppercase(), of.alias.to_uppercase()),
            false => (of.name.clone(), of.alias.clone()),
        };
        let folded = Folded::of(&name);
        let core = folded.source(0..folded.len())?;
        let (head, tail) = (name.get(..core.start)?.to_owned(), name.get(core.end..)?.to_owned());
        let in_lower_case = of.in_lower_case;
        (!alias.is_empty()).then_some(Self { name, alias, pair, is_capitals, in_lower_case, folded, head, tail })
    }
}

impl Finder {
    /// The names of these pairs, and their capitals; a spelling that is given twice counts where it is given first.
    pub(super) fn new(pairs: &[Pair]) -> Self {
        let mut entries: Vec<Entry> = Vec::with_capacity(pairs.len());
        let mut known = std::collections::HashSet::new();
        for is_capitals in [false, true] {
            for (number, pair) in pairs.iter().enumerate() {
                let Some(entry) = Entry::of(number, pair, is_capitals) else { continue };
                if known.insert((entry.name.clone(), entry.in_lower_case)) {
                    entries.push(entry);
                }
            }
        }
        let plural = entries.iter().all(|entry| entry.folded.text != "s");
        let mut patterns: HashMap<&str, usize> = HashMap::new();
        let mut by_pattern: Vec<Vec<usize>> = Vec::new();
        let mut keys = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            let pattern = *patterns.entry(&entry.folded.text).or_insert_with(|| {
                keys.push(&entry.folded.text);
                by_pattern.push(Vec::new());
                by_pattern.len() - 1
            });
            if let Some(of_pattern) = by_pattern.get_mut(pattern) {
                of_pattern.push(number);
            }
        }
        let is_one_word = |numbers: &Vec<usize>| {
            numbers.iter().all(|number| entries.get(*number).is_some_and(|entry| entry.folded.is_one_word()))
        };
        let one_word = by_pattern.iter().map(is_one_word).collect();
        // It cannot be built for more names than a machine has memory for; then nothing must be sent.
        let automaton = if keys.is_empty() { None } else { AhoCorasick::new(&keys).ok() };
        Self { entries, by_pattern, one_word, automaton, plural }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether it finds what it was made for.
    pub(super) fn works(&self) -> bool {
        self.entries.is_empty() || self.automaton.is_some()
    }

    /// The places where names stand, at each the longest, none over another.
    pub(super) fn all(&self, text: &str) -> Vec<Found> {
        let folded = Folded::of(text);
        let mut longest: HashMap<usize, (usize, usize)> = HashMap::new();
        self.each(text, &folded, |units, entry| {
            let best = longest.entry(units.start).or_insert((units.end, entry));
            if units.end > best.0 {
                *best = (units.end, entry);
            }
            true
        });
        let mut starts: Vec<(usize, (usize, usize))> = longest.into_iter().collect();
        starts.sort_unstable();
        let mut found: Vec<Found> = Vec::with_capacity(starts.len());
        let mut free_from = 0;
        for (start, (end, entry)) in starts {
            if start < free_from {
                continue;
            }
            free_from = end;
            let before = found.last().map_or(0, |found| found.range.end);
            if let Some(range) = folded.source(start..end) {
                found.push(Found { range: self.widened(text, range, before, entry), entry });
            }
        }
        found
    }

    /// Whether a name stands in the text.
    pub(super) fn finds_in(&self, text: &str) -> bool {
        let mut found = false;
        self.each(text, &Folded::of(text), |_, _| {
            found = true;
            false
        });
        found
    }

    /// The numbers of the pairs of which a name stands in the text, also inside another name.
    pub(super) fn pairs_in(&self, text: &str) -> Vec<usize> {
        let mut pairs = Vec::new();
        self.each(text, &Folded::of(text), |_, entry| {
            pairs.extend(self.entries.get(entry).map(|entry| entry.pair));
            true
        });
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Calls `visit` with every occurrence of a name, overlapping ones included, until it returns `false`.
    fn each(&self, text: &str, folded: &Folded, mut visit: impl FnMut(Range<usize>, usize) -> bool) {
        let Some(automaton) = &self.automaton else { return };
        let places = folded.places();
        let place = |byte: usize| places.get(byte).map_or(0, |place| *place as usize);
        let breaks = folded.breaks();
        let breaks_at = |unit: usize| breaks.get(unit).copied().unwrap_or_default();
        for found in automaton.find_overlapping_iter(&folded.text) {
            let units = place(found.start())..place(found.end());
            // Names that are beginnings of each other end in many places: most are left out by these two counts.
            let is_one_word = self.one_word.get(found.pattern().as_usize()).copied().unwrap_or_default();
            if is_one_word && breaks_at(units.start) != breaks_at(units.end.saturating_sub(1)) {
                continue;
            }
            if !folded.is_whole(&units, self.plural) {
                continue;
            }
            let entries = self.by_pattern.get(found.pattern().as_usize()).map_or(&[][..], Vec::as_slice);
            if let Some(entry) = self.entry_of(entries, text, folded, &units)
                && !visit(units, entry)
            {
                return;
            }
        }
    }

    /// Which of the names with these letters it is: the one that is spelled so; else the one in capitals for capitals; else
    /// the first. `None` where it is none of them: another gap, or lower case that is to stay.
    fn entry_of(&self, entries: &[usize], text: &str, folded: &Folded, units: &Range<usize>) -> Option<usize> {
        let source = folded.source(units.clone())?;
        let spelled = text.get(source)?;
        let core =
            |entry: &Entry| entry.name.get(entry.head.len()..entry.name.len() - entry.tail.len()) == Some(spelled);
        let of = |number: &usize| self.entries.get(*number).map(|entry| (*number, entry));
        if let Some((number, _)) = entries.iter().filter_map(of).find(|(_, entry)| core(entry)) {
            return Some(number);
        }
        let has = |test: fn(char) -> bool| spelled.chars().any(test);
        let is_capitals = has(char::is_uppercase) && !has(char::is_lowercase);
        let is_lower = !has(char::is_uppercase);
        let fits = |(_, entry): &(usize, &Entry)| {
            (entry.in_lower_case || !is_lower || !entry.name.chars().any(char::is_uppercase))
                && folded.fits(units, &entry.folded, text)
        };
        let mut fitting = entries.iter().filter_map(of).filter(fits);
        let first = fitting.next()?;
        if first.1.is_capitals == is_capitals {
            return Some(first.0);
        }
        let other = fitting.find(|(_, entry)| entry.is_capitals == is_capitals);
        Some(other.map_or(first.0, |(number, _)| number))
    }

    /// A place with the signs that the name begins and ends with, where they stand there.
    fn widened(&self, text: &str, range: Range<usize>, before: usize, entry: usize) -> Range<usize> {
        let Some(Entry { head, tail, .. }) = self.entries.get(entry) else { return range };
        let has_head = text.get(before..range.start).is_some_and(|before| before.ends_with(head.as_str()));
        let has_tail = text.get(range.end..).is_some_and(|after| after.starts_with(tail.as_str()));
        let start = if has_head { range.start - head.len() } else { range.start };
        start..if has_tail { range.end + tail.len() } else { range.end }
    }
}

/// Whether two names are the same letters, whatever stands between them.
pub(super) fn letters(name: &str) -> String {
    Folded::of(name).text
}

/// A name in parts, as they are folded.
pub(super) fn parts(name: &str) -> Vec<String> {
    let folded = Folded::of(name);
    let mut parts: Vec<String> = Vec::new();
    for unit in &folded.units {
        match parts.last_mut() {
            Some(part) if unit.gap == Gap::NONE => part.push(unit.c),
            _ => parts.push(unit.c.into()),
        }
    }
    parts
}
