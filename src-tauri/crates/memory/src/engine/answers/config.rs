//! The settings of answers in effect: `config.toml`, before the stored settings, before the built-in values.
//!
//! The file is read when the memory is opened, and never written. Whatever is wrong with it, the memory opens: a value
//! that is not taken has its stored or its built-in value, and [`Engine::status`] names it.

use std::{
    collections::BTreeMap,
    io::Read,
    path::{Path, PathBuf},
};

use palimpsest_answers::{
    config::{Config, ControlConfig},
    config_file::{ConfigFile, MAX_FILE_BYTES, ProblemKind},
    settings::{SETTINGS, Setting, SettingError, SettingRange, SettingValue},
    standing::StandingRules,
};
use palimpsest_files::Source;

use super::standing::rejudge;
use crate::{
    engine::{Engine, stores::Stores},
    error::{Code, Details, Error, Result},
    lock::RwLock,
    model::{
        AnswerConfig, Cause, Changed, ConfigProblem, ConfigProblemKind, ConfigSetting, ConfigSource, ConfigType,
        ConfigValue, Part, PartHealth, PartState, Reason, SetAnswerConfig, Topic,
    },
    storage::{answer_events, answers, settings},
};

/// The name of the settings file in the data folder.
const FILE: &str = "config.toml";

/// The stored number of failures that standings were folded with, in halves.
const FOLDED: &str = "foldedBlockAtHalf";
/// Answers that are folded in one transaction.
const FOLDED_PER_STEP: usize = 100;

/// The settings file as it was read on opening, and the stored settings as last known.
pub(in crate::engine) struct AnswerSettings {
    file: ConfigFile,
    problems: Vec<ConfigProblem>,
    stored: RwLock<BTreeMap<String, ConfigValue>>,
}

impl AnswerSettings {
    /// Reads the given file, or the one in the data folder if there is one.
    pub(in crate::engine) fn read(data_dir: &Path, given: Option<PathBuf>) -> Self {
        let is_given = given.is_some();
        let path = given.unwrap_or_else(|| data_dir.join(FILE));
        let (file, unread) = match text_of(&path) {
            Ok(Some(text)) => (ConfigFile::parse(&text), None),
            Ok(None) if is_given => (ConfigFile::default(), Some(ConfigProblemKind::Missing)),
            Ok(None) => (ConfigFile::default(), None),
            Err(kind) => (ConfigFile::default(), Some(kind)),
        };
        let problem = |kind| ConfigProblem { key: None, line: None, kind };
        let of_keys = file.problems.iter().map(|one| ConfigProblem {
            key: one.key.clone(),
            line: Some(one.line),
            kind: match one.kind {
                ProblemKind::Syntax => ConfigProblemKind::Syntax,
                ProblemKind::UnknownKey => ConfigProblemKind::UnknownKey,
                ProblemKind::WrongType => ConfigProblemKind::WrongType,
                ProblemKind::OutOfRange => ConfigProblemKind::OutOfRange,
                ProblemKind::ServiceKey => ConfigProblemKind::ServiceKey,
            },
        });
        let problems: Vec<ConfigProblem> = unread.map(problem).into_iter().chain(of_keys).collect();
        if !problems.is_empty() {
            tracing::warn!(problems = problems.len(), "values of config.toml are not taken");
        }
        Self { file, problems, stored: RwLock::default() }
    }

    /// The stored settings; those last known while `rules.db` cannot be read.
    fn stored_values(&self, stores: &Stores) -> BTreeMap<String, ConfigValue> {
        let read = || settings::answer_values(&*stores.rules.open()?.reader()?);
        let Ok(fresh) = read() else { return self.stored.read().clone() };
        self.stored.write().clone_from(&fresh);
        fresh
    }

    /// The settings in effect.
    fn in_effect(&self, stores: &Stores) -> Config {
        let mut config = with_stored(&self.stored_values(stores));
        self.file.apply(&mut config);
        config
    }

    /// The first key that is not taken; `None` if all are.
    fn cause(&self) -> Option<Cause> {
        let first = self.problems.first()?;
        let line = first.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let key = first.key.as_deref().map(|key| format!("{key} ")).unwrap_or_default();
        let more = match self.problems.len() - 1 {
            0 => String::new(),
            more => format!("; {more} more"),
        };
        let message = format!("config.toml{line}: {key}{}{more}", words_of(first));
        Some(Cause::new(Reason::ConfigNotTaken, message))
    }
}

/// The text of a settings file; `None` if there is none.
fn text_of(path: &Path) -> Result<Option<String>, ConfigProblemKind> {
    let mut source = match Source::open(path, MAX_FILE_BYTES) {
        Ok(source) => source,
        Err(error) if error.is_absence() => return Ok(None),
        Err(_) => return Err(ConfigProblemKind::Unreadable),
    };
    let mut text = String::new();
    source.read_to_string(&mut text).map_err(|_| ConfigProblemKind::Unreadable)?;
    Ok(Some(text))
}

/// The end of the sentence of the status.
fn words_of(problem: &ConfigProblem) -> String {
    let limits = || problem.key.as_deref().and_then(Setting::named).map(|setting| setting.range.limits());
    match (problem.kind, limits()) {
        (ConfigProblemKind::Unreadable, _) => "the file cannot be read".to_owned(),
        (ConfigProblemKind::Missing, _) => "there is no such file".to_owned(),
        (ConfigProblemKind::Syntax, _) => "the text is no TOML".to_owned(),
        (ConfigProblemKind::UnknownKey, _) => "is unknown".to_owned(),
        (ConfigProblemKind::WrongType, _) => "has a value of another type".to_owned(),
        (ConfigProblemKind::OutOfRange, Some((min, max))) => format!("is not {min} to {max}"),
        (ConfigProblemKind::OutOfRange, None) => "is out of range".to_owned(),
        (ConfigProblemKind::ServiceKey, _) => "is not read: keys are stored in the keychain".to_owned(),
    }
}

/// The built-in settings with the stored ones over them. A stored value that is out of range by now is left out.
fn with_stored(stored: &BTreeMap<String, ConfigValue>) -> Config {
    let mut config = Config::default();
    for (name, value) in stored {
        if let Some(setting) = Setting::named(name) {
            setting.set(&mut config, setting_value(setting, value)).ok();
        }
    }
    config
}

/// A value of the wire as one of a setting; one of another type stays of another type.
fn setting_value(setting: &Setting, value: &ConfigValue) -> SettingValue {
    match value {
        ConfigValue::Switch(value) => SettingValue::Switch(*value),
        ConfigValue::Texts(texts) => SettingValue::Texts(texts.clone()),
        ConfigValue::Number(number) => {
            let is_whole = number.fract() == 0.0 && (0.0..=9e15).contains(number);
            match setting.range {
                SettingRange::Whole { .. } if is_whole => SettingValue::Whole(*number as u64),
                _ => SettingValue::Share(*number),
            }
        }
    }
}

fn wire_value(value: SettingValue) -> ConfigValue {
    match value {
        SettingValue::Switch(value) => ConfigValue::Switch(value),
        SettingValue::Whole(number) => ConfigValue::Number(number as f64),
        SettingValue::Share(number) => ConfigValue::Number(number),
        SettingValue::Texts(texts) => ConfigValue::Texts(texts),
    }
}

/// The setting of a request. The name of an unknown one is not repeated: it may be any text.
fn setting_named(field: &str, name: &str) -> Result<&'static Setting> {
    Setting::named(name).ok_or_else(|| Error::invalid(field, "has a setting that does not exist"))
}

/// The setting of a request with a value that it can have.
fn checked_setting(field: &str, name: &str, value: &ConfigValue) -> Result<(&'static Setting, SettingValue)> {
    let setting = setting_named(field, name)?;
    let field = format!("{field}.{name}");
    let given = setting_value(setting, value);
    // A number with a fraction is a number, and not in the range.
    let is_fraction = matches!((setting.range, &given), (SettingRange::Whole { .. }, SettingValue::Share(_)));
    match setting.check(given) {
        Ok(value) => Ok((setting, value)),
        Err(SettingError::WrongType) if !is_fraction => Err(Error::invalid(field, "is of another type")),
        Err(_) => {
            let (min, max) = setting.range.limits();
            Err(Error::invalid(field, format!("is not {min} to {max}")))
        }
    }
}

impl Engine {
    /// The settings of answers in effect.
    pub(in crate::engine) fn answer_config_in_effect(&self) -> Config {
        self.answer_settings.in_effect(&self.stores)
    }

    /// The limits in effect of a run of a program.
    #[must_use]
    pub fn run_control(&self) -> ControlConfig {
        self.answer_config_in_effect().control
    }

    /// The rules of standings in effect, before a transaction: the settings are in the other file.
    pub(in crate::engine) fn standing_rules(&self) -> StandingRules {
        StandingRules::from(&self.answer_config_in_effect().gatekeeper)
    }

    pub(in crate::engine) fn health_of_config(&self) -> PartHealth {
        match self.answer_settings.cause() {
            Some(cause) => PartHealth::substituted(Part::Config, cause),
            None if self.is_folding_due() => PartHealth::serving(Part::Config, PartState::CatchingUp),
            None => PartHealth::serving(Part::Config, PartState::Ok),
        }
    }

    /// All settings of answers with their values, origins and ranges, and what is not taken from the file.
    pub fn answer_config(&self) -> AnswerConfig {
        let stored = self.answer_settings.stored_values(&self.stores);
        let (built_in, mut config) = (Config::default(), with_stored(&stored));
        let file = &self.answer_settings.file;
        file.apply(&mut config);
        let of_setting = |setting: &Setting| {
            let own = stored.get(setting.name).filter(|value| setting.check(setting_value(setting, value)).is_ok());
            let (min, max) = setting.range.limits();
            ConfigSetting {
                key: setting.name.to_owned(),
                value: wire_value(setting.value(&config)),
                source: match own {
                    _ if file.values.contains_key(setting.name) => ConfigSource::File,
                    Some(_) => ConfigSource::Stored,
                    None => ConfigSource::BuiltIn,
                },
                stored: own.cloned(),
                built_in: wire_value(setting.value(&built_in)),
                value_type: match setting.range {
                    SettingRange::Switch => ConfigType::Switch,
                    SettingRange::Whole { .. } => ConfigType::Whole,
                    SettingRange::Share => ConfigType::Number,
                    SettingRange::Texts => ConfigType::Texts,
                },
                min,
                max,
            }
        };
        AnswerConfig {
            settings: SETTINGS.iter().map(of_setting).collect(),
            problems: self.answer_settings.problems.clone(),
            ignored: file.ignored.clone(),
        }
    }

    /// Stores settings of answers: all of the given ones, or none.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` with the field `values.SECTION.KEY`; with the reason `setByFile` for a value that the
    /// file sets, since the stored one would have no effect; those of the store.
    pub fn set_answer_config(&self, args: &SetAnswerConfig) -> Result<Changed<AnswerConfig>> {
        for (name, value) in &args.values {
            match value {
                Some(value) => drop(checked_setting("values", name, value)?),
                None => drop(setting_named("values", name)?),
            }
            if value.is_some() && self.answer_settings.file.values.contains_key(name.as_str()) {
                let details = Details {
                    field: Some(format!("values.{name}")),
                    reason: Some(Reason::SetByFile),
                    ..Details::default()
                };
                return Err(Error::with_details(Code::InvalidArgument, "config.toml sets this value", details));
            }
        }
        self.stores.rules.open()?.write("store settings of answers", |tx| {
            args.values.iter().try_for_each(|(name, value)| settings::upsert_answer_value(tx, name, value.as_ref()))
        })?;
        let topics = [Topic::Settings, Topic::Answers];
        Ok(Changed::new(self.answer_config(), None, topics))
    }

    /// The settings in effect with other values over them.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` with the field `config.SECTION.KEY`.
    pub(super) fn config_with(&self, values: &BTreeMap<String, ConfigValue>) -> Result<Config> {
        let mut config = self.answer_config_in_effect();
        for (name, value) in values {
            let (setting, value) = checked_setting("config", name, value)?;
            // Checked above.
            setting.set(&mut config, value).ok();
        }
        Ok(config)
    }

    /// Whether standings were folded by other rules than those in effect.
    pub(in crate::engine) fn is_folding_due(&self) -> bool {
        let stored = self.answer_settings.stored_values(&self.stores);
        let folded = match stored.get(FOLDED) {
            Some(ConfigValue::Number(half)) => *half,
            _ => f64::from(StandingRules::default().block_at_half),
        };
        (folded - f64::from(self.standing_rules().block_at_half)).abs() > 0.25
    }

    /// Folds the standings of all answers that failed once by the rules in effect.
    ///
    /// # Errors
    /// Those of the stores; the rest is folded at the next attempt.
    pub(in crate::engine) fn fold_standings(&self) -> Result<Option<Changed<()>>> {
        let rules = self.standing_rules();
        let db = self.stores.episodes.open()?;
        let failed = answer_events::answers_that_failed(&*db.reader()?)?;
        for some in failed.chunks(FOLDED_PER_STEP) {
            db.write("fold standings", |tx| {
                for id in some {
                    let Some(before) = answers::get(tx, id)? else { continue };
                    let mut stored = before.clone();
                    rejudge(tx, &mut stored, rules)?;
                    if stored != before {
                        answers::update(tx, &stored)?;
                    }
                }
                Ok(())
            })?;
        }
        let folded = ConfigValue::Number(f64::from(rules.block_at_half));
        self.stores
            .rules
            .open()?
            .write("note folded standings", |tx| settings::upsert_answer_value(tx, FOLDED, Some(&folded)))?;
        Ok(Some(Changed::new((), None, [Topic::Answers])))
    }
}
