//! Estimated influence of each memory on a draft: measured when the generation has ended, against recent drafts of the
//! project, written with the trace and never changed.

use std::collections::HashMap;

use palimpsest_text::{
    Language as Script, detect_or,
    style::{self, Feature, measure_as},
};

use super::{Engine, asking::ASK_SKILL};
use crate::{
    episodic::style::language_of,
    error::{Error, OrLog, Result},
    model::{
        Changed, Episode, Followed, GenerationId, Influence, MemoryWeight, ProjectId, Reference, ReferenceKind, Rule,
        RuleFollowed, Tier, Topic, Trace,
    },
    provenance::{
        compliance::{self, Compliance, Recent},
        likeness::{self, Likeness, Words},
        tally::{self, Tally},
        weights::weights,
    },
    semantic::rules::Matter,
    storage::{
        Tx, episodes, followed,
        influences::{self, Draft},
        rules, traces,
    },
};

/// A memory whose influence on a draft can be measured.
pub(super) enum Yardstick {
    /// A measurable rule.
    Rule { feature: Feature, direction: i32, confidence: f64 },
    /// The manuscript's text after an earlier run, with its style vector.
    Example { style: Vec<f32>, text: String },
}

impl Engine {
    /// Measures the drafts of a finished generation, each with its place on screen, and stores both the weights and the
    /// style vectors that later drafts are compared with. Existing measurements stay.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND` without a trace; those of the store.
    pub fn measure_drafts(
        &self,
        project_id: &ProjectId,
        generation_id: &GenerationId,
        drafts: &[(u32, &str)],
    ) -> Result<Changed<()>> {
        let book = self.visit(project_id)?;
        let db = self.stores.episodes.open()?;
        let trace = traces::get(&*db.reader()?, generation_id)?
            .filter(|trace| trace.project_id == *project_id)
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
                words: Words::from_text(text).to_bytes(),
            };
            let recent = influences::recent(&*db.reader()?, &trace, language, style::VERSION)?;
            let yardsticks = self.yardsticks(&trace, language);
            let influence = influence(&trace, &draft, &yardsticks, &recent, self.clock.now());
            measured.push((draft, influence));
        }
        let matters = self.matters(&trace);
        db.write("write influences", |tx| {
            let mut is_new = false;
            for (draft, influence) in &measured {
                influences::insert_draft(tx, &trace, draft, style::VERSION)?;
                is_new |= influences::insert(tx, &trace, influence)?;
            }
            if is_new {
                count_followed(tx, &trace, &matters, &measured)?;
            }
            influences::trim(tx, project_id)
        })?;
        // The compliance of a rule is listed with the rules.
        Ok(Changed::new((), Some(project_id.clone()), [Topic::Traces, Topic::Rules]))
    }

    /// The matters of the rules of a trace by identity, in the version that was in the prompt.
    fn matters(&self, trace: &Trace) -> HashMap<String, String> {
        let of = |id: &str, version| {
            let read =
                || rules::at_version(&*self.stores.rules.open()?.reader()?, &trace.project_id, &id.into(), version);
            about(&read().or_log("read a rule of a trace")??)
        };
        let known = trace.references.iter().filter(|one| one.kind == ReferenceKind::Rule);
        known.filter_map(|one| Some((one.id.clone(), of(&one.id, one.version)?))).collect()
    }

    /// How often the last generations of a project followed some rules.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn followed(&self, project_id: &ProjectId, rules: &[Rule]) -> Result<Vec<RuleFollowed>> {
        let tallies = followed::of_book(&*self.stores.episodes.open()?.reader()?, project_id)?;
        if tallies.is_empty() {
            return Ok(Vec::new());
        }
        let of = |rule: &Rule| {
            let (matter, recent) = tallies.get(&rule.id)?;
            let tally = Tally::parse(recent);
            let Tally { yes, partly, no } = tally;
            let followed_by_rule =
                RuleFollowed { rule_id: rule.id.clone(), yes, partly, no, ignored: tally.is_ignored() };
            (about(rule).as_ref() == Some(matter)).then_some(followed_by_rule)
        };
        Ok(rules.iter().filter_map(of).collect())
    }

    /// The measurable memories of a trace, by reference: rules in the version that was in the prompt, and examples that
    /// still exist; of a question, everything that its prompt had. Memories in a file that cannot be read are left out.
    pub(super) fn yardsticks(&self, trace: &Trace, language: Script) -> HashMap<String, Yardstick> {
        let example = |text: &str| Yardstick::Example {
            style: measure_as(text, language).as_slice().to_vec(),
            text: text.to_owned(),
        };
        let of = |one: &Reference| match one.kind {
            ReferenceKind::Rule => {
                let read = || {
                    rules::at_version(
                        &*self.stores.rules.open()?.reader()?,
                        &trace.project_id,
                        &one.id.as_str().into(),
                        one.version,
                    )
                };
                let rule: Rule = read().or_log("read a rule of a trace")??;
                let Matter { feature, direction, .. } = Matter::from_rule(&rule)?;
                Some(Yardstick::Rule { feature, direction, confidence: rule.confidence })
            }
            ReferenceKind::Episode => {
                let read =
                    self.stores.episodes.open().and_then(|db| episodes::get(&*db.reader()?, &one.id.as_str().into()));
                let (episode, _): (Episode, String) = read.or_log("read an episode of a trace")??;
                let is_example =
                    episode.project_id == trace.project_id && !episode.compressed && !episode.final_text.is_empty();
                is_example.then(|| example(&episode.final_text))
            }
            // An answer is compared with the words that it was given; a draft that is written is not.
            ReferenceKind::Entity | ReferenceKind::Passage | ReferenceKind::Answer | ReferenceKind::Entry => {
                (trace.skill == ASK_SKILL).then(|| example(&one.text))
            }
            ReferenceKind::Working => None,
        };
        let known = trace.references.iter();
        known.filter_map(|one| Some((one.reference_id.clone(), of(one)?))).collect()
    }
}

/// The matter of a rule as a key that changes with it.
fn about(rule: &Rule) -> Option<String> {
    let Matter { feature, direction, .. } = Matter::from_rule(rule)?;
    Some(format!("{}:{direction}", feature.as_str()))
}

/// Counts a generation, once, for each of its rules whose compliance can be measured in the drafts.
fn count_followed(
    tx: &Tx<'_>,
    trace: &Trace,
    matters: &HashMap<String, String>,
    measured: &[(Draft, Influence)],
) -> Result<()> {
    for reference in &trace.references {
        let Some(matter) = matters.get(&reference.id) else { continue };
        let of = |influence: &Influence| {
            let weight = influence.weights.iter().find(|one| one.reference_id == reference.reference_id)?;
            weight.followed
        };
        let drafts: Vec<Followed> = measured.iter().filter_map(|(_, influence)| of(influence)).collect();
        if let Some(one) = tally::of_generation(&drafts) {
            let rule_id = reference.id.as_str().into();
            let had = followed::get(tx, &trace.project_id, &rule_id, matter)?.unwrap_or_default();
            followed::upsert(tx, &trace.project_id, &rule_id, matter, &tally::after(&had, one))?;
        }
    }
    Ok(())
}

/// The weights of all references of a trace in one draft, and the remainder.
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
        followed: found.map(|found| found.followed),
        change: None,
    });
    Influence {
        tier: Tier::Compliance,
        weights: weights.collect(),
        remainder: shares.remainder,
        measured_at,
        candidate: draft.candidate,
        regenerations: None,
    }
}

fn measure(draft: &Draft, yardstick: &Yardstick, reference_id: &str, recent: &[Draft]) -> Option<Compliance> {
    let with = |one: &Draft| one.references.iter().any(|id| id == reference_id);
    match yardstick {
        Yardstick::Rule { feature, direction, confidence } => {
            let value = |one: &Draft| one.features.get(feature.index()).map_or(f64::NAN, |value| f64::from(*value));
            let recent: Vec<Recent<f64>> =
                recent.iter().map(|one| Recent { measure: value(one), with: with(one) }).collect();
            compliance::judge_rule(value(draft), *direction, *confidence, &recent)
        }
        Yardstick::Example { style: example, text } => {
            let deviations = style::default_spread(draft.language);
            let words = Words::from_text(text);
            // Where the words of one draft are not stored, words are not compared in the others either: a constant is
            // left out.
            let all: Option<Vec<Words>> =
                std::iter::once(draft).chain(recent).map(|one| Words::from_bytes(&one.words)).collect();
            let like = |one: &Draft, at: usize| Likeness {
                words: all.as_ref().and_then(|all| all.get(at)).map_or(0.0, |theirs| words.in_draft(theirs)),
                style: likeness::style(example, &one.features, deviations.as_slice()),
            };
            let recent: Vec<Recent<Likeness>> = recent
                .iter()
                .enumerate()
                .map(|(n, one)| Recent { measure: like(one, n + 1), with: with(one) })
                .collect();
            compliance::judge_example(like(draft, 0), &recent)
        }
    }
}
