//! Stored structs of rules and runs: patterns, versions of rules, changes, and the reasons of runs.

use rusqlite::types::FromSqlError;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{InColumn, from_json, names::Name};
use crate::model::{
    Category, ChangeKind, EpisodeId, Pattern, PatternSource, ProjectId, Reason, Rule, RuleId, RuleOrigin, RuleStanding,
    RunChange, RunReason, Scope, Time,
};

stored! {
    /// `pattern` of `rules`, and in [`RuleV1`].
    PatternV1 of Pattern {
        feature: String,
        direction: i32,
        threshold: Option<f64>,
    }
}

stored! {
    /// `snapshot` of `rule_history`, and in [`ChangeV1`].
    RuleV1 of Rule {
        id: RuleId,
        rule: String,
        category in Category,
        scope in Scope,
        project_id: Option<ProjectId>,
        scene_type: Option<String>,
        skill_used: Option<String>,
        confidence: f64,
        supporting_episodes: Vec<EpisodeId>,
        contradicting_episodes: Vec<EpisodeId>,
        user_confirmed: bool,
        user_modified: bool,
        recently_updated: bool,
        pattern in Option<Pattern>,
        evidence_count: u32,
        confidence_low: f64,
        origin in RuleOrigin,
        standing in RuleStanding,
        pattern_by in Option<PatternSource>,
        challenged: bool,
        wrong_count: u32,
        other_books: u32,
        learned_at: Option<Time>,
        version: u32,
        created_at: Time,
        updated_at: Time,
    }
}

/// Parses a rule from its history. Rows from before rules could be learned lack the later fields.
pub(in crate::storage) fn read_rule(text: &str) -> Result<Rule, rusqlite::Error> {
    if let Ok(rule) = serde_json::from_str::<RuleV1>(text) {
        return Ok(rule.into());
    }
    let mut value: Value = from_json(text)?;
    let fields = value.as_object_mut().ok_or(FromSqlError::InvalidType)?;
    let came_later = [
        ("standing", Value::from("active")),
        ("challenged", Value::from(false)),
        ("wrongCount", Value::from(0)),
        ("otherBooks", Value::from(0)),
    ];
    for (name, usual) in came_later {
        fields.entry(name).or_insert(usual);
    }
    RuleV1::deserialize(value).map(Rule::from).map_err(|_| FromSqlError::InvalidType.into())
}

stored! {
    /// `change` of `run_changes`.
    ChangeV1 of RunChange {
        rule_id: RuleId,
        project_id: Option<ProjectId>,
        kind in ChangeKind,
        before in Option<Rule>,
        after in Option<Rule>,
        kept: bool,
    }
}

/// `reason` of `runs`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum RunReasonV1 {
    NoEvidence,
    NotYet {
        choices: u32,
        edits: u32,
        nearest: Option<String>,
        progress: f64,
    },
    NothingToSay {
        features: u32,
    },
    NothingNew,
    Model {
        #[serde(deserialize_with = "stored_reason")]
        trouble: Name<Reason>,
    },
    Store,
    Interrupted,
}

/// The reason of a model; version 0.1 wrote `names` for [`Reason::NamesUnread`].
fn stored_reason<'de, D: Deserializer<'de>>(stored: D) -> Result<Name<Reason>, D::Error> {
    #[derive(Deserialize)]
    enum Old {
        #[serde(rename = "names")]
        Names,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Accepted {
        Present(Name<Reason>),
        Old(Old),
    }
    Ok(match Accepted::deserialize(stored)? {
        Accepted::Present(reason) => reason,
        Accepted::Old(Old::Names) => Reason::NamesUnread.into_stored(),
    })
}

impl From<RunReason> for RunReasonV1 {
    fn from(reason: RunReason) -> Self {
        match reason {
            RunReason::NoEvidence => Self::NoEvidence,
            RunReason::NotYet { choices, edits, nearest, progress } => {
                Self::NotYet { choices, edits, nearest, progress }
            }
            RunReason::NothingToSay { features } => Self::NothingToSay { features },
            RunReason::NothingNew => Self::NothingNew,
            RunReason::Model { trouble } => Self::Model { trouble: trouble.into_stored() },
            RunReason::Store => Self::Store,
            RunReason::Interrupted => Self::Interrupted,
        }
    }
}

impl From<RunReasonV1> for RunReason {
    fn from(stored: RunReasonV1) -> Self {
        match stored {
            RunReasonV1::NoEvidence => Self::NoEvidence,
            RunReasonV1::NotYet { choices, edits, nearest, progress } => {
                Self::NotYet { choices, edits, nearest, progress }
            }
            RunReasonV1::NothingToSay { features } => Self::NothingToSay { features },
            RunReasonV1::NothingNew => Self::NothingNew,
            RunReasonV1::Model { trouble } => Self::Model { trouble: Reason::from_stored(trouble) },
            RunReasonV1::Store => Self::Store,
            RunReasonV1::Interrupted => Self::Interrupted,
        }
    }
}

impl InColumn for RunReason {
    type Stored = RunReasonV1;

    fn into_stored(self) -> RunReasonV1 {
        self.into()
    }

    fn from_stored(stored: RunReasonV1) -> Self {
        stored.into()
    }
}
