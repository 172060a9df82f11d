//! Learning records: saved, listed and searched.

use crate::{
    engine::{Engine, answers::ReadChapter},
    error::{Error, OrLog, Result},
    model::{
        Answer, AnswerId, AnswerOrigin, Changed, ChapterId, FoundRecord, FoundRecords, ListRecords, ProjectId,
        ProposedFact, RecordAnswer, RecordList, SaveRecord, SearchRecords, Topic,
    },
    storage::{
        answers::{self, ListedRecords},
        deletions, proposed_facts,
    },
    validate,
};

/// Maximum number of listed records, and the default.
const LISTED: (u32, u32) = (200, 10);
/// Maximum number of found records, and the default.
const FOUND: (u32, u32) = (50, 5);

impl Engine {
    /// Saves a learning record. One with the same question and the same answer is returned as it is.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, also for a question whose answer the writer refused; `MEMORY_NOT_FOUND`, also for a
    /// cited chapter; `MEMORY_CITATION_NOT_FOUND`; `MEMORY_CAPACITY_EXCEEDED`; those of the stores.
    pub fn save_record(
        &self,
        args: &SaveRecord,
        order: &[ChapterId],
        read: ReadChapter<'_>,
    ) -> Result<Changed<Answer>> {
        self.known_project(&args.project_id)?;
        let question = args.question.trim();
        if self.stores.ask_rules(|db| deletions::is_question_deleted(db, &args.project_id, question))?.0 {
            return Err(Error::invalid("question", "the writer refused an answer to it"));
        }
        let mut details = args.details.clone();
        details.question_type = Some(args.question_type);
        let recorded = self.record_answer(
            &RecordAnswer {
                project_id: args.project_id.clone(),
                question: args.question.clone(),
                answer: args.answer.clone(),
                kind: None,
                origin: Some(AnswerOrigin::Studied),
                confidence: args.confidence,
                citations: args.citations.clone(),
                details,
                basis: Vec::new(),
                not_in_book: false,
            },
            order,
            read,
        )?;
        Ok(Changed::new(recorded.value.answer, Some(args.project_id.clone()), [Topic::Answers, Topic::Knowledge]))
    }

    /// A page of the learning records of a book, the newest first: of all, or of those of a domain.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, those of the store.
    pub fn list_records(&self, query: &ListRecords) -> Result<RecordList> {
        let limit = query.limit.unwrap_or(LISTED.1);
        validate::within("limit", limit, 1, LISTED.0)?;
        query.domain.as_deref().map_or(Ok(()), |domain| validate::line("domain", domain, validate::FORM_CHARS))?;
        let _open = self.visit(&query.project_id)?;
        let domains = query.domain.clone().map(|domain| vec![domain]);
        let listed = ListedRecords {
            project_id: &query.project_id,
            domains: domains.as_deref(),
            standing: query.standing,
            offset: query.offset,
            limit,
        };
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let found = answers::records(&reader, &listed)?;
        let (total, proposed) = answers::count_records(&reader, &listed)?;
        let mut proposals = Vec::new();
        for stored in &found {
            proposals.extend(proposed_facts::of_answer(&reader, &query.project_id, &stored.answer.answer_id)?);
        }
        let records = found.into_iter().map(|stored| self.shown(stored)).collect::<Result<_>>()?;
        let proposed_facts = self.open_proposals(&query.project_id, proposals);
        Ok(RecordList { records, proposed_facts, total, proposed })
    }

    /// The proposed facts that the writer has not accepted yet, with the names of their entities.
    fn open_proposals(
        &self,
        project_id: &ProjectId,
        proposed: Vec<proposed_facts::StoredProposal>,
    ) -> Vec<ProposedFact> {
        if proposed.is_empty() {
            return Vec::new();
        }
        let (canon, _) = self.canon(project_id);
        let order = self.analyzed_order(project_id).or_log("read the order of the chapters").unwrap_or_default();
        let known = self.known_entities(project_id, &order);
        let is_open =
            |one: &proposed_facts::StoredProposal| canon.facts.iter().all(|fact| fact.fact_id.as_str() != one.fact_id);
        let fact = |one: proposed_facts::StoredProposal| ProposedFact {
            entity_name: known.with_id(&one.entity_id).map(|entity| entity.name.clone()).unwrap_or_default(),
            fact_id: one.fact_id,
            answer_id: one.answer_id,
            entity_id: one.entity_id,
            attribute: one.attribute,
            value: one.value,
            citation: one.citation,
        };
        proposed.into_iter().filter(is_open).map(fact).collect()
    }

    /// Searches learning records, of one book or, where that is said, of all.
    ///
    /// The query becomes a vector, the vectors and words of questions and answers are compared with it, the records are
    /// loaded, and ordered by the fusion of all four. Without vectors, words alone find them.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, also where neither a book nor `allProjects` is given, or both; `MEMORY_NOT_FOUND`,
    /// `MEMORY_BACKPRESSURE`, those of the store.
    pub fn search_records(&self, query: &SearchRecords) -> Result<FoundRecords> {
        super::check_question("query", &query.query)?;
        let limit = query.top_k.unwrap_or(FOUND.1);
        validate::within("topK", limit, 1, FOUND.0)?;
        let books = match (&query.project_id, query.all_projects) {
            (Some(project_id), false) => vec![project_id.clone()],
            (None, true) => self.projects().into_iter().map(|project| project.project_id).collect(),
            (None, false) => return Err(Error::invalid("projectId", "needed, unless allProjects")),
            (Some(_), true) => return Err(Error::invalid("allProjects", "either this or projectId")),
        };
        let mut records = Vec::new();
        for project_id in books {
            let found = self.records_for(&project_id, &query.query, limit as usize);
            match found {
                Ok(found) => records.extend(found),
                // One that is being cleared is not searched.
                Err(_) if query.all_projects && self.project(&project_id).is_err() => {}
                Err(error) => return Err(error),
            }
        }
        records.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.record.created_at.cmp(&a.record.created_at)));
        records.truncate(limit as usize);
        Ok(FoundRecords { records, is_reranked: false })
    }

    /// The learning records of a book that have most to do with a query, best first.
    pub(super) fn records_for(&self, project_id: &ProjectId, query: &str, limit: usize) -> Result<Vec<FoundRecord>> {
        let open = self.visit(project_id)?;
        let found = self.find_records((project_id, query), limit)?;
        let record = |(stored, score): (answers::StoredAnswer, f64)| {
            Ok(FoundRecord {
                record: self.shown(stored)?,
                score: score.clamp(0.0, 1.0),
                project_title: open.title.clone(),
            })
        };
        found.into_iter().map(record).collect()
    }

    /// A learning record of a book in the version that the caller has seen.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for an answer that is none, `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`,
    /// `MEMORY_STALE_VERSION`, those of the store.
    pub(super) fn record_at_version(
        &self,
        project_id: &ProjectId,
        (answer_id, version): (&AnswerId, u32),
    ) -> Result<answers::StoredAnswer> {
        validate::identity("answerId", answer_id.as_str())?;
        let stored = answers::get(&*self.stores.episodes.open()?.reader()?, answer_id)?;
        let stored = stored.ok_or_else(|| Error::not_found("answerId", "learning record"))?;
        if stored.answer.project_id != *project_id {
            return Err(Error::scope_denied("learning record"));
        }
        if stored.answer.origin != AnswerOrigin::Studied {
            return Err(Error::invalid("answerId", "is no learning record"));
        }
        if stored.answer.version != version {
            return Err(Error::stale_version(stored.answer.version));
        }
        Ok(stored)
    }
}
