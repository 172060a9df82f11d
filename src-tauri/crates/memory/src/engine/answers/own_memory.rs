//! The engine as a memory of answers, for a host that treats all memories alike.

use crate::{
    engine::Engine,
    error::{Code, Error},
    model::{
        AnswerHit, AnswerQuery, AnswerStatus, RecordAnswer, RecordHits, SignalStrength, ValidateAnswer,
        ValidationSource,
    },
    ports::{
        AnswerMemory, AnswerMemoryError, AnswerMemoryErrorKind, MemoryCandidate, MemoryHits, MemoryQuery,
        MemoryValidation, RememberedAnswer, RememberedAnswers,
    },
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
            status: match found.answer.status {
                AnswerStatus::Active => "active",
                AnswerStatus::Verified => "verified",
                AnswerStatus::Blocked => "blocked",
            }
            .to_owned(),
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
        let recorded = Engine::record_hits(self, &RecordHits { project_id: hits.project_id.clone(), references });
        Ok(recorded.map(drop)?)
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
