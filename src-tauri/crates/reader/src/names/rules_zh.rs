//! The words of a Chinese text by rules alone, for where there is no tagger.

use rustc_hash::{FxHashMap, FxHashSet};

use super::zh::{
    TaggedWord, WordKind,
    classes::Class,
    evidence::Evidence,
    forms::{is_rank, is_surname, surname_of},
    lexicon::{FAMILIAR_STARTS, INTERJECTIONS, PLACE_ENDINGS, TITLES},
    ordinary::is_ordinary,
};
use palimpsest_text::is_han;

/// Most characters of a name.
const MAX_NAME: usize = 5;
/// Fewest occurrences of a name.
const MIN_PLACES: u32 = 2;
/// Fewest points of [`Evidence::person`] for each occurrence of a name.
const MIN_WEIGHT: u32 = 3;
/// The same for a text that has neither a surname nor a title.
const MIN_BARE_WEIGHT: u32 = 5;

/// The words of a text, those that are probably names marked: a surname or a rank with a title, 老, 小 or 阿 with a
/// character, a surname with one or two characters, and what is no ordinary word, if it stands before verbs of speech
/// and at the start of clauses. [`detect_zh`](super::detect_zh) takes them in place of a tagger's words; it finds fewer
/// names with them.
#[must_use]
pub fn words_by_rules(text: &str) -> Vec<TaggedWord> {
    let han = HanText::new(text);
    let names = han.names();
    let firsts: FxHashSet<char> = names.keys().filter_map(|name| name.chars().next()).collect();
    let mut words = Vec::new();
    let mut at = 0;
    while at < han.chars.len() {
        if !is_han(han.chars[at].1) && !han.chars[at].1.is_alphanumeric() {
            at += 1;
            continue;
        }
        let lengths = if firsts.contains(&han.chars[at].1) { MAX_NAME } else { 0 };
        let name = (1..=lengths).rev().find_map(|length| {
            let kind = names.get(han.part(at, length)?)?;
            Some((length, *kind))
        });
        let (length, kind) = name.unwrap_or_else(|| {
            let is_word = |length: &usize| han.part(at, *length).is_some_and(is_ordinary);
            ([3, 2].into_iter().find(is_word).unwrap_or(1), WordKind::Other)
        });
        words.push(TaggedWord { range: han.chars[at].0..han.end(at + length), kind });
        at += length;
    }
    words
}

/// The parts of a Chinese text that have the form of a name: a surname with one character, or with a title, 老, 小 or 阿
/// with a character, and three characters of which the last is such as 镇. Ordinary words are none. Of a short text more
/// cannot be known: not every one of them is a name, and not every name has such a form.
#[must_use]
pub fn name_like_parts(text: &str) -> Vec<&str> {
    let han = HanText::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < han.chars.len() {
        let is_word = |length: usize| han.part(at, length).is_some_and(is_ordinary);
        // 青石镇 is a place, although 青石 is an ordinary word.
        let is_place = !is_word(3) && han.part(at, 3).and_then(shape_of) == Some(Shape::Place);
        if let Some(length) = [3, 2].into_iter().find(|length| is_word(*length) && !is_place) {
            at += length;
            continue;
        }
        let shaped = [4, 3, 2].into_iter().find_map(|length| {
            let part = han.part(at, length)?;
            match (shape_of(part)?, length) {
                (Shape::Titled, _) | (Shape::Familiar, 2) | (Shape::Full, 2) | (Shape::Place, 3) => {
                    Some((part, length))
                }
                (Shape::Full, _) if surname_of(part)?.chars().count() == 2 => Some((part, length)),
                _ => None,
            }
        });
        found.extend(shaped.map(|(part, _)| part));
        at += shaped.map_or(1, |(_, length)| length);
    }
    found
}

/// A text with its characters.
struct HanText<'t> {
    text: &'t str,
    chars: Vec<(usize, char)>,
}

impl<'t> HanText<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, chars: text.char_indices().collect() }
    }

    /// The byte at which the characters before a number end.
    fn end(&self, number: usize) -> usize {
        self.chars.get(number).map_or(self.text.len(), |(at, _)| *at)
    }

    /// A number of letters and Han characters from a place on.
    fn part(&self, at: usize, length: usize) -> Option<&'t str> {
        let chars = self.chars.get(at..at + length)?;
        let is_word = chars.iter().all(|(_, c)| c.is_alphanumeric());
        is_word.then(|| &self.text[chars[0].0..self.end(at + length)])
    }

    /// The texts that are names by their characters and by the places in which they stand.
    fn names(&self) -> FxHashMap<&'t str, WordKind> {
        let mut found: FxHashMap<&str, (Shape, Evidence)> = FxHashMap::default();
        for at in 0..self.chars.len() {
            for length in 2..=MAX_NAME {
                let Some(part) = self.part(at, length) else { break };
                let Some(shape) = shape_of(part) else { continue };
                let (_, evidence) = found.entry(part).or_insert((shape, Evidence::default()));
                evidence.kinds[4] += 1;
                evidence.add_place(self.text, self.chars[at].0, self.end(at + length));
            }
        }
        let candidates: FxHashMap<&str, u32> = found
            .iter()
            .filter(|(_, (shape, evidence))| shape.is_name(evidence))
            .map(|(text, (_, evidence))| (*text, evidence.count()))
            .collect();
        // 阔亭吐 is 阔亭 with a verb, and 明远 of 周明远 is no other name.
        let is_part = |text: &&str, count: u32| {
            let longer =
                |length: usize, from: usize| text_part(text, from, length).and_then(|part| candidates.get(part));
            let chars = text.chars().count();
            let shorter =
                (chars > 2).then(|| [longer(chars - 1, 0), longer(chars - 1, 1)]).into_iter().flatten().flatten();
            shorter.into_iter().any(|shorter| *shorter >= 2 * count)
        };
        let kept = candidates.iter().filter(|(text, count)| {
            let is_titled = matches!(found[**text].0, Shape::Titled | Shape::Place);
            is_titled || !is_part(text, **count)
        });
        kept.map(|(text, _)| (*text, found[*text].0.kind())).collect()
    }
}

/// A number of characters of a text.
fn text_part(text: &str, from: usize, length: usize) -> Option<&str> {
    let start = text.char_indices().nth(from)?.0;
    let end = text.char_indices().nth(from + length).map_or(text.len(), |(at, _)| at);
    Some(&text[start..end])
}

/// How a name is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A surname or a rank with a title.
    Titled,
    /// 老, 小 or 阿 with a character.
    Familiar,
    /// A surname with one or two characters.
    Full,
    /// Two characters that are no ordinary word.
    Bare,
    /// Two or three characters, the last one such as 镇.
    Place,
}

impl Shape {
    fn kind(self) -> WordKind {
        if self == Self::Place { WordKind::Place } else { WordKind::Person }
    }

    fn is_name(self, evidence: &Evidence) -> bool {
        let all = evidence.count();
        let weight = match self {
            Self::Titled => 0,
            Self::Place => return all >= MIN_PLACES && evidence.noun == 0,
            Self::Familiar | Self::Full => MIN_WEIGHT,
            Self::Bare => MIN_BARE_WEIGHT,
        };
        let fewest = if self == Self::Bare { 2 * MIN_PLACES } else { MIN_PLACES };
        all >= fewest && evidence.noun * 5 <= all && evidence.person >= weight * all
    }
}

/// How a text is made, if it can be a name.
fn shape_of(text: &str) -> Option<Shape> {
    let chars = text.chars().count();
    let may_be_titled = text.chars().next_back().is_some_and(|c| Class::of(c).has(Class::TITLE_END));
    let title = TITLES.iter().filter(|_| may_be_titled).find_map(|title| text.strip_suffix(title));
    if let Some(before) = title.filter(|before| !before.is_empty())
        && !is_ordinary(text)
    {
        let is_full = surname_of(before).is_some() && before.chars().count() == 2 && !before.contains(is_no_part);
        return (is_surname(before) || is_rank(before) || is_full).then_some(Shape::Titled);
    }
    if chars > 3 {
        return None;
    }
    let is_fit = !text.contains(is_no_part)
        && text.chars().all(|c| is_han(c) || c.is_alphabetic())
        && text.contains(is_han)
        && !text.contains(INTERJECTIONS)
        && !is_ordinary(text);
    if !is_fit {
        return None;
    }
    if text.ends_with(PLACE_ENDINGS) {
        return Some(Shape::Place);
    }
    let surname = surname_of(text);
    if text.starts_with(FAMILIAR_STARTS) {
        return (chars == 2).then_some(Shape::Familiar);
    }
    let given = surname.map(|surname| text[surname.len()..].chars().count());
    match (given, chars) {
        (Some(1 | 2), _) => Some(Shape::Full),
        (_, 2) => Some(Shape::Bare),
        _ => None,
    }
}

fn is_no_part(c: char) -> bool {
    Class::of(c).has(Class::NO_PART)
}
