//! Stored structs of traces and measurements: messages, references, cut items, the model, degradations, and weights.

use serde::{Deserialize, Serialize};

use super::{InColumn, from_json};
use crate::{
    model::{
        CutItem, CutReason, DegradedCode, DegradedReason, Followed, LayerName, MeasuredChange, MemoryWeight, Reference,
        ReferenceKind,
    },
    ports::{Message, ModelInfo, Role},
};

stored! {
    /// One of `messages` of `traces`.
    MessageV1 of Message {
        role in Role,
        content: String,
    }
}

stored! {
    /// One of `refs` of `traces`.
    ReferenceV1 of Reference {
        reference_id: String,
        kind in ReferenceKind,
        id: String,
        version: u32,
        layer in LayerName,
        text: String,
        score: Option<f64>,
        matched_by: Vec<String>,
    }
}

stored! {
    /// One of `cut` of `traces`.
    CutItemV1 of CutItem {
        kind: String,
        id: String,
        layer in LayerName,
        text: String,
        tokens: u32,
        reason in CutReason,
    }
}

stored! {
    /// `provider` of `traces`.
    ModelInfoV1 of ModelInfo {
        provider: String,
        model: String,
        sample: bool,
    }
}

stored! {
    /// One of `degraded` of `traces`.
    DegradedReasonV1 of DegradedReason {
        code in DegradedCode,
        message: String,
    }
}

/// Reasons were sentences before they had codes.
#[derive(Deserialize)]
#[serde(untagged)]
enum AnyReason {
    Coded(DegradedReasonV1),
    Sentence(String),
}

/// Parses `degraded` of `traces`. A sentence of an earlier version gets the code [`DegradedCode::Other`].
pub(in crate::storage) fn read_reasons(text: &str) -> Result<Vec<DegradedReason>, rusqlite::Error> {
    let reasons = from_json::<Vec<AnyReason>>(text)?.into_iter().map(|reason| match reason {
        AnyReason::Coded(reason) => reason.into(),
        AnyReason::Sentence(message) => DegradedReason::new(DegradedCode::Other, message),
    });
    Ok(reasons.collect())
}

stored! {
    /// In [`WeightV1`].
    MeasuredChangeV1 of MeasuredChange {
        by: f64,
        low: f64,
        high: f64,
    }
}

stored! {
    /// One of `weights` of `influences`.
    WeightV1 of MemoryWeight {
        reference_id: String,
        weight: f64,
        effect: Option<f64>,
        followed in Option<Followed>,
        /// Missing in rows from before influences could be measured.
        #[serde(default)]
        change in Option<MeasuredChange>,
    }
}
