//! Building the tables from the entries of a file.

use std::collections::HashMap;

use palimpsest_text::is_han;

use super::{IS_CLASSIFIER, IS_FUNCTION_WORD, Lists, NO_STEM, Strings, Table};
use crate::{
    MAX_CHARACTERS, MAX_GLOSSES, MAX_WORD_CHARS, MAX_WORDS,
    cedict::Entry,
    function_words::function_words,
    gloss::{glosses, is_classifier},
};

/// A word of an entry beside one of its glosses.
struct Pairing {
    /// Number of the gloss.
    gloss: u32,
    /// Number of the word in simplified characters.
    simplified: u32,
    /// Number of the word in traditional characters, often the same.
    traditional: u32,
    is_exact: bool,
    /// Place of the gloss in its entry.
    place: u32,
}

/// The words, stems and glosses of the entries read so far, numbered in the order of their first occurrence.
#[derive(Default)]
struct Builder<'a> {
    words: HashMap<&'a str, u32>,
    flags: Vec<u8>,
    /// Of each word the number of its glosses, long ones included: a word with few is specific.
    senses: Vec<u32>,
    stems: HashMap<String, u32>,
    glosses: HashMap<[u32; 2], u32>,
    pairings: Vec<Pairing>,
}

impl Table {
    pub(crate) fn build<'a>(entries: impl Iterator<Item = Entry<'a>>) -> Self {
        let mut builder = Builder::default();
        for word in function_words() {
            builder.word(word, IS_FUNCTION_WORD);
        }
        entries.for_each(|entry| builder.add(entry));
        builder.finish()
    }
}

impl<'a> Builder<'a> {
    fn add(&mut self, entry: Entry<'a>) {
        let is_word = |word: &str| word.chars().all(is_han) && word.chars().count() <= MAX_WORD_CHARS;
        if !is_word(entry.simplified) || !is_word(entry.traditional) {
            return;
        }
        let glosses = glosses(entry.definitions);
        let is_function_word = glosses.first().is_some_and(|first| first.stems.is_empty());
        if !is_function_word && !glosses.iter().any(|gloss| matches!(gloss.stems.len(), 1..=2)) {
            return;
        }
        // A first gloss such as *he* decides only for the first entry of a word.
        let flags_of = |word: &str, known: &HashMap<&str, u32>| {
            let function = if is_function_word && !known.contains_key(word) { IS_FUNCTION_WORD } else { 0 };
            function | if is_classifier(entry.definitions) { IS_CLASSIFIER } else { 0 }
        };
        let flags = flags_of(entry.simplified, &self.words);
        let simplified = self.word(entry.simplified, flags);
        let flags = flags_of(entry.traditional, &self.words);
        let traditional = self.word(entry.traditional, flags);
        self.senses[simplified as usize] += glosses.len() as u32;
        for (place, gloss) in (0..).zip(glosses) {
            let (first, second) = match <[String; 1]>::try_from(gloss.stems) {
                Ok([first]) => (first, None),
                Err(stems) => match <[String; 2]>::try_from(stems) {
                    Ok([first, second]) => (first, Some(second)),
                    Err(_) => continue,
                },
            };
            let stems = [self.stem(first), second.map_or(NO_STEM, |second| self.stem(second))];
            let next = self.glosses.len() as u32;
            let number = *self.glosses.entry(stems).or_insert(next);
            self.pairings.push(Pairing { gloss: number, simplified, traditional, is_exact: gloss.is_exact, place });
        }
    }

    /// The number of a word, to which `flags` are added.
    fn word(&mut self, word: &'a str, flags: u8) -> u32 {
        let next = self.words.len() as u32;
        let number = *self.words.entry(word).or_insert(next);
        if number == next {
            self.flags.push(0);
            self.senses.push(0);
        }
        self.flags[number as usize] |= flags;
        number
    }

    fn stem(&mut self, stem: String) -> u32 {
        let next = self.stems.len() as u32;
        *self.stems.entry(stem).or_insert(next)
    }

    /// Numbers everything in ascending order, and limits the lists.
    fn finish(self) -> Table {
        let Self { words, flags, senses, stems, glosses, mut pairings } = self;
        let (words, word_numbers) = sorted(words);
        let words = Strings::new(words.into_iter());
        let (stems, stem_numbers) = sorted(stems);
        let stems = Strings::new(stems.iter().map(String::as_str));
        let renumbered = |stem: u32| if stem == NO_STEM { NO_STEM } else { stem_numbers[stem as usize] };
        let (glosses, gloss_numbers) = sorted(glosses.into_iter().map(|(pair, number)| (pair.map(renumbered), number)));

        let mut flags_by_number = vec![0; flags.len()];
        let mut senses_by_number = vec![0; senses.len()];
        for (old, new) in word_numbers.iter().enumerate() {
            flags_by_number[*new as usize] = flags[old];
            senses_by_number[*new as usize] = senses[old];
        }
        for pairing in &mut pairings {
            pairing.gloss = gloss_numbers[pairing.gloss as usize];
            pairing.simplified = word_numbers[pairing.simplified as usize];
            pairing.traditional = word_numbers[pairing.traditional as usize];
        }
        let word_glosses = glosses_by_word(&pairings, &flags_by_number, &glosses);
        let gloss_words = words_by_gloss(pairings, glosses.len(), &words, &flags_by_number, &senses_by_number);
        Table { words, flags: flags_by_number, word_glosses, stems, glosses, gloss_words }
    }
}

/// The keys in ascending order, and the new number of each old one.
fn sorted<K: Ord>(numbered: impl IntoIterator<Item = (K, u32)>) -> (Vec<K>, Vec<u32>) {
    let mut pairs: Vec<(K, u32)> = numbered.into_iter().collect();
    pairs.sort_unstable();
    let mut new_numbers = vec![0; pairs.len()];
    for (new, (_, old)) in pairs.iter().enumerate() {
        new_numbers[*old as usize] = new as u32;
    }
    (pairs.into_iter().map(|(key, _)| key).collect(), new_numbers)
}

/// Of each word its first glosses in the order of the file. A gloss that contains all stems of another is left out: a
/// text with the longer one has the shorter one.
fn glosses_by_word(pairings: &[Pairing], flags: &[u8], glosses: &[[u32; 2]]) -> Lists {
    let mut of_words: Vec<(u32, u32)> = Vec::with_capacity(pairings.len() * 2);
    for pairing in pairings {
        of_words.push((pairing.simplified, pairing.gloss));
        if pairing.traditional != pairing.simplified {
            of_words.push((pairing.traditional, pairing.gloss));
        }
    }
    // Stable: the glosses of a word stay in the order of the file.
    of_words.sort_by_key(|(word, _)| *word);
    let mut lists = Lists::default();
    let mut chunks = of_words.chunk_by(|a, b| a.0 == b.0).peekable();
    for (word, flags) in (0..).zip(flags) {
        let chunk = chunks.next_if(|chunk| chunk.first().is_some_and(|(of, _)| *of == word)).unwrap_or_default();
        let mut chosen: Vec<u32> = Vec::with_capacity(MAX_GLOSSES);
        let is_function_word = flags & IS_FUNCTION_WORD != 0;
        for (_, gloss) in chunk.iter().filter(|_| !is_function_word) {
            let contains_other = |(_, other): &(u32, u32)| {
                let (stems, others) = (glosses[*gloss as usize], glosses[*other as usize]);
                others != stems && others[1] == NO_STEM && stems.contains(&others[0])
            };
            if chosen.len() < MAX_GLOSSES && !chosen.contains(gloss) && !chunk.iter().any(contains_other) {
                chosen.push(*gloss);
            }
        }
        lists.add(chosen);
    }
    lists.shrink()
}

/// Of each gloss its best words: first those of at least two characters, of these the ones that it translates exactly,
/// then those with few glosses, then the shorter ones. Then those of one character that it translates exactly: the ones
/// with this gloss early in their entry, then those in many words, because the others are archaic. A word in
/// traditional characters follows its form in simplified ones.
fn words_by_gloss(
    mut pairings: Vec<Pairing>,
    gloss_count: usize,
    words: &Strings,
    flags: &[u8],
    senses: &[u32],
) -> Lists {
    let is_character = |word: u32| only_character(words.get(word)).is_some();
    let mut words_with: HashMap<char, usize> = HashMap::new();
    for character in (0..flags.len() as u32).flat_map(|word| words.get(word).chars()) {
        *words_with.entry(character).or_default() += 1;
    }
    pairings.retain(|pairing| {
        let is_function_word = flags[pairing.simplified as usize] & IS_FUNCTION_WORD != 0;
        !is_function_word && (pairing.is_exact || !is_character(pairing.simplified))
    });
    pairings.sort_by_key(|pairing| {
        let Pairing { gloss, simplified, traditional, is_exact, place } = *pairing;
        let word = words.get(simplified);
        let rank = match only_character(word) {
            Some(character) => (true, false, place, usize::MAX - words_with.get(&character).copied().unwrap_or(0)),
            None => (false, !is_exact, senses[simplified as usize], word.len()),
        };
        (gloss, rank, simplified, traditional)
    });
    let mut lists = Lists::default();
    let mut chunks = pairings.chunk_by(|a, b| a.gloss == b.gloss).peekable();
    for gloss in 0..gloss_count as u32 {
        let chunk = chunks.next_if(|chunk| chunk.first().is_some_and(|first| first.gloss == gloss));
        let mut chosen = Vec::with_capacity((MAX_WORDS + MAX_CHARACTERS) * 2);
        let (mut longer, mut characters) = (0, 0);
        for pairing in chunk.unwrap_or_default() {
            let (count, limit) = if is_character(pairing.simplified) {
                (&mut characters, MAX_CHARACTERS)
            } else {
                (&mut longer, MAX_WORDS)
            };
            if *count < limit && !chosen.contains(&pairing.simplified) {
                *count += 1;
                chosen.push(pairing.simplified);
                if pairing.traditional != pairing.simplified {
                    chosen.push(pairing.traditional);
                }
            }
        }
        lists.add(chosen);
    }
    lists.shrink()
}

/// The character of a word that has only one.
fn only_character(word: &str) -> Option<char> {
    let mut chars = word.chars();
    chars.next().filter(|_| chars.next().is_none())
}
