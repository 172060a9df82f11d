//! Words of the task inside a draft.

use crate::words::{Word, plain_words};

/// Words of the task in a row that no prose contains by chance.
const MIN_WORDS: usize = 9;

/// The search for words of the task in a growing text.
#[derive(Debug)]
pub(crate) struct TaskWords {
    tasks: Vec<Vec<String>>,
    /// The agreements up to the last word.
    open: Vec<Agreement>,
}

/// Words of the text that are words of a task in a row.
#[derive(Debug, Clone, Copy)]
struct Agreement {
    task: usize,
    /// The word of the task that comes next.
    next: usize,
    /// The byte of the text at which it begins.
    start: usize,
    /// The number of its words.
    words: usize,
}

impl TaskWords {
    pub(crate) fn new(tasks: &[String]) -> Self {
        let tasks = tasks.iter().map(|task| plain_words(task)).filter(|words| words.len() >= MIN_WORDS).collect();
        Self { tasks, open: Vec::new() }
    }

    /// Takes the next word; returns the byte at which words of the task begin, once there are enough.
    pub(crate) fn add(&mut self, word: &Word) -> Option<usize> {
        let mut open = std::mem::take(&mut self.open);
        open.retain(|agreement| self.tasks[agreement.task].get(agreement.next) == Some(&word.text));
        for agreement in &mut open {
            agreement.next += 1;
            agreement.words += 1;
        }
        for (task, words) in self.tasks.iter().enumerate() {
            let here = words.iter().enumerate().filter(|(_, known)| **known == word.text);
            open.extend(here.map(|(at, _)| Agreement { task, next: at + 1, start: word.start, words: 1 }));
        }
        self.open = open;
        self.open.iter().find(|agreement| agreement.words >= MIN_WORDS).map(|agreement| agreement.start)
    }

    /// The byte from which on a text may be the task; `growing` is where its last word begins, which may go on.
    pub(crate) fn held_from(&self, growing: usize) -> Option<usize> {
        let begun = self.open.iter().map(|agreement| agreement.start).min();
        (!self.tasks.is_empty()).then(|| begun.unwrap_or(growing))
    }
}
