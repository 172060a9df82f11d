//! The names of a book as of a position, with the writer's word over what the text suggests.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::{Arc, OnceLock},
};

use palimpsest_reader::{
    names::{self, BookMention, DetectedEntity, EntityMentions, FormInChapter, KnownEntity, PossibleMerge},
    speech,
};
use palimpsest_text::{sentences, single_spaced};

use super::{BookNames, BookText, ChapterText, MentionAt, NameEvidence, NamedEntity, hashed_id, place_of};
use crate::model::{
    Canon, ChapterId, ChapterPresence, Dismissal, Entity, EntityId, EntityKind, EntityName, EntityStanding,
    MentionRange, Misspelling, Position, ProjectId, StoredEntity,
};

/// Maximum characters of the sentence of a first mention.
const MAX_SENTENCE: usize = 200;
/// Maximum characters before the mention in a sentence that is cut.
const MAX_BEFORE: usize = 80;

/// The basis of the names of a book, besides its text.
pub(crate) struct Names<'a> {
    pub project_id: &'a ProjectId,
    /// The writer's word.
    pub writers: &'a Canon,
    /// Names that the writer listed elsewhere: they are names of characters.
    pub listed: &'a [String],
    /// The chapters of the book in order, also those after the position.
    pub order: &'a [ChapterId],
    /// The position up to which the book is known; `None` for its end.
    pub at: Option<&'a Position>,
    /// Whether likely misspellings and speeches are found, which only a list shows.
    pub with_details: bool,
}

/// The entities of the writer that the names of a position may use.
struct Known<'a> {
    /// One for each entity of `entities`, then one for each listed name.
    entities: Vec<KnownEntity>,
    stored: Vec<&'a StoredEntity>,
}

impl<'a> Known<'a> {
    fn stored(&self, known: Option<usize>) -> Option<&'a StoredEntity> {
        self.stored.get(known?).copied()
    }
}

impl Names<'_> {
    /// Finds the names in the text up to the position.
    pub(crate) fn detect(&self, mut text: BookText<'_>) -> BookNames {
        let known = self.known();
        let detected = text.detect(&known.entities);
        let (entities, kept) = self.without_dismissed(detected.entities, &known);
        let mut misspellings: HashMap<usize, Vec<Misspelling>> = HashMap::new();
        let drifts = if self.with_details { text.drifts(&entities) } else { Vec::new() };
        for drift in drifts {
            let chapter = &text.chapters[drift.chapter];
            let range = range_of(chapter, &drift.range);
            let text = chapter.text[drift.range].to_owned();
            misspellings.entry(drift.entity).or_default().push(Misspelling { range, text, meant: drift.meant });
        }
        let speeches = self.tagged_speeches(&text, &entities);
        let own_ids: HashSet<&EntityId> = self.writers.entities.iter().map(|entity| &entity.entity_id).collect();
        let mut named: Vec<Option<NamedEntity>> = Vec::with_capacity(entities.len());
        let mentions = text.mentions(&entities);
        let chapters = text.chapters;
        for (number, (entity, found)) in entities.iter().zip(found_of(&mentions, entities.len())).enumerate() {
            let Some(Found { presence, first, last }) = found else {
                named.push(None);
                continue;
            };
            let at = |(chapter, mention): &(usize, BookMention)| {
                MentionAt::new(&chapters[*chapter], *chapter, &mention.units)
            };
            let (first_at, last_at) = (at(&first), at(&last));
            let first_chapter = &chapters[first_at.chapter];
            let first_form = form_of(entity, &first_chapter.text[first.1.range.clone()]);
            let stored = known.stored(entity.known);
            let entity_id = stored
                .map_or_else(|| free_id(self.project_id, &first_form, &own_ids), |stored| stored.entity_id.clone());
            let name = stored.and_then(|stored| self.shown_name(stored)).unwrap_or(&entity.name).to_owned();
            let forms: Vec<String> = entity.forms.iter().map(|form| form.text.clone()).collect();
            let range = |at: &MentionAt| MentionRange {
                chapter_id: chapters[at.chapter].chapter_id.clone(),
                from: at.from,
                to: at.to,
            };
            let row = Entity {
                entity_id,
                kind: stored.map_or_else(|| kind_of(entity.kind), |stored| stored.kind),
                aliases: forms.iter().filter(|form| **form != name).cloned().collect(),
                name,
                standing: if stored.is_some() { EntityStanding::Accepted } else { EntityStanding::Detected },
                version: stored.map(|stored| stored.version),
                first_fact: None,
                mentions: presence.iter().map(|chapter| chapter.mentions).sum(),
                presence,
                first: range(&first_at),
                last: range(&last_at),
                sentence: String::new(),
                tagged_speeches: speeches.get(&number).copied().unwrap_or(0),
                misspellings: misspellings.remove(&number).unwrap_or_default(),
            };
            let first = (Arc::clone(first_chapter), first.1.range);
            let sentence = OnceLock::new();
            named.push(Some(NamedEntity { entity: row, forms, first_form, first_at, number, first, sentence }));
        }
        let questions = self.questions(&detected.questions, &kept, &named);
        BookNames::sorted(named, &questions, chapters.to_vec(), mentions)
    }

    /// The entities of the writer with the forms that are known to be theirs at the position, and the listed names.
    fn known(&self) -> Known<'_> {
        let mut known = Known { entities: Vec::new(), stored: Vec::new() };
        for stored in &self.writers.entities {
            let names: Vec<String> =
                stored.names.iter().filter(|name| self.is_form_known(name)).map(|name| name.name.clone()).collect();
            known.entities.push(KnownEntity { kind: reader_kind(stored.kind), names });
            known.stored.push(stored);
        }
        let listed = self
            .listed
            .iter()
            .map(|name| KnownEntity { kind: names::EntityKind::Character, names: vec![name.clone()] });
        known.entities.extend(listed);
        known
    }

    /// Whether a form is known to be one of its entity at the position.
    fn is_form_known(&self, name: &EntityName) -> bool {
        match (&name.since, self.at) {
            (Some(since), Some(at)) => {
                let places = place_of(self.order, since).zip(place_of(self.order, at));
                places.is_some_and(|(since, at)| since <= at)
            }
            _ => true,
        }
    }

    /// The name by the writer's word, unless it is a form that is known to be one of the entity only later.
    fn shown_name<'s>(&self, stored: &'s StoredEntity) -> Option<&'s str> {
        let form = stored.names.iter().find(|name| name.name == stored.name);
        form.is_none_or(|form| self.is_form_known(form)).then_some(stored.name.as_str())
    }

    /// The entities without the forms that the writer dismissed, and the index of each before that.
    fn without_dismissed(
        &self,
        entities: Vec<DetectedEntity>,
        known: &Known<'_>,
    ) -> (Vec<DetectedEntity>, HashMap<usize, usize>) {
        let dismissed: HashSet<&str> = self.writers.dismissals.iter().filter_map(Dismissal::dismissed_name).collect();
        let (mut left, mut kept) = (Vec::new(), HashMap::new());
        if dismissed.is_empty() {
            let kept = (0..entities.len()).map(|number| (number, number)).collect();
            return (entities, kept);
        }
        for (number, mut entity) in entities.into_iter().enumerate() {
            let own = known.stored(entity.known);
            let is_own = |form: &str| own.is_some_and(|own| own.names.iter().any(|name| fold(&name.name) == form));
            entity.forms.retain(|form| {
                let form = fold(&form.text);
                is_own(&form) || !dismissed.contains(form.as_str())
            });
            if let Some(form) = entity.forms.iter().max_by_key(|form| form.text.chars().count()) {
                if entity.forms.iter().all(|form| form.text != entity.name) {
                    entity.name.clone_from(&form.text);
                }
                kept.insert(number, left.len());
                left.push(entity);
            }
        }
        (left, kept)
    }

    /// The number of speeches in the chapter of the position that the text tags with a name, by entity.
    fn tagged_speeches(&self, text: &BookText<'_>, entities: &[DetectedEntity]) -> HashMap<usize, u32> {
        let mut counts = HashMap::new();
        if let Some(chapter) = text.chapters.last().filter(|_| self.at.is_some() && self.with_details) {
            let speeches = match text.evidence {
                NameEvidence::En(_) => speech::speakers(&chapter.text, entities),
                NameEvidence::Zh(_) => speech::speakers_zh(&chapter.text, entities),
            };
            for speech in speeches {
                *counts.entry(speech.speaker).or_default() += 1;
            }
        }
        counts
    }

    /// The questions that are left: not answered by the writer, and not about two accepted entities.
    fn questions(
        &self,
        asked: &[PossibleMerge],
        kept: &HashMap<usize, usize>,
        named: &[Option<NamedEntity>],
    ) -> Vec<(usize, usize)> {
        let entity = |number: usize| {
            let number = *kept.get(&number)?;
            named[number].as_ref().map(|entity| (number, entity))
        };
        let is_open = |one: &NamedEntity, other: &NamedEntity| {
            let are_accepted = [one, other].iter().all(|one| one.entity.standing == EntityStanding::Accepted);
            let is_dismissed = !self.writers.dismissals.is_empty()
                && one.forms.iter().any(|form| {
                    let pair = |other: &String| Dismissal::of_pair(&fold(form), &fold(other));
                    other.forms.iter().any(|other| self.writers.dismissals.contains(&pair(other)))
                });
            !are_accepted && !is_dismissed
        };
        let open = asked.iter().filter_map(|question| {
            let ((first, one), (second, other)) = (entity(question.first)?, entity(question.second)?);
            is_open(one, other).then_some((first, second))
        });
        open.collect()
    }
}

/// A form as it is compared: with single spaces and straight apostrophes.
pub(crate) fn fold(form: &str) -> String {
    single_spaced(form).replace('’', "'")
}

/// The id of a detected entity, made of the book and of the form of its first mention.
pub(crate) fn id_of_form(project_id: &ProjectId, form: &str) -> EntityId {
    EntityId::from(hashed_id(&[project_id.as_str().as_bytes(), fold(form).as_bytes()]))
}

/// The id of a detected entity that no entity of the writer has: the writer may have given the form to another one.
fn free_id(project_id: &ProjectId, form: &str, taken: &HashSet<&EntityId>) -> EntityId {
    let mut form = form.to_owned();
    loop {
        let id = id_of_form(project_id, &form);
        if !taken.contains(&id) {
            return id;
        }
        form.push('+');
    }
}

/// The mentions of an entity.
struct Found {
    presence: Vec<ChapterPresence>,
    /// The first and the last one, with the number of the chapter.
    first: (usize, BookMention),
    last: (usize, BookMention),
}

/// The mentions of each of `count` entities; `None` for one without any.
fn found_of(mentions: &EntityMentions, count: usize) -> Vec<Option<Found>> {
    let mut all: Vec<Option<Found>> = Vec::new();
    all.resize_with(count, || None);
    mentions.visit_forms(|FormInChapter { chapter, count: mentions, first, last }| {
        let number = saturating(chapter);
        let here = ChapterPresence { chapter: number, mentions };
        let slot = &mut all[first.entity];
        let Some(found) = slot else {
            *slot = Some(Found { presence: vec![here], first: (chapter, first), last: (chapter, last) });
            return;
        };
        match found.presence.last_mut().filter(|last| last.chapter == number) {
            Some(known) => known.mentions += mentions,
            None => found.presence.push(here),
        }
        let start = |(chapter, mention): &(usize, BookMention)| (*chapter, mention.units.start);
        let (first, last) = ((chapter, first), (chapter, last));
        if start(&first) < start(&found.first) {
            found.first = first;
        }
        if start(&last) > start(&found.last) {
            found.last = last;
        }
    });
    all
}

/// The form of an entity that a mention has.
fn form_of(entity: &DetectedEntity, text: &str) -> String {
    if let [only] = entity.forms.as_slice() {
        return only.text.clone();
    }
    let text = fold(text);
    let same = entity.forms.iter().find(|form| fold(&form.text) == text);
    same.or(entity.forms.first()).map(|form| form.text.clone()).unwrap_or(text)
}

fn range_of(chapter: &ChapterText, range: &Range<usize>) -> MentionRange {
    MentionRange {
        chapter_id: chapter.chapter_id.clone(),
        from: chapter.offset(range.start),
        to: chapter.offset(range.end),
    }
}

/// The range of the sentence that a range of a text begins in.
pub(crate) fn sentence_range(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind("\n\n").map_or(0, |at| at + 2);
    let end = text[range.end..].find("\n\n").map_or(text.len(), |at| range.end + at);
    let paragraph = &text[start..end];
    let begin = |sentence: &&str| sentence.as_ptr().addr() - paragraph.as_ptr().addr() + start;
    let sentence = sentences::split(paragraph).into_iter().rfind(|sentence| begin(sentence) <= range.start);
    sentence.map_or(start..end, |sentence| begin(&sentence)..(begin(&sentence) + sentence.len()).max(range.end))
}

/// The sentence of a mention in one line, cut to [`MAX_SENTENCE`] characters around it.
pub(super) fn sentence_of(text: &str, mention: &Range<usize>) -> String {
    let range = sentence_range(text, mention);
    let before = &text[range.start..mention.start];
    let skipped = before.chars().count().saturating_sub(MAX_BEFORE);
    let is_long = text[range.clone()].chars().count() > MAX_SENTENCE;
    let shown: String = text[range].chars().skip(if is_long { skipped } else { 0 }).take(MAX_SENTENCE).collect();
    single_spaced(&shown)
}

fn saturating(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn kind_of(kind: names::EntityKind) -> EntityKind {
    match kind {
        names::EntityKind::Character => EntityKind::Character,
        names::EntityKind::Place => EntityKind::Place,
        names::EntityKind::Thing => EntityKind::Thing,
        names::EntityKind::Faction => EntityKind::Faction,
    }
}

fn reader_kind(kind: EntityKind) -> names::EntityKind {
    match kind {
        EntityKind::Character => names::EntityKind::Character,
        EntityKind::Place => names::EntityKind::Place,
        EntityKind::Thing | EntityKind::Thread | EntityKind::WorldRule | EntityKind::Event => names::EntityKind::Thing,
        EntityKind::Faction => names::EntityKind::Faction,
    }
}

#[cfg(test)]
mod tests {
    use palimpsest_reader::names::ChapterKey;
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Language, PassageText, Time, Visibility};

    const SENTENCES: [&str; 6] = [
        "“Go home,” said Mara Venn.",
        "Tobias looked at Venn, and Venn laughed.",
        "In Harwick the lamps were lit, and Tobias went to Harwick.",
        "“Sign it,” said Aldous Pike.",
        "The Grey Heron was late, and nobody liked the Grey Heron.",
        "Mara Venn met Aldous Pike and Tobias.",
    ];

    /// Chapters of the numbered sentences, one passage each.
    fn chapters(numbers: &[Vec<usize>], until: Option<(usize, u32)>) -> Vec<Arc<ChapterText>> {
        let count = until.map_or(numbers.len(), |(last, _)| last + 1);
        let chapter = |(number, sentences): (usize, &Vec<usize>)| {
            let text: Vec<&str> = sentences.iter().map(|&number| SENTENCES[number]).collect();
            let passage = PassageText { from: 0, text: text.join(" "), words: None };
            let end = until.filter(|(last, _)| *last == number).map(|(_, offset)| offset);
            Arc::new(ChapterText::new(format!("c{number}").into(), &[passage], end, Language::En))
        };
        numbers.iter().enumerate().take(count).map(chapter).collect()
    }

    fn named(writers: &Canon, numbers: &[Vec<usize>], order: &[ChapterId], at: Option<(usize, u32)>) -> Vec<Entity> {
        let position = at.map(|(chapter, offset)| Position { chapter_id: format!("c{chapter}").into(), offset });
        let project_id = &"p".into();
        let names = Names { project_id, writers, listed: &[], order, at: position.as_ref(), with_details: true };
        let (chapters, mut evidence) = (chapters(numbers, at), NameEvidence::new(Language::En));
        let keys: Vec<ChapterKey> = (0..).take(chapters.len()).collect();
        for (key, chapter) in keys.iter().zip(&chapters) {
            evidence.read_chapter(*key, &chapter.text, &[]);
        }
        let text = BookText { chapters: &chapters, evidence: &mut evidence, keys: &keys, is_cut: false };
        names.detect(text).entities.iter().map(NamedEntity::row).collect()
    }

    fn order(count: usize) -> Vec<ChapterId> {
        (0..count).map(|number| format!("c{number}").into()).collect()
    }

    /// One entity with two forms, the second known to be its own from a position on.
    fn pike_is_the_heron(since: Position) -> Canon {
        let name = |name: &str, since| EntityName { name: name.into(), since };
        let entity = StoredEntity {
            entity_id: "pike".into(),
            kind: EntityKind::Character,
            name: "Grey Heron".into(),
            version: 1,
            names: vec![name("Aldous Pike", None), name("Grey Heron", Some(since))],
            visibility: Visibility::AsOf,
            is_pinned: false,
            created_at: Time::from_millis(0),
            updated_at: Time::from_millis(0),
        };
        Canon { entities: vec![entity], ..Canon::default() }
    }

    #[test]
    fn two_names_are_one_only_from_the_position_on_and_the_later_name_heads_no_earlier_list() {
        let numbers = vec![vec![3, 3, 4], vec![4, 3]];
        let since = Position { chapter_id: "c1".into(), offset: 10 };
        let writers = pike_is_the_heron(since);
        let names = |at| -> Vec<(String, usize)> {
            let entities = named(&writers, &numbers, &order(2), at);
            entities.into_iter().map(|entity| (entity.name, entity.aliases.len())).collect()
        };
        assert_eq!(names(Some((0, 1_000))), [("Aldous Pike".into(), 0), ("Grey Heron".into(), 0)]);
        assert!(!names(Some((1, 9))).contains(&("Grey Heron".into(), 1)));
        assert_eq!(names(Some((1, 1_000))), [("Grey Heron".into(), 1)]);
        assert_eq!(names(None), [("Grey Heron".into(), 1)]);
    }

    #[test]
    fn a_long_sentence_is_cut_around_the_mention() {
        let text = format!("{} then Tobias {}.", "and so on ".repeat(30), "and on ".repeat(40));
        let at = text.find("Tobias").unwrap();
        let cut = sentence_of(&text, &(at..at + 6));
        assert!(cut.contains("Tobias") && cut.chars().count() <= MAX_SENTENCE, "{cut}");
        let short = "One. Two Tobias three. Four.";
        assert_eq!(sentence_of(short, &(9..15)), "Two Tobias three.");
    }

    proptest! {
        #[test]
        fn chapters_after_a_position_change_nothing_before_it(
            numbers in prop::collection::vec(prop::collection::vec(0_usize..6, 1..6), 1..4),
            more in prop::collection::vec(prop::collection::vec(0_usize..6, 1..6), 0..3),
            offset in 0_u32..200,
        ) {
            let at = Some((numbers.len() - 1, offset));
            let since = Position { chapter_id: format!("c{}", numbers.len()).into(), offset: 0 };
            let whole: Vec<Vec<usize>> = numbers.iter().chain(&more).cloned().collect();
            let writers = pike_is_the_heron(since);
            let with_later = named(&writers, &whole, &order(whole.len()), at);
            let alone = named(&writers, &numbers, &order(numbers.len()), at);
            prop_assert_eq!(with_later, alone);
        }
    }
}
