//! The words of an English chapter, by number.

use super::{
    super::{counts::CaseCount, lexicon_en::Word as Listed, places::as_u32},
    table::Tables,
};
use crate::words::{Gap, Parsed};

/// A word of a chapter where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordAt {
    pub(super) start: u32,
    /// Without a possessive ending.
    pub(super) end: u32,
    /// With the possessive ending, if there is one.
    whole_end: u32,
    pub(super) paragraph: u32,
    pub(super) sentence: u32,
    /// Number of the word.
    pub(super) id: u32,
    pub(super) gap: Gap,
    /// The word begins a sentence or a quotation, so that its capital says nothing.
    pub(super) begins: bool,
    pub(super) is_spoken: bool,
    pub(super) is_capital: bool,
    pub(super) is_all_capitals: bool,
    /// `I`, or a contraction with it.
    pub(super) is_of_speaker: bool,
}

impl WordAt {
    /// The word ends with `'s` or with the apostrophe of a plural.
    pub(super) fn has_possessive(&self) -> bool {
        self.end < self.whole_end
    }
}

/// The words of a chapter.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) words: Vec<WordAt>,
    /// By paragraph: whether (almost) each word has a capital. Headings say nothing of names.
    headings: Vec<bool>,
    /// By word, in order of the numbers: how often the chapter writes it with a capital. Words with capitals throughout
    /// are left out: they say nothing of the case that the word usually has.
    pub(super) counts: Vec<(u32, CaseCount)>,
}

impl Words {
    pub(super) fn new(text: &str, tables: &mut Tables) -> Self {
        let parsed = Parsed::new(text);
        let words: Vec<WordAt> = parsed
            .words
            .iter()
            .map(|word| WordAt {
                start: as_u32(word.start),
                end: as_u32(word.range().end),
                whole_end: as_u32(word.end),
                paragraph: as_u32(word.paragraph),
                sentence: as_u32(word.sentence),
                id: tables.word_number(word.text),
                gap: word.gap,
                begins: word.begins,
                is_spoken: word.is_spoken,
                is_capital: word.is_capital(),
                is_all_capitals: word.is_all_capitals(),
                is_of_speaker: word.text == "I" || word.text.starts_with("I'") || word.text.starts_with("I’"),
            })
            .collect();
        let mut ids: Vec<(u32, usize)> = words.iter().zip(0..).map(|(word, at)| (word.id, at)).collect();
        ids.sort_unstable();
        let count = |same: &[(u32, usize)]| {
            let mut count = CaseCount::default();
            same.iter().map(|(_, at)| &words[*at]).filter(|word| !word.is_all_capitals).for_each(|word| {
                count.add(word.is_capital, word.begins);
            });
            (same[0].0, count)
        };
        let counts = ids.chunk_by(|one, other| one.0 == other.0).map(count).collect();
        let headings = headings(&parsed, &words);
        Self { words, headings, counts }
    }

    pub(super) fn is_in_heading(&self, word: &WordAt) -> bool {
        self.headings.get(word.paragraph as usize) == Some(&true)
    }

    pub(super) fn size(&self) -> usize {
        self.words.len() * size_of::<WordAt>() + self.headings.len() + self.counts.len() * 16
    }
}

/// Paragraphs in which (almost) each word has a capital.
fn headings(parsed: &Parsed<'_>, words: &[WordAt]) -> Vec<bool> {
    let mut counts = vec![(0_u32, 0_u32, 0_u32); parsed.paragraphs.len()];
    for word in words {
        let (all, capital, shouted) = &mut counts[word.paragraph as usize];
        *all += 1;
        *capital += u32::from(word.is_capital);
        *shouted += u32::from(word.is_all_capitals);
    }
    let is_heading = |(at, &(all, capital, shouted)): (usize, &(u32, u32, u32))| {
        let text = parsed.text[parsed.paragraphs[at].clone()].trim_end_matches(['_', '*', ' ']);
        let is_sentence = text.ends_with(['.', '!', '?', '"', '”', '\'', '’', ',', '…', ';', ':', '—', '-']);
        all > 0 && (shouted * 2 > all || (!is_sentence && all <= 12 && capital * 2 > all))
    };
    counts.iter().enumerate().map(is_heading).collect()
}

/// A chapter with its words, for the rules that read it.
#[derive(Clone, Copy)]
pub(super) struct Reader<'c> {
    pub(super) text: &'c str,
    pub(super) words: &'c [WordAt],
    pub(super) tables: &'c Tables,
}

impl<'c> Reader<'c> {
    /// The word as the text writes it, without a possessive ending.
    pub(super) fn str(&self, at: usize) -> &'c str {
        let word = &self.words[at];
        &self.text[word.start as usize..word.end as usize]
    }

    /// The word in small letters.
    pub(super) fn lower(&self, at: usize) -> &'c str {
        &self.tables.words[self.words[at].id as usize].text
    }

    pub(super) fn listed(&self, at: usize) -> Listed {
        self.tables.words[self.words[at].id as usize].listed
    }

    /// The word before `at` in its sentence.
    pub(super) fn word_before(&self, at: usize) -> Option<usize> {
        let before = at.checked_sub(1)?;
        (self.words[before].sentence == self.words.get(at)?.sentence).then_some(before)
    }

    /// The word after `at` in its sentence.
    pub(super) fn word_after(&self, at: usize) -> Option<usize> {
        let after = self.words.get(at + 1)?;
        (after.sentence == self.words[at].sentence).then_some(at + 1)
    }

    /// The word after `at` in its sentence, if only white space is between the two.
    pub(super) fn next(&self, at: usize) -> Option<usize> {
        self.word_after(at).filter(|after| self.words[*after].gap == Gap::Space)
    }

    /// The character after a word and its possessive ending.
    pub(super) fn char_after(&self, at: usize) -> Option<char> {
        self.text[self.words.get(at)?.whole_end as usize..].chars().next()
    }
}
