//! Stored structs of answers: their details, the texts of an edit, and the result of a run.
//!
//! A missing field has its default.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::InColumn;
use crate::{
    model::{
        AnswerDetails, AnswerHit, AnswerId, AnswerServiceSettings, ChapterId, Citation, CompletedAnswer, EditedTexts,
        ExplorationStep, MentionRange, MovedCitations, QuestionType, RunAssessment, RunValidation, SignalStrength,
        Time, ValidationResult, ValidationSource,
    },
    storage::answer_outbox::OutboxPayload,
};

stored! {
    /// `details` of `answers`.
    AnswerDetailsV1 of AnswerDetails {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question_type in Option<QuestionType>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        source_files: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        related_records: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exploration_path in Vec<ExplorationStep>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        metadata: BTreeMap<String, String>,
    }
}

stored! {
    /// A step of a learning record, in [`AnswerDetailsV1`].
    ExplorationStepV1 of ExplorationStep {
        tool_name: String,
        #[serde(default)]
        parameters: BTreeMap<String, String>,
        #[serde(default)]
        result_summary: String,
        timestamp: Time,
    }
}

stored! {
    /// `texts` of `answer_events`.
    EditedTextsV1 of EditedTexts {
        question_before: String,
        question_after: String,
        answer_before: String,
        answer_after: String,
    }
}

stored! {
    /// `citations` of `answer_events`.
    MovedCitationsV1 of MovedCitations {
        before in Vec<Citation>,
        after in Vec<Citation>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nearby in Option<MentionRange>,
    }
}

stored! {
    /// In [`MovedCitationsV1`].
    MentionRangeV1 of MentionRange {
        chapter_id: ChapterId,
        from: u32,
        to: u32,
    }
}

stored! {
    /// `completed` of `answer_runs`. It holds no text of the writer's.
    CompletedAnswerV1 of CompletedAnswer {
        run_id: String,
        assessment in RunAssessment,
        hits in Vec<AnswerHit>,
        validations in Vec<RunValidation>,
        #[serde(default)]
        candidate_id: Option<AnswerId>,
        #[serde(default)]
        why_not: Vec<String>,
        #[serde(default)]
        invented: u32,
        #[serde(default)]
        tools: Vec<bool>,
    }
}

stored! {
    /// The assessment in [`CompletedAnswerV1`].
    RunAssessmentV1 of RunAssessment {
        #[serde(default)]
        result in Option<ValidationResult>,
        signal_strength in SignalStrength,
        #[serde(default)]
        reasons: Vec<String>,
    }
}

stored! {
    /// A hit in [`CompletedAnswerV1`].
    AnswerHitV1 of AnswerHit {
        answer_id: AnswerId,
        shown: bool,
        used: bool,
    }
}

stored! {
    /// A validation in [`CompletedAnswerV1`].
    RunValidationV1 of RunValidation {
        answer_id: AnswerId,
        result in ValidationResult,
        signal_strength in SignalStrength,
        is_applied: bool,
    }
}

stored! {
    /// `payload` of `answer_outbox`. It holds no text of the writer's.
    OutboxPayloadV1 of OutboxPayload {
        id: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        references in Vec<AnswerHit>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer_id: Option<AnswerId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result in Option<ValidationResult>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strength in Option<SignalStrength>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source in Option<ValidationSource>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Time>,
    }
}

stored! {
    /// The answer service among the `settings`.
    AnswerServiceSettingsV1 of AnswerServiceSettings {
        #[serde(default)]
        base_url: Option<String>,
        #[serde(default)]
        enabled: bool,
        #[serde(default)]
        send_candidates: bool,
    }
}
