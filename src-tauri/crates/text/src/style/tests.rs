//! Every feature by examples, and what must hold for any text.

use proptest::prelude::*;

use super::{Feature, Features, measure, measure_as, tests_en, tests_zh};
use crate::{Language, count, detect};

/// Expected measures of five passages.
pub(super) enum Expected {
    /// So many hits (a rate, taken back to a count).
    Hits([(&'static str, u32); 5]),
    /// These quantities.
    Values([(&'static str, f32); 5]),
    /// More, less or neither.
    Sign([(&'static str, i32); 5]),
    /// Each more than the one before.
    Ascending([&'static str; 5]),
}

/// Collects all failures, so that one run reports them all.
fn check(feature: Feature, expected: &Expected, language: Language, wrong: &mut Vec<String>) {
    let quantity = |text: &str| feature.scale(language).undo(measure_as(text, language).get(feature));
    let mut note = |text: &str, got: f32, wanted: f32, right: bool| {
        if !right {
            wrong.push(format!("{}: {got} for {wanted} in {text}", feature.as_str()));
        }
    };
    match expected {
        Expected::Hits(cases) => {
            for (text, wanted) in cases {
                let got = quantity(text) * count::words(text) as f32 / 100.0;
                note(text, got, *wanted as f32, (got - *wanted as f32).abs() < 0.01);
            }
        }
        Expected::Values(cases) => {
            for (text, wanted) in cases {
                let got = quantity(text);
                note(text, got, *wanted, (got - wanted).abs() < 0.01);
            }
        }
        Expected::Sign(cases) => {
            for (text, wanted) in cases {
                let got = quantity(text);
                let sign = if got.abs() < 1e-6 { 0 } else { got.signum() as i32 };
                note(text, got, *wanted as f32, sign == *wanted);
            }
        }
        Expected::Ascending(texts) => {
            for pair in texts.windows(2) {
                let (less, more) = (quantity(pair[0]), quantity(pair[1]));
                note(pair[1], more, less, more > less);
            }
        }
    }
}

fn check_all(cases: &[(Feature, Expected)], language: Language) {
    assert!(cases.iter().map(|(feature, _)| *feature).eq(Feature::ALL), "one row a feature, in order");
    let mut wrong = Vec::new();
    for (feature, expected) in cases {
        check(*feature, expected, language, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_feature_in_chinese() {
    check_all(&tests_zh::CASES, Language::Zh);
}

#[test]
fn every_feature_in_english() {
    check_all(&tests_en::CASES, Language::En);
}

#[test]
fn both_scripts_of_chinese_have_the_closed_words() {
    let simplified = measure("“他们没有说过吗？”他问道，“我们还没来，但你却走了。”");
    let traditional = measure("「他們沒有說過嗎？」他問道，「我們還沒來，但你卻走了。」");
    for feature in [Feature::ThirdPerson, Feature::FirstPerson, Feature::Negation, Feature::SpeechTags] {
        assert_eq!(simplified.get(feature), traditional.get(feature), "{}", feature.as_str());
        assert!(simplified.get(feature) > 0.0);
    }
}

#[test]
fn the_language_is_found() {
    assert_eq!(measure("他慢慢地走。"), measure_as("他慢慢地走。", Language::Zh));
    assert_eq!(measure("He went slowly."), measure_as("He went slowly.", Language::En));
}

#[test]
fn values_come_and_go_as_slices() {
    let features = measure("He went slowly.");
    assert_eq!(Features::from_slice(features.as_slice()), Some(features));
    assert_eq!(Features::from_slice(&[0.0; 3]), None);
    assert_eq!(Features::from_slice(&[f32::NAN; Feature::COUNT]), None);
}

/// Long enough that what happens at the seam is little.
const LONG_ZH: &str = "第二天，他慢慢地走到门口，似乎在等什么人。雨停了；檐下还在滴水——像断了线的珠子。\
“你爸让我别扔，”他低声说，“那就留着吧。”我不知道该怎么回答，心里非常难过。\n\
“谁？”\n“我。”\n但是没有人来。他看见远处的灯光，听见脚步声，手心又冷又湿。命运之门，也许就此关上了！\
父亲在这里干了三十一年，每天读两次水尺，把数字写进簿子，再寄到省里去，没有人来查过他一次，小心翼翼，不禁叹息……";

const LONG_EN: &str = "The next morning he walked slowly to the gate, as if he were waiting for somebody. The rain had stopped; \
the eaves went on dripping—like beads from a broken string. “Your father said not to throw it out,” he said quietly. “Then keep it.” \
I didn’t know what to answer, and perhaps I was very sad.\n“Who?”\n“Me.”\nBut nobody came. He saw a far light and heard steps; his \
hands were cold and wet. Freedom, upon the whole, is a testament to patience! In 1998 Zhou read the gauge twice a day, wrote the \
number in a ledger and posted the sheet to the province, where nobody ever looked... Yeah, well.";

#[test]
fn twice_the_text_is_the_same_style() {
    for (text, language) in [(LONG_ZH, Language::Zh), (LONG_EN, Language::En)] {
        let once = measure_as(&[text; 4].join("\n"), language);
        let twice = measure_as(&[text; 8].join("\n"), language);
        for feature in Feature::ALL {
            let difference = twice.get(feature) - once.get(feature);
            if feature == Feature::Length {
                assert!((difference - 2_f32.ln()).abs() < 0.01, "{difference}");
            } else {
                assert!(difference.abs() < 0.05, "{}: {difference}", feature.as_str());
            }
        }
    }
}

#[test]
fn the_long_passages_show_every_feature() {
    for (text, language) in [(LONG_ZH, Language::Zh), (LONG_EN, Language::En)] {
        let features = measure_as(text, language);
        for feature in Feature::ALL {
            let seen = features.get(feature) != 0.0
                // Nothing is repeated or long enough there.
                || matches!(feature, Feature::RepeatedOpenings | Feature::LongSentences);
            assert!(seen, "{}", feature.as_str());
        }
    }
}

proptest! {
    #[test]
    fn any_text_measures_to_finite_values_and_the_same_again(text in any::<String>()) {
        for language in [Language::Zh, Language::En] {
            let features = measure_as(&text, language);
            prop_assert!(features.as_slice().iter().all(|value| value.is_finite()));
            prop_assert_eq!(features, measure_as(&text, language));
        }
        prop_assert_eq!(measure(&text), measure_as(&text, detect(&text)));
    }

    #[test]
    fn marks_cues_and_noise_in_any_order_are_measured(
        text in "([\\n\\r\\t\u{0}\u{7}\u{200d}😀👩‍👧“”「」『』\"'‘’.。!！?？…—,，;：-]|他说|慢慢地|的|道|者也|三十|高高兴兴|like a |as if |didn’t |said |\u{301}|a){0,60}",
    ) {
        for language in [Language::Zh, Language::En] {
            let features = measure_as(&text, language);
            prop_assert!(features.as_slice().iter().all(|value| value.is_finite()));
            for share in [Feature::ShortSentences, Feature::LongSentences, Feature::DialogueShare,
                Feature::ConjunctionOpenings, Feature::RepeatedOpenings, Feature::LexicalVariety] {
                prop_assert!((0.0..=1.0).contains(&features.get(share)), "{} {}", share.as_str(), features.get(share));
            }
        }
    }
}
