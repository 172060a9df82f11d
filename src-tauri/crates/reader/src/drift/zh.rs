//! Misspelt Chinese names: one character off a frequent name.

use std::ops::Range;

use palimpsest_text::{is_han, sentences};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Drift, alike_zh::Alike};
use crate::{
    mentions::{Matcher, Mention},
    names::{
        DetectedEntity, EntityKind, TaggedChapter, WordKind,
        zh::{
            evidence::Evidence,
            lexicon::{FAMILIAR_ENDINGS, TITLES},
            ordinary::is_ordinary,
        },
    },
};

/// Fewest occurrences of a form that may be meant, and of all forms of its entity.
const MIN_COUNT: u32 = 3;
const MIN_ENTITY_COUNT: u32 = 4;
/// Characters that are words of their own, and no part of a name of two characters.
const FUNCTION: &str = "的之在如这那有是说都便来一了和不就又也着把被";
/// Characters before what is no name of a person.
const BEFORE_OTHERS: [char; 9] = ['的', '我', '你', '您', '他', '她', '它', '《', '〈'];
/// Most characters of a name that is compared.
const MAX_CHARS: usize = 6;
/// Words of a sentence that is about two persons with similar names.
const OF_ANOTHER: [&str; 9] = ["另有", "另一", "另外", "同名", "同姓", "生人", "陌生", "没有见过", "不认识"];
/// Words before a name that introduce it.
const INTRODUCTIONS: [&str; 16] = [
    "叫",
    "叫做",
    "叫作",
    "名叫",
    "自称",
    "称",
    "姓",
    "名",
    "唤作",
    "是个",
    "一个",
    "那个叫",
    "另一个",
    "所谓",
    "有个",
    "位",
];

/// The misspelt names of a Chinese book: one character off a frequent name of a character, and only once in the book.
///
/// The other character has the sound or the shape of the right one. In a name of three characters and more it may be
/// any, if the tagger reads a name there. An ordinary word is no misspelling, and neither is a name that the text
/// introduces, or that it has in one sentence with the one it resembles; the character who is meant is named elsewhere
/// in the chapter.
#[must_use]
pub fn detect_zh(chapters: &[TaggedChapter<'_>], entities: &[DetectedEntity]) -> Vec<Drift> {
    let names = FrequentNames::new(entities);
    if names.lengths.is_empty() {
        return Vec::new();
    }
    let (alike, matcher) = (Alike::new(), Matcher::new(entities));
    let windows: Vec<Vec<(Range<usize>, &str)>> = chapters.iter().map(|chapter| names.windows(chapter.text)).collect();
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    for (_, text) in windows.iter().flatten() {
        *counts.entry(text).or_default() += 1;
    }
    let mut candidates: Vec<Drift> = Vec::new();
    for (number, (chapter, windows)) in chapters.iter().zip(&windows).enumerate() {
        let mut once = windows.iter().filter(|(_, text)| counts.get(text) == Some(&1)).peekable();
        if once.peek().is_none() {
            continue;
        }
        let reader = ChapterReader::new(chapter, &matcher);
        for (range, text) in once {
            let letters: Vec<char> = text.chars().collect();
            let meant = names.near(&letters).filter(|&name| {
                let (name, entity) = &names.names[name];
                reader.entities.contains(entity) && reader.is_misspelt(range, name, &names, &alike)
            });
            if let Some(name) = meant.max_by_key(|&name| (names.counts[name], std::cmp::Reverse(name))) {
                let (meant, entity) = &names.names[name];
                candidates.push(Drift { chapter: number, range: range.clone(), meant: meant.clone(), entity: *entity });
            }
        }
    }
    let mut sentences: FxHashMap<usize, Vec<&str>> = FxHashMap::default();
    let mut is_other_person = |drift: &Drift| {
        let text = chapters[drift.chapter].text;
        let sentences = sentences.entry(drift.chapter).or_insert_with(|| sentences::split(text));
        let start = drift.range.start;
        let begins_before = |sentence: &&str| sentence.as_ptr().addr() - text.as_ptr().addr() <= start;
        let number = sentences.partition_point(|sentence| begins_before(sentence));
        let sentence = number.checked_sub(1).map_or("", |number| sentences[number]);
        let odd = &text[drift.range.clone()];
        let mut forms =
            entities[drift.entity].forms.iter().filter(|form| form.text != odd && !odd.contains(&form.text));
        forms.any(|form| sentence.contains(form.text.as_str()))
            || OF_ANOTHER.iter().any(|word| sentence.contains(word))
            || INTRODUCTIONS.iter().any(|end| text[..start].ends_with(end))
    };
    let mut found: Vec<Drift> = candidates.into_iter().filter(|drift| !is_other_person(drift)).collect();
    found.dedup_by(|later, earlier| later.chapter == earlier.chapter && later.range.start < earlier.range.end);
    found
}

/// A chapter with what is known of its characters.
struct ChapterReader<'c> {
    text: &'c str,
    /// Where words begin and end, by byte, in order.
    edges: Vec<usize>,
    /// The words that the tagger reads as names: it often reads the misspelt name of a person as that of a place.
    named: Vec<Range<usize>>,
    mentions: Vec<Mention>,
    /// The entities that the chapter mentions.
    entities: FxHashSet<usize>,
}

impl<'c> ChapterReader<'c> {
    fn new(chapter: &TaggedChapter<'c>, matcher: &Matcher) -> Self {
        let (mut edges, mut named) = (Vec::new(), Vec::<Range<usize>>::new());
        for (_, word) in chapter.texts() {
            edges.extend([word.range.start, word.range.end]);
            let is_name = matches!(word.kind, WordKind::Person | WordKind::Place | WordKind::Organisation);
            if is_name && named.last().is_none_or(|last| last.end <= word.range.start) {
                named.push(word.range.clone());
            }
        }
        edges.sort_unstable();
        let mentions: Vec<Mention> = matcher.find_han(chapter.text).collect();
        let entities = mentions.iter().map(|mention| mention.entity).collect();
        Self { text: chapter.text, edges, named, mentions, entities }
    }

    /// Whether a word begins or ends at a byte.
    fn is_edge(&self, at: usize) -> bool {
        self.edges.binary_search(&at).is_ok()
    }

    /// The words that the tagger reads as names and that have a part in a range.
    fn named_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let from = self.named.partition_point(|word| word.end <= range.start);
        self.named[from..].iter().take_while(|word| word.start < range.end)
    }

    /// Whether the tagger reads exactly this range as a name.
    fn is_named(&self, range: &Range<usize>) -> bool {
        self.named_in(range).any(|word| word == range)
    }

    /// Whether the text of a range is a misspelling of a name of the same length.
    fn is_misspelt(&self, range: &Range<usize>, name: &str, names: &FrequentNames, alike: &Alike) -> bool {
        let text = &self.text[range.clone()];
        let Some((at, odd, right)) = text
            .char_indices()
            .zip(name.chars())
            .find(|((_, odd), right)| odd != right)
            .map(|((at, odd), right)| (range.start + at, odd, right))
        else {
            return false;
        };
        let is_pair = text.chars().count() == 2;
        let edges = [range.start, range.end].iter().filter(|edge| self.is_edge(**edge)).count();
        let is_alike = alike.are_alike(odd, right);
        let has_named = || self.named_in(range).next().is_some();
        // 钱默翁 is a familiar form of 钱默吟, and 祁老太太 the wife of 祁老太爷.
        let is_title = |title: &str| text.ends_with(title) && at >= range.end - title.len();
        let has_other_title = || FAMILIAR_ENDINGS.iter().chain(&TITLES).any(|title| is_title(title));
        let is_fit = if is_pair {
            is_alike && edges >= 1
        } else {
            is_alike || edges == 2 && at > range.start && has_named() && !has_other_title()
        };
        if !is_fit {
            return false;
        }
        // A word that the tagger reads as a name is no ordinary word.
        let is_ordinary = !self.is_named(range) && (is_ordinary(text) || self.is_part_of_word(range, at, odd));
        // 翔 of 翔林, a word that the tagger reads as a name, is no word of its own before 林嫂.
        let is_in_name =
            |word: &&Range<usize>| range.start <= word.start && word.end <= range.end && word.contains(&at);
        let is_own_word = self.named_in(range).find(is_in_name).is_none_or(|word| word.len() == odd.len_utf8());
        let is_beside = (!is_alike || is_own_word) && self.is_beside_name(range, at, odd);
        let is_fit = !is_ordinary && !is_beside && !self.is_mentioned(range, names);
        is_fit && (!is_pair || !FUNCTION.contains(odd) && self.is_persons_place(range))
    }

    /// Whether the odd character is a word before or behind a known name: 向 before 秀才 is none of 赵秀才.
    fn is_beside_name(&self, range: &Range<usize>, at: usize, odd: char) -> bool {
        let end = at + odd.len_utf8();
        let rest = if at == range.start { end..range.end } else { range.start..at };
        let is_edge = at == range.start || end == range.end;
        let is_name = || self.mentions.binary_search_by_key(&rest.start, |mention| mention.range.start);
        is_edge && is_name().is_ok_and(|found| self.mentions[found].range == rest)
    }

    /// Whether the odd character makes an ordinary word with the one before or behind the name.
    fn is_part_of_word(&self, range: &Range<usize>, at: usize, odd: char) -> bool {
        let end = at + odd.len_utf8();
        let before = self.text[..range.start].chars().next_back().filter(|_| at == range.start);
        let after = self.text[range.end..].chars().next().filter(|_| end == range.end);
        let with_before = before.is_some_and(|c| is_ordinary(&self.text[at - c.len_utf8()..end]));
        with_before || after.is_some_and(|c| is_ordinary(&self.text[at..end + c.len_utf8()]))
    }

    /// Whether the range overlaps a known name that is not inside it. A name that occurs once may be misspelt itself.
    fn is_mentioned(&self, range: &Range<usize>, names: &FrequentNames) -> bool {
        let from = self.mentions.partition_point(|mention| mention.range.end <= range.start);
        let mut here = self.mentions[from..].iter().take_while(|mention| mention.range.start < range.end);
        let is_longer = |mention: &Mention| mention.range.start < range.start || mention.range.end > range.end;
        here.any(|mention| is_longer(mention) && names.forms.contains(&self.text[mention.range.clone()]))
    }

    /// Whether the range can be the name of a person by the words beside it: it starts a clause, is followed by a verb
    /// or an adverb, or is a whole word, and there is no pronoun, classifier or mark of a book's title before it.
    fn is_persons_place(&self, range: &Range<usize>) -> bool {
        let mut evidence = Evidence::default();
        evidence.add_place(self.text, range.start, range.end);
        let is_word = self.is_edge(range.start) && self.is_edge(range.end);
        let is_person = self.is_named(range);
        let is_noun = evidence.noun > 0 || !is_person && self.text[..range.start].ends_with(BEFORE_OTHERS);
        !is_noun && (evidence.person > 0 || is_word)
    }
}

#[derive(Debug, Default)]
struct FrequentNames {
    /// The forms with the indices of their entities.
    names: Vec<(String, usize)>,
    counts: Vec<u32>,
    forms: FxHashSet<String>,
    lengths: Vec<usize>,
    firsts: FxHashSet<char>,
    seconds: FxHashSet<char>,
    /// By the hashes of [`patterns`].
    patterns: FxHashMap<u64, Vec<usize>>,
}

impl FrequentNames {
    fn new(entities: &[DetectedEntity]) -> Self {
        let mut found = Self::default();
        for (number, entity) in entities.iter().enumerate() {
            for form in &entity.forms {
                // A form that occurs once may be the misspelling.
                if form.count > 1 {
                    found.forms.insert(form.text.clone());
                }
                let chars = form.text.chars().count();
                let is_fit = entity.kind == EntityKind::Character && (2..=MAX_CHARS).contains(&chars);
                let is_frequent = form.count >= MIN_COUNT && entity.count >= MIN_ENTITY_COUNT;
                if !is_fit || !is_frequent || !form.text.contains(is_han) {
                    continue;
                }
                let letters: Vec<char> = form.text.chars().collect();
                for pattern in patterns(&letters) {
                    found.patterns.entry(pattern).or_default().push(found.names.len());
                }
                found.names.push((form.text.clone(), number));
                found.counts.push(form.count);
                found.firsts.extend(form.text.chars().next());
                found.seconds.extend(form.text.chars().nth(1));
                if !found.lengths.contains(&chars) {
                    found.lengths.push(chars);
                }
            }
        }
        // The longer name first: of two misspellings at one place it is kept.
        found.lengths.sort_unstable_by_key(|length| std::cmp::Reverse(*length));
        found
    }

    /// The parts of a text that are one character off a name, and no name.
    fn windows<'t>(&self, text: &'t str) -> Vec<(Range<usize>, &'t str)> {
        let (starts, letters): (Vec<usize>, Vec<char>) = text.char_indices().unzip();
        let mut found = Vec::new();
        for (number, two) in letters.windows(2).enumerate() {
            let (is_first, is_second) = (self.firsts.contains(&two[0]), self.seconds.contains(&two[1]));
            if !is_first && !is_second {
                continue;
            }
            for &length in &self.lengths {
                let Some(part) = letters.get(number..number + length) else { continue };
                if self.near(part).next().is_none() || !part.iter().all(|c| c.is_alphanumeric()) {
                    continue;
                }
                let end = starts.get(number + length).copied().unwrap_or(text.len());
                let part = &text[starts[number]..end];
                if !self.forms.contains(part) {
                    found.push((starts[number]..end, part));
                }
            }
        }
        found
    }

    /// The names that a text is one character off.
    fn near(&self, letters: &[char]) -> impl Iterator<Item = usize> {
        let found = patterns(letters).filter_map(|pattern| self.patterns.get(&pattern)).flatten().copied();
        found.filter(move |&name| is_one_off(letters, &self.names[name].0))
    }
}

/// Whether exactly one character of a name is another one.
fn is_one_off(letters: &[char], name: &str) -> bool {
    let others = letters.iter().zip(name.chars()).filter(|(letter, right)| **letter != *right).count();
    others == 1 && name.chars().count() == letters.len()
}

/// Hashes of a text, each without one of its characters.
fn patterns(letters: &[char]) -> impl Iterator<Item = u64> {
    let weight = |at: usize, c: char| {
        let mixed = (u64::from(u32::from(c)) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 32).wrapping_mul(2 * at as u64 + 0x0100_0000_01b3)
    };
    let all = letters.iter().enumerate().fold(letters.len() as u64, |sum, (at, c)| sum.wrapping_add(weight(at, *c)));
    let without = move |(at, c): (usize, &char)| all.wrapping_sub(weight(at, *c)).wrapping_add(at as u64);
    letters.iter().enumerate().map(without)
}
