//! The words of a measured preference without a model: an instruction for each feature, direction and language.
//!
//! With figures the sentence describes the observation (对话场景里你常把句子写短（平均 32→21 字，21 次修改中有 18 次）); without them, as for a
//! rule of several projects, it is a plain instruction (对话场景里把句子写短). The lexicon reads every sentence as its own
//! feature and direction, so that a rule keeps its meaning when the writer has edited it.

mod phrases;
#[cfg(test)]
mod tests;

use palimpsest_text::style::{self, Feature};

use crate::{
    episodic::wording as names,
    model::{Category, Language},
};

/// The measurements for the words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Mean of the rejected texts, as a quantity: after [`style::Scale::undo`] (characters, words, shares 0..1).
    pub before: f64,
    /// Mean of the preferred texts.
    pub after: f64,
    /// Number of the episodes that agree.
    pub agree: u32,
    /// Number of the episodes that bear on it.
    pub of: u32,
    /// Edits and own texts; else choices.
    pub written: bool,
}

/// Below this share of agreement, drawn towards one half as a confidence is, the sentence says "seem to".
const SEEMS: f64 = 0.6;

/// The preference in one sentence of the language, without a full stop. `direction` is +1 for more of the feature, -1
/// for less. A scene or skill of the writer's keeps its own name.
///
/// Figures that no reader understands (rates per hundred words) are left out, and so are those that round to the same
/// or, as means can, point the other way; the number of agreeing episodes stays.
#[must_use]
pub fn rule_sentence(
    language: Language,
    feature: Feature,
    direction: i32,
    scene: Option<&str>,
    skill: Option<&str>,
    figures: Option<&Figures>,
) -> String {
    let what = phrases::phrase(language, feature, direction);
    let place = stratum_phrase(language, scene, skill);
    let Some(figures) = figures else {
        return match language {
            Language::Zh => format!("{place}{what}"),
            Language::En if place.is_empty() => capital(what),
            Language::En => format!("{place}, {what}"),
        };
    };
    let said: Vec<String> =
        [measured(language, feature, direction, figures), counted(language, figures)].into_iter().flatten().collect();
    let seems = (f64::from(figures.agree) + 4.0) / (f64::from(figures.of) + 8.0) < SEEMS;
    match language {
        Language::Zh => {
            let said = if said.is_empty() { String::new() } else { format!("（{}）", said.join("，")) };
            // 你常把句子写短, and 你往往少用比喻: 常 cannot precede 多 and 少.
            let you = match (seems, what.starts_with(['多', '少'])) {
                (true, _) => "你好像",
                (false, true) => "你往往",
                (false, false) => "你常",
            };
            format!("{place}{you}{what}{said}")
        }
        Language::En => {
            let you = if seems { "you seem to" } else { "you" };
            let you = if place.is_empty() { capital(you) } else { format!("{place} {you}") };
            let said = if said.is_empty() { String::new() } else { format!(": {}", said.join(", ")) };
            format!("{you} {what}{said}")
        }
    }
}

/// Whether the figures of a sentence agree with it: more than half of the episodes, and the means, if they are known
/// and the sentence has a unit for them.
#[must_use]
pub fn is_consistent(language: Language, feature: Feature, direction: i32, figures: &Figures) -> bool {
    let points_back = (figures.after - figures.before) * f64::from(direction) < 0.0;
    u64::from(figures.agree) * 2 > u64::from(figures.of) && !(has_unit(language, feature) && points_back)
}

/// The category of a rule about a feature.
#[must_use]
pub fn category(feature: Feature) -> Category {
    match feature.category() {
        style::Category::Pacing => Category::Pacing,
        style::Category::Style => Category::Style,
        style::Category::Structure => Category::Structure,
        style::Category::Character => Category::Character,
        style::Category::Vocabulary => Category::Vocabulary,
    }
}

/// The stratum in words: 对话场景里, 续写时, `In dialogue scenes`, `When continuing in dialogue scenes`.
fn stratum_phrase(language: Language, scene: Option<&str>, skill: Option<&str>) -> String {
    let line = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ");
    let scene = scene.map(line).filter(|name| !name.is_empty());
    let skill = skill.map(line).filter(|name| !name.is_empty());
    let scene = scene.as_deref().map(|name| names::scene(language, name));
    match language {
        Language::Zh => {
            let scene = scene.map(|name| match name.ends_with("场景") {
                true => format!("{name}里"),
                false => format!("{name}场景里"),
            });
            let skill = skill.as_deref().map(|name| match names::skill(language, name) {
                "问" => "回答时".to_owned(),
                own if own == name => format!("用“{own}”时"),
                known => format!("{known}时"),
            });
            [scene, skill].into_iter().flatten().collect()
        }
        Language::En => {
            let scene = scene.map(|name| match name.ends_with("scene") || name.ends_with("scenes") {
                true => format!("in {name}"),
                false => format!("in {name} scenes"),
            });
            let skill = skill.as_deref().map(|name| match name {
                "continue" => "when continuing".to_owned(),
                "polish" => "when polishing".to_owned(),
                "rewrite" => "when rewriting".to_owned(),
                "expand" => "when expanding".to_owned(),
                "condense" => "when condensing".to_owned(),
                "ask" => "when answering".to_owned(),
                own => format!("with “{own}”"),
            });
            capital(&[skill, scene].into_iter().flatten().collect::<Vec<_>>().join(" "))
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Whether a reader understands the feature's quantity, so that a sentence says it.
fn has_unit(language: Language, feature: Feature) -> bool {
    let some = Figures { before: 1.0, after: 9.0, agree: 1, of: 1, written: true };
    measured(language, feature, 1, &some).is_some()
}

/// `21 → 14 words`, where the feature has a unit.
fn measured(language: Language, feature: Feature, direction: i32, figures: &Figures) -> Option<String> {
    let zh = language == Language::Zh;
    // Shares and marks a sentence are easier to read per hundred.
    let (before, after, of_hundred) = match feature {
        Feature::ShortSentences
        | Feature::LongSentences
        | Feature::ConjunctionOpenings
        | Feature::RepeatedOpenings
        | Feature::DialogueShare
        | Feature::Exclamations
        | Feature::Questions => (figures.before * 100.0, figures.after * 100.0, true),
        _ => (figures.before, figures.after, false),
    };
    let differs = before.is_finite() && after.is_finite() && before >= 0.0 && after >= 0.0;
    if !differs || (after - before) * f64::from(direction) <= 0.0 {
        return None;
    }
    // 4.6 → 4.2 must not become 5 → 4.
    let digits = usize::from(!of_hundred && (after - before).abs() < 2.0);
    let tens = if digits == 0 { 1.0 } else { 10.0 };
    if (before * tens).round() == (after * tens).round() {
        return None;
    }
    let pair = match language {
        Language::Zh => format!("{before:.digits$}→{after:.digits$}"),
        Language::En => format!("{before:.digits$} → {after:.digits$}"),
    };
    let said = match feature {
        Feature::Length | Feature::SentenceLength if zh => format!("平均 {pair} 字"),
        Feature::Length | Feature::SentenceLength => format!("{pair} words"),
        Feature::ParagraphLength if zh => format!("每段 {pair} 句"),
        Feature::ParagraphLength => format!("{pair} sentences a paragraph"),
        Feature::WordLength if !zh => format!("{pair} letters a word"),
        Feature::Exclamations | Feature::Questions if zh => format!("每百句 {pair} 个"),
        Feature::Exclamations | Feature::Questions => format!("{pair} in 100 sentences"),
        Feature::DialogueShare if zh => format!("占全文 {pair}%"),
        Feature::DialogueShare => format!("{pair}% of the text"),
        _ if of_hundred && zh => format!("占全部句子的 {pair}%"),
        _ if of_hundred => format!("{pair}% of sentences"),
        _ => return None,
    };
    Some(said)
}

/// `18 of 21 edits`.
fn counted(language: Language, figures: &Figures) -> Option<String> {
    let Figures { agree, of, written, .. } = *figures;
    let said = match (language, written) {
        (Language::Zh, true) => format!("{of} 次修改中有 {agree} 次"),
        (Language::Zh, false) => format!("{of} 次选择中有 {agree} 次"),
        (Language::En, true) => format!("{agree} of {of} edits"),
        (Language::En, false) => format!("{agree} of {of} choices"),
    };
    (of > 0 && agree <= of).then_some(said)
}
