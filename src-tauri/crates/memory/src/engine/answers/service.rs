//! The answers of a team's service, beside those of this memory: asked after the search here has ended, judged by the
//! same relevance, and merged by question.
//!
//! Invariant: no lock, visit or transaction is held while the service answers. Invariant: nothing that it sends is
//! believed but level, trust, freshness and failures, and its level is at most [`MAX_LEVEL`].

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use palimpsest_answers::{
    config::Config,
    relevance::{Signals as Measured, relevance, relevance_with},
    standing::{fails_half, trust_milli},
};
use palimpsest_text::{
    excerpt,
    questions::{self, ComparedQuestion, MatchKind},
    secrets::redact_secrets,
    terms::index_terms,
};

use super::{
    checks::{QUESTION_BYTES, question_key_of},
    search::{Found, Wanted, match_kind},
};
use crate::{
    engine::{Engine, Visit},
    error::{OrLog, Result},
    lock::{RwLock, assert_none_held},
    model::{
        AnswerId, AnswerServiceSettings, AnswerStatus, Changed, MatchDecision, ProjectId, ServiceMatch, ServiceMatches,
        Staleness, Time, Topic,
    },
    ports::{AnswerMemory, AnswerMemoryError, AnswerMemoryErrorKind, MemoryQuery, RememberedAnswer, RememberedAnswers},
    storage::{answer_runs::StoredMatch, answers, deletions, settings},
    validate,
};

/// The beginning of the id of an answer of a service.
const PREFIX: &str = "service:";
/// Maximum level of an answer that is the word of a service alone.
const MAX_LEVEL: u8 = 2;
/// Maximum bytes of an id in a service.
const MAX_ID_BYTES: usize = 200;
/// Number of characters of an answer that its meaning is computed from.
const ENCODED_CHARS: usize = 600;

/// The answer service, while one is connected.
#[derive(Default)]
pub(in crate::engine) struct AnswerService(RwLock<Option<Connected>>);

/// A connected answer service.
#[derive(Clone)]
pub(super) struct Connected {
    pub memory: Arc<dyn AnswerMemory>,
    pub sends_candidates: bool,
}

impl AnswerService {
    pub(super) fn connected(&self) -> Option<Connected> {
        self.0.read().clone()
    }
}

/// The id here of an answer of a service.
fn local_id(id: &str) -> AnswerId {
    format!("{PREFIX}{id}").as_str().into()
}

/// The id in its service of an answer; `None` for one of this memory.
pub(super) fn id_in_service(id: &AnswerId) -> Option<&str> {
    id.as_str().strip_prefix(PREFIX)
}

/// An answer of a service that bears on a query.
struct OfService {
    id: AnswerId,
    question: String,
    answer: String,
    relevance: f64,
    same: questions::QuestionMatch,
    level: u8,
    trust_milli: u16,
    freshness: f64,
    fails_half: u32,
    status: AnswerStatus,
}

/// The answers of a service to a query.
pub(super) struct ServiceFound {
    /// The name of the service.
    name: String,
    found: Vec<OfService>,
    skipped: u32,
    failure: Option<AnswerMemoryError>,
}

impl ServiceFound {
    /// The matches as a run stores them, before they are decided. Their words are cut to those of a prompt.
    pub(super) fn stored_matches(&self, max_chars: usize) -> impl Iterator<Item = StoredMatch> {
        self.found.iter().map(move |one| StoredMatch {
            answer_id: one.id.clone(),
            version: 1,
            handle: None,
            relevance: one.relevance,
            same: f64::from(one.same.score),
            level: one.level,
            trust_milli: u32::from(one.trust_milli),
            freshness: one.freshness,
            fails_half: one.fails_half,
            shown_count: 0,
            used_count: 0,
            status: one.status,
            blocked_by: None,
            times_blocked: 0,
            last_failed_at: None,
            user_confirmed: false,
            staleness: Staleness::Current,
            decision: MatchDecision::LeftOut,
            why: None,
            was_used: None,
            service: Some(self.name.clone()),
            words: Some((one.question.clone(), excerpt(&one.answer, max_chars))),
        })
    }

    pub(super) fn into_matches(self) -> ServiceMatches {
        let matched = |one: OfService| ServiceMatch {
            answer_id: one.id,
            question: one.question,
            answer: one.answer,
            score: one.relevance,
            question_match: match_kind(&one.same),
            same: f64::from(one.same.score),
            validation_level: one.level,
            trust: f64::from(one.trust_milli) / 1_000.0,
            freshness: one.freshness,
            consecutive_fail: f64::from(one.fails_half) / 2.0,
        };
        let retry_after = self.failure.as_ref().and_then(|failure| failure.retry_after);
        let seconds = retry_after.map(|wait| u32::try_from(wait.as_secs_f64().ceil() as u64).unwrap_or(u32::MAX));
        ServiceMatches {
            matches: self.found.into_iter().map(matched).collect(),
            skipped: self.skipped,
            reason: self.failure.map(|failure| failure.kind.into()),
            retry_after_seconds: seconds,
        }
    }
}

impl Engine {
    /// Connects an answer service beside this memory, or none. `sends_candidates`: whether new answers are sent to it.
    pub fn set_answer_service(&self, service: Option<(Arc<dyn AnswerMemory>, bool)>) {
        let connected = service.map(|(memory, sends_candidates)| Connected { memory, sends_candidates });
        *self.answer_service.0.write() = connected;
    }

    /// The stored answer service.
    ///
    /// # Errors
    /// Those of the store.
    pub fn answer_service_settings(&self) -> Result<AnswerServiceSettings> {
        settings::answer_service(&*self.stores.rules.open()?.reader()?)
    }

    /// Stores the answer service.
    ///
    /// # Errors
    /// Those of the store.
    pub fn set_answer_service_settings(&self, service: &AnswerServiceSettings) -> Result<Changed<()>> {
        self.stores.rules.open()?.write("set the answer service", |tx| settings::upsert_answer_service(tx, service))?;
        Ok(Changed::new((), None, [Topic::Settings]))
    }

    /// Asks the connected service, if there is one, for answers to a query for which `own` was found here. The visit is
    /// left while the service answers; `own` then has what is still there.
    ///
    /// # Errors
    /// Those of a visit and of the store. A failure of the service is part of the result.
    pub(super) fn find_in_service<'a>(
        &'a self,
        open: Visit<'a>,
        wanted: &Wanted<'_>,
        own: &mut Vec<Found>,
    ) -> Result<(Visit<'a>, Option<ServiceFound>)> {
        let service = self.answer_service.connected().filter(|_| wanted.kinds.is_empty());
        let Some(Connected { memory, .. }) = service else { return Ok((open, None)) };
        drop(open);
        let asked = self.ask_service(memory.as_ref(), wanted);
        let open = self.visit(wanted.project_id)?;
        let db = self.stores.episodes.open()?;
        let mut gone = HashSet::new();
        for found in own.iter() {
            let answer = &found.stored.answer;
            let now = answers::get(&*db.reader()?, &answer.answer_id)?;
            if now.is_none_or(|now| now.answer.version != answer.version) {
                gone.insert(answer.answer_id.clone());
            }
        }
        own.retain(|found| !gone.contains(&found.stored.answer.answer_id));
        let name = memory.name().to_owned();
        let found = match asked {
            Ok(remembered) => {
                let skipped = remembered.skipped;
                ServiceFound {
                    name,
                    found: self.usable_of_service(wanted, remembered.matches)?,
                    skipped,
                    failure: None,
                }
            }
            Err(failure) => {
                tracing::info!(kind = ?failure.kind, "the answer service does not serve");
                ServiceFound { name, found: Vec::new(), skipped: 0, failure: Some(failure) }
            }
        };
        Ok((open, Some(found)))
    }

    /// The answers of a service, without the names of any book in the query, and with those of this one in its texts.
    fn ask_service(
        &self,
        memory: &dyn AnswerMemory,
        wanted: &Wanted<'_>,
    ) -> Result<RememberedAnswers, AnswerMemoryError> {
        let mask =
            self.mask_over(wanted.project_id, &[wanted.query], &[wanted.query]).map_err(|_| AnswerMemoryError {
                kind: AnswerMemoryErrorKind::NamesUnread,
                message: "the names to be hidden cannot be read".into(),
                retry_after: None,
            })?;
        let query = redact_secrets(&mask.hide_shared(wanted.query));
        let limit = u32::try_from(wanted.limit).unwrap_or(u32::MAX);
        assert_none_held("the answer service answers");
        let asked = MemoryQuery { project_id: wanted.project_id, query: &query, limit, min_score: wanted.min_score };
        let mut remembered = memory.search(&asked)?;
        remembered.matches.truncate(wanted.limit);
        for one in &mut remembered.matches {
            one.question = mask.restore(&shown_text(&one.question, QUESTION_BYTES));
            one.answer = mask.restore(&shown_text(&one.answer, validate::TEXT));
        }
        Ok(remembered)
    }

    /// The answers of a service that may be used, with their relevance, best first. Left out are those without words or
    /// past their end, those that this memory has itself or whose question the writer deleted, and all but the most
    /// trusted to one question.
    fn usable_of_service(&self, wanted: &Wanted<'_>, mut remembered: Vec<RememberedAnswer>) -> Result<Vec<OfService>> {
        let now = self.clock.now();
        remembered.retain(|one| is_usable(one, now));
        remembered.sort_by(|a, b| {
            let rank = |one: &RememberedAnswer| (one.validation_level.min(MAX_LEVEL), trust_milli(one.trust));
            rank(b).cmp(&rank(a)).then(a.id.cmp(&b.id))
        });
        let names = self.names_in_questions(wanted.project_id);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (mut keys, mut kept) = (BTreeSet::new(), Vec::new());
        for one in remembered {
            let key = question_key_of(wanted.project_id, &one.question);
            let is_new = keys.insert(key) && !self.is_answered_here(wanted, &one)?;
            if is_new && !self.is_question_deleted(wanted.project_id, &one.question) {
                kept.push(one);
            }
        }
        let meanings = self.meanings(wanted.query, &kept);
        let query = ComparedQuestion::new(wanted.query, &names);
        let mut found: Vec<OfService> = kept
            .into_iter()
            .zip(meanings)
            .map(|(one, meanings)| of_service((wanted.query, &query), one, meanings))
            .filter(|one| one.relevance >= wanted.min_score && one.level >= wanted.min_level)
            .collect();
        found.sort_by(|a, b| {
            let is_exact = |one: &OfService| one.same.kind == MatchKind::Exact;
            is_exact(b).cmp(&is_exact(a)).then(b.relevance.total_cmp(&a.relevance)).then(a.id.cmp(&b.id))
        });
        Ok(found)
    }

    /// Whether this memory has an answer to the same question that may be used, or the same answer in any standing: a
    /// service does not bring back what is blocked here.
    fn is_answered_here(&self, wanted: &Wanted<'_>, one: &RememberedAnswer) -> Result<bool> {
        let key = question_key_of(wanted.project_id, &one.question);
        let own = answers::by_key(&*self.stores.episodes.open()?.reader()?, wanted.project_id, &key)?;
        Ok(own
            .iter()
            .any(|own| own.answer.status != AnswerStatus::Blocked || own.answer.answer.trim() == one.answer.trim()))
    }

    /// Whether the writer deleted an answer to a question. Where that cannot be read, it counts as deleted.
    fn is_question_deleted(&self, project_id: &ProjectId, question: &str) -> bool {
        let is_deleted = || deletions::is_question_deleted(&*self.stores.rules.open()?.reader()?, project_id, question);
        is_deleted().or_log("look up deleted questions").unwrap_or(true)
    }

    /// The cosines of a query with the question and with the answer of each, by the bundled encoder; `None` without it.
    fn meanings(&self, query: &str, found: &[RememberedAnswer]) -> Vec<[Option<f64>; 2]> {
        if found.is_empty() {
            return Vec::new();
        }
        let texts: Vec<String> =
            found.iter().flat_map(|one| [one.question.clone(), excerpt(&one.answer, ENCODED_CHARS)]).collect();
        let texts: Vec<&str> = [query].into_iter().chain(texts.iter().map(String::as_str)).collect();
        let vectors = self.retrieval.vectors_of(&texts);
        let cosine = |one: &Option<Vec<f32>>| {
            let (query, one) = (vectors.first()?.as_ref()?, one.as_ref()?);
            Some(query.iter().zip(one).map(|(a, b)| f64::from(a * b)).sum::<f64>())
        };
        vectors.get(1..).unwrap_or_default().chunks_exact(2).map(|pair| [cosine(&pair[0]), cosine(&pair[1])]).collect()
    }
}

/// A text of a service without control characters, cut to a maximum number of bytes.
fn shown_text(text: &str, max_bytes: usize) -> String {
    let mut shown: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let end = (0..=max_bytes.min(shown.len())).rev().find(|at| shown.is_char_boundary(*at));
    shown.truncate(end.unwrap_or_default());
    shown
}

/// Whether an answer of a service has what a prompt needs of it.
fn is_usable(one: &RememberedAnswer, now: Time) -> bool {
    let has_id = (1..=MAX_ID_BYTES).contains(&one.id.len()) && one.id.chars().all(|c| c.is_ascii_graphic());
    let has_words = |text: &str| text.chars().any(char::is_alphanumeric);
    let is_active = Config::default().gatekeeper.active_statuses.contains(&one.status);
    has_id
        && has_words(&one.question)
        && has_words(&one.answer)
        && is_active
        && one.expires_at.is_none_or(|expires_at| expires_at > now)
}

/// The share of a query's terms that a text has, 0..1.
fn shared_terms(query: &HashSet<String>, text: &str) -> f64 {
    let terms: HashSet<String> = index_terms(text).into_iter().collect();
    query.intersection(&terms).count() as f64 / query.len().max(1) as f64
}

fn of_service(
    (query, compared): (&str, &ComparedQuestion),
    one: RememberedAnswer,
    meanings: [Option<f64>; 2],
) -> OfService {
    let terms: HashSet<String> = index_terms(query).into_iter().collect();
    let [question_meaning, answer_meaning] = meanings;
    let same = compared.match_with(&one.question, question_meaning.map(|cosine| cosine as f32));
    let measured = relevance(&Measured {
        question_words: shared_terms(&terms, &one.question),
        question_meaning,
        answer_words: shared_terms(&terms, &one.answer),
        answer_meaning,
    });
    let relevance = relevance_with(&same, measured);
    OfService {
        id: local_id(&one.id),
        question: one.question,
        answer: one.answer,
        relevance,
        same,
        level: one.validation_level.min(MAX_LEVEL),
        trust_milli: trust_milli(one.trust),
        freshness: if one.freshness.is_finite() { one.freshness.clamp(0.0, 1.0) } else { 0.0 },
        fails_half: fails_half(one.consecutive_fail),
        status: if one.status == "verified" { AnswerStatus::Verified } else { AnswerStatus::Active },
    }
}
