//! Misspelt Chinese names: one character off a frequent name.

use palimpsest_text::{is_han, sentences};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Drift;
use crate::names::{DetectedEntity, EntityKind, TaggedChapter, WordKind};

/// Fewest occurrences of a form that may be meant.
const MIN_COUNT: u32 = 4;
/// Most occurrences of a misspelling.
const MAX_ODD_COUNT: u32 = 1;
/// Characters of no name: 的太太 is no misspelling of 方太太.
const FUNCTION: [char; 22] = [
    '的', '之', '在', '如', '这', '那', '有', '是', '说', '都', '便', '来', '一', '呀', '唷', '呵', '哈', '了', '和',
    '不', '就', '又',
];
/// Most characters of a name that is compared.
const MAX_CHARS: usize = 6;

/// The misspelt names of a Chinese book: words that are one character off a frequent name of a character, and occur
/// once.
///
/// A name of two characters has too many neighbours among the words: it is compared only with what the tagger reads as
/// a name of a person. A name that the text introduces, or that it has in one sentence with the one it resembles, is
/// another one.
#[must_use]
pub fn detect_zh(chapters: &[TaggedChapter<'_>], entities: &[DetectedEntity]) -> Vec<Drift> {
    let names = FrequentNames::new(entities);
    if names.lengths.is_empty() {
        return Vec::new();
    }
    let mut candidates: Vec<(Drift, &str)> = Vec::new();
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    for (number, chapter) in chapters.iter().enumerate() {
        for (at, word) in chapter.words.iter().enumerate() {
            for &length in &names.lengths {
                let Some((range, is_person)) = window(chapter, at, length) else { continue };
                let text = &chapter.text[range.clone()];
                let Some(&name) = names.near(text).first() else { continue };
                let is_exact = is_person && word.range == range;
                let is_fit = if length == 2 { is_exact } else { is_person };
                if names.forms.contains(text) || !is_fit || text.contains(FUNCTION) {
                    continue;
                }
                let (meant, entity) = &names.names[name];
                *counts.entry(text).or_default() += 1;
                candidates.push((Drift { chapter: number, range, meant: meant.clone(), entity: *entity }, text));
            }
        }
    }
    candidates.retain(|(_, text)| counts.get(text).is_some_and(|count| *count <= MAX_ODD_COUNT));
    let sentences: Vec<Vec<&str>> = chapters.iter().map(|chapter| sentences::split(chapter.text)).collect();
    candidates
        .into_iter()
        .filter(|(drift, _)| {
            let text = chapters[drift.chapter].text;
            let start = drift.range.start;
            let begins_before = |sentence: &&str| sentence.as_ptr().addr() - text.as_ptr().addr() <= start;
            let number = sentences[drift.chapter].partition_point(|sentence| begins_before(sentence));
            let sentence = number.checked_sub(1).map_or("", |number| sentences[drift.chapter][number]);
            let others = entities[drift.entity].forms.iter().any(|form| sentence.contains(form.text.as_str()));
            !others && !is_introduced(&text[..start])
        })
        .map(|(drift, _)| drift)
        .collect()
}

/// The text of a number of characters from a word on, if it ends where a word ends, and whether a word of it is read as
/// a name of any kind: the tagger often reads the misspelt name of a person as that of a place.
fn window(chapter: &TaggedChapter<'_>, at: usize, length: usize) -> Option<(std::ops::Range<usize>, bool)> {
    let start = chapter.words.get(at)?.range.start;
    let (mut chars, mut end, mut is_person) = (0, start, false);
    for word in &chapter.words[at..] {
        if word.range.start != end {
            return None;
        }
        let text = chapter.text.get(word.range.clone())?;
        if !text.chars().all(char::is_alphanumeric) {
            return None;
        }
        chars += text.chars().count();
        end = word.range.end;
        is_person |= matches!(word.kind, WordKind::Person | WordKind::Place | WordKind::Organisation);
        if chars >= length {
            break;
        }
    }
    (chars == length).then_some((start..end, is_person))
}

/// Whether the words before a name introduce it: 名叫, 自称, 姓.
fn is_introduced(before: &str) -> bool {
    const ENDS: [&str; 14] =
        ["叫", "叫做", "叫作", "名叫", "自称", "称", "姓", "名", "唤作", "是个", "一个", "那个叫", "另一个", "所谓"];
    ENDS.iter().any(|end| before.ends_with(end))
}

#[derive(Debug, Default)]
struct FrequentNames {
    names: Vec<(String, usize)>,
    forms: FxHashSet<String>,
    lengths: Vec<usize>,
    /// By the name with one character replaced by `*`.
    patterns: FxHashMap<String, Vec<usize>>,
}

impl FrequentNames {
    fn new(entities: &[DetectedEntity]) -> Self {
        let mut found = Self::default();
        for (number, entity) in entities.iter().enumerate() {
            for form in &entity.forms {
                found.forms.insert(form.text.clone());
                let chars = form.text.chars().count();
                let is_fit = entity.kind == EntityKind::Character && (2..=MAX_CHARS).contains(&chars);
                if !is_fit || form.count < MIN_COUNT || !form.text.contains(is_han) {
                    continue;
                }
                for pattern in patterns(&form.text) {
                    found.patterns.entry(pattern).or_default().push(found.names.len());
                }
                found.names.push((form.text.clone(), number));
                if !found.lengths.contains(&chars) {
                    found.lengths.push(chars);
                }
            }
        }
        found.lengths.sort_unstable();
        found
    }

    /// The names that a text is one character off.
    fn near(&self, text: &str) -> Vec<usize> {
        let mut found: Vec<usize> =
            patterns(text).iter().filter_map(|pattern| self.patterns.get(pattern)).flatten().copied().collect();
        found.retain(|&name| self.names[name].0 != text);
        found
    }
}

/// The text with each of its characters replaced by `*`.
fn patterns(text: &str) -> Vec<String> {
    text.char_indices().map(|(at, c)| format!("{}*{}", &text[..at], &text[at + c.len_utf8()..])).collect()
}
