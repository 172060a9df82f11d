//! The settings of answers by name, and what a settings file says of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use specta::Type;

/// The value of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(untagged)]
pub enum ConfigValue {
    /// On or off.
    Switch(bool),
    /// Whole or with a fraction, as the setting says.
    Number(f64),
    /// A list of texts.
    Texts(Vec<String>),
}

/// The origin of a value in effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ConfigSource {
    /// Neither the file nor a stored setting has one.
    BuiltIn,
    /// `answer:config:set`.
    Stored,
    /// `config.toml`, which goes before a stored setting.
    File,
}

/// The permitted values of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ConfigType {
    /// On or off.
    Switch,
    /// A whole number.
    Whole,
    /// With a fraction.
    Number,
    /// A list of texts of 1..64 bytes.
    Texts,
}

/// A setting of answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ConfigSetting {
    /// Section and key as in `config.toml`, for example `gatekeeper.max_inject`.
    pub key: String,
    /// The value in effect.
    pub value: ConfigValue,
    /// Its origin.
    pub source: ConfigSource,
    /// The stored value, in effect or not; `null` if there is none.
    pub stored: Option<ConfigValue>,
    /// The value without a file and a stored setting.
    pub built_in: ConfigValue,
    /// The type of its values, which lie between `min` and `max`.
    #[serde(rename = "type")]
    pub value_type: ConfigType,
    /// The smallest value; of a list, its smallest length.
    pub min: f64,
    /// The largest value; of a list, its largest length.
    pub max: f64,
}

/// The kind of a problem of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ConfigProblemKind {
    /// The file cannot be read: a folder, no UTF-8, more than 64 KiB, or refused by the system.
    Unreadable,
    /// The file was named on the command line and does not exist.
    Missing,
    /// The text is no TOML; nothing of it is taken.
    Syntax,
    /// The section has no such key.
    UnknownKey,
    /// The value is of another type.
    WrongType,
    /// The value is out of range.
    OutOfRange,
    /// A key of a service that is not empty: keys are stored in the system's keychain.
    ServiceKey,
}

/// A key that is not taken from a settings file; its setting has the stored or the built-in value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ConfigProblem {
    /// Section and key; `null` for the whole file, and for a name that may be a secret.
    pub key: Option<String>,
    /// From 1; `null` for a file that was not read.
    pub line: Option<u32>,
    /// Why it is not taken.
    pub kind: ConfigProblemKind,
}

/// The settings of answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerConfig {
    /// All of them, in the order of the sections.
    pub settings: Vec<ConfigSetting>,
    /// Keys of the file that are not taken; empty without a file.
    pub problems: Vec<ConfigProblem>,
    /// Sections and keys of the file without effect.
    pub ignored: Vec<String>,
}

/// Stores settings of answers.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetAnswerConfig {
    /// Values by section and key; `null` removes a stored one. All are stored, or none.
    pub values: BTreeMap<String, Option<ConfigValue>>,
}
