//! The audit of runs: what was found, decided and written, line by line, in ids and numbers.
//!
//! The lines are made from the committed rows, on the background thread, and so can be made again: a file that is
//! missing or was cut off is completed, and a failure concerns the audit alone. Texts are in it as keyed hashes at
//! most. An erasure deletes the key.

use std::{collections::BTreeSet, path::Path};

use serde_json::{Value, json};

use super::audit_files::{AuditFiles, END, Group, START};
use crate::{
    engine::Engine,
    error::{Error, Result},
    lock::Mutex,
    model::{
        AnswerRunState, Cause, CompletedAnswer, MatchDecision, Part, PartHealth, PartState, ProjectId, Reason, Time,
    },
    storage::{
        answer_runs::{self, StoredMatch, StoredRun},
        answers,
    },
};

/// Runs written in one step.
const RUNS_PER_STEP: usize = 100;

/// The audit of a data folder.
pub(in crate::engine) struct AnswerAudit {
    due: Mutex<Due>,
    files: Mutex<AuditFiles>,
}

/// The lines that are still to be written.
#[derive(Default)]
struct Due {
    /// Runs with a new row or a changed one.
    runs: BTreeSet<String>,
    /// The files have to be compared with the rows: at the start, and after a failure.
    is_behind: bool,
    is_writing: bool,
    failure: Option<Cause>,
}

impl AnswerAudit {
    pub(in crate::engine) fn new(data_dir: &Path) -> Self {
        let due = Due { is_behind: true, ..Due::default() };
        Self { due: Mutex::leaf(due), files: Mutex::new(crate::lock::Rank::Audit, AuditFiles::new(data_dir)) }
    }

    /// Notes runs whose rows were committed.
    pub(in crate::engine) fn note_runs(&self, runs: Vec<String>) {
        self.due.lock().runs.extend(runs);
    }

    /// Removes the lines of a book, or all of them. Its rows are deleted before: no step writes them again.
    ///
    /// # Errors
    /// Of the files.
    pub(in crate::engine) fn erase(&self, project_id: Option<&ProjectId>) -> Result<()> {
        let mut files = self.files.lock();
        self.due.lock().is_behind = true;
        files.erase(project_id)
    }

    /// Deletes the key of the hashes, because a text was erased. Runs that the erasure ended are written.
    ///
    /// # Errors
    /// Of the files.
    pub(in crate::engine) fn forget_key(&self) -> Result<()> {
        let mut files = self.files.lock();
        self.due.lock().is_behind = true;
        files.forget_key()
    }
}

impl Engine {
    /// Whether lines of the audit are to be written.
    pub(in crate::engine) fn is_audit_due(&self) -> bool {
        if !self.is_audit_on() {
            return false;
        }
        let due = self.answer_audit.due.lock();
        due.is_behind || !due.runs.is_empty()
    }

    pub(in crate::engine) fn health_of_audit(&self) -> PartHealth {
        if !self.is_audit_on() {
            return PartHealth::serving(Part::Audit, PartState::Ok);
        }
        let due = self.answer_audit.due.lock();
        match &due.failure {
            Some(cause) => PartHealth::unavailable(Part::Audit, cause.clone()),
            None if due.is_behind || due.is_writing || !due.runs.is_empty() => {
                PartHealth::serving(Part::Audit, PartState::CatchingUp)
            }
            None => PartHealth::serving(Part::Audit, PartState::Ok),
        }
    }

    /// Whether the audit is written.
    pub fn is_audit_on(&self) -> bool {
        let is_on = self.answer_config_in_effect().events_out.enabled;
        if !is_on {
            // Once it is on, the files are compared with all rows.
            let mut due = self.answer_audit.due.lock();
            due.runs.clear();
            (due.is_behind, due.failure) = (true, None);
        }
        is_on
    }

    /// Whether the last attempt to write the audit failed.
    pub(in crate::engine) fn has_audit_failed(&self) -> bool {
        self.answer_audit.due.lock().failure.is_some()
    }

    /// Writes the lines of some runs; returns whether there are more.
    ///
    /// # Errors
    /// Of the files and of the store. The audit is down then, and its lines are written later.
    pub(in crate::engine) fn write_audit(&self) -> Result<bool> {
        let mut files = self.answer_audit.files.lock();
        let attempt = Attempt::take_due(&self.answer_audit.due);
        let written = self.write_due_runs(&mut files, attempt);
        self.answer_audit.due.lock().failure = match &written {
            Ok(_) => None,
            Err(error) => Some(Cause::new(Reason::AuditUnwritable, error.message.clone())),
        };
        written
    }

    fn write_due_runs(&self, files: &mut AuditFiles, attempt: Attempt<'_>) -> Result<bool> {
        let config = self.answer_config_in_effect().events_out;
        let (mut runs, is_behind) = (attempt.runs.clone(), attempt.is_behind);
        let db = self.stores.episodes.open()?;
        if is_behind || !files.are_known()? {
            files.read_back(&config)?;
            let since = files.earliest().unwrap_or(Time::from_millis(i64::MIN));
            let all = answer_runs::ids_since(&*db.reader()?, since)?;
            let is_missing = |(id, has_ended): &(String, bool)| {
                let phases = files.phases_of(id);
                !phases.has_start || (*has_ended && !phases.has_end)
            };
            runs.extend(all.into_iter().filter(is_missing).map(|(id, _)| id));
        }
        // Ids grow with time: the lines are in the order of the runs.
        let later = runs.iter().nth(RUNS_PER_STEP).cloned().map(|id| runs.split_off(&id)).unwrap_or_default();
        let more = !later.is_empty();
        let now = self.clock.now();
        let key = files.key(|| {
            let mut key = [0; 32];
            key[..16].copy_from_slice(&self.salt(now));
            key[16..].copy_from_slice(&self.salt(now));
            key
        })?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let mut groups = Vec::new();
        for id in runs {
            let Some(run) = answer_runs::get(&reader, &id)? else { continue };
            let found = answer_runs::matches_of(&reader, &id)?;
            let phases = files.phases_of(&id);
            if !phases.has_start {
                groups.push(Group { run_id: id.clone(), is_end: false, lines: start_lines(&run, &found, &key)? });
            }
            if !matches!(run.state, AnswerRunState::Prepared | AnswerRunState::Running) && !phases.has_end {
                let candidate = run.completed.as_ref().and_then(|completed| completed.candidate_id.as_ref());
                let candidate = candidate.map(|id| answers::get(&reader, id)).transpose()?.flatten();
                let candidate = candidate.map(|stored| {
                    let hash = |text: &str| hash_of(&key, text);
                    json!({
                        "qa_id": stored.answer.answer_id,
                        "confidence": stored.answer.confidence,
                        "question_hash": hash(&stored.answer.question),
                        "answer_hash": hash(&stored.answer.answer),
                        "answer_chars": stored.answer.answer.chars().count(),
                    })
                });
                groups.push(Group { run_id: id, is_end: true, lines: end_lines(&run, candidate)? });
            }
        }
        files.append(groups, &config)?;
        attempt.succeed(later);
        Ok(more)
    }
}

/// An attempt to write what is due. Unless it succeeds, all of it is due again when the attempt ends, also by a panic.
struct Attempt<'a> {
    due: &'a Mutex<Due>,
    runs: BTreeSet<String>,
    is_behind: bool,
    has_succeeded: bool,
}

impl<'a> Attempt<'a> {
    fn take_due(due: &'a Mutex<Due>) -> Self {
        let mut taken = due.lock();
        taken.is_writing = true;
        let (runs, is_behind) = (std::mem::take(&mut taken.runs), std::mem::take(&mut taken.is_behind));
        Self { due, runs, is_behind, has_succeeded: false }
    }

    /// Everything is written but the lines of the runs `later`.
    fn succeed(mut self, later: BTreeSet<String>) {
        (self.runs, self.has_succeeded) = (later, true);
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let mut due = self.due.lock();
        due.is_writing = false;
        // Runs may be missing that only the comparison with the rows has found.
        due.is_behind |= !self.has_succeeded;
        due.runs.append(&mut self.runs);
    }
}

/// The first half of a keyed hash, in hexadecimal digits.
fn hash_of(key: &[u8; 32], text: &str) -> String {
    blake3::keyed_hash(key, text.as_bytes()).to_hex().as_str()[..32].to_owned()
}

/// Appends a line.
fn push(lines: &mut String, run: &StoredRun, kind: &str, at: Time, data: &Value) -> Result<()> {
    let line = json!({
        "v": 1, "type": kind, "ts": at, "run_id": run.run_id, "project_id": run.project_id, "data": data,
    });
    lines.push_str(&serde_json::to_string(&line).map_err(|_| Error::broke_off())?);
    lines.push('\n');
    Ok(())
}

/// The lines about what was found and decided before the prompt.
fn start_lines(run: &StoredRun, found: &[StoredMatch], key: &[u8; 32]) -> Result<String> {
    let matches: Vec<Value> = found
        .iter()
        .map(|one| {
            json!({
                "qa_id": one.answer_id,
                "version": one.version,
                "score": one.relevance,
                "same": one.same,
                "validation_level": one.level,
                "trust": f64::from(one.trust_milli) / 1_000.0,
                "freshness": one.freshness,
                "consecutive_fail": f64::from(one.fails_half) / 2.0,
                "hit_count": one.shown_count,
                "use_count": one.used_count,
                "status": one.status,
            })
        })
        .collect();
    let given = found.iter().filter(|one| one.handle.is_some()).map(|one| {
        json!({
            "qa_id": one.answer_id,
            "handle": one.handle,
            "probation": one.decision == MatchDecision::Probation,
        })
    });
    let left_out =
        found.iter().filter(|one| one.handle.is_none()).map(|one| json!({ "qa_id": one.answer_id, "why": one.why }));
    // The question is removed when the run has ended.
    let query_hash = (!run.query.is_empty()).then(|| hash_of(key, &run.query));
    let start = json!({
        "kind": run.kind,
        "query_hash": query_hash,
        "injected": given.collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
    });
    let mut lines = String::new();
    push(&mut lines, run, "memory.search.result", run.prepared_at, &json!({ "matches": matches }))?;
    push(&mut lines, run, START, run.prepared_at, &start)?;
    Ok(lines)
}

/// The lines about what the end of a run wrote.
fn end_lines(run: &StoredRun, candidate: Option<Value>) -> Result<String> {
    let at = run.ended_at.unwrap_or(run.prepared_at);
    let mut lines = String::new();
    let mut line = |kind: &str, data: Value| push(&mut lines, run, kind, at, &data);
    if let Some(completed) = &run.completed {
        let CompletedAnswer { assessment, hits, validations, candidate_id, why_not, invented, tools, .. } = completed;
        for (number, ok) in (1..).zip(tools) {
            line("tool.request", json!({ "n": number }))?;
            line("tool.result", json!({ "n": number, "ok": ok }))?;
        }
        line(
            "gatekeeper.decision",
            json!({
                "result": assessment.result,
                "signal_strength": assessment.signal_strength,
                "reasons": assessment.reasons,
                "why_not": why_not,
                "invented": invented,
            }),
        )?;
        if !hits.is_empty() {
            let references =
                hits.iter().map(|hit| json!({ "qa_id": hit.answer_id, "shown": hit.shown, "used": hit.used }));
            line("memory.hit.write", json!({ "references": references.collect::<Vec<_>>() }))?;
        }
        for one in validations {
            line(
                "memory.validation.write",
                json!({
                    "qa_id": one.answer_id,
                    "result": one.result,
                    "signal_strength": one.signal_strength,
                    "applied": one.is_applied,
                }),
            )?;
        }
        if let Some(id) = candidate_id {
            line("memory.candidate.write", candidate.unwrap_or_else(|| json!({ "qa_id": id })))?;
        }
    }
    line(END, json!({ "state": run.state }))?;
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
    };

    use tempfile::TempDir;

    use super::*;
    use crate::{
        Options,
        model::{AnswerKind, ConfigValue, Language, PrepareAnswer, SetAnswerConfig},
        ports::Clock,
        testing::SequentialIds,
    };

    /// A clock that panics while it is broken.
    #[derive(Default)]
    struct BrokenClock(AtomicBool);

    impl Clock for BrokenClock {
        fn now(&self) -> Time {
            assert!(!self.0.load(Ordering::SeqCst), "the clock is broken");
            "2026-03-15T21:00:00Z".parse().unwrap()
        }
    }

    #[test]
    fn runs_stay_due_where_writing_them_panics_or_fails_and_each_is_written_once() {
        let folder = TempDir::new().unwrap();
        let clock = Arc::new(BrokenClock::default());
        let options = Options {
            data_dir: folder.path().to_owned(),
            clock: Arc::clone(&clock) as _,
            ids: Arc::new(SequentialIds::default()),
            config_file: None,
        };
        let engine = Engine::open(options).unwrap();
        let values = [("events_out.enabled".to_owned(), Some(ConfigValue::Switch(true)))].into();
        drop(engine.set_answer_config(&SetAnswerConfig { values }).unwrap());
        let project_id = engine.open_project(&"book".into(), "Book", Language::En, None).unwrap().value.project_id;
        let prepare = || {
            let args = PrepareAnswer {
                project_id: project_id.clone(),
                query: "When can the boat leave?".into(),
                kind: AnswerKind::Research,
                limit: None,
                min_score: None,
                at: None,
            };
            engine.prepare_answer(&args, &[]).unwrap().run_id
        };
        assert!(!engine.write_audit().unwrap());
        let first = prepare();
        clock.0.store(true, Ordering::SeqCst);
        assert!(catch_unwind(AssertUnwindSafe(|| engine.write_audit())).is_err());
        clock.0.store(false, Ordering::SeqCst);
        assert!(engine.is_audit_due());
        assert!(engine.answer_audit.due.lock().runs.contains(&first));
        assert_eq!(engine.health_of_audit().state, PartState::CatchingUp);
        assert!(!engine.answer_audit.due.lock().is_writing);
        assert!(!engine.write_audit().unwrap());

        // A folder in the place of the key: the comparison with the rows is done, and the write fails.
        let second = prepare();
        let audit = folder.path().join("audit");
        std::fs::remove_file(audit.join("run.events.jsonl")).unwrap();
        std::fs::remove_file(audit.join("key")).unwrap();
        std::fs::create_dir(audit.join("key")).unwrap();
        engine.answer_audit.forget_key().unwrap_err();
        engine.answer_audit.due.lock().is_behind = false;
        assert!(engine.write_audit().is_err());
        std::fs::remove_dir(audit.join("key")).unwrap();
        assert!(!engine.write_audit().unwrap());
        assert!(!engine.is_audit_due());
        let text = std::fs::read_to_string(audit.join("run.events.jsonl")).unwrap();
        let starts = |run_id: &str| {
            let is_start = |line: &&str| line.contains(START) && line.contains(run_id);
            text.lines().filter(is_start).count()
        };
        assert_eq!((starts(&first), starts(&second)), (1, 1), "{text}");
    }
}
