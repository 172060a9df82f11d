//! The search for answers: by question and by answer, with a calibrated relevance and, apart from it, whether the two
//! questions ask the same.

use palimpsest_answers::{
    config::MemoryConfig,
    relevance::{Signals as Measured, relevance, relevance_with},
    standing::freshness,
};
use palimpsest_text::questions::{self, ComparedQuestion};

use super::{
    checks::{check_question, question_key_of},
    service::ServiceFound,
    standing::with_posterior,
};
use crate::{
    engine::Engine,
    error::{OrLog, Result},
    model::{
        Answer, AnswerComponents, AnswerKind, AnswerMatch, AnswerMatches, AnswerOrigin, AnswerQuery, AnswerStatus,
        ProjectId, QuestionDifference, QuestionMatchKind, Time,
    },
    retrieval::text_search::Signals,
    storage::{
        answer_events,
        answers::{self, StoredAnswer},
    },
    validate,
};

/// Maximum number of matches.
const MAX_FOUND: u32 = 50;
/// Number of candidates by words, and by meaning, of each of question and answer.
const CANDIDATES: usize = 24;
/// The same of a search of learning records, which are among other answers.
const RECORD_CANDIDATES: usize = 200;
/// Maximum number of answers whose questions are compared word by word; twice the limit of a search if that is more.
const MAX_COMPARED: usize = 20;
/// The smallest share of words and the smallest cosine by which a match is said to be found.
const MATCHED: (f64, f64) = (0.06, 0.20);

/// A checked search.
pub(in crate::engine) struct Wanted<'a> {
    pub project_id: &'a ProjectId,
    pub query: &'a str,
    pub limit: usize,
    pub min_score: f64,
    /// Empty: all kinds.
    pub kinds: &'a [AnswerKind],
    pub min_level: u8,
    pub with_blocked: bool,
}

/// A match before it is shown.
pub(in crate::engine) struct Found {
    pub stored: StoredAnswer,
    /// 0..1.
    pub relevance: f64,
    pub question: questions::QuestionMatch,
    pub freshness: f64,
    components: AnswerComponents,
}

impl Engine {
    /// The answers of a book that have to do with a question, best first. Without vectors, words alone find them, and
    /// the answer says so.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_BACKPRESSURE`, those of the store.
    pub fn search_answers(&self, query: &AnswerQuery) -> Result<AnswerMatches> {
        self.search_memories(query, true)
    }

    /// As [`Engine::search_answers`], without the team's service.
    ///
    /// # Errors
    /// As [`Engine::search_answers`].
    pub(super) fn search_own_answers(&self, query: &AnswerQuery) -> Result<AnswerMatches> {
        self.search_memories(query, false)
    }

    fn search_memories(&self, query: &AnswerQuery, with_service: bool) -> Result<AnswerMatches> {
        check_question("query", &query.query)?;
        let (limit, min_score) = check_limits(query.limit, query.min_score, &self.answer_config_in_effect().memory)?;
        validate::within("minLevel", u32::from(query.min_level), 0, 3)?;
        let open = self.visit(&query.project_id)?;
        let wanted = Wanted {
            project_id: &query.project_id,
            query: &query.query,
            limit,
            min_score,
            kinds: &query.kinds,
            min_level: query.min_level,
            with_blocked: query.include_blocked,
        };
        let (mut found, degraded_reason) = self.find_answers(&wanted)?;
        let (_open, service) =
            if with_service { self.find_in_service(open, &wanted, &mut found)? } else { (open, None) };
        let acceptance = answer_events::acceptance(&*self.stores.episodes.open()?.reader()?, &query.project_id)?;
        let matches = found.into_iter().map(|found| answer_match(&query.query, found, acceptance)).collect();
        let service = service.map(ServiceFound::into_matches);
        Ok(AnswerMatches { matches, degraded: degraded_reason.is_some(), degraded_reason, service })
    }

    /// The answers that match, best first, and why the search is less precise than possible. For callers that hold a
    /// visit of the project and have checked the query.
    pub(in crate::engine) fn find_answers(&self, wanted: &Wanted<'_>) -> Result<(Vec<Found>, Option<String>)> {
        self.find_matching(wanted, None)
    }

    /// The learning records of a book that have to do with a query, each with its relevance, best first. For callers
    /// that hold a visit of the project and have checked the query.
    pub(in crate::engine) fn find_records(
        &self,
        (project_id, query): (&ProjectId, &str),
        limit: usize,
    ) -> Result<Vec<(StoredAnswer, f64)>> {
        let wanted = Wanted { project_id, query, limit, min_score: 0.0, kinds: &[], min_level: 0, with_blocked: false };
        let (found, _) = self.find_matching(&wanted, Some(AnswerOrigin::Studied))?;
        Ok(found.into_iter().map(|found| (found.stored, found.relevance)).collect())
    }

    /// As [`Engine::find_answers`]; with an origin, only those of the book with it.
    fn find_matching(&self, wanted: &Wanted<'_>, origin: Option<AnswerOrigin>) -> Result<(Vec<Found>, Option<String>)> {
        let candidates = if origin.is_some() { RECORD_CANDIDATES } else { CANDIDATES };
        let now = self.clock.now();
        let project_id = wanted.project_id;
        let _pass = self.retrieval.admit_recall()?;
        let (signals, mut are_vectors_awaited) =
            self.retrieval.search_answers(&self.stores, (project_id, wanted.query), candidates)?;
        let nowhere = Answer::no_project();
        let has_promoted = origin.is_none() && answers::count(&*self.stores.episodes.open()?.reader()?, &nowhere)? > 0;
        let of_all_books = if has_promoted {
            let (signals, are_awaited) =
                self.retrieval.search_answers(&self.stores, (&nowhere, wanted.query), CANDIDATES)?;
            are_vectors_awaited |= are_awaited;
            signals
        } else {
            Vec::new()
        };
        let names = self.names_in_questions(project_id);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        // The book has the originals of its copies.
        let copies = answers::copies_of(&reader, project_id)?;
        let is_wanted = |answer: &Answer| {
            (wanted.kinds.is_empty() || wanted.kinds.contains(&answer.kind))
                && answer.validation_level >= wanted.min_level
                && (wanted.with_blocked || answer.status != AnswerStatus::Blocked)
                && origin.is_none_or(|origin| answer.origin == origin)
                && !copies.contains(&answer.answer_id)
        };
        // The same question is found by its key, however the indexes stand.
        let by_key =
            |project_id: &ProjectId| answers::by_key(&reader, project_id, &question_key_of(project_id, wanted.query));
        let mut measured: Vec<(f64, StoredAnswer, [Signals; 2])> = Vec::new();
        let mut same: Vec<StoredAnswer> = by_key(project_id)?;
        if has_promoted {
            same.extend(by_key(&nowhere)?);
        }
        same.retain(|stored| is_wanted(&stored.answer));
        measured.extend(same.into_iter().map(|stored| (0.0, stored, [Signals::default(); 2])));
        // Texts are read, and questions compared word by word, for the most relevant alone, and for questions that may
        // be the same in other words.
        let owned = signals.into_iter().map(|found| (project_id, found));
        let owned = owned.chain(of_all_books.into_iter().map(|found| (&nowhere, found)));
        let mut ranked: Vec<(f64, i64, &ProjectId, [Signals; 2])> =
            owned.map(|(of, (row, signals))| (relevance_of(&signals), row, of, signals)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let compared = wanted.limit.saturating_mul(2).max(MAX_COMPARED);
        let may_be_same = |[question, _]: &[Signals; 2]| {
            question.meaning.is_none_or(|cosine| cosine >= f64::from(questions::MIN_SAME_SCORE))
        };
        for (relevance, row, of, signals) in ranked {
            if measured.len() >= compared {
                break;
            }
            if measured.len() >= wanted.limit && !may_be_same(&signals) {
                continue;
            }
            let Some(stored) = answers::by_index_row(&reader, of, row)? else { continue };
            let id = &stored.answer.answer_id;
            match measured.iter_mut().find(|(_, known, _)| known.answer.answer_id == *id) {
                Some(known) => (known.0, known.2) = (relevance, signals),
                None if is_wanted(&stored.answer) => measured.push((relevance, stored, signals)),
                None => {}
            }
        }
        let query = ComparedQuestion::new(wanted.query, &names);
        let mut found: Vec<Found> = measured
            .into_iter()
            .map(|(relevance, stored, signals)| judged(&query, (relevance, stored), signals, now))
            .collect();
        found.retain(|found| found.relevance >= wanted.min_score);
        found.sort_by(|a, b| {
            let same = |found: &Found| u8::from(found.question.kind == questions::MatchKind::Exact);
            same(b)
                .cmp(&same(a))
                .then(b.relevance.total_cmp(&a.relevance))
                .then(a.stored.answer.answer_id.cmp(&b.stored.answer.answer_id))
        });
        found.truncate(wanted.limit);
        Ok((found, self.retrieval.imprecision(are_vectors_awaited)))
    }

    /// The names that two questions must share to be the same: those of the map, and of the writer's entities.
    pub(super) fn names_in_questions(&self, project_id: &ProjectId) -> Vec<String> {
        let hidden = self.names_of(project_id).or_log("read names").unwrap_or_default();
        let (canon, _) = self.canon(project_id);
        let forms = canon.entities.iter().flat_map(|entity| entity.names.iter().map(|name| name.name.clone()));
        hidden.into_iter().map(|hidden| hidden.name).chain(forms).collect()
    }
}

/// The limits of a search: those that are asked for, else those of the settings.
pub(super) fn check_limits(limit: Option<u32>, min_score: Option<f64>, config: &MemoryConfig) -> Result<(usize, f64)> {
    limit.map_or(Ok(()), |limit| validate::within("limit", limit, 1, MAX_FOUND))?;
    min_score.map_or(Ok(()), |min_score| validate::share("minScore", min_score))?;
    Ok((limit.map_or(config.search_limit, |limit| limit as usize), min_score.unwrap_or(config.min_score)))
}

/// The relevance by the signals alone.
fn relevance_of([question, answer]: &[Signals; 2]) -> f64 {
    relevance(&Measured {
        question_words: question.words,
        question_meaning: question.meaning,
        answer_words: answer.words,
        answer_meaning: answer.meaning,
    })
}

fn judged(
    query: &ComparedQuestion,
    (measured, stored): (f64, StoredAnswer),
    [question, answer]: [Signals; 2],
    now: Time,
) -> Found {
    let cosine = question.meaning.map(|cosine| cosine as f32);
    let of_question = query.match_with(&stored.answer.question, cosine);
    let components = AnswerComponents {
        question_words: question.words,
        question_meaning: question.meaning,
        answer_words: answer.words,
        answer_meaning: answer.meaning,
    };
    let relevance = relevance_with(&of_question, measured);
    let freshness = freshness(stored.standing.verified_at.millis(), now.millis());
    Found { stored, relevance, question: of_question, freshness, components }
}

/// The estimated share of the runs given an answer that used it.
fn use_rate(stored: &StoredAnswer) -> f64 {
    (f64::from(stored.answer.use_count) + 1.0) / (f64::from(stored.answer.hit_count) + 2.0)
}

/// The similarity of two questions, on the wire.
pub(super) fn match_kind(question: &questions::QuestionMatch) -> QuestionMatchKind {
    match question.kind {
        questions::MatchKind::Exact => QuestionMatchKind::Exact,
        questions::MatchKind::Restated => QuestionMatchKind::Restated,
        questions::MatchKind::Related => QuestionMatchKind::Related,
    }
}

pub(super) fn answer_match(query: &str, found: Found, acceptance: (u32, u32)) -> AnswerMatch {
    let Found { stored, relevance, question, freshness, components } = found;
    let is_by_words = components.question_words.max(components.answer_words) >= MATCHED.0;
    let mut meanings = [components.question_meaning, components.answer_meaning].into_iter().flatten();
    let is_by_meaning = meanings.any(|cosine| cosine >= MATCHED.1);
    let is_exact = question.kind == questions::MatchKind::Exact;
    let differences = question.differences.iter().map(|one| QuestionDifference {
        query_from: utf16(query, one.first.start),
        query_to: utf16(query, one.first.end),
        question_from: utf16(&stored.answer.question, one.second.start),
        question_to: utf16(&stored.answer.question, one.second.end),
    });
    let differences = differences.collect();
    let matched_by = [("question", is_exact), ("words", is_by_words), ("meaning", is_by_meaning)];
    AnswerMatch {
        score: relevance,
        question_match: match_kind(&question),
        same: f64::from(question.score),
        differences,
        freshness,
        use_rate: use_rate(&stored),
        matched_by: matched_by.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| name.to_owned()).collect(),
        components,
        answer: with_posterior(stored, acceptance),
    }
}

/// An offset in bytes in UTF-16 code units.
fn utf16(text: &str, byte: usize) -> u32 {
    let before = text.get(..byte).unwrap_or(text);
    u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX)
}
