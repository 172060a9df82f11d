//! The names of an English chapter, kept for the habits of case with which they were read.

use std::ops::Range;
use std::sync::Arc;

use super::{
    super::places::as_u32,
    habits::CaseHabit,
    places::Places,
    runs::{self, Run},
    table::Tables,
    text::{Reader, Words},
    weights::Weight,
};

/// An occurrence of a form.
#[derive(Debug, Clone)]
pub(super) struct Occurrence {
    run: Run,
    /// Number of the form.
    pub(super) form: u32,
    /// Number of the way in which the text writes it.
    pub(super) surface: u32,
    pub(super) weight: Weight,
    /// It stands in a list of names with the occurrence before it.
    pub(super) is_listed: bool,
    /// Byte at which it starts.
    pub(super) start: u32,
}

/// A chapter of a book.
#[derive(Debug, Default)]
pub(super) struct Chapter {
    pub(super) text: Arc<str>,
    pub(super) words: Words,
    pub(super) places: Places,
    stretches: Vec<Run>,
    /// By word of the stretches, in order of the numbers: the habit with which it was read.
    habits: Vec<(u32, CaseHabit)>,
    /// The words of the stretches with the number of the stretch, in order.
    uses: Vec<(u32, u32)>,
    /// By stretch.
    runs: Vec<[Option<Occurrence>; 2]>,
    /// In the order of the text.
    pub(super) occurrences: Vec<Occurrence>,
}

impl Chapter {
    pub(super) fn new(text: &Arc<str>, tables: &mut Tables) -> Self {
        let words = Words::new(text, tables);
        let reader = Reader { text, words: &words.words, tables };
        let stretches = runs::stretches(reader, &words);
        let number_of =
            |(stretch, number): (&Run, u32)| words.words[stretch.clone()].iter().map(move |word| (word.id, number));
        let mut uses: Vec<(u32, u32)> = stretches.iter().zip(0..).flat_map(number_of).collect();
        uses.sort_unstable();
        uses.dedup();
        let places = Places::new(text, &words.words);
        Self {
            text: Arc::clone(text),
            words,
            places,
            habits: Vec::new(),
            uses,
            runs: vec![[None, None]; stretches.len()],
            stretches,
            occurrences: Vec::new(),
        }
    }

    /// Reads the stretches with a word whose habit is another one than before; all of them the first time.
    pub(super) fn read(&mut self, habits: &[CaseHabit], tables: &mut Tables) {
        let mut changed: Vec<u32> = Vec::new();
        if self.habits.is_empty() {
            self.habits = self
                .uses
                .chunk_by(|one, other| one.0 == other.0)
                .map(|uses| uses[0].0)
                .map(|id| (id, habits[id as usize]))
                .collect();
            changed.extend(0..as_u32(self.stretches.len()));
        } else {
            for (id, habit) in self.habits.iter_mut().filter(|(id, habit)| habits[*id as usize] != *habit) {
                *habit = habits[*id as usize];
                changed.extend(self.uses[range_of(&self.uses, *id)].iter().map(|(_, stretch)| *stretch));
            }
            changed.sort_unstable();
            changed.dedup();
        }
        if changed.is_empty() {
            return;
        }
        for number in changed {
            let number = number as usize;
            let runs = runs::split(self.reader(tables), &self.stretches[number], habits);
            self.runs[number] = runs.map(|run| run.map(|run| self.occurrence(run, habits, tables)));
        }
        self.occurrences = self.runs.iter().flatten().flatten().cloned().collect();
        let reader = Reader { text: &self.text, words: &self.words.words, tables };
        let mut before: Option<Run> = None;
        for occurrence in &mut self.occurrences {
            occurrence.is_listed = before.is_some_and(|before| runs::is_listed_with(reader, &before, &occurrence.run));
            before = Some(occurrence.run.clone());
        }
    }

    fn reader<'c>(&'c self, tables: &'c Tables) -> Reader<'c> {
        Reader { text: &self.text, words: &self.words.words, tables }
    }

    fn occurrence(&self, run: Run, habits: &[CaseHabit], tables: &mut Tables) -> Occurrence {
        let reader = self.reader(tables);
        let (key, surface) = (runs::key(reader, &run, habits), runs::surface(reader, &run));
        let (weight, start) = (Weight::around(reader, &run), self.words.words[run.start].start);
        let form = tables.form_number(&key);
        let surface = tables.surface_number(form, &surface);
        Occurrence { run, form, surface, weight, is_listed: false, start }
    }

    /// Bytes in memory, about.
    pub(super) fn size(&self) -> usize {
        let runs = self.stretches.len() * (16 + size_of::<[Option<Occurrence>; 2]>());
        let occurrences = self.occurrences.len() * size_of::<Occurrence>();
        self.text.len() + self.words.size() + self.places.size() + runs + occurrences + self.uses.len() * 16
    }
}

/// The range of a word in a list in order of the words.
fn range_of(uses: &[(u32, u32)], id: u32) -> Range<usize> {
    let from = uses.partition_point(|(other, _)| *other < id);
    from..from + uses[from..].partition_point(|(other, _)| *other == id)
}
