//! The recorded runs of a book: listed, read, and decided again with other settings.

use palimpsest_answers::{
    config::Config,
    replay::{Decided, RecordedRun, replay_recorded},
};
use rusqlite::Connection;

use super::matches::{handle, match_of};
use crate::{
    engine::Engine,
    error::{Error, Result},
    model::{
        AnswerId, AnswerRun, AnswerRunArguments, AnswerRunList, AnswerRunMatch, AnswerRunQuery, AnswerRunSummary,
        MatchDecision, ProjectId, ReplayAnswers, ReplayDecision, ReplayedAnswers, ReplayedRun, Time,
    },
    storage::answer_runs::{self, StoredMatch, StoredRun},
    validate,
};

/// Maximum number of listed runs, and the default.
const LISTED: (u32, u32) = (200, 50);
/// Maximum number of runs that are decided again.
const MAX_REPLAYED: u32 = 10_000;

impl Engine {
    /// The runs of a book, latest first.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, those of the store.
    pub fn list_answer_runs(&self, query: &AnswerRunQuery) -> Result<AnswerRunList> {
        let limit = query.limit.unwrap_or(LISTED.1);
        validate::within("limit", limit, 1, LISTED.0)?;
        let _open = self.visit(&query.project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let before = query.before.as_deref().map(|id| run_of_book(&reader, &query.project_id, "before", id));
        let runs = answer_runs::list(&reader, &query.project_id, before.transpose()?.as_ref(), limit)?;
        let summary = |run: &StoredRun| Ok(summary_of(run, &answer_runs::matches_of(&reader, &run.run_id)?));
        Ok(AnswerRunList { runs: runs.iter().map(summary).collect::<Result<_>>()? })
    }

    /// A run of a book with its matches and decisions, without any text.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, those of the store.
    pub fn answer_run(&self, args: &AnswerRunArguments) -> Result<AnswerRun> {
        let _open = self.visit(&args.project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let run = run_of_book(&reader, &args.project_id, "runId", &args.run_id)?;
        let found = answer_runs::matches_of(&reader, &run.run_id)?;
        Ok(AnswerRun {
            summary: summary_of(&run, &found),
            matches: found.iter().map(run_match).collect(),
            completed: run.completed,
        })
    }

    /// Decides about the runs of a book with other settings, each at its time and on the numbers of that time. Another
    /// search would have found other answers: `memory.search_limit` and `memory.min_score` have no effect here.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` with the field of a setting; `MEMORY_NOT_FOUND`; those of the store.
    pub fn replay_answers(&self, args: &ReplayAnswers) -> Result<ReplayedAnswers> {
        let config = self.config_with(&args.config)?;
        let _open = self.visit(&args.project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let since = args.since.unwrap_or(Time::from_millis(i64::MIN));
        let runs = answer_runs::list_since(&reader, &args.project_id, since, MAX_REPLAYED)?;
        let recorded = runs.iter().map(|run| {
            let found = answer_runs::matches_of(&reader, &run.run_id)?;
            Ok((recorded_run(run, &found, &config), as_recorded(run, &found)))
        });
        let replayed = replay_recorded(&recorded.collect::<Result<Vec<_>>>()?, &config);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Ok(ReplayedAnswers {
            runs: number(replayed.runs),
            removed: number(replayed.removed),
            added: number(replayed.added),
            changed: replayed
                .changed
                .into_iter()
                .map(|run| ReplayedRun {
                    run_id: run.run_id,
                    before: replay_decision(run.before),
                    after: replay_decision(run.after),
                })
                .collect(),
        })
    }
}

/// A run by its id, of this book alone.
fn run_of_book(db: &Connection, project_id: &ProjectId, field: &str, run_id: &str) -> Result<StoredRun> {
    validate::identity(field, run_id)?;
    let run = answer_runs::get(db, run_id)?.ok_or_else(|| Error::not_found(field, "run"))?;
    if run.project_id == *project_id { Ok(run) } else { Err(Error::scope_denied("run")) }
}

fn summary_of(run: &StoredRun, found: &[StoredMatch]) -> AnswerRunSummary {
    let count = |is_counted: fn(&&StoredMatch) -> bool| {
        u32::try_from(found.iter().filter(is_counted).count()).unwrap_or(u32::MAX)
    };
    AnswerRunSummary {
        run_id: run.run_id.clone(),
        kind: run.kind,
        state: run.state,
        prepared_at: run.prepared_at,
        ended_at: run.ended_at,
        found: count(|_| true),
        shown: count(|one| one.handle.is_some()),
        used: count(|one| one.was_used == Some(true)),
        result: run.completed.as_ref().and_then(|completed| completed.assessment.result),
        candidate_id: run.completed.as_ref().and_then(|completed| completed.candidate_id.clone()),
    }
}

fn run_match(found: &StoredMatch) -> AnswerRunMatch {
    AnswerRunMatch {
        answer_id: found.answer_id.clone(),
        version: found.version,
        handle: found.handle.map(handle),
        score: found.relevance,
        same: found.same,
        validation_level: found.level,
        trust: f64::from(found.trust_milli) / 1_000.0,
        freshness: found.freshness,
        consecutive_fail: f64::from(found.fails_half) / 2.0,
        hit_count: found.shown_count,
        use_count: found.used_count,
        status: found.status,
        blocked_by: found.blocked_by,
        user_confirmed: found.user_confirmed,
        staleness: found.staleness,
        decision: found.decision,
        why: found.why.clone(),
        was_used: found.was_used,
    }
}

/// The input of the gate of a run. Without memory there is none.
fn recorded_run(run: &StoredRun, found: &[StoredMatch], config: &Config) -> RecordedRun {
    let matches = if config.memory.enabled { found.iter().map(match_of).collect() } else { Vec::new() };
    RecordedRun { run_id: run.run_id.clone(), at: run.prepared_at.millis(), matches }
}

/// The decision on a run as it was recorded.
fn as_recorded(run: &StoredRun, found: &[StoredMatch]) -> Decided {
    let ids = |decision| found.iter().filter(move |one| one.decision == decision).map(|one| one.answer_id.to_string());
    let is_reason = |why: &String| matches!(why.as_str(), "hasStrong" | "answeredAlready");
    Decided {
        injected: ids(MatchDecision::Injected).collect(),
        probation: ids(MatchDecision::Probation).next(),
        is_answered: run.completed.as_ref().map(|completed| completed.why_not.iter().any(is_reason)),
    }
}

fn replay_decision(decided: Decided) -> ReplayDecision {
    ReplayDecision {
        injected: decided.injected.into_iter().map(AnswerId::from).collect(),
        probation: decided.probation.map(AnswerId::from),
        is_answered: decided.is_answered,
    }
}
