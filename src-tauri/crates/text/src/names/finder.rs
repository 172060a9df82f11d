//! Finds the names of a list in a text, in any spelling.

use std::{collections::HashMap, ops::Range};

use aho_corasick::AhoCorasick;

use super::{
    Pair,
    folded::{FoldedText, Gap},
};

/// A spelling of a name that has an alias of its own.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The spelling that is restored.
    pub(super) name: String,
    /// The alias chosen by the writer.
    pub(super) alias: String,
    /// The index of its pair.
    pub(super) pair: usize,
    is_capitals: bool,
    in_lower_case: bool,
    folded: FoldedText,
    /// The signs before the first letter and after the last.
    head: String,
    tail: String,
}

/// An occurrence of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    /// In bytes of the text.
    pub(super) range: Range<usize>,
    /// The index of the entry.
    pub(super) entry: usize,
}

/// Finds names in one pass over the folded text, for any number of names.
#[derive(Debug, Clone, Default)]
pub(super) struct Finder {
    pub(super) entries: Vec<Entry>,
    /// Entries by the pattern of the automaton.
    by_pattern: Vec<Vec<usize>>,
    /// By pattern, whether all of its names are one word.
    one_word: Vec<bool>,
    automaton: Option<AhoCorasick>,
    /// Whether an `s` may follow. False if that letter is a name itself: it would remain.
    plural: bool,
}

impl Entry {
    fn new(number: usize, pair: &Pair, is_capitals: bool) -> Option<Self> {
        let (name, alias) = match is_capitals {
            true => (pair.name.to_uppercase(), pair.alias.to_uppercase()),
            false => (pair.name.clone(), pair.alias.clone()),
        };
        let folded = FoldedText::new(&name);
        let core = folded.source(0..folded.len())?;
        let (head, tail) = (name.get(..core.start)?.to_owned(), name.get(core.end..)?.to_owned());
        let in_lower_case = pair.in_lower_case;
        (!alias.is_empty()).then_some(Self {
            name,
            alias,
            pair: number,
            is_capitals,
            in_lower_case,
            folded,
            head,
            tail,
        })
    }
}

impl Finder {
    /// A finder for the names of these pairs and their capitals. Of a spelling listed twice, the first entry counts.
    pub(super) fn new(pairs: &[Pair]) -> Self {
        let mut entries: Vec<Entry> = Vec::with_capacity(pairs.len());
        let mut seen_spellings = std::collections::HashSet::new();
        for is_capitals in [false, true] {
            for (number, pair) in pairs.iter().enumerate() {
                let Some(entry) = Entry::new(number, pair, is_capitals) else { continue };
                if seen_spellings.insert((entry.name.clone(), entry.in_lower_case)) {
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
        // Building fails if the names need more memory than there is; then nothing may be sent (see `is_ready`).
        let automaton = if keys.is_empty() { None } else { AhoCorasick::new(&keys).ok() };
        Self { entries, by_pattern, one_word, automaton, plural }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the automaton could be built.
    pub(super) fn is_ready(&self) -> bool {
        self.entries.is_empty() || self.automaton.is_some()
    }

    /// All occurrences of names: at each start the longest, none overlapping another.
    pub(super) fn find_all(&self, text: &str) -> Vec<Match> {
        let folded = FoldedText::new(text);
        let mut longest: HashMap<usize, (usize, usize)> = HashMap::new();
        self.for_each_match(text, &folded, |units, entry| {
            let best = longest.entry(units.start).or_insert((units.end, entry));
            if units.end > best.0 {
                *best = (units.end, entry);
            }
            true
        });
        let mut starts: Vec<(usize, (usize, usize))> = longest.into_iter().collect();
        starts.sort_unstable();
        let mut found: Vec<Match> = Vec::with_capacity(starts.len());
        let mut free_from = 0;
        for (start, (end, entry)) in starts {
            if start < free_from {
                continue;
            }
            free_from = end;
            let before = found.last().map_or(0, |found| found.range.end);
            if let Some(range) = folded.source(start..end) {
                found.push(Match { range: self.extend_to_affixes(text, range, before, entry), entry });
            }
        }
        found
    }

    /// Whether the text contains a name.
    pub(super) fn contains_name(&self, text: &str) -> bool {
        let mut found = false;
        self.for_each_match(text, &FoldedText::new(text), |_, _| {
            found = true;
            false
        });
        found
    }

    /// The indexes of the pairs whose name is in the text, also inside another name.
    pub(super) fn pairs_in(&self, text: &str) -> Vec<usize> {
        let mut pairs = Vec::new();
        self.for_each_match(text, &FoldedText::new(text), |_, entry| {
            pairs.extend(self.entries.get(entry).map(|entry| entry.pair));
            true
        });
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Calls `visit` with every occurrence of a name, overlapping ones included, until it returns `false`.
    fn for_each_match(&self, text: &str, folded: &FoldedText, mut visit: impl FnMut(Range<usize>, usize) -> bool) {
        let Some(automaton) = &self.automaton else { return };
        let mut occurrences = automaton.find_overlapping_iter(&folded.text).peekable();
        if occurrences.peek().is_none() {
            return;
        }
        let units_by_byte = folded.unit_by_byte();
        let unit_at = |byte: usize| units_by_byte.get(byte).map_or(0, |unit| *unit as usize);
        let breaks = folded.breaks();
        let breaks_at = |unit: usize| breaks.get(unit).copied().unwrap_or_default();
        for found in occurrences {
            let units = unit_at(found.start())..unit_at(found.end());
            // Names that are prefixes of each other match at many positions; these two counts drop most of them early.
            let is_one_word = self.one_word.get(found.pattern().as_usize()).copied().unwrap_or_default();
            if is_one_word && breaks_at(units.start) != breaks_at(units.end.saturating_sub(1)) {
                continue;
            }
            if !folded.is_whole(&units, self.plural) {
                continue;
            }
            let entries = self.by_pattern.get(found.pattern().as_usize()).map_or(&[][..], Vec::as_slice);
            if let Some(entry) = self.matching_entry(entries, text, folded, &units)
                && !visit(units, entry)
            {
                return;
            }
        }
    }

    /// The entry among those with these letters that an occurrence belongs to: the one with this spelling; else, for
    /// capitals, the one in capitals; else the first. `None` if none fits: another gap, or lower case that is not
    /// hidden.
    fn matching_entry(
        &self,
        entries: &[usize],
        text: &str,
        folded: &FoldedText,
        units: &Range<usize>,
    ) -> Option<usize> {
        let source = folded.source(units.clone())?;
        let spelled = text.get(source)?;
        let core =
            |entry: &Entry| entry.name.get(entry.head.len()..entry.name.len() - entry.tail.len()) == Some(spelled);
        let numbered = |number: &usize| self.entries.get(*number).map(|entry| (*number, entry));
        if let Some((number, _)) = entries.iter().filter_map(numbered).find(|(_, entry)| core(entry)) {
            return Some(number);
        }
        let has = |test: fn(char) -> bool| spelled.chars().any(test);
        let is_capitals = has(char::is_uppercase) && !has(char::is_lowercase);
        let is_lower = !has(char::is_uppercase);
        let fits = |(_, entry): &(usize, &Entry)| {
            (entry.in_lower_case || !is_lower || !entry.name.chars().any(char::is_uppercase))
                && folded.gaps_match(units, &entry.folded, text)
        };
        let mut fitting = entries.iter().filter_map(numbered).filter(fits);
        let first = fitting.next()?;
        if first.1.is_capitals == is_capitals {
            return Some(first.0);
        }
        let other = fitting.find(|(_, entry)| entry.is_capitals == is_capitals);
        Some(other.map_or(first.0, |(number, _)| number))
    }

    /// The range extended by the signs that the name begins and ends with, if the text has them there.
    fn extend_to_affixes(&self, text: &str, range: Range<usize>, before: usize, entry: usize) -> Range<usize> {
        let Some(Entry { head, tail, .. }) = self.entries.get(entry) else { return range };
        let has_head = text.get(before..range.start).is_some_and(|before| before.ends_with(head.as_str()));
        let has_tail = text.get(range.end..).is_some_and(|after| after.starts_with(tail.as_str()));
        let start = if has_head { range.start - head.len() } else { range.start };
        start..if has_tail { range.end + tail.len() } else { range.end }
    }
}

/// The folded letters of a name, without the characters between them.
pub(super) fn folded_letters(name: &str) -> String {
    FoldedText::new(name).text
}

/// The folded parts of a name.
pub(super) fn folded_parts(name: &str) -> Vec<String> {
    let folded = FoldedText::new(name);
    let mut parts: Vec<String> = Vec::new();
    for unit in &folded.units {
        match parts.last_mut() {
            Some(part) if unit.gap == Gap::NONE => part.push(unit.c),
            _ => parts.push(unit.c.into()),
        }
    }
    parts
}
