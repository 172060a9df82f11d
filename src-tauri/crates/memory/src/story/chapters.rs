//! The text of a chapter, joined from its passages.

use std::{ops::Range, sync::Arc};

use palimpsest_reader::names::{TaggedChapter, TaggedWord, words_by_rules};

use crate::model::{ChapterId, Language, PassageText};

/// Between two passages: the end of a paragraph.
const BETWEEN: &str = "\n\n";

/// The passages of a chapter in one text. What is between them in the chapter (white space) is replaced by the end of a
/// paragraph, and offsets in the chapter are kept.
pub(crate) struct ChapterText {
    pub chapter_id: ChapterId,
    pub text: Arc<str>,
    /// The words of all passages, with ranges of `text`; none in an English book.
    words: Vec<TaggedWord>,
    /// Each passage: its range of `text`, and its start in the chapter in UTF-16 code units.
    passages: Vec<(Range<usize>, u32)>,
    /// The range of each passage in `text`, in UTF-16 code units.
    units: Vec<Range<u32>>,
    /// Whether the tagger has not read some of a Chinese chapter.
    pub has_untagged: bool,
}

impl ChapterText {
    /// Joins passages as [`ChapterText::new`] does, without words.
    pub(crate) fn without_words(chapter_id: ChapterId, passages: &[PassageText], until: Option<u32>) -> Self {
        // An English chapter has none.
        Self::new(chapter_id, passages, until, Language::En)
    }

    /// Joins passages, which are in order. `until` is an offset in the chapter at which the text ends. Passages of a
    /// Chinese chapter that the tagger has not read get words by rules over the whole text.
    pub(crate) fn new(chapter_id: ChapterId, passages: &[PassageText], until: Option<u32>, language: Language) -> Self {
        let (mut joined, mut words) = (String::new(), Vec::new());
        let mut ranges: Vec<(Range<usize>, u32)> = Vec::new();
        let mut units: Vec<Range<u32>> = Vec::new();
        let mut unit = 0;
        let mut untagged: Vec<Range<usize>> = Vec::new();
        for passage in passages {
            let text = match until.map(|until| until.checked_sub(passage.from)) {
                None => passage.text.as_str(),
                Some(Some(rest)) if rest > 0 => before_offset(&passage.text, rest),
                Some(_) => break,
            };
            if !joined.is_empty() {
                joined.push_str(BETWEEN);
                unit += units_of(BETWEEN);
            }
            let start = joined.len();
            joined.push_str(text);
            ranges.push((start..joined.len(), passage.from));
            units.push(unit..unit + units_of(text));
            unit += units_of(text);
            if language == Language::En {
                continue;
            }
            let Some(tagged) = &passage.words else {
                untagged.push(start..joined.len());
                continue;
            };
            let whole = tagged.iter().filter(|word| word.range.end <= text.len());
            words.extend(
                whole.map(|word| TaggedWord {
                    range: start + word.range.start..start + word.range.end,
                    kind: word.kind,
                }),
            );
        }
        let has_untagged = !untagged.is_empty();
        if has_untagged {
            let is_untagged = |word: &TaggedWord| {
                let number = untagged.partition_point(|range| range.end < word.range.end);
                untagged.get(number).is_some_and(|range| range.start <= word.range.start)
            };
            words.extend(words_by_rules(&joined).into_iter().filter(is_untagged));
            words.sort_by_key(|word| word.range.start);
        }
        Self { chapter_id, text: joined.into(), words, passages: ranges, units, has_untagged }
    }

    /// The same chapter up to an offset in it, with those of its words that end before. `words` are those of the whole
    /// chapter, which the tagger has read, or none.
    pub(crate) fn cut_at(&self, until: u32, mut words: Vec<TaggedWord>) -> Self {
        let (mut passages, mut units) = (Vec::new(), Vec::new());
        let mut end = 0;
        for ((range, from), whole) in self.passages.iter().zip(&self.units) {
            let Some(rest) = until.checked_sub(*from).filter(|rest| *rest > 0) else { break };
            let text = before_offset(&self.text[range.clone()], rest);
            end = range.start + text.len();
            passages.push((range.start..end, *from));
            units.push(whole.start..whole.start + units_of(text));
        }
        words.retain(|word| word.range.end <= end);
        let text = self.text[..end].into();
        Self { chapter_id: self.chapter_id.clone(), text, words, passages, units, has_untagged: false }
    }

    /// Without its words.
    pub(crate) fn take_words(&mut self) -> Vec<TaggedWord> {
        std::mem::take(&mut self.words)
    }

    /// For the reader.
    pub(crate) fn tagged(&self) -> TaggedChapter<'_> {
        TaggedChapter { text: &self.text, words: &self.words }
    }

    /// The offset in the chapter, in UTF-16 code units, of a byte of `text`. One between passages is the end of the
    /// first.
    pub(crate) fn offset(&self, byte: usize) -> u32 {
        let number = self.passages.partition_point(|(range, _)| range.start <= byte);
        let Some((range, from)) = number.checked_sub(1).and_then(|number| self.passages.get(number)) else { return 0 };
        let before = &self.text[range.start..byte.min(range.end)];
        from.saturating_add(u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX))
    }

    /// The byte of `text` at an offset in the chapter; `None` between passages.
    pub(crate) fn byte_at(&self, offset: u32) -> Option<usize> {
        let number = self.passages.partition_point(|(_, from)| *from <= offset);
        let number = number.checked_sub(1)?;
        let ((range, from), units) = (&self.passages[number], &self.units[number]);
        let inside = offset - from;
        let is_there = inside <= units.end - units.start;
        is_there.then(|| range.start + byte_of_offset(&self.text[range.clone()], inside))
    }

    /// The offset in the chapter of a UTF-16 code unit of a passage in `text`.
    pub(crate) fn offset_of_unit(&self, unit: u32) -> u32 {
        let number = self.units.partition_point(|range| range.start <= unit);
        let Some(number) = number.checked_sub(1) else { return 0 };
        self.passages[number].1.saturating_add(unit - self.units[number].start)
    }

    /// The number of passages.
    pub(crate) fn passage_count(&self) -> usize {
        self.passages.len()
    }

    /// The number of the passage with a UTF-16 code unit of `text`; `None` between passages.
    pub(crate) fn passage_of_unit(&self, unit: u32) -> Option<usize> {
        let number = self.units.partition_point(|range| range.end <= unit);
        self.units.get(number).filter(|range| range.start <= unit).map(|_| number)
    }

    /// A passage as a range of the chapter, in UTF-16 code units.
    ///
    /// # Panics
    /// If the chapter has no such passage.
    pub(crate) fn passage_range(&self, number: usize) -> Range<u32> {
        let ((_, from), units) = (&self.passages[number], &self.units[number]);
        *from..from.saturating_add(units.end - units.start)
    }

    /// The passages as ranges of the chapter, in UTF-16 code units.
    pub(crate) fn passage_ranges(&self) -> Vec<Range<u32>> {
        (0..self.passages.len()).map(|number| self.passage_range(number)).collect()
    }
}

fn units_of(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

/// The byte of `text` at an offset in UTF-16 code units: the start of the character that the offset is in, or the end.
pub(crate) fn byte_of_offset(text: &str, offset: u32) -> usize {
    let mut units = 0;
    for (byte, c) in text.char_indices() {
        units += u32::try_from(c.len_utf16()).unwrap_or(2);
        if units > offset {
            return byte;
        }
    }
    text.len()
}

/// The text before an offset in UTF-16 code units.
pub(crate) fn before_offset(text: &str, offset: u32) -> &str {
    &text[..byte_of_offset(text, offset)]
}

#[cfg(test)]
mod tests {
    use palimpsest_reader::names::WordKind;

    use super::*;

    fn passage(from: u32, text: &str) -> PassageText {
        let kind = WordKind::Person;
        let word = text.find("周明").map(|at| TaggedWord { range: at..at + 6, kind });
        PassageText { from, text: text.into(), words: Some(word.into_iter().collect()) }
    }

    fn joined(until: Option<u32>) -> ChapterText {
        let passages = [passage(0, "# 一\n\n灯😀亮着。"), passage(14, "周明来了。")];
        ChapterText::new("c".into(), &passages, until, Language::Zh)
    }

    #[test]
    fn offsets_are_those_of_the_chapter_behind_surrogates_and_between_passages() {
        let chapter = joined(None);
        let at = |text: &str| chapter.offset(chapter.text.find(text).unwrap());
        assert_eq!((at("一"), at("灯"), at("亮"), at("周明"), at("来")), (2, 5, 8, 14, 16));
        let byte = |text: &str| chapter.text.find(text);
        assert_eq!((chapter.byte_at(14), chapter.byte_at(8)), (byte("周明"), byte("亮")));
        assert_eq!(
            (chapter.byte_at(12), chapter.byte_at(19), chapter.byte_at(20)),
            (None, Some(chapter.text.len()), None)
        );
        assert_eq!(chapter.passage_ranges(), [0..11, 14..19]);
        assert_eq!(chapter.offset(chapter.text.len()), 19);
        let word = &chapter.tagged().words[0];
        assert_eq!(&chapter.text[word.range.clone()], "周明");
    }

    #[test]
    fn nothing_after_the_position_is_joined() {
        assert_eq!(&*joined(Some(14)).text, "# 一\n\n灯😀亮着。");
        let cut = joined(Some(15));
        assert!(cut.text.ends_with("周") && cut.tagged().words.is_empty(), "a cut word is no word");
        assert_eq!(&*joined(Some(0)).text, "");
        assert_eq!(joined(Some(16)).tagged().words.len(), 1);
    }

    #[test]
    fn a_chapter_that_is_cut_is_the_one_joined_up_to_the_same_offset() {
        for until in 0..22 {
            let (cut, wanted) = (joined(None).cut_at(until, joined(None).words), joined(Some(until)));
            assert_eq!((&cut.text, &cut.words), (&wanted.text, &wanted.words), "{until}");
            assert_eq!((&cut.passages, &cut.units), (&wanted.passages, &wanted.units), "{until}");
        }
    }

    #[test]
    fn a_passage_that_the_tagger_has_not_read_gets_words_from_the_whole_chapter() {
        let text = |from, text: &str| PassageText { from, text: text.into(), words: None };
        let passages = [passage(0, "灯亮着。"), text(6, "赵国栋说：“冷。”"), text(20, "赵国栋笑了。赵国栋走了。")];
        let chapter = ChapterText::new("c".into(), &passages, None, Language::Zh);
        assert!(chapter.has_untagged);
        let named = chapter.words.iter().filter(|word| &chapter.text[word.range.clone()] == "赵国栋");
        assert!(named.clone().count() == 3 && named.into_iter().all(|word| word.kind == WordKind::Person));
        assert!(chapter.words.is_sorted_by_key(|word| word.range.start));
        assert!(!ChapterText::new("c".into(), &passages, None, Language::En).has_untagged);
    }

    #[test]
    fn an_offset_inside_a_surrogate_pair_is_before_it() {
        assert_eq!([0, 1, 2, 9].map(|offset| before_offset("😀a", offset)), ["", "", "😀", "😀a"]);
    }
}
