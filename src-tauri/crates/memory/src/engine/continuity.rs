//! Places of a book that do not agree, with the writer's verdicts.
//!
//! The issues are computed from the whole book and kept in memory until its text, its names or its facts change; what
//! is stored of them is the writer's verdicts alone, by the signature of an issue. A verdict holds until the words of
//! one of the two places change, and holds again if they come back.
//!
//! Pairs of sentences that code cannot compare are found in the same way. What a model said of one is stored by its
//! signature, and holds as long: a pair that it calls a conflict is an issue.

mod changes;

use std::{collections::HashMap, sync::Arc};

use palimpsest_continuity::{self as continuity, Book, FoundBy as ReaderFoundBy, Kind};
use palimpsest_reader::{drift::Drift, names::EntityKind as ReaderKind};
use palimpsest_text::single_spaced;

pub(super) use self::changes::{ChangeSide, is_side_of_change};
use super::Engine;
use crate::{
    error::{Error, OrLog, Result, log_failure},
    lock::Mutex,
    model::{
        Canon, Certainty, Changed, ChapterId, Citation, ContinuityIssue, ContinuityKind, ContinuityList,
        ContinuityPlace, EntityId, EntityKind, Fact, FoundBy, Language, NameMethod, PairCounts, PairVerdict, Position,
        Project, ProjectId, QuoteRange, ResolveContinuity, StoryThread, ThreadStatus, ThreadStep, Topic, Visibility,
    },
    storage::{
        compared_pairs::{self, Comparison},
        continuity::{self as stored, Resolution},
        proposed_facts::{self, StoredProposal},
        tagged_passages,
    },
    story::{BookNames, ChapterText, FactsAt, story_date, threads},
};

/// Maximum number of books whose issues are kept.
const MAX_KEPT: usize = 4;
/// Length of the id of an issue, in hexadecimal digits.
const ID_CHARS: usize = 64;

/// The issues that were computed last.
#[derive(Default)]
pub(super) struct KeptIssues(Mutex<Vec<Kept>>);

struct Kept {
    project_id: ProjectId,
    order: Vec<ChapterId>,
    /// The numbers of changes before the issues were computed.
    changes: ((u64, u64), u64),
    /// The ids of the proposed facts.
    proposed: Vec<String>,
    found: Arc<FoundIssues>,
}

/// The issues of a book without verdicts, in its order.
struct FoundIssues {
    issues: Vec<ContinuityIssue>,
    /// The pairs of sentences that are none of them, in the order of the book.
    pairs: Vec<FoundPair>,
    /// Whether some of what they are found from was missing.
    is_incomplete: bool,
}

/// Two sentences of which a model says whether they contradict each other.
#[derive(Clone)]
pub(super) struct FoundPair {
    /// The issue that it is if they do.
    pub(super) issue: ContinuityIssue,
    /// The subject of the comparison, in the language of the book: for an attribute its name.
    pub(super) subject: String,
    /// Whether one of the values is that of a proposed fact.
    pub(super) is_proposed: bool,
}

impl FoundIssues {
    /// The issues with the pairs that are some by the word of a model, in the order of the book.
    fn with_conflicts(&self, compared: &HashMap<String, Comparison>, order: &[ChapterId]) -> Vec<ContinuityIssue> {
        let conflict = |pair: &FoundPair| {
            let comparison = compared.get(&pair.issue.issue_id)?;
            let why = Some(comparison.why.clone()).filter(|why| !why.is_empty());
            let is_conflict = comparison.verdict == PairVerdict::Conflict;
            is_conflict.then(|| ContinuityIssue { why, ..pair.issue.clone() })
        };
        let mut issues: Vec<ContinuityIssue> = self.issues.clone();
        issues.extend(self.pairs.iter().filter_map(conflict));
        let numbers: HashMap<&ChapterId, usize> = order.iter().enumerate().map(|(at, id)| (id, at)).collect();
        let position = |place: &ContinuityPlace| (numbers.get(&place.chapter_id).copied(), place.from);
        // Stable: issues of one place stay in the order in which they were found.
        issues.sort_by_key(|issue| (position(&issue.first), position(&issue.second)));
        issues
    }

    fn pair_counts(&self, compared: &HashMap<String, Comparison>) -> PairCounts {
        let mut counts = PairCounts::default();
        for pair in &self.pairs {
            let count = match compared.get(&pair.issue.issue_id).map(|comparison| comparison.verdict) {
                None => &mut counts.waiting,
                Some(PairVerdict::Conflict) => &mut counts.conflicts,
                Some(PairVerdict::Change) => &mut counts.changes,
                Some(PairVerdict::Unclear) => &mut counts.unclear,
            };
            *count += 1;
        }
        counts
    }
}

impl KeptIssues {
    /// Forgets the issues of a book, or with `None` those of all.
    pub(super) fn forget_issues(&self, project_id: Option<&ProjectId>) {
        self.0.lock().retain(|kept| project_id.is_some_and(|project_id| kept.project_id != *project_id));
    }
}

impl Engine {
    /// The continuity issues of a book. `order` are its chapters. Without `rules.db` all of them are open, and without
    /// `episodes.db` there are none; the list says that it is incomplete.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` for an unknown book.
    pub fn continuity_issues(&self, project_id: &ProjectId, order: &[ChapterId]) -> Result<ContinuityList> {
        let open = self.visit(project_id)?;
        let found = self.found_issues(&open, order).unwrap_or_else(|error| {
            log_failure("find continuity issues", Err::<(), _>(error));
            Arc::new(FoundIssues { issues: Vec::new(), pairs: Vec::new(), is_incomplete: true })
        });
        let compared = self.comparisons(project_id).or_log("read the comparisons of pairs").unwrap_or_default();
        let verdicts = self.stores.ask_rules(|db| stored::list(db, project_id)).or_log("read the verdicts on issues");
        let is_current = verdicts.as_ref().is_some_and(|(_, degraded)| degraded.is_none());
        let verdicts = verdicts.map(|(verdicts, _)| verdicts).unwrap_or_default();
        let (mut resolved, mut issues): (Vec<_>, Vec<_>) = found
            .with_conflicts(&compared, order)
            .into_iter()
            .map(|issue| {
                let resolution = verdicts.get(&issue.issue_id);
                with_verdict(issue, resolution)
            })
            .partition(|issue| issue.verdict.is_some());
        resolved.sort_by_key(|issue| std::cmp::Reverse(issue.resolved_at));
        issues.append(&mut resolved);
        let pairs = found.pair_counts(&compared);
        Ok(ContinuityList { issues, pairs, is_incomplete: found.is_incomplete || !is_current })
    }

    /// The comparisons of the pairs of a book, by signature.
    fn comparisons(&self, project_id: &ProjectId) -> Result<HashMap<String, Comparison>> {
        compared_pairs::list(&*self.stores.episodes.open()?.reader()?, project_id)
    }

    /// The signatures of the pairs that no model has compared yet, in the order of the book.
    pub(super) fn waiting_pairs(&self, project_id: &ProjectId, order: &[ChapterId]) -> Result<Vec<String>> {
        let open = self.visit(project_id)?;
        let found = self.found_issues(&open, order)?;
        let compared = self.comparisons(project_id)?;
        let ids = found.pairs.iter().map(|pair| pair.issue.issue_id.clone());
        Ok(ids.filter(|signature| !compared.contains_key(signature)).collect())
    }

    /// The pair with a signature; `None` if the book does not have it any more.
    pub(super) fn pair_with(&self, open: &Project, order: &[ChapterId], signature: &str) -> Result<Option<FoundPair>> {
        let found = self.found_issues(open, order)?;
        Ok(found.pairs.iter().find(|pair| pair.issue.issue_id == signature).cloned())
    }

    /// Writes the writer's verdict on an issue, or takes it back. `order` are the chapters of the book.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`; `MEMORY_NOT_FOUND` for an issue that the book does not have; those of the store.
    pub fn resolve_continuity(
        &self,
        args: &ResolveContinuity,
        order: &[ChapterId],
    ) -> Result<Changed<ContinuityIssue>> {
        let is_id = args.issue_id.len() == ID_CHARS && args.issue_id.chars().all(|c| c.is_ascii_hexdigit());
        if !is_id {
            return Err(Error::invalid("issueId", format!("is not {ID_CHARS} hexadecimal digits")));
        }
        let project_id = &args.project_id;
        let open = self.visit(project_id)?;
        let found = self.found_issues(&open, order)?;
        let compared = self.comparisons(project_id)?;
        let mut issues = found.with_conflicts(&compared, order).into_iter();
        let issue = issues.find(|issue| issue.issue_id == args.issue_id);
        let issue = issue.ok_or_else(|| Error::not_found("issueId", "issue"))?;
        let resolved_at = self.clock.now();
        let resolution = args.verdict.map(|verdict| Resolution { verdict, resolved_at });
        self.stores.rules.open()?.write("resolve a continuity issue", |tx| match resolution {
            Some(resolution) => stored::upsert(tx, project_id, &issue.issue_id, issue.kind, resolution),
            None => stored::delete(tx, project_id, &issue.issue_id),
        })?;
        let issue = with_verdict(issue, resolution.as_ref());
        Ok(Changed::new(issue, Some(project_id.clone()), [Topic::Story]))
    }

    /// The issues of a book, computed unless those of its present state are kept.
    fn found_issues(&self, project: &Project, order: &[ChapterId]) -> Result<Arc<FoundIssues>> {
        let project_id = &project.project_id;
        // Counted first: a change while they are computed makes them invalid.
        let changes = self.story.canon_changes(project_id);
        let proposals = proposed_facts::all_proposals(&*self.stores.episodes.open()?.reader()?, project_id)?;
        let proposed: Vec<String> = proposals.iter().map(|proposal| proposal.fact_id.clone()).collect();
        let is_same = |kept: &&Kept| {
            let is_of_order = kept.project_id == *project_id && kept.order == order;
            is_of_order && kept.changes == changes && kept.proposed == proposed
        };
        if let Some(kept) = self.story.issues.0.lock().iter().find(is_same) {
            return Ok(Arc::clone(&kept.found));
        }
        let (canon, is_current) = self.canon(project_id);
        let found = self.names_with_misspellings(project, order)?;
        let chapters = self.joined_chapters(project_id, order)?;
        let names = BookInNames { chapters: &chapters, canon: &canon, names: &found.names, proposals: &proposals };
        let (issues, pairs) = names.issues_and_pairs(project.language);
        let is_incomplete = !is_current || found.method == NameMethod::Surnames;
        let found = Arc::new(FoundIssues { issues, pairs, is_incomplete });
        if is_current {
            let mut kept = self.story.issues.0.lock();
            kept.retain(|kept| kept.project_id != *project_id);
            if kept.len() >= MAX_KEPT {
                kept.remove(0);
            }
            let (project_id, order) = (project_id.clone(), order.to_vec());
            kept.push(Kept { project_id, order, changes, proposed, found: Arc::clone(&found) });
        }
        Ok(found)
    }

    /// The texts of the chapters of a book.
    fn joined_chapters(&self, project_id: &ProjectId, order: &[ChapterId]) -> Result<Vec<ChapterText>> {
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let chapter = |chapter_id: &ChapterId| {
            let passages = tagged_passages::in_chapter(&reader, project_id, chapter_id)?;
            Ok(ChapterText::without_words(chapter_id.clone(), &passages, None))
        };
        order.iter().map(chapter).collect()
    }
}

/// When a fact of the writer holds, by the years of its story time.
fn validity_of(fact: &Fact) -> continuity::Validity {
    let times = [&fact.valid_from, &fact.valid_until];
    if fact.superseded_by.is_some() {
        return continuity::Validity::Unknown;
    }
    if times.iter().all(|time| time.is_none()) {
        return continuity::Validity::Always;
    }
    match times.map(|time| time.as_deref().map(story_date)) {
        [Some(None), _] | [_, Some(None)] => continuity::Validity::Unknown,
        [from, until] => continuity::Validity::Dates { from: from.flatten(), until: until.flatten() },
    }
}

fn with_verdict(issue: ContinuityIssue, resolution: Option<&Resolution>) -> ContinuityIssue {
    ContinuityIssue {
        verdict: resolution.map(|one| one.verdict),
        resolved_at: resolution.map(|one| one.resolved_at),
        ..issue
    }
}

/// A book as its issues are computed from it.
struct BookInNames<'a> {
    chapters: &'a [ChapterText],
    canon: &'a Canon,
    names: &'a BookNames,
    /// The facts that a study proposes.
    proposals: &'a [StoredProposal],
}

impl BookInNames<'_> {
    /// The issues of the book, and the pairs of sentences that are none of them.
    fn issues_and_pairs(&self, language: Language) -> (Vec<ContinuityIssue>, Vec<FoundPair>) {
        let (ids, entities) = self.entities();
        let numbers: HashMap<&EntityId, usize> = ids.iter().enumerate().map(|(number, id)| (id, number)).collect();
        let texts: Vec<&str> = self.chapters.iter().map(|chapter| &*chapter.text).collect();
        let facts: Vec<continuity::Fact> =
            self.canon.facts.iter().filter_map(|fact| self.fact(fact, &numbers)).collect();
        let rules = self.shown_rules(&numbers);
        let threads = self.open_threads(&numbers);
        let proposed: Vec<continuity::Fact> =
            self.proposals.iter().filter_map(|proposal| self.proposed_fact(proposal, &numbers)).collect();
        let book = Book {
            language: match language {
                Language::En => palimpsest_text::Language::En,
                Language::Zh => palimpsest_text::Language::Zh,
            },
            chapters: &texts,
            entities: &entities,
            facts: &facts,
            rules: &rules,
            threads: &threads,
            proposed: &proposed,
            drifts: &self.drifts(),
        };
        let of_entity = |number: usize| (ids[number].clone(), entities[number].name.clone());
        let issue = |found: continuity::Issue| {
            let found_by = match found.found_by {
                ReaderFoundBy::Computed => FoundBy::Computed,
                ReaderFoundBy::Facts => FoundBy::Facts,
            };
            let entity = found.entity.map(of_entity);
            let kinds = (wire_kind(found.kind), found_by);
            self.shown_issue(kinds, entity, [&found.first, &found.second], (found.values, found.signature))
        };
        let pair = |found: continuity::Pair| {
            let kinds = (wire_kind(found.kind), FoundBy::Model);
            let places = [&found.first, &found.second];
            let named = (found.values, found.signature);
            let issue = self.shown_issue(kinds, Some(of_entity(found.entity)), places, named);
            FoundPair { issue, subject: found.subject, is_proposed: found.is_proposed }
        };
        let (issues, pairs) = continuity::find_with_pairs(&book);
        let issues: Vec<ContinuityIssue> = issues.into_iter().map(issue).collect();
        let pairs = pairs.into_iter().map(pair).collect();
        (issues, pairs)
    }

    fn shown_issue(
        &self,
        (kind, found_by): (ContinuityKind, FoundBy),
        entity: Option<(EntityId, String)>,
        [first, second]: [&continuity::Place; 2],
        (values, issue_id): (Vec<String>, String),
    ) -> ContinuityIssue {
        let (entity_id, entity_name) = entity.unzip();
        ContinuityIssue {
            issue_id,
            kind,
            found_by,
            entity_id,
            entity_name,
            first: self.shown_place(first),
            second: self.shown_place(second),
            values,
            why: None,
            verdict: None,
            resolved_at: None,
        }
    }

    /// The entities that the text names, in the order of the list of names, and then those of the writer's alone.
    fn entities(&self) -> (Vec<EntityId>, Vec<continuity::Entity>) {
        let named = self.names.entities.iter().map(|named| {
            let forms = named.forms.clone();
            (&named.entity.entity_id, named.entity.kind, &named.entity.name, forms)
        });
        let is_named = |id: &EntityId| self.names.entities.iter().any(|named| named.entity.entity_id == *id);
        let unnamed = self.canon.entities.iter().filter(|stored| !is_named(&stored.entity_id)).map(|stored| {
            // The text does not name them, so that they have no form there.
            (&stored.entity_id, stored.kind, &stored.name, Vec::new())
        });
        let entity = |(id, kind, name, forms): (&EntityId, EntityKind, &String, Vec<String>)| {
            (id.clone(), continuity::Entity { kind: reader_kind(kind), name: name.clone(), forms })
        };
        named.chain(unnamed).map(entity).unzip()
    }

    fn drifts(&self) -> Vec<Drift> {
        let of_entity = |(entity, named): (usize, &crate::story::NamedEntity)| {
            let drift = |misspelling: &crate::model::Misspelling| {
                let range = &misspelling.range;
                let (chapter, text) = self.chapter(&range.chapter_id)?;
                let range = text.byte_at(range.from)?..text.byte_at(range.to)?;
                Some(Drift { chapter, range, meant: misspelling.meant.clone(), entity })
            };
            named.entity.misspellings.iter().filter_map(drift).collect::<Vec<_>>()
        };
        self.names.entities.iter().enumerate().flat_map(of_entity).collect()
    }

    fn fact(&self, fact: &Fact, numbers: &HashMap<&EntityId, usize>) -> Option<continuity::Fact> {
        let knower = |knower: &crate::model::Knower| {
            let (chapter, offset) = self.index_and_byte(&knower.since)?;
            Some(continuity::Knower { entity: *numbers.get(&knower.entity_id)?, chapter, offset })
        };
        Some(continuity::Fact {
            entity: *numbers.get(&fact.entity_id)?,
            attribute: fact.attribute.clone(),
            value: fact.value.clone(),
            is_asserted: fact.certainty == Certainty::Told,
            quote: fact.citations.iter().find_map(|citation| self.quote(citation)),
            validity: validity_of(fact),
            knowers: fact.known_by.iter().filter_map(knower).collect(),
        })
    }

    /// The rules of the world. One that no prompt may have is compared with nothing.
    fn shown_rules(&self, numbers: &HashMap<&EntityId, usize>) -> Vec<continuity::Fact> {
        let is_rule = |fact: &&Fact| {
            let mut entities = self.canon.entities.iter().filter(|entity| entity.entity_id == fact.entity_id);
            entities.any(|one| one.kind == EntityKind::WorldRule && one.visibility != Visibility::Hidden)
        };
        self.canon.facts.iter().filter(is_rule).filter_map(|fact| self.fact(fact, numbers)).collect()
    }

    /// The threads that the story has not answered, with the places of their steps.
    fn open_threads(&self, numbers: &HashMap<&EntityId, usize>) -> Vec<continuity::Thread> {
        let order: Vec<ChapterId> = self.chapters.iter().map(|chapter| chapter.chapter_id.clone()).collect();
        let facts = FactsAt::new(&self.canon.facts, &order, None);
        let threads = threads(self.canon, &facts, order.len().saturating_sub(1), &|_| false);
        let place = |step: &ThreadStep| {
            let quoted = step.fact.citations.iter().find_map(|citation| self.quote(citation));
            let quoted = quoted.map(|(chapter, range)| (chapter, range.start));
            quoted.or_else(|| self.index_and_byte(step.position.as_ref()?))
        };
        let thread = |thread: &StoryThread| {
            let steps = thread.steps.iter().filter(|step| !step.is_stale).filter_map(place).collect();
            Some(continuity::Thread { entity: *numbers.get(&thread.entity_id)?, steps })
        };
        threads.iter().filter(|thread| thread.status == ThreadStatus::Open).filter_map(thread).collect()
    }

    /// A proposed fact that the writer has not accepted.
    fn proposed_fact(
        &self,
        proposal: &StoredProposal,
        numbers: &HashMap<&EntityId, usize>,
    ) -> Option<continuity::Fact> {
        let is_accepted = self.canon.facts.iter().any(|fact| fact.fact_id.as_str() == proposal.fact_id);
        let entity = numbers.get(&proposal.entity_id).filter(|_| !is_accepted)?;
        Some(continuity::Fact {
            entity: *entity,
            attribute: proposal.attribute.clone(),
            value: proposal.value.clone(),
            is_asserted: proposal.certainty == Certainty::Told,
            quote: self.quote(&proposal.citation),
            validity: continuity::Validity::Always,
            knowers: Vec::new(),
        })
    }

    /// The place of a citation whose quote is where it says.
    fn quote(&self, citation: &Citation) -> Option<(usize, std::ops::Range<usize>)> {
        let (chapter, text) = self.chapter(&citation.chapter_id)?;
        let range = text.byte_at(citation.from)?..text.byte_at(citation.to)?;
        let is_there = single_spaced(text.text.get(range.clone())?) == single_spaced(&citation.quote);
        (is_there && citation.status.is_in_text()).then_some((chapter, range))
    }

    fn index_and_byte(&self, position: &Position) -> Option<(usize, usize)> {
        let (chapter, text) = self.chapter(&position.chapter_id)?;
        Some((chapter, text.byte_at(position.offset).unwrap_or(text.text.len())))
    }

    fn chapter(&self, chapter_id: &ChapterId) -> Option<(usize, &ChapterText)> {
        self.chapters.iter().enumerate().find(|(_, chapter)| chapter.chapter_id == *chapter_id)
    }

    fn shown_place(&self, place: &continuity::Place) -> ContinuityPlace {
        let chapter = &self.chapters[place.chapter];
        let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
        let quote = &chapter.text[place.range.clone()];
        let differs = place.differs.as_ref().map(|range| {
            let (from, to) = (range.start - place.range.start, range.end - place.range.start);
            QuoteRange { from: units(&quote[..from]), to: units(&quote[..to]) }
        });
        ContinuityPlace {
            chapter_id: chapter.chapter_id.clone(),
            from: chapter.offset(place.range.start),
            to: chapter.offset(place.range.end),
            quote: quote.to_owned(),
            differs,
        }
    }
}

fn wire_kind(kind: Kind) -> ContinuityKind {
    match kind {
        Kind::NameDrift => ContinuityKind::NameDrift,
        Kind::TwoForOne => ContinuityKind::TwoForOne,
        Kind::Attribute => ContinuityKind::Attribute,
        Kind::Age => ContinuityKind::Age,
        Kind::Date => ContinuityKind::Date,
        Kind::Season => ContinuityKind::Season,
        Kind::Weekday => ContinuityKind::Weekday,
        Kind::DeadActs => ContinuityKind::DeadActs,
        Kind::BeforeIntroduced => ContinuityKind::BeforeIntroduced,
        Kind::KnowsTooEarly => ContinuityKind::KnowsTooEarly,
        Kind::Where => ContinuityKind::Where,
        Kind::WorldRule => ContinuityKind::WorldRule,
        Kind::OpenThread => ContinuityKind::OpenThread,
    }
}

fn reader_kind(kind: EntityKind) -> ReaderKind {
    match kind {
        EntityKind::Character => ReaderKind::Character,
        EntityKind::Place => ReaderKind::Place,
        EntityKind::Faction => ReaderKind::Faction,
        EntityKind::Thing | EntityKind::Thread | EntityKind::WorldRule | EntityKind::Event => ReaderKind::Thing,
    }
}
