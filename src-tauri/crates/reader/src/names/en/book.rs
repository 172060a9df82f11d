//! The evidence of an English book by chapter, so that a position is read without the chapters before it.
//!
//! The names of a chapter depend on other chapters in one place alone: how the book writes the words that the chapter
//! has with a capital. Each chapter is kept as it was read with these habits of case, and where one has changed, its
//! runs with that word are read again. All sums are made for each position, of whole numbers: the names are exactly
//! those that [`detect_en`](super::super::detect_en) finds in the same text.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    super::{
        ChapterKey, DetectedEntity, EntityMentions, KnownEntity, Names,
        counts::CaseCount,
        places::{Mentions, Wanted, as_u32},
    },
    ChapterSet, Evidence, NamedForm,
    chapter::{Chapter, Occurrence},
    entities::{build, folded, known_forms},
    habits::CaseHabit,
    kind::{self, NameWords},
    places::FormTable,
    table::{NameForm, Tables},
    weights::Weight,
};

/// Most forms that are kept as the neighbours of one in lists of names.
const MAX_BESIDE: usize = 8;

/// The evidence of an English book, by chapter.
#[derive(Debug, Default)]
pub struct EnBook {
    tables: Tables,
    forms: FormTable,
    chapters: Chapters,
}

/// The chapters of a book.
#[derive(Debug, Default)]
struct Chapters {
    /// In order of the keys.
    whole: Vec<(ChapterKey, Chapter)>,
    /// The last chapter of the last position, up to there; empty before.
    cut: Chapter,
}

/// A chapter of a position.
#[derive(Debug, Clone, Copy)]
enum Place {
    Whole(usize),
    Cut,
}

impl Chapters {
    fn chapter(&self, place: &Place) -> &Chapter {
        match place {
            Place::Whole(at) => &self.whole[*at].1,
            Place::Cut => &self.cut,
        }
    }

    fn chapter_mut(&mut self, place: &Place) -> &mut Chapter {
        match place {
            Place::Whole(at) => &mut self.whole[*at].1,
            Place::Cut => &mut self.cut,
        }
    }

    fn index_of(&self, key: ChapterKey) -> Option<usize> {
        self.whole.binary_search_by_key(&key, |(key, _)| *key).ok()
    }
}

impl EnBook {
    /// Reads a chapter, unless it has been read.
    pub fn read_chapter(&mut self, key: ChapterKey, text: &Arc<str>) {
        if let Err(at) = self.chapters.whole.binary_search_by_key(&key, |(key, _)| *key) {
            let chapter = Chapter::new(text, &mut self.tables);
            self.chapters.whole.insert(at, (key, chapter));
        }
    }

    /// Forgets the evidence of a chapter; its words and forms keep their numbers.
    pub fn forget_chapter(&mut self, key: ChapterKey) {
        if let Some(at) = self.chapters.index_of(key) {
            self.chapters.whole.remove(at);
        }
    }

    /// Bytes in memory, about.
    #[must_use]
    pub fn size(&self) -> usize {
        let chapters = self.chapters.whole.iter().map(|(_, chapter)| chapter).chain([&self.chapters.cut]);
        self.tables.size() + self.forms.size() + chapters.map(Chapter::size).sum::<usize>()
    }

    /// The names in chapters that have been read, in reading order. `cut` is the text of the last of them up to a
    /// position, if it ends before the end of the chapter. The names are those that
    /// [`detect_en`](super::super::detect_en) finds in the same text. A chapter that has not been read is left out.
    pub fn detect(&mut self, keys: &[ChapterKey], cut: Option<&Arc<str>>, known: &[KnownEntity]) -> Names {
        let scope = self.scope(keys, cut);
        let counts = self.case_counts(&scope);
        let habits: Vec<CaseHabit> = counts.iter().copied().map(CaseHabit::from_count).collect();
        for place in &scope {
            self.chapters.chapter_mut(place).read(&habits, &mut self.tables);
        }
        let sums = Sums::new(&self.chapters, &scope, &self.tables);
        let known_forms = known_forms(known);
        let named = self.named(&sums, &counts, &known_forms);
        let unread = self.unread_names(known, &named, &scope);
        let mut names = self.named_forms(named, sums, &scope);
        names.extend(unread.iter().map(|(number, evidence)| {
            let form = &self.tables.forms[*number as usize];
            let surfaces = vec![(&*form.text, evidence.count)];
            NamedForm { number: *number, form, evidence: evidence.clone(), chapters: ChapterSet::default(), surfaces }
        }));
        names.sort_unstable_by_key(|name| &name.form.text);
        build(&names, known, &known_forms)
    }

    /// The mentions of entities in chapters that have been read, the last one up to `cut`. The longest form counts, as
    /// for a [`Matcher`](crate::mentions::Matcher) of these entities.
    pub fn mentions(
        &mut self,
        keys: &[ChapterKey],
        cut: Option<&Arc<str>>,
        entities: &[DetectedEntity],
    ) -> EntityMentions {
        let scope = self.scope(keys, cut);
        EntityMentions::find_all(entities, |forms| self.mentions_of(&scope, forms.iter().copied()))
    }

    /// The chapters that have been read among these, in reading order, the last one up to `cut`.
    fn scope(&mut self, keys: &[ChapterKey], cut: Option<&Arc<str>>) -> Vec<Place> {
        if let Some(cut) = cut
            && self.chapters.cut.text != *cut
        {
            self.chapters.cut = Chapter::new(cut, &mut self.tables);
        }
        let whole = if cut.is_some() { &keys[..keys.len().saturating_sub(1)] } else { keys };
        let mut scope: Vec<Place> =
            whole.iter().filter_map(|key| self.chapters.index_of(*key)).map(Place::Whole).collect();
        scope.extend(cut.map(|_| Place::Cut));
        scope
    }

    /// By word: how often the chapters write it with a capital.
    fn case_counts(&self, scope: &[Place]) -> Vec<CaseCount> {
        let mut counts = vec![CaseCount::default(); self.tables.words.len()];
        for place in scope {
            self.chapters.chapter(place).words.counts.iter().for_each(|(id, count)| counts[*id as usize] += *count);
        }
        counts
    }

    /// The forms that are names, or that the writer has entered.
    fn named(&self, sums: &Sums, counts: &[CaseCount], known_forms: &FxHashMap<String, usize>) -> Vec<u32> {
        let forms =
            || self.tables.forms.iter().zip(0..).filter(|(_, number)| sums.evidence[*number as usize].count > 0);
        let name_words = NameWords::new(forms().map(|(form, _)| form), &self.tables);
        let is_named = |(form, number): &(&NameForm, u32)| {
            let evidence = &sums.evidence[*number as usize];
            known_forms.contains_key(&*form.folded) || kind::is_name(form, evidence, counts, &name_words, &self.tables)
        };
        forms().filter(is_named).map(|(_, number)| number).collect()
    }

    /// The names of the writer that occur in the text and are no run of capitals: `the warden`.
    fn unread_names(&mut self, known: &[KnownEntity], named: &[u32], scope: &[Place]) -> Vec<(u32, Evidence)> {
        let read: FxHashSet<&str> = named.iter().map(|number| &*self.tables.forms[*number as usize].folded).collect();
        let mut seen = FxHashSet::default();
        let names = known.iter().flat_map(|entity| &entity.names);
        let missing: Vec<String> = names
            .map(|name| palimpsest_text::single_spaced(name))
            .filter(|name| {
                let folded = folded(name);
                !read.contains(&*folded) && seen.insert(folded)
            })
            .collect();
        let mut found = vec![Evidence::default(); missing.len()];
        let mentions = self.mentions_of(scope, missing.iter().map(String::as_str));
        mentions.visit_counts(|wanted, chapter, count| {
            let evidence = &mut found[wanted];
            if evidence.count == 0 {
                evidence.first = (as_u32(chapter), count.first.start);
            }
            evidence.count += count.count;
        });
        let found = missing.iter().zip(found).filter(|(_, evidence)| evidence.count > 0);
        found.map(|(name, evidence)| (self.tables.form_number(name), evidence)).collect()
    }

    fn named_forms(&self, named: Vec<u32>, mut sums: Sums, scope: &[Place]) -> Vec<NamedForm<'_>> {
        // By form: its index in the list, from 1; 0 for one that is no name.
        let mut index = vec![0_u32; self.tables.forms.len()];
        named.iter().zip(1..).for_each(|(number, at)| index[*number as usize] = at);
        let mut chapters = vec![ChapterSet::default(); named.len()];
        for (place, chapter) in scope.iter().zip(0..) {
            for occurrence in &self.chapters.chapter(place).occurrences {
                if let Some(at) = index[occurrence.form as usize].checked_sub(1) {
                    chapters[at as usize].insert(chapter);
                }
            }
        }
        let named_form = |(number, chapters): (u32, ChapterSet)| {
            let form = &self.tables.forms[number as usize];
            let evidence = std::mem::take(&mut sums.evidence[number as usize]);
            let surface = |at: &u32| (&*self.tables.surfaces[*at as usize], sums.surfaces[*at as usize]);
            let surfaces = form.surfaces.iter().map(surface).filter(|(_, count)| *count > 0).collect();
            NamedForm { number, form, evidence, chapters, surfaces }
        };
        named.into_iter().zip(chapters).map(named_form).collect()
    }

    /// The mentions of these forms. A form that is listed twice is the first.
    fn mentions_of<'f>(&mut self, scope: &[Place], forms: impl Iterator<Item = &'f str>) -> Mentions {
        let numbers: Vec<Option<usize>> = forms.map(|form| self.forms.number_of(form, &mut self.tables)).collect();
        let wanted = Wanted::new(&numbers, self.forms.len());
        let mut of = |place: &Place| {
            let Chapter { text, words, places, .. } = self.chapters.chapter_mut(place);
            places.look_for(text, &words.words, &self.forms);
            places.sought.mentions_in_whole(wanted.set())
        };
        let chapters = scope.iter().map(&mut of).collect();
        Mentions::new(wanted, chapters)
    }
}

/// Sums over the occurrences in chapters.
struct Sums {
    /// By form.
    evidence: Vec<Evidence>,
    /// By the way in which the text writes a form: the number of occurrences.
    surfaces: Vec<u32>,
}

impl Sums {
    fn new(chapters: &Chapters, scope: &[Place], tables: &Tables) -> Self {
        let mut sums =
            Self { evidence: vec![Evidence::default(); tables.forms.len()], surfaces: vec![0; tables.surfaces.len()] };
        for (place, chapter) in scope.iter().zip(0..) {
            let mut before: Option<u32> = None;
            for occurrence in &chapters.chapter(place).occurrences {
                sums.surfaces[occurrence.surface as usize] += 1;
                let beside = before.replace(occurrence.form).filter(|_| occurrence.is_listed);
                sums.evidence[occurrence.form as usize].add(occurrence, chapter, beside);
            }
        }
        sums
    }
}

impl Evidence {
    fn add(&mut self, occurrence: &Occurrence, chapter: u32, beside: Option<u32>) {
        if self.count == 0 {
            self.first = (chapter, occurrence.start);
        }
        let weight = &occurrence.weight;
        self.count += 1;
        self.inside += u32::from(weight.inside);
        self.person += u32::from(weight.person);
        if weight.opens_speech && self.inside > 0 {
            self.person += u32::from(Weight::ADDRESSED);
        }
        self.place += u32::from(weight.place);
        self.article += u32::from(weight.article);
        self.speech += u32::from(weight.speech);
        self.man += u32::from(weight.man);
        self.woman += u32::from(weight.woman);
        self.beside.extend(beside.filter(|beside| self.beside.len() < MAX_BESIDE && !self.beside.contains(beside)));
    }
}
