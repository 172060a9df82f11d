//! JSON in columns: structs of storage's own, apart from those of the wire.
//!
//! Invariant: a version of a struct never changes once a file may hold it. A field that is renamed on the wire keeps its
//! stored name; a new field makes a new version, which reads the older ones. The names of enums are those of the wire,
//! as in columns of their own: the tests list them.

use rusqlite::types::FromSqlError;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::from_json;
use crate::{
    error::Result,
    model::{
        Category, ChangeKind, CutItem, CutReason, DegradedCode, DegradedReason, EpisodeId, Followed, LayerName,
        MeasuredChange, MemoryWeight, Pattern, PatternSource, ProjectId, Reference, ReferenceKind, Rule, RuleId,
        RuleOrigin, RuleStanding, RunChange, Scope, Time,
    },
    ports::{Message, ModelInfo, Role},
};

/// A value that a column holds as JSON, in a struct of its own.
pub(super) trait InColumn: Sized {
    /// Its present stored version.
    type Stored: Serialize + DeserializeOwned;

    /// The value as it is stored.
    fn into_stored(self) -> Self::Stored;

    /// The value that was stored.
    fn from_stored(stored: Self::Stored) -> Self;
}

/// The JSON of a column.
pub(super) fn json<T: InColumn + Clone>(value: &T) -> Result<String> {
    super::json(&value.clone().into_stored())
}

/// Parses the JSON of a column.
pub(super) fn read<T: InColumn>(text: &str) -> Result<T, rusqlite::Error> {
    Ok(T::from_stored(from_json(text)?))
}

impl<T: InColumn> InColumn for Vec<T> {
    type Stored = Vec<T::Stored>;

    fn into_stored(self) -> Self::Stored {
        self.into_iter().map(T::into_stored).collect()
    }

    fn from_stored(stored: Self::Stored) -> Self {
        stored.into_iter().map(T::from_stored).collect()
    }
}

impl<T: InColumn> InColumn for Option<T> {
    type Stored = Option<T::Stored>;

    fn into_stored(self) -> Self::Stored {
        self.map(T::into_stored)
    }

    fn from_stored(stored: Self::Stored) -> Self {
        stored.map(T::from_stored)
    }
}

/// A stored struct with the conversions from and into its model. The order of the fields is that of the JSON: traces and
/// measurements are sealed over it. A field with `in` is
/// itself a stored struct.
macro_rules! stored {
    ($(#[$doc:meta])* $stored:ident of $model:ident {
        $($(#[$attribute:meta])* $field:ident $(in $inner:ty)? $(: $plain:ty)?,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $stored {
            $($(#[$attribute])* $field: stored!(@type $(in $inner)? $($plain)?),)*
        }

        impl From<$model> for $stored {
            fn from(model: $model) -> Self {
                Self { $($field: stored!(@into model.$field, $(in $inner)? $($plain)?),)* }
            }
        }

        impl From<$stored> for $model {
            fn from(stored: $stored) -> Self {
                Self { $($field: stored!(@from stored.$field, $(in $inner)? $($plain)?),)* }
            }
        }

        impl InColumn for $model {
            type Stored = $stored;

            fn into_stored(self) -> $stored {
                self.into()
            }

            fn from_stored(stored: $stored) -> Self {
                stored.into()
            }
        }
    };
    (@type in $inner:ty) => { <$inner as InColumn>::Stored };
    (@type $plain:ty) => { $plain };
    (@into $value:expr, in $inner:ty) => { <$inner>::into_stored($value) };
    (@into $value:expr, $plain:ty) => { $value.into() };
    (@from $value:expr, in $inner:ty) => { <$inner>::from_stored($value) };
    (@from $value:expr, $plain:ty) => { $value.into() };
}

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
        category: Category,
        scope: Scope,
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
        origin: RuleOrigin,
        standing: RuleStanding,
        pattern_by: Option<PatternSource>,
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
pub(super) fn read_rule(text: &str) -> Result<Rule, rusqlite::Error> {
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
        kind: ChangeKind,
        before in Option<Rule>,
        after in Option<Rule>,
        kept: bool,
    }
}

stored! {
    /// One of `messages` of `traces`.
    MessageV1 of Message {
        role: Role,
        content: String,
    }
}

stored! {
    /// One of `refs` of `traces`.
    ReferenceV1 of Reference {
        reference_id: String,
        kind: ReferenceKind,
        id: String,
        version: u32,
        layer: LayerName,
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
        layer: LayerName,
        text: String,
        tokens: u32,
        reason: CutReason,
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
    /// One of `degraded` of `traces`. Before reasons had codes, they were sentences.
    DegradedReasonV1 of DegradedReason {
        code: DegradedCode,
        message: String,
    }
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
        followed: Option<Followed>,
        /// Missing in rows from before influences could be measured.
        #[serde(default)]
        change in Option<MeasuredChange>,
    }
}

#[cfg(test)]
mod tests;
