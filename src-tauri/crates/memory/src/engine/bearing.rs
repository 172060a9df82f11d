//! The evidence of one project that bears on a matter: the episodes that support or contradict a rule, and the figures
//! of its wording.

use std::collections::HashSet;

use palimpsest_learning::{Direction, Restart, RestartCause, Stratum, SupportedRule};
use palimpsest_text::style::Feature;
use rusqlite::Connection;

use crate::{
    error::Result,
    model::{EpisodeId, EvidenceRow, Language, ProjectId, Tombstone, TombstoneCause},
    semantic::{
        evidence::{Strata, Table, means, table},
        reconcile::Finding,
        rules::Matter,
        wording::{self, Figures},
    },
    storage::{evidence, support::MAX_EPISODES_PER_SIDE, tombstones},
};

/// Maximum number of episodes that a model is shown for a pattern.
pub(super) const MAX_EXAMPLES: usize = 3;

/// A supported rule with examples for a model.
pub(super) struct FindingWithExamples {
    pub(super) finding: Finding,
    /// The latest episodes that agree.
    pub(super) examples: Vec<EpisodeId>,
}
/// The episodes that bear on a matter in a project now: for a rule that is restored.
pub(super) fn current_support(
    db: &Connection,
    project_id: &ProjectId,
    matter: &Matter,
) -> Result<Vec<(EpisodeId, bool)>> {
    let evidence = evidence::of_project(db, project_id)?;
    let table = table(&evidence);
    let restarts = restarts(&tombstones::list(db)?, project_id, &table.strata);
    // The language matters only for words.
    let here = ProjectEvidence { evidence: &evidence, table: &table, restarts: &restarts, language: Language::En };
    Ok(here.support(matter))
}

pub(super) fn restarts(stones: &[Tombstone], project_id: &ProjectId, strata: &Strata) -> Vec<Restart> {
    let here = stones.iter().filter(|stone| stone.holds_in(project_id));
    here.filter_map(|stone| {
        let cause = match stone.why {
            TombstoneCause::Deleted => RestartCause::Deleted,
            TombstoneCause::Drifted => RestartCause::Drifted,
            TombstoneCause::Undone => return None,
        };
        let (feature, _) = stone.dimension.as_ref()?;
        Some(Restart {
            feature: Feature::parse(feature)?.index(),
            stratum: strata.stratum(stone.scene_type.as_deref(), stone.skill_used.as_deref())?,
            since: stone.since.millis(),
            cause,
        })
    })
    .collect()
}

/// The evidence of one project with its table and rules.
pub(super) struct ProjectEvidence<'a> {
    pub(super) evidence: &'a [EvidenceRow],
    pub(super) table: &'a Table,
    pub(super) restarts: &'a [Restart],
    pub(super) language: Language,
}

impl ProjectEvidence<'_> {
    /// Wording and examples of a supported rule. `None` for one whose own figures do not agree with it.
    pub(super) fn finding(&self, found: &SupportedRule) -> Option<FindingWithExamples> {
        let feature = *Feature::ALL.get(found.feature)?;
        let direction = if found.direction == Direction::More { 1 } else { -1 };
        let (scene, skill) = self.table.strata.scene_and_skill(found.stratum);
        let figures = self.figures(found, feature);
        if !wording::is_consistent(self.language, feature, direction, &figures) {
            return None;
        }
        let say = |figures: Option<&Figures>| {
            wording::rule_sentence(self.language, feature, direction, scene, skill, figures)
        };
        let mut templates = vec![say(None)];
        for written in [true, false] {
            for agree in [0, figures.of] {
                templates.push(say(Some(&Figures { written, agree, ..figures })));
                templates.push(say(Some(&Figures { written, agree, before: 0.0, after: 0.0, ..figures })));
            }
        }
        let finding = Finding {
            matter: Matter { feature, direction, scene_type: scene.map(Into::into), skill_used: skill.map(Into::into) },
            category: wording::category(feature),
            words: say(Some(&figures)),
            plain: say(None),
            templates,
            confidence: found.confidence.value,
            confidence_low: found.confidence.low,
            evidence_count: u32::try_from(found.n).unwrap_or(u32::MAX),
            is_question: found.is_question,
        };
        let latest = found.supporting.iter().rev().filter_map(|row| self.episode(*row));
        let mut known = HashSet::new();
        let examples = latest.map(|row| row.episode_id.clone()).filter(|id| known.insert(id.clone()));
        Some(FindingWithExamples { finding, examples: examples.take(MAX_EXAMPLES).collect() })
    }

    fn episode(&self, row: usize) -> Option<&EvidenceRow> {
        self.evidence.get(*self.table.of.get(row)?)
    }

    /// The figures of the kind of evidence that carries the rule, and of no other.
    fn figures(&self, found: &SupportedRule, feature: Feature) -> Figures {
        let written = found.is_carried_by_writing;
        let carries = |row: &&usize| self.table.rows.get(**row).is_some_and(|row| row.kind.is_written() == written);
        let count = |rows: &[usize]| u32::try_from(rows.iter().filter(carries).count()).unwrap_or(u32::MAX);
        let (agree, disagree) = (count(&found.supporting), count(&found.contradicting));
        let rows = found.supporting.iter().chain(&found.contradicting).filter(carries);
        let episodes: Vec<&EvidenceRow> = rows.filter_map(|row| self.episode(*row)).collect();
        let (before, after) = means(&episodes, feature, written).unwrap_or((f64::NAN, f64::NAN));
        Figures { before, after, agree, of: agree.saturating_add(disagree), written }
    }

    /// The latest episodes that bear on a matter: an episode with an opposite choice and edit counts by their sum.
    pub(super) fn support(&self, matter: &Matter) -> Vec<(EpisodeId, bool)> {
        let Some(stratum) = self.table.strata.stratum(matter.scene_type.as_deref(), matter.skill_used.as_deref())
        else {
            return Vec::new();
        };
        let feature = matter.feature.index();
        let void: Vec<&Restart> =
            self.restarts.iter().filter(|restart| restart.feature == feature && overlap(restart, stratum)).collect();
        let mut sums: Vec<f32> = vec![0.0; self.evidence.len()];
        let mut order = Vec::new();
        for (row, of) in self.table.rows.iter().zip(&self.table.of) {
            let a = row.evidence(feature);
            let is_void = || void.iter().any(|restart| row.order <= restart.since && restart.stratum.contains(row));
            if a == 0.0 || !stratum.contains(row) || is_void() {
                continue;
            }
            if order.last() != Some(of) {
                order.push(*of);
            }
            if let Some(sum) = sums.get_mut(*of) {
                *sum += a * matter.direction as f32;
            }
        }
        let mut left = [MAX_EPISODES_PER_SIDE; 2];
        let mut episodes = Vec::new();
        for of in order.into_iter().rev() {
            let (Some(sum), Some(row)) = (sums.get(of), self.evidence.get(of)) else { continue };
            let agrees = *sum > 0.0;
            let room = &mut left[usize::from(agrees)];
            if *sum != 0.0 && *room > 0 {
                *room -= 1;
                episodes.push((row.episode_id.clone(), agrees));
            }
        }
        episodes.sort();
        episodes.dedup_by(|one, other| one.0 == other.0);
        episodes
    }
}

fn overlap(restart: &Restart, stratum: Stratum) -> bool {
    restart.stratum.overlaps(stratum)
}
