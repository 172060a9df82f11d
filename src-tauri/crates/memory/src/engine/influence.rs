//! How much each memory weighed in a draft: measured when the generation has ended, against recent drafts of the book,
//! written with the trace and never again.

use std::collections::HashMap;

use palimpsest_text::{
    Language as Script, detect_or,
    style::{self, Feature, measure_as},
};

use super::Engine;
use crate::{
    episodic::style::language_of,
    error::{Error, Result},
    model::{Changed, Episode, Followed, Influence, MemoryWeight, ReferenceKind, Rule, Tier, Topic, Trace},
    provenance::{
        compliance::{self, Compliance, Recent},
        likeness::{self, Likeness},
        weights::weights,
    },
    semantic::rules::Matter,
    storage::{
        influences::{self, Draft},
        lives, rules, traces,
    },
};

/// A memory that a draft can be measured against.
enum Yardstick {
    /// A rule about something measurable.
    Rule { feature: Feature, direction: i32, confidence: f64 },
    /// What stands in the manuscript after an earlier run, in numbers.
    Example(Vec<f32>),
}

impl Engine {
    /// Measures the drafts of a generation that has ended, each with its place on screen, and keeps both the measure and
    /// the numbers that later drafts are compared with. What was measured before stays.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` where no trace was kept; those of the store.
    pub fn measure_drafts(&self, project_id: &str, generation_id: &str, drafts: &[(u32, &str)]) -> Result<Changed<()>> {
        let book = self.visit(project_id)?;
        let db = self.episodes.open()?;
        let trace = traces::get(&*db.reader()?, generation_id)?
            .filter(|trace| trace.project_id == project_id)
            .ok_or_else(|| Error::not_found("generationId", "generation"))?;
        let references: Vec<String> = trace.references.iter().map(|one| one.reference_id.clone()).collect();
        let mut measured = Vec::new();
        for (candidate, text) in drafts.iter().filter(|(_, text)| !text.trim().is_empty()) {
            let language = detect_or(text, language_of(book.language));
            let draft = Draft {
                candidate: *candidate,
                language,
                features: measure_as(text, language).as_slice().to_vec(),
                references: references.clone(),
            };
            let recent = influences::recent(&*db.reader()?, &trace, language, style::VERSION)?;
            let yardsticks = self.yardsticks(&trace, language);
            let influence = influence(&trace, &draft, &yardsticks, &recent, self.clock.now());
            measured.push((draft, influence));
        }
        db.write(|tx| {
            for (draft, influence) in &measured {
                influences::put_draft(tx, &trace, draft, style::VERSION)?;
                influences::put(tx, &trace, influence)?;
            }
            influences::trim(tx, project_id)
        })?;
        Ok(Changed::new((), Some(project_id.to_owned()), [Topic::Traces]))
    }

    /// What can be measured of the memories of a trace, by reference. A memory that has changed since it went in, or is
    /// gone, cannot; nor can one whose file does not answer.
    fn yardsticks(&self, trace: &Trace, language: Script) -> HashMap<String, Yardstick> {
        let of = |kind, id: &str, version| match kind {
            ReferenceKind::Rule => {
                let rule: Rule = rules::get(&*self.rules.open().ok()?.reader().ok()?, id).ok()??;
                let matter = Matter::of(&rule).filter(|_| rule.version == version)?;
                let Matter { feature, direction, .. } = matter;
                Some(Yardstick::Rule { feature, direction, confidence: rule.confidence })
            }
            ReferenceKind::Episode => {
                let (episode, _): (Episode, String) =
                    lives::get(&*self.episodes.open().ok()?.reader().ok()?, id).ok()??;
                let is_example =
                    episode.project_id == trace.project_id && !episode.compressed && !episode.final_text.is_empty();
                is_example.then(|| Yardstick::Example(measure_as(&episode.final_text, language).as_slice().to_vec()))
            }
            ReferenceKind::Working => None,
        };
        let known = trace.references.iter();
        known.filter_map(|one| Some((one.reference_id.clone(), of(one.kind, &one.id, one.version)?))).collect()
    }
}

/// The weights of all references of a trace in one draft, and what they leave.
fn influence(
    trace: &Trace,
    draft: &Draft,
    yardsticks: &HashMap<String, Yardstick>,
    recent: &[Draft],
    measured_at: crate::model::Time,
) -> Influence {
    let found: Vec<Option<Compliance>> = trace
        .references
        .iter()
        .map(|one| measure(draft, yardsticks.get(&one.reference_id)?, &one.reference_id, recent))
        .collect();
    let effects: Vec<Option<f64>> = found.iter().map(|one| one.map(|one| one.effect)).collect();
    let shares = weights(&effects);
    let each = trace.references.iter().zip(found).zip(shares.weights);
    let weights = each.map(|((reference, found), weight)| MemoryWeight {
        reference_id: reference.reference_id.clone(),
        weight,
        effect: found.map(|found| found.effect),
        followed: found.map(|found| match found.followed {
            compliance::Followed::Yes => Followed::Yes,
            compliance::Followed::Partly => Followed::Partly,
            compliance::Followed::No => Followed::No,
        }),
    });
    Influence {
        tier: Tier::Compliance,
        weights: weights.collect(),
        remainder: shares.remainder,
        measured_at,
        candidate: draft.candidate,
    }
}

fn measure(draft: &Draft, yardstick: &Yardstick, reference_id: &str, recent: &[Draft]) -> Option<Compliance> {
    let with = |one: &Draft| one.references.iter().any(|id| id == reference_id);
    match yardstick {
        Yardstick::Rule { feature, direction, confidence } => {
            let value = |one: &Draft| one.features.get(feature.index()).map_or(f64::NAN, |value| f64::from(*value));
            let recent: Vec<Recent<f64>> =
                recent.iter().map(|one| Recent { measure: value(one), with: with(one) }).collect();
            compliance::rule(value(draft), *direction, *confidence, &recent)
        }
        Yardstick::Example(example) => {
            let deviations = style::spread(draft.language);
            // By style alone: the words of recent drafts are not kept. The same number for all of them is left out.
            let like = |one: &Draft| Likeness {
                words: 0.0,
                style: likeness::style(example, &one.features, deviations.as_slice()),
            };
            let recent: Vec<Recent<Likeness>> =
                recent.iter().map(|one| Recent { measure: like(one), with: with(one) }).collect();
            compliance::example(like(draft), &recent)
        }
    }
}
