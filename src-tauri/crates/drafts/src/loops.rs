//! Words that a growing text repeats again and again.

use std::{
    collections::{HashMap, HashSet, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};

use crate::{
    judge::RUN,
    words::{Word, is_closer, is_sentence_end, plain_words, words},
};

/// Minimum words of a sentence that counts as repeated.
const MIN_SENTENCE_WORDS: usize = 6;
/// The time that a sentence occurs in a draft from which on the draft is a loop.
const LOOP_COUNT: u32 = 4;
/// Maximum words of a block that is repeated without a pause.
const MAX_BLOCK_WORDS: usize = 80;
/// Minimum share of known runs of words in an end that repeats the text before it.
const REPEATED_SHARE: f64 = 0.9;
/// Minimum words that repeat such a block; and at least twice its length.
const MIN_REPEATED_WORDS: usize = 24;

/// A search for the beginning of a loop in a growing text.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    /// The words of the text so far, by hash, each with the byte at which it begins.
    words: Vec<(u64, usize)>,
    /// The sentences of the text, by hash: their number, and the byte at which the second one begins.
    sentences: HashMap<u64, (u32, usize)>,
    /// Bytes before the sentence under way.
    sentence_start: usize,
}

impl Loops {
    /// Takes the words that the last character of a text has completed. Returns the byte at which the repetition
    /// begins, once there is a loop.
    pub(crate) fn read(&mut self, text: &str, new: &[Word]) -> Option<usize> {
        let block = new.iter().find_map(|word| {
            self.words.push((hash(&word.text), word.start));
            self.repeated_block()
        });
        block.or_else(|| if text.ends_with(is_sentence_end) { self.repeated_sentence(text) } else { None })
    }

    fn repeated_block(&self) -> Option<usize> {
        let all = self.words.len();
        (1..=MAX_BLOCK_WORDS.min(all / 3)).find_map(|block| {
            let pairs = self.words.iter().rev().zip(self.words[..all - block].iter().rev());
            let repeated = pairs.take_while(|(one, other)| one.0 == other.0).count();
            (repeated >= MIN_REPEATED_WORDS.max(2 * block)).then(|| self.words[all - repeated].1)
        })
    }

    fn repeated_sentence(&mut self, text: &str) -> Option<usize> {
        let start = std::mem::replace(&mut self.sentence_start, text.len());
        let words = plain_words(&text[start..]);
        if words.len() < MIN_SENTENCE_WORDS {
            return None;
        }
        let (count, second) = self.sentences.entry(hash(&words)).or_default();
        *count += 1;
        if *count == 2 {
            *second = start;
        }
        (*count >= LOOP_COUNT).then_some(*second)
    }
}

/// The byte at which the repeated end of a text begins: at least a third of its words, in blocks of any length, of
/// which nine tenths of the runs occur before. `None` without one.
pub(crate) fn repeated_end(text: &str) -> Option<usize> {
    let words = words(text);
    let mut known = HashSet::new();
    let is_known = words.windows(RUN).map(|run| {
        let run: Vec<&str> = run.iter().map(|word| word.text.as_str()).collect();
        !known.insert(hash(&run))
    });
    let is_known: Vec<bool> = is_known.collect();
    let mut repeated = 0;
    let ends = (1..).zip(is_known.iter().enumerate().rev()).filter_map(|(all, (at, is_known))| {
        repeated += usize::from(*is_known);
        (*is_known && repeated as f64 >= REPEATED_SHARE * f64::from(all)).then_some(at)
    });
    let start = ends.last()?;
    let is_long = (words.len() - start) >= MIN_REPEATED_WORDS.max(words.len() / 3);
    words.get(start).filter(|_| is_long).map(|word| word.start)
}

pub(crate) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The whole sentences at the beginning of a text, with the quotes that close them.
pub(crate) fn whole_sentences(text: &str) -> &str {
    let Some(end) = text.rfind(is_sentence_end) else { return "" };
    let end = end + text[end..].chars().next().map_or(0, char::len_utf8);
    let closers = text[end..].chars().take_while(|c| is_closer(*c)).map(char::len_utf8).sum::<usize>();
    text[..end + closers].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::WordReader;

    fn looped(text: &str) -> Option<&str> {
        let (mut loops, mut reader) = (Loops::default(), WordReader::default());
        let mut beginnings = text.char_indices().map(|(at, c)| &text[..at + c.len_utf8()]);
        let start = beginnings.find_map(|begun| loops.read(begun, &reader.read(begun)));
        start.map(|start| whole_sentences(&text[..start]))
    }

    #[test]
    fn a_loop_begins_where_words_are_repeated_for_the_first_time() {
        let begun = "门外没有人。台阶上只有一只湿透的信封。";
        for (repeated, kept) in [
            (
                "他看着门，又看着她，什么也没有说。",
                "门外没有人。台阶上只有一只湿透的信封。他看着门，又看着她，什么也没有说。",
            ),
            ("他觉得有些热，他觉得有些冷，", begun),
            ("可！", "门外没有人。台阶上只有一只湿透的信封。可！"),
        ] {
            assert_eq!(looped(&format!("{begun}{}", repeated.repeat(30))), Some(kept), "{repeated}");
        }
        let alternating = "“走吧，现在就走。”他说。\n\n她把灯拧亮，又拧灭了。\n\n".repeat(5);
        assert_eq!(looped(&alternating), Some("“走吧，现在就走。”他说。\n\n她把灯拧亮，又拧灭了。"));
        let words = "Rain fell all night. And then he went on, and then he went on, ".to_owned()
            + &"and then he went on, ".repeat(9);
        assert_eq!(looped(&words), Some("Rain fell all night."));
    }

    #[test]
    fn the_end_that_repeats_a_long_block_is_found() {
        let begun = "Rain fell all night, and nobody slept in the house on the quay. ";
        let block = "In the morning the boats lay on their sides, and the men stood around them without a word. ";
        let text = [begun, block, block, block].concat();
        assert_eq!(repeated_end(&text), Some(begun.len() + block.len()));
        assert_eq!(repeated_end(&[begun, block].concat()), None);
    }

    #[test]
    fn a_refrain_and_a_laugh_are_no_loop() {
        for text in [
            "“哈哈哈哈哈哈哈哈！”他笑着，“再来，再来，再来！”",
            "No, no, no, no. She would not go. She would not go. She would not go.",
        ] {
            assert_eq!(looped(text), None, "{text}");
        }
    }

    #[test]
    fn whole_sentences_have_their_closing_quotes() {
        assert_eq!(whole_sentences("“走吧。”他说，然后"), "“走吧。”");
        assert_eq!(whole_sentences("a b c"), "");
    }
}
