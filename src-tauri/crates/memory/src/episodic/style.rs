//! The style vectors of an episode's texts, and the preferences that they show.

use palimpsest_text::{
    Language, detect_or,
    style::{self, Feature, Features, default_spread, measure_as},
};

use crate::model::{self, Episode, ImplicitSignal};

/// Maximum measured characters of the input, from its end: the writer's style just before.
const MAX_INPUT_CHARS: usize = 1_200;
/// Minimum difference worth naming, in standard deviations.
const MIN_NAMED_DIFFERENCE: f32 = 0.5;
/// Maximum number of named differences.
const MAX_NAMED: usize = 3;

/// The kind of a text of an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A candidate, by its index.
    Candidate(u32),
    /// The final text.
    Final,
    /// The end of the writer's own text before the candidates.
    Input,
}

/// The style vector of one text.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The kind of text.
    pub part: Part,
    /// The version of the features.
    pub version: u32,
    /// The language whose cues were counted; the same for all texts of an episode.
    pub language: Language,
    /// One number per feature, in their order.
    pub numbers: Vec<f32>,
}

/// The language of the project, as a type of the text crate.
#[must_use]
pub fn language_of(language: model::Language) -> Language {
    match language {
        model::Language::Zh => Language::Zh,
        model::Language::En => Language::En,
    }
}

/// Measures every text of an episode that is not blank. `book` is the language for texts that are too short to detect
/// theirs.
#[must_use]
pub fn measure(episode: &Episode, book: model::Language) -> Vec<Measured> {
    let told_by = if episode.final_text.trim().is_empty() {
        episode.candidates.first().map_or("", String::as_str)
    } else {
        &episode.final_text
    };
    let language = detect_or(told_by, language_of(book));
    let input = palimpsest_text::last_chars(&episode.input_context, MAX_INPUT_CHARS);
    let candidates = (0..).zip(&episode.candidates).map(|(n, text)| (Part::Candidate(n), text.as_str()));
    candidates
        .chain([(Part::Final, episode.final_text.as_str()), (Part::Input, input)])
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(part, text)| Measured {
            part,
            version: style::VERSION,
            language,
            numbers: measure_as(text, language).as_slice().to_vec(),
        })
        .collect()
}

/// Features of which the writer preferred more (true) or less, the clearest first: the difference made by editing, or
/// else between the chosen candidate and the rejected ones. An undone choice counts with the opposite sign.
#[must_use]
pub fn preferred(episode: &Episode, measured: &[Measured]) -> Vec<(Feature, bool)> {
    let numbers = |part| {
        let found = measured.iter().find(|one| one.part == part && one.version == style::VERSION)?;
        Features::from_slice(&found.numbers)
    };
    let Some(language) = measured.first().map(|one| one.language) else { return Vec::new() };
    let chosen = episode.selected_index.taken().and_then(|index| u32::try_from(index).ok());
    let others: Vec<Features> = measured
        .iter()
        .filter_map(|one| match one.part {
            Part::Candidate(n) if Some(n) != chosen => numbers(one.part),
            _ => None,
        })
        .collect();
    let mean = |feature: Feature| others.iter().map(|one| one.get(feature)).sum::<f32>() / others.len().max(1) as f32;
    let (written, draft) = (numbers(Part::Final), chosen.and_then(|n| numbers(Part::Candidate(n))));
    let undone = episode.implicit == ImplicitSignal::DelayedNegative;
    let edited = episode.edit_distance.is_some_and(|distance| distance > 0.0) && !undone;
    let difference = |feature: Feature| -> Option<f32> {
        Some(match (written, draft) {
            (Some(written), Some(draft)) if edited => written.get(feature) - draft.get(feature),
            (_, Some(draft)) if !others.is_empty() => {
                let chosen = draft.get(feature) - mean(feature);
                if undone { -chosen } else { chosen }
            }
            (Some(written), None) if !others.is_empty() => written.get(feature) - mean(feature),
            _ => return None,
        })
    };
    let spread = default_spread(language);
    let mut clear: Vec<(Feature, f32)> = Feature::ALL
        .into_iter()
        .filter_map(|feature| Some((feature, difference(feature)? / spread.get(feature))))
        .filter(|(_, difference)| difference.abs() >= MIN_NAMED_DIFFERENCE)
        .collect();
    clear.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    clear.into_iter().take(MAX_NAMED).map(|(feature, difference)| (feature, difference > 0.0)).collect()
}
