//! The engine as a memory of answers, for a host that treats all memories alike.

use super::matches::status_name;
use crate::{
    engine::Engine,
    error::{Code, Error},
    model::{AnswerHit, AnswerQuery, RecordAnswer, RecordHits, SignalStrength, ValidateAnswer, ValidationSource},
    ports::{
        AnswerMemory, AnswerMemoryError, AnswerMemoryErrorKind, MemoryCandidate, MemoryHits, MemoryQuery,
        MemoryValidation, RememberedAnswer, RememberedAnswers,
    },
    validate,
};

impl AnswerMemory for Engine {
    fn name(&self) -> &str {
        "engine"
    }

    fn search(&self, query: &MemoryQuery<'_>) -> Result<RememberedAnswers, AnswerMemoryError> {
        let query = AnswerQuery {
            project_id: query.project_id.clone(),
            query: query.query.to_owned(),
            limit: Some(query.limit),
            min_score: Some(query.min_score),
            kinds: Vec::new(),
            min_level: 0,
            include_blocked: true,
        };
        let found = self.search_own_answers(&query)?;
        let remembered = found.matches.into_iter().map(|found| RememberedAnswer {
            id: found.answer.answer_id.to_string(),
            score: found.score,
            validation_level: found.answer.validation_level,
            trust: found.answer.trust,
            freshness: found.freshness,
            consecutive_fail: found.answer.consecutive_fail,
            status: status_name(found.answer.status).to_owned(),
            question: found.answer.question,
            answer: found.answer.answer,
            expires_at: None,
        });
        Ok(RememberedAnswers { matches: remembered.collect(), skipped: 0 })
    }

    fn record_hits(&self, hits: &MemoryHits) -> Result<(), AnswerMemoryError> {
        let hit = |one: &crate::ports::MemoryHit| AnswerHit {
            answer_id: one.id.as_str().into(),
            shown: one.shown,
            used: one.used,
        };
        let references = hits.references.iter().map(hit).collect();
        validate::identity("runId", &hits.run_id)?;
        let args = RecordHits { project_id: hits.project_id.clone(), references };
        Ok(self.record_hits_of(&args, Some(&hits.run_id)).map(drop)?)
    }

    fn record_candidate(&self, candidate: &MemoryCandidate) -> Result<Option<String>, AnswerMemoryError> {
        let new = RecordAnswer {
            project_id: candidate.project_id.clone(),
            question: candidate.question.clone(),
            answer: candidate.answer.clone(),
            kind: None,
            origin: None,
            confidence: Some(candidate.confidence),
            citations: Vec::new(),
            details: Default::default(),
            basis: Vec::new(),
            not_in_book: false,
        };
        let recorded = self.record_answer(&new, &[], &|_| Ok(None))?;
        Ok(Some(recorded.value.answer.answer_id.to_string()))
    }

    fn record_validation(&self, validation: &MemoryValidation) -> Result<(), AnswerMemoryError> {
        let validated = self.validate_answer(&ValidateAnswer {
            project_id: validation.project_id.clone(),
            answer_id: validation.id.as_str().into(),
            result: validation.result,
            source: Some(ValidationSource::Client),
            // The strongest that a client has.
            signal_strength: Some(match validation.strength {
                SignalStrength::Strong => SignalStrength::Medium,
                strength => strength,
            }),
            run_id: None,
            version: None,
            note: None,
        });
        Ok(validated.map(drop)?)
    }
}

impl From<Error> for AnswerMemoryError {
    fn from(error: Error) -> Self {
        use AnswerMemoryErrorKind as Kind;
        let kind = match error.code {
            Code::Backpressure => Kind::RateLimited,
            Code::StoreUnavailable | Code::WriteFailed => Kind::Failed,
            _ => Kind::Refused,
        };
        Self { kind, message: error.message, retry_after: None }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tempfile::TempDir;

    use super::*;
    use crate::{
        model::{
            AnswerArguments, AnswerEventKind, AnswerKind, AnswerOutcome, CompleteAnswer, Language, PrepareAnswer,
            ProjectId, RunEnd,
        },
        ports::MemoryHit,
        testing::{FixedClock, open_engine},
    };

    const QUESTION: &str = "When can the boat leave?";

    fn candidate(project_id: &ProjectId) -> MemoryCandidate {
        MemoryCandidate {
            project_id: project_id.clone(),
            answer_id: "a1".into(),
            question: QUESTION.into(),
            answer: "At high water.".into(),
            confidence: 0.5,
        }
    }

    #[test]
    fn an_engine_is_a_memory_of_answers_also_beside_another_engine() {
        let clock = Arc::new(FixedClock::at("2026-03-15T21:00:00Z".parse().unwrap()));
        let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
        let [team, own] = folders.each_ref().map(|folder| Arc::new(open_engine(folder.path(), &clock)));
        let book = |engine: &Engine| engine.open_project(&"book".into(), "Book", Language::En, None).unwrap().value;
        let project_id: ProjectId = book(&own).project_id;
        assert_eq!(book(&team).project_id, project_id);
        let memory: &dyn AnswerMemory = team.as_ref();
        let id = memory.record_candidate(&candidate(&project_id)).unwrap().unwrap();

        own.set_answer_service(Some((Arc::clone(&team) as Arc<dyn AnswerMemory>, false)));
        let prepared = own
            .prepare_answer(
                &PrepareAnswer {
                    project_id: project_id.clone(),
                    query: QUESTION.into(),
                    kind: AnswerKind::Research,
                    limit: None,
                    min_score: None,
                    at: None,
                },
                &[],
            )
            .unwrap();
        assert_eq!(prepared.injected[0].answer_id.as_str(), format!("service:{id}"));
        assert!(prepared.injected[0].is_probation && prepared.injected[0].is_of_service);
        let outcome = AnswerOutcome {
            exit_code: 0,
            ended_by: RunEnd::Itself,
            answer: "It is so [QA:1].".into(),
            tools: Vec::new(),
            output_tail: String::new(),
            error_tail: String::new(),
            citations: Vec::new(),
            details: Default::default(),
            basis: Vec::new(),
            not_in_book: false,
        };
        let ended = CompleteAnswer { project_id: project_id.clone(), run_id: prepared.run_id, outcome };
        let _completed = own.complete_answer(&ended, &[], &|_| Ok(None)).unwrap();
        assert_eq!((own.count_outbox(), own.is_delivery_due().unwrap()), (2, true));
        for _ in 0..2 {
            own.deliver_answers().unwrap();
        }
        assert_eq!((own.count_outbox(), own.is_delivery_due().unwrap()), (0, false));
        let history = team.answer_history(&AnswerArguments { project_id, answer_id: id.as_str().into() }).unwrap();
        let kinds: Vec<AnswerEventKind> = history.events.iter().map(|event| event.kind).collect();
        assert_eq!(kinds, [AnswerEventKind::Validated, AnswerEventKind::Hit]);
        let of_another_book = MemoryValidation {
            project_id: "00000000-0000-7000-8000-000000000009".into(),
            id,
            validation_id: "v".into(),
            result: crate::model::ValidationResult::Pass,
            strength: SignalStrength::Strong,
            source: ValidationSource::Run,
            at: "2026-03-15T21:00:00Z".parse().unwrap(),
        };
        assert_eq!(memory.record_validation(&of_another_book).unwrap_err().kind, AnswerMemoryErrorKind::Refused);
    }

    #[test]
    fn hits_of_a_run_count_once_however_often_they_are_delivered() {
        let clock = Arc::new(FixedClock::at("2026-03-15T21:00:00Z".parse().unwrap()));
        let folder = TempDir::new().unwrap();
        let engine = open_engine(folder.path(), &clock);
        let project_id = engine.open_project(&"book".into(), "Book", Language::En, None).unwrap().value.project_id;
        let memory: &dyn AnswerMemory = &engine;
        let id = memory.record_candidate(&candidate(&project_id)).unwrap().unwrap();
        let of_answer = AnswerArguments { project_id: project_id.clone(), answer_id: id.as_str().into() };
        let hits = |run_id: &str| {
            let references = vec![MemoryHit { id: id.clone(), shown: true, used: true }];
            MemoryHits { project_id: project_id.clone(), run_id: run_id.into(), references }
        };
        for (run_id, count) in [("r1", 1), ("r1", 1), ("r2", 2), ("r1", 2)] {
            memory.record_hits(&hits(run_id)).unwrap();
            let answer = engine.answer(&of_answer).unwrap();
            assert_eq!((answer.hit_count, answer.use_count), (count, count), "{run_id}");
        }
        let history = engine.answer_history(&of_answer).unwrap();
        let runs: Vec<&str> = history.events.iter().filter_map(|event| event.run_id.as_deref()).collect();
        assert_eq!(runs, ["r2", "r1"]);
        assert_eq!(memory.record_hits(&hits("")).unwrap_err().kind, AnswerMemoryErrorKind::Refused);
    }
}
