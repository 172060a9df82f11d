//! Export and import of a story: a page that people read, and lorebooks of other programs.

mod importing;

use std::{cell::LazyCell, collections::HashMap, io::Read, path::Path};

use self::importing::{Importing, TextPlaces};
use super::{
    Engine,
    canon::{MAX_ENTITIES, MAX_FACTS},
    cards::check_known,
    citations::{Stretch, cite_in},
    export::cannot_write,
    facts::check_quote,
    import::{open_limited, refusal},
};
use crate::{
    error::{Code, Details, Error, OrLog, Result},
    model::{
        Canon, Changed, ChapterId, CitationDraft, EntityId, ExportStory, ExportedStory, Fact, ImportStory,
        ImportedStory, Language, LorebookFormat, Position, ProjectId, Reason, Time, Topic,
    },
    story::{
        FactsAt, HeldFact,
        lorebook::{self, LoreEntry, LoreFact, Lorebook, Unreadable},
    },
    validate,
};

/// Maximum size of an imported file, in bytes.
const MAX_BYTES: u64 = 16 << 20;

impl Engine {
    /// Exports the accepted entities of a book with the facts that hold as of a position. `order` are its chapters.
    ///
    /// # Errors
    /// As [`Engine::export`]; `MEMORY_NOT_FOUND` also for a position in no chapter of the book.
    pub fn export_story(&self, args: &ExportStory, path: &Path, order: &[ChapterId]) -> Result<ExportedStory> {
        check_known(args.at.as_ref(), order)?;
        let _alone = self.upkeep.lock_files();
        self.nothing_is_cleared()?;
        let open = self.visit(&args.project_id)?;
        let (canon, _) = self.canon(&args.project_id);
        let facts = FactsAt::new(&canon.facts, order, args.at.as_ref());
        let entries = entries_of(&canon, &facts, order);
        let text = match args.format {
            LorebookFormat::Markdown => lorebook::page_of(&open.title, &entries, open.language),
            LorebookFormat::SillyTavern => format!("{:#}\n", lorebook::silly_tavern(&entries, open.language)),
            LorebookFormat::Novelcrafter => format!("{:#}\n", lorebook::novelcrafter(&entries, open.language)),
        };
        self.write_out(path, |out| out.write_all(text.as_bytes()).map_err(|error| cannot_write(&error)))?;
        let facts = entries.iter().map(|entry| entry.facts.len()).sum();
        Ok(ExportedStory { entities: count(entries.len()), facts: count(facts), exported_at: self.clock.now() })
    }

    /// Imports a story into a book as the writer's word, as one change: all of it or nothing. An entry goes to the
    /// entity that has its name, or the first of its forms; facts with the same words are not written again. `order`
    /// are the chapters of the book.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, with the reason and the number of the line or of the entry in `details`, also for a
    /// chapter that the book does not have; `MEMORY_NOT_FOUND`; those of the store.
    pub fn import_story(&self, args: &ImportStory, path: &Path, order: &[ChapterId]) -> Result<Changed<ImportedStory>> {
        // Read before any lock is taken: the file may be on slow storage.
        let text = read_text(path)?;
        let _alone = self.upkeep.lock_files();
        self.nothing_is_cleared()?;
        let open = self.visit(&args.project_id)?;
        let book = read_lorebook(&text, open.language)?;
        check_chapters(&book, order)?;
        let places = self.places_in_text(&args.project_id, &book, order);
        // Without the text, the names that it has are not known: their entries become entities of their own.
        let found = self.names_at(&open, None, order).or_log("find names for an import");
        let next_id = || self.ids.next(self.clock.now());
        let importing = |canon: &Canon, now: Time| {
            Importing::new(canon, found.as_deref(), order, &places, now).run(&book.entries, &next_id)
        };
        let (canon, _) = self.canon(&args.project_id);
        let (change, counts) = importing(&canon, self.clock.now());
        let entities = canon.entities.len() + counts.new_entities as usize;
        let facts = canon.facts.len() + counts.new_facts as usize;
        if entities > MAX_ENTITIES || facts > MAX_FACTS {
            let details = Details { field: Some("path".into()), reason: Some(Reason::TooLarge), ..Details::default() };
            let message = format!("more than {MAX_ENTITIES} accepted entities or {MAX_FACTS} facts");
            return Err(Error::with_details(Code::InvalidArgument, message, details));
        }
        let mut report = ImportedStory {
            dry_run: args.dry_run,
            ignored_fields: book.ignored_fields,
            left_out: counts.left_out + book.left_out,
            ..counts
        };
        if args.dry_run || (change.entities.is_empty() && change.facts.is_empty()) {
            return Ok(Changed::new(report, None, []));
        }
        self.back_up_before_import()?;
        let stored = self.change_canon(&args.project_id, |canon, now| Ok(importing(canon, now).0))?;
        report.change_id = Some(stored.change_id);
        Ok(Changed::new(report, Some(args.project_id.clone()), [Topic::Story, Topic::Backups]))
    }

    /// The places of a file in the present text. A quote is in the chapter that the file says, else in the only chapter
    /// that has it. Each chapter is read at most once.
    fn places_in_text(&self, project_id: &ProjectId, book: &Lorebook, order: &[ChapterId]) -> TextPlaces {
        let texts: Vec<LazyCell<Vec<Stretch>, _>> = order
            .iter()
            .map(|chapter_id| {
                LazyCell::new(move || {
                    let read = self.stored_stretches(project_id, chapter_id);
                    read.or_log("read a chapter for an import").unwrap_or_default()
                })
            })
            .collect();
        let mut places = TextPlaces::default();
        for (quote, chapter) in book.facts().flat_map(|fact| &fact.quotes) {
            let cite = |number: usize| {
                let draft = CitationDraft { chapter_id: order.get(number)?.clone(), from: 0, quote: quote.clone() };
                check_quote(&draft).and_then(|()| cite_in(&texts[number], &draft)).ok()
            };
            let found = chapter.and_then(|number| cite(chapter_index(number))).or_else(|| {
                let mut all = (0..order.len()).filter_map(cite);
                all.next().filter(|_| all.next().is_none())
            });
            places.quotes.insert((quote.clone(), *chapter), found);
        }
        for number in book.chapters() {
            let Some((chapter_id, text)) = order.get(chapter_index(number)).zip(texts.get(chapter_index(number)))
            else {
                continue;
            };
            // Where the text of the chapter is not known, it is known from the next one on: not too early.
            let offset = text.last().map_or(u32::MAX, Stretch::end);
            places.ends.insert(number, Position { chapter_id: chapter_id.clone(), offset });
        }
        places
    }
}

/// The index of a chapter by its number, which begins at 1.
fn chapter_index(number: u32) -> usize {
    number as usize - 1
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The accepted entities as they are known at the position of `facts`, with the facts that hold.
fn entries_of(canon: &Canon, facts: &FactsAt<'_>, order: &[ChapterId]) -> Vec<LoreEntry> {
    let number = |chapter_id: &ChapterId| order.iter().position(|one| one == chapter_id).map(|at| count(at + 1));
    let names: HashMap<&EntityId, &str> =
        canon.entities.iter().filter_map(|entity| Some((&entity.entity_id, facts.name_of(entity)?))).collect();
    let lore_fact = |fact: &Fact| LoreFact {
        certainty: fact.certainty,
        object: fact.object_id.as_ref().and_then(|id| names.get(id)).map(|&name| name.to_owned()),
        chapter: fact.told_at.as_ref().and_then(|at| number(&at.chapter_id)),
        valid_from: fact.valid_from.clone(),
        valid_until: fact.valid_until.clone(),
        knowers: fact
            .known_by
            .iter()
            .filter_map(|one| Some(((*names.get(&one.entity_id)?).to_owned(), number(&one.since.chapter_id)?)))
            .collect(),
        quotes: fact.citations.iter().map(|one| (one.quote.clone(), number(&one.chapter_id))).collect(),
        ..LoreFact::new(&fact.attribute, &fact.value)
    };
    let held_fact = |HeldFact { fact, earlier, .. }: HeldFact| LoreFact {
        earlier: earlier.iter().map(lore_fact).collect(),
        ..lore_fact(&fact)
    };
    let entry = |entity: &crate::model::StoredEntity| {
        let name = *names.get(&entity.entity_id)?;
        let held: Vec<LoreFact> = facts.held_of(&entity.entity_id).into_iter().map(held_fact).collect();
        let forms = facts.forms_of(entity);
        let forms = forms.map(|form| (form.name.clone(), form.since.as_ref().and_then(|at| number(&at.chapter_id))));
        Some(LoreEntry {
            item: 0,
            kind: Some(entity.kind),
            name: name.to_owned(),
            forms: forms.collect(),
            visibility: Some(entity.visibility),
            is_pinned: entity.is_pinned,
            facts: held,
        })
    };
    let mut entries: Vec<LoreEntry> = canon.entities.iter().filter_map(entry).collect();
    // Ids decide the order of entities of one moment: the same story is the same file.
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    entries
}

fn read_text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    open_limited(path, MAX_BYTES)?
        .read_to_end(&mut bytes)
        .map_err(|error| refusal(1, Reason::Unreadable, None).caused_by(error).while_doing("read a file"))?;
    String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().iter().take(error.utf8_error().valid_up_to()).filter(|byte| **byte == b'\n');
        refusal(count(before.count()).saturating_add(1), Reason::NotUtf8, None)
    })
}

/// The entries of a file: JSON if it begins as such, else a page.
fn read_lorebook(text: &str, language: Language) -> Result<Lorebook> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let read = match text.trim_start().starts_with(['{', '[']) {
        true => lorebook::read_json(text, language),
        false => lorebook::read_page(text, language),
    };
    let book = read.map_err(|Unreadable { item, reason }| refusal(item, reason, None))?;
    for entry in &book.entries {
        let bad = |column: &'static str| move |_| refusal(entry.item, Reason::BadValue, Some(column));
        for name in std::iter::once(&entry.name).chain(entry.forms.iter().map(|(form, _)| form)) {
            validate::line("", name, validate::FORM_CHARS).map_err(bad("name"))?;
        }
        for fact in entry.all_facts() {
            validate::line("", &fact.attribute, validate::ATTRIBUTE_CHARS).map_err(bad("attribute"))?;
            validate::line("", &fact.value, validate::VALUE_CHARS).map_err(bad("value"))?;
            for time in [&fact.valid_from, &fact.valid_until].into_iter().flatten() {
                validate::line("", time, validate::STORY_TIME_CHARS).map_err(bad("time"))?;
            }
        }
    }
    if book.entries.is_empty() {
        return Err(refusal(1, Reason::OtherFormat, None));
    }
    Ok(book)
}

/// A number of a chapter that the book does not have is refused: without its chapter a fact would be known too early.
fn check_chapters(book: &Lorebook, order: &[ChapterId]) -> Result<()> {
    let is_beyond = |number: u32| number as usize > order.len();
    match book.entries.iter().find(|entry| entry.chapters().any(is_beyond)) {
        Some(entry) => Err(refusal(entry.item, Reason::BadValue, Some("chapter"))),
        None => Ok(()),
    }
}
