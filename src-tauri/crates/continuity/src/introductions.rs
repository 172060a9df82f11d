//! Introductions of characters: the sentence by which the narration names somebody as new to the reader, and the one by
//! which two characters meet for the first time.
//!
//! ```text
//! sentences ─┬─► namings    (character, role)       ─► two namings in other roles: two people with one name
//!            │                                      ─► the character acts before its naming
//!            ├─► meetings   (character, character)  ─► the two have to do with each other before they meet
//!            └─► acts, contacts: the first of each character, of each two characters
//! ```
//!
//! Two namings may be of one person, and an act before a naming may be told by a flashback: a model judges the pair.

mod en;
mod zh;

use std::ops::Range;

use palimpsest_reader::mentions::Mention;
use palimpsest_text::Language;
use rustc_hash::FxHashMap;

use crate::{
    Book, Kind,
    pairs::{Pair, pair_of},
    sentences::{Sentence, Sentences, is_character},
};

/// Least number of sentences between an act and a naming in one chapter, and between a contact and a meeting: one scene
/// may name a character after its first act.
const MIN_SENTENCES: usize = 30;
/// Most mentions of a sentence that are read: a text without full stops is one sentence.
const MAX_MENTIONS: usize = 8;
/// Most pairs of namings of a character.
const MAX_NAMINGS: usize = 2;

/// The sentence by which a character is named as new: `a driver named Mara`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Naming {
    entity: usize,
    /// Bytes of the words of the sentence that name it.
    range: Range<usize>,
    role: Role,
}

/// The role in which a naming introduces a character.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Role {
    /// A profession, a relation: the noun.
    Noun(String),
    Man,
    Woman,
    /// None that tells one person from another.
    Person,
}

impl Role {
    /// Whether one person can hardly have both roles.
    fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Noun(one), Self::Noun(other)) => !one.contains(other.as_str()) && !other.contains(one.as_str()),
            (Self::Man, Self::Woman) | (Self::Woman, Self::Man) => true,
            _ => false,
        }
    }
}

/// Two characters of a sentence with the words that say what they have to do with each other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Encounter {
    /// In the order of their numbers.
    entities: [usize; 2],
    range: Range<usize>,
}

impl Encounter {
    fn new(one: usize, other: usize, range: Range<usize>) -> Option<Self> {
        (one != other && !range.is_empty()).then(|| Self { entities: [one.min(other), one.max(other)], range })
    }
}

/// A place in the book: the number of the sentence, and bytes of it.
type Spot = (usize, Range<usize>);

/// The pairs of sentences by which two people have one name, and by which a character is known before it is introduced.
pub(crate) fn introduction_pairs(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Pair> {
    let mut acts: FxHashMap<usize, Spot> = FxHashMap::default();
    let mut contacts: FxHashMap<[usize; 2], Spot> = FxHashMap::default();
    let mut namings: FxHashMap<usize, Vec<(usize, Naming)>> = FxHashMap::default();
    let mut met: FxHashMap<[usize; 2], Spot> = FxHashMap::default();
    let mut pairs = Vec::new();
    for (number, sentence) in sentences.all.iter().enumerate() {
        if sentence.mentions.iter().all(|mention| !is_character(book, mention.entity)) {
            continue;
        }
        let read = match book.language {
            Language::En => en::introductions_in(sentence),
            Language::Zh => zh::introductions_in(sentence),
        };
        for naming in read.namings.into_iter().filter(|naming| is_character(book, naming.entity)) {
            let earlier = namings.entry(naming.entity).or_default();
            if let Some((at, range)) = acts.get(&naming.entity).filter(|_| earlier.is_empty())
                && is_apart(&sentences.all, *at, number)
            {
                let spots = [(*at, range.clone()), (number, naming.range.clone())];
                pairs.push(pair(book, sentences, (Kind::BeforeIntroduced, naming.entity), spots));
            }
            if earlier.len() <= MAX_NAMINGS {
                earlier.push((number, naming));
            }
        }
        for meeting in read.meetings.into_iter().filter(|one| one.entities.iter().all(|id| is_character(book, *id))) {
            let spot = (number, meeting.range.clone());
            if let Some((at, range)) = contacts.get(&meeting.entities)
                && is_apart(&sentences.all, *at, number)
                && !met.contains_key(&meeting.entities)
            {
                let spots = [(*at, range.clone()), spot.clone()];
                pairs.push(pair(book, sentences, (Kind::BeforeIntroduced, meeting.entities[0]), spots));
            }
            met.entry(meeting.entities).or_insert(spot);
        }
        for (entity, range) in read.acts {
            acts.entry(entity).or_insert((number, range));
        }
        for contact in read.contacts {
            contacts.entry(contact.entities).or_insert((number, contact.range));
        }
    }
    let mut namings: Vec<(usize, Vec<(usize, Naming)>)> = namings.into_iter().collect();
    namings.sort_unstable_by_key(|(entity, _)| *entity);
    for (entity, namings) in namings {
        let Some((at, first)) = namings.first() else { continue };
        let is_other = |(number, naming): &&(usize, Naming)| {
            naming.role.excludes(&first.role) && is_apart(&sentences.all, *at, *number)
        };
        pairs.extend(namings.iter().skip(1).filter(is_other).map(|(number, naming)| {
            let spots = [(*at, first.range.clone()), (*number, naming.range.clone())];
            pair(book, sentences, (Kind::TwoForOne, entity), spots)
        }));
    }
    pairs
}

/// Whether two sentences lie too far apart to be of one scene.
fn is_apart(all: &[Sentence<'_>], first: usize, second: usize) -> bool {
    all[first].chapter < all[second].chapter || second - first >= MIN_SENTENCES
}

fn pair(book: &Book<'_>, sentences: &Sentences<'_>, (kind, entity): (Kind, usize), spots: [Spot; 2]) -> Pair {
    let side = |(number, range): Spot| {
        let sentence = &sentences.all[number];
        (sentence.place(Some(range.clone())), sentence.text[range].to_owned())
    };
    pair_of(book, (kind, entity, claim(kind, book.language)), spots.map(side))
}

/// The claim that is compared, for the prompt of a model.
fn claim(kind: Kind, language: Language) -> &'static str {
    match (kind, language) {
        (Kind::TwoForOne, Language::En) => "one person, whom both sentences introduce",
        (Kind::TwoForOne, Language::Zh) => "两句介绍的是同一个人",
        (_, Language::En) => "the later sentence tells the first appearance, or the first meeting",
        (_, Language::Zh) => "后一句写的才是第一次出场，或第一次见面",
    }
}

/// The introductions, acts and encounters of a sentence. Speech has none.
#[derive(Debug, Default)]
struct Introductions {
    namings: Vec<Naming>,
    meetings: Vec<Encounter>,
    /// The characters that act, with the words that say so.
    acts: Vec<(usize, Range<usize>)>,
    /// The characters that have to do with each other.
    contacts: Vec<Encounter>,
}

/// The narration of a sentence, as its language is read.
trait Narration {
    fn naming(&self, mention: &Mention) -> Option<Naming>;
    /// The words by which a character acts.
    fn act_of(&self, mention: &Mention) -> Option<Range<usize>>;
    /// The first meeting of two characters; `mentions` has the first one of each character.
    fn meeting(&self, mentions: &[&Mention]) -> Option<Encounter>;
    /// The contact of two characters that are named one after the other.
    fn contact(&self, one: &Mention, other: &Mention) -> Option<Encounter>;
}

/// The introductions of the narration of a sentence. One that introduces somebody tells of nothing earlier.
fn introductions_of(sentence: &Sentence<'_>, narration: &impl Narration) -> Introductions {
    let mut found = Introductions::default();
    let narrated = sentence.narrated_mentions();
    let narrated: Vec<&Mention> = narrated.take(MAX_MENTIONS).collect();
    let mut mentions: Vec<&Mention> = Vec::new();
    for mention in &narrated {
        if !mentions.iter().any(|other| other.entity == mention.entity) {
            mentions.push(mention);
        }
    }
    found.namings.extend(mentions.iter().filter_map(|mention| narration.naming(mention)));
    if found.namings.is_empty() {
        let act = |mention: &&Mention| Some((mention.entity, narration.act_of(mention)?));
        found.acts.extend(narrated.iter().filter_map(act));
        found.meetings.extend(narration.meeting(&mentions));
    }
    if found.meetings.is_empty() && found.namings.is_empty() {
        found.contacts.extend(narrated.windows(2).filter_map(|two| narration.contact(two[0], two[1])));
    }
    found
}

#[cfg(test)]
mod tests;
