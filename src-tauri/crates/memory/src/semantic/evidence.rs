//! From an episode to its style evidence, and from many such rows to the input of [`palimpsest_learning`].
//!
//! All functions here are pure. The caller makes sure that the spread is the one of earlier episodes alone:
//! [`evidence_of`] first, then [`observe`].

use std::collections::BTreeSet;

use palimpsest_learning::{
    Kind, Row, Settings, Spread, Stratum,
    evidence::{self as statistics, Evidence},
};
use palimpsest_text::style::{self, Feature};

use super::mending;
use crate::{
    episodic::style::{Measured, Part},
    model::{Episode, EvidenceRow, HiddenName, ImplicitSignal, WrittenKind},
};

/// Features that move wherever a sentence ends elsewhere, though a writer thinks of the sentences: their evenness,
/// repeated openings, sentences a paragraph, capitals inside a sentence.
const SECONDARY_FEATURES: [usize; 4] = [
    Feature::SentenceVariation.index(),
    Feature::RepeatedOpenings.index(),
    Feature::ParagraphLength.index(),
    Feature::NamesAndNumbers.index(),
];

/// The parameters of a distillation over style evidence.
#[must_use]
pub fn settings() -> Settings {
    Settings { secondary: &SECONDARY_FEATURES, ..Settings::default() }
}

/// The style evidence of an episode, measured against the spread of earlier ones. `measured` are the features of its
/// texts, all of one version; `names` are those on the project's map. `None` for an episode without any texts: an
/// observation over a session, or feedback.
///
/// The row is not marked as paused here: the code that stores it does that.
#[must_use]
pub fn evidence_of(
    episode: &Episode,
    measured: &[Measured],
    names: &[HiddenName],
    spread: &Spread,
) -> Option<EvidenceRow> {
    let first = measured.iter().find(|one| one.part != Part::Input)?;
    let (language, version) = (first.language, first.version);
    debug_assert!(measured.iter().all(|one| one.version == version));
    let numbers = |part: Part| measured.iter().find(|one| one.part == part).map(|one| one.numbers.clone());
    let count = measured
        .iter()
        .filter_map(|one| if let Part::Candidate(n) = one.part { Some(n + 1) } else { None })
        .max()
        .unwrap_or(0);
    // A candidate that could not be measured keeps its place, and ties with every other.
    let candidates: Vec<Vec<f32>> = (0..count).map(|n| numbers(Part::Candidate(n)).unwrap_or_default()).collect();
    let written = numbers(Part::Final);

    let deviations = spread.deviations(style::default_spread(language).as_slice());
    let chosen = episode.selected_index.taken();
    let choice = chosen.and_then(|chosen| {
        let taken = candidates.get(chosen)?;
        let others: Vec<&Vec<f32>> =
            candidates.iter().enumerate().filter(|(at, _)| *at != chosen).map(|(_, other)| other).collect();
        (!others.is_empty()).then(|| statistics::from_choice(taken, &others, &deviations))
    });
    let said = written.as_ref().and_then(|written| match chosen {
        Some(chosen) => {
            let before = candidates.get(chosen)?;
            let is_edit = episode.edit_distance.is_some_and(|distance| distance > 0.0) && !only_mended(episode, names);
            is_edit.then(|| (WrittenKind::Edit, statistics::from_edit(before, written, &deviations)))
        }
        None if candidates.is_empty() => None,
        None => Some((WrittenKind::Own, statistics::from_own_text(written, &candidates, &deviations))),
    });
    Some(EvidenceRow {
        project_id: episode.project_id.clone(),
        episode_id: episode.id.clone(),
        occurred_at: episode.created_at,
        scene_type: episode.scene_type.clone(),
        skill_used: episode.skill_used.clone(),
        language,
        feature_version: version,
        candidates: count,
        texts: candidates.into_iter().chain(written).collect(),
        selected_index: episode.selected_index,
        choice,
        // An edit within the dead zone of every feature is no edit of style.
        written: said.filter(|(_, evidence)| !evidence.is_all_ties()),
        undone: episode.implicit == ImplicitSignal::DelayedNegative,
        paused: false,
    })
}

/// Whether the writer only corrected slips and names. A compressed episode has only the beginnings of its texts; its
/// features decide.
fn only_mended(episode: &Episode, names: &[HiddenName]) -> bool {
    let taken = episode.selected_index.taken().and_then(|at| episode.candidates.get(at));
    !episode.compressed && taken.is_some_and(|taken| mending::is_all(taken, &episode.final_text, names))
}

/// Adds the candidates of an episode to the spread: after its own evidence was made, and once.
pub fn observe(spread: &mut Spread, row: &EvidenceRow) {
    for candidate in row.texts.iter().take(row.candidates as usize) {
        spread.observe(candidate);
    }
}

/// Numbers for the names of scenes and skills. The same rows give the same numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Strata {
    scenes: Vec<String>,
    skills: Vec<String>,
}

impl Strata {
    /// The names in the rows.
    #[must_use]
    pub fn from_rows(rows: &[EvidenceRow]) -> Self {
        let distinct =
            |names: BTreeSet<&str>| names.into_iter().take(usize::from(u16::MAX)).map(str::to_owned).collect();
        Self {
            scenes: distinct(rows.iter().filter_map(|row| row.scene_type.as_deref()).collect()),
            skills: distinct(rows.iter().map(|row| row.skill_used.as_str()).collect()),
        }
    }

    /// The stratum of a rule for this scene or this skill; `None` where no row has it, and for both at once.
    #[must_use]
    pub fn stratum(&self, scene: Option<&str>, skill: Option<&str>) -> Option<Stratum> {
        match (scene, skill) {
            (None, None) => Some(Stratum::Anywhere),
            (Some(scene), None) => index_of(&self.scenes, scene).map(Stratum::Scene),
            (None, Some(skill)) => index_of(&self.skills, skill).map(Stratum::Skill),
            (Some(_), Some(_)) => None,
        }
    }

    /// Scene and skill of a stratum.
    #[must_use]
    pub fn scene_and_skill(&self, stratum: Stratum) -> (Option<&str>, Option<&str>) {
        match stratum {
            Stratum::Anywhere => (None, None),
            Stratum::Scene(at) => (self.scenes.get(usize::from(at)).map(String::as_str), None),
            Stratum::Skill(at) => (None, self.skills.get(usize::from(at)).map(String::as_str)),
        }
    }
}

fn index_of(names: &[String], name: &str) -> Option<u16> {
    names.binary_search_by(|known| known.as_str().cmp(name)).ok().and_then(|at| u16::try_from(at).ok())
}

/// Evidence in the form that is folded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Ordered by time.
    pub rows: Vec<Row>,
    /// Index of the evidence that each row comes from.
    pub of: Vec<usize>,
    /// The names of its scenes and skills.
    pub strata: Strata,
}

/// Evidence of one project as rows ordered by time: one a choice, one more an edit or own text. Undone episodes are
/// reversed; episodes recorded while learning was paused are left out. Features are those of [`Feature::ALL`]: new ones
/// are only ever added at its end, and older evidence has none about them.
#[must_use]
pub fn table(evidence: &[EvidenceRow]) -> Table {
    let strata = Strata::from_rows(evidence);
    let mut order: Vec<usize> = (0..evidence.len()).filter(|at| !evidence[*at].paused).collect();
    order.sort_by(|one, other| {
        let key = |at: usize| (evidence[at].occurred_at, evidence[at].episode_id.as_str());
        key(*one).cmp(&key(*other))
    });
    let mut table = Table { strata, ..Table::default() };
    for at in order {
        let row = &evidence[at];
        let scene = row.scene_type.as_deref().and_then(|scene| index_of(&table.strata.scenes, scene));
        let skill = index_of(&table.strata.skills, &row.skill_used);
        let mut push = |kind, Evidence { a, dz }: Evidence| {
            table.rows.push(Row { order: row.occurred_at.millis(), scene, skill, kind, a, dz });
            table.of.push(at);
        };
        match &row.choice {
            Some(choice) if row.undone => push(Kind::Undo, choice.clone().reversed()),
            Some(choice) => push(Kind::Choice, choice.clone()),
            None => {}
        }
        match &row.written {
            Some((WrittenKind::Edit, edit)) => push(Kind::Edit, edit.clone()),
            Some((WrittenKind::Own, own)) => push(Kind::Own, own.clone()),
            None => {}
        }
    }
    table
}

/// Means of the rejected and the preferred texts in the feature's own unit, for the words of a pattern: of edits and
/// own texts if `is_written`, else of choices. `None` without such evidence on the feature.
#[must_use]
pub fn means(evidence: &[&EvidenceRow], feature: Feature, is_written: bool) -> Option<(f64, f64)> {
    let (mut before, mut after, mut count) = (0.0, 0.0, 0.0);
    for row in evidence {
        if let Some((not, was)) = preferred(row, feature, is_written) {
            before += not;
            after += was;
            count += 1.0;
        }
    }
    (count > 0.0).then(|| (before / count, after / count))
}

fn preferred(row: &EvidenceRow, feature: Feature, is_written: bool) -> Option<(f64, f64)> {
    let speaks = |evidence: &Evidence| evidence.a.get(feature.index()).is_some_and(|a| *a != 0.0);
    let value = |text: &Vec<f32>| {
        let value = *text.get(feature.index())?;
        value.is_finite().then(|| f64::from(feature.scale(row.language).undo(value)))
    };
    let mean = |texts: &mut dyn Iterator<Item = &Vec<f32>>| {
        let (sum, count) = texts.filter_map(value).fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        (count > 0.0).then(|| sum / count)
    };
    let candidates = row.texts.get(..row.candidates as usize)?;
    let last = || row.texts.get(row.candidates as usize).and_then(value);
    let chosen = row.selected_index.taken();
    match (row.written.as_ref().filter(|_| is_written), row.choice.as_ref().filter(|_| !is_written)) {
        (Some((WrittenKind::Edit, edit)), _) if speaks(edit) => {
            Some((candidates.get(chosen?).and_then(value)?, last()?))
        }
        (Some((WrittenKind::Own, own)), _) if speaks(own) => Some((mean(&mut candidates.iter())?, last()?)),
        (_, Some(choice)) if speaks(choice) => {
            let taken = candidates.get(chosen?).and_then(value)?;
            let mut rejected =
                candidates.iter().enumerate().filter(|(at, _)| Some(*at) != chosen).map(|(_, text)| text);
            let others = mean(&mut rejected)?;
            Some(if row.undone { (taken, others) } else { (others, taken) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
