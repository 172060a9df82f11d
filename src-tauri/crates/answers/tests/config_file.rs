//! Laws of settings files: any text has a result, and a key that is not taken leaves its setting as it is.

#![allow(clippy::unwrap_used)]

use palimpsest_answers::{
    config::Config,
    config_file::{ConfigFile, ProblemKind},
    settings::{SETTINGS, Setting, SettingRange, SettingValue},
};
use proptest::prelude::*;

const ORIGINAL: &str = include_str!("fixtures/memex-config.toml");

/// A value of TOML of any kind, in and out of all ranges.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        (-2_i64..12).prop_map(|value| value.to_string()),
        (-0.5_f64..1.5).prop_map(|value| format!("{value:?}")),
        prop_oneof![Just("nan"), Just("inf"), Just("-inf"), Just("0xff"), Just("1_000"), Just("1979-05-27")]
            .prop_map(str::to_owned),
        "[a-z]{0,8}".prop_map(|text| format!("{text:?}")),
        prop::collection::vec("[a-z]{0,5}", 0..4).prop_map(|texts| format!("{texts:?}")),
        Just("{ a = 1 }".to_owned()),
    ]
}

/// A key of a known section: of a setting, or of none.
fn key() -> impl Strategy<Value = String> {
    let known = prop::sample::select(SETTINGS.iter().map(|setting| setting.name.to_owned()).collect::<Vec<_>>());
    let unknown = ("(memory|gatekeeper|events_out|control)", "[a-z_]{1,12}")
        .prop_map(|(section, key)| format!("{section}.{key}"));
    prop_oneof![6 => known, 1 => unknown]
}

fn is_within(range: SettingRange, value: &SettingValue) -> bool {
    match (range, value) {
        (SettingRange::Switch, SettingValue::Switch(_)) => true,
        (SettingRange::Whole { min, max }, SettingValue::Whole(number)) => *number >= min && *number <= max,
        (SettingRange::Share, SettingValue::Share(number)) => *number >= 0.0 && *number <= 1.0,
        (SettingRange::Texts, SettingValue::Texts(texts)) => !texts.is_empty() && texts.len() <= 100,
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_a_result_and_every_value_of_it_is_in_its_range(text in any::<String>()) {
        let file = ConfigFile::parse(&text);
        for (name, value) in &file.values {
            prop_assert!(is_within(Setting::named(name).unwrap().range, value));
        }
    }

    #[test]
    fn a_file_of_the_original_that_is_cut_off_or_changed_anywhere_has_a_result(
        at in 0..ORIGINAL.len(),
        byte in any::<char>(),
        is_cut in any::<bool>(),
    ) {
        let Some((before, after)) = ORIGINAL.split_at_checked(at) else { return Ok(()) };
        let text = if is_cut { before.to_owned() } else { format!("{before}{byte}{after}") };
        let file = ConfigFile::parse(&text);
        let mut config = Config::default();
        file.apply(&mut config);
        prop_assert_eq!(config.validate(), Ok(()));
        let lines = u32::try_from(text.matches('\n').count()).unwrap() + 1;
        prop_assert!(file.problems.iter().all(|problem| (1..=lines).contains(&problem.line)));
    }

    #[test]
    fn a_key_is_taken_or_named_with_its_line_and_leaves_its_setting_as_it_is(
        entries in prop::collection::btree_map(key(), value(), 1..20),
    ) {
        let mut text = String::new();
        for (key, value) in &entries {
            text.push_str(&format!("{key} = {value}\n"));
        }
        let file = ConfigFile::parse(&text);
        let mut config = Config::default();
        file.apply(&mut config);
        prop_assert_eq!(config.validate(), Ok(()));
        for (number, key) in (1..).zip(entries.keys()) {
            let problem = file.problems.iter().find(|problem| problem.key.as_deref() == Some(key));
            match Setting::named(key) {
                Some(setting) => {
                    prop_assert!(file.values.contains_key(setting.name) != problem.is_some(), "{}", key);
                    if let Some(problem) = problem {
                        prop_assert_eq!(problem.line, number);
                        prop_assert_eq!(setting.value(&config), setting.value(&Config::default()));
                    }
                }
                None => {
                    let is_known = file.ignored.contains(key) || key == "memory.api_key";
                    let is_unknown = problem.is_some_and(|problem| problem.kind == ProblemKind::UnknownKey);
                    prop_assert!(is_known || is_unknown, "{}", key);
                }
            }
        }
        // Every setting that the text does not name has its built-in value.
        let untouched = SETTINGS.iter().filter(|setting| !entries.contains_key(setting.name));
        for setting in untouched {
            prop_assert_eq!(setting.value(&config), setting.value(&Config::default()));
        }
    }
}
