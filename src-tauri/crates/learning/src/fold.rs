//! Folds the rows into all hypotheses in one pass.
//!
//! Every row belongs to three strata at most (anywhere, its scene, its skill). A stratum opens with its first row.
//!
//! **Void rows.** A restart (the writer deleted a rule, or drift retired one) names a feature, a stratum and a
//! time; rows of that stratum up to then no longer count for that feature, in any stratum. So it restarts both
//! directions and nested strata, and the evidence of a scene's deleted rule cannot return inside a rule for the whole
//! project.

use crate::{
    confidence::DISAGREEMENTS_PER_WRONG,
    eprocess::PairedEProcess,
    input::{Restart, State},
    row::{Direction, Order, Row, Stratum},
};

/// The folded evidence about a feature in a stratum.
#[derive(Debug, Clone, Default)]
struct Cell {
    processes: [PairedEProcess; 2],
    relevant: u32,
    more: u32,
    /// Disagreements from verdicts "wrong" against more and against less. Counted apart: they carry no scope.
    wrong: [u32; 2],
}

/// The folded rows.
pub(crate) struct Ledger<'a> {
    pub(crate) rows: &'a [Row],
    pub(crate) features: usize,
    /// In the order of their first row; the first is [`Stratum::Anywhere`].
    pub(crate) strata: Vec<Stratum>,
    cells: Vec<Cell>,
    restarts: Vec<Vec<(Stratum, Order)>>,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(rows: &'a [Row], features: usize, state: &State) -> Self {
        let mut restarts = vec![Vec::new(); features];
        for restart in &state.restarts {
            if let Some(of_feature) = restarts.get_mut(restart.feature) {
                of_feature.push((restart.stratum, restart.since));
            }
        }
        let mut ledger =
            Self { rows, features, strata: vec![Stratum::Anywhere], cells: vec![Cell::default(); features], restarts };
        ledger.fold_rows();
        ledger.apply_verdicts(state);
        ledger
    }

    /// The same rows, none of them void for the given features. It has no e-values and no counts.
    pub(crate) fn with_all_rows_of(&self, features: impl Iterator<Item = usize>) -> Self {
        let mut restarts = self.restarts.clone();
        features.for_each(|feature| restarts[feature].clear());
        Self { rows: self.rows, features: self.features, strata: Vec::new(), cells: Vec::new(), restarts }
    }

    fn fold_rows(&mut self) {
        for row in self.rows {
            let mut strata = [Some(0), None, None];
            if let Some(scene) = row.scene {
                strata[1] = Some(self.open_stratum(Stratum::Scene(scene)));
            }
            if let Some(skill) = row.skill {
                strata[2] = Some(self.open_stratum(Stratum::Skill(skill)));
            }
            let is_written = row.kind.is_written();
            for feature in 0..self.features {
                let a = row.evidence(feature);
                if a == 0.0 || self.is_void(row, feature) {
                    continue;
                }
                for index in strata.into_iter().flatten() {
                    let cell = &mut self.cells[index * self.features + feature];
                    cell.processes[0].observe(a, is_written);
                    cell.processes[1].observe(-a, is_written);
                    cell.relevant += 1;
                    cell.more += u32::from(a > 0.0);
                }
            }
        }
    }

    /// Adds for each verdict "wrong" one episode of evidence against, and four disagreements in every count, in its
    /// stratum and those within.
    fn apply_verdicts(&mut self, state: &State) {
        for verdict in state.verdicts.iter().filter(|verdict| verdict.feature < self.features) {
            let against = -verdict.direction.sign();
            for (index, stratum) in self.strata.iter().enumerate() {
                let is_void =
                    |(restarted, since): &(Stratum, Order)| verdict.at <= *since && stratum.is_within(*restarted);
                if !stratum.is_within(verdict.stratum) || self.restarts[verdict.feature].iter().any(is_void) {
                    continue;
                }
                let cell = &mut self.cells[index * self.features + verdict.feature];
                cell.processes[0].observe(against, true);
                cell.processes[1].observe(-against, true);
                cell.wrong[direction_index(verdict.direction)] += DISAGREEMENTS_PER_WRONG;
            }
        }
    }

    fn open_stratum(&mut self, stratum: Stratum) -> usize {
        self.stratum_index(stratum).unwrap_or_else(|| {
            self.strata.push(stratum);
            self.cells.resize(self.strata.len() * self.features, Cell::default());
            self.strata.len() - 1
        })
    }

    fn stratum_index(&self, stratum: Stratum) -> Option<usize> {
        self.strata.iter().position(|open| *open == stratum)
    }

    /// Whether a restart voids a row for a feature.
    pub(crate) fn is_void(&self, row: &Row, feature: usize) -> bool {
        self.restarts[feature].iter().any(|(stratum, since)| row.order <= *since && stratum.contains(row))
    }

    /// The evidence of a row about a feature, 0 if void.
    pub(crate) fn evidence(&self, row: &Row, feature: usize) -> f32 {
        if self.is_void(row, feature) { 0.0 } else { row.evidence(feature) }
    }

    /// The difference of a row, 0 if void.
    pub(crate) fn difference(&self, row: &Row, feature: usize) -> f32 {
        if self.is_void(row, feature) { 0.0 } else { row.difference(feature) }
    }

    /// ln of the e-value; 0, that is E = 1, for a stratum without rows.
    pub(crate) fn ln_e(&self, feature: usize, direction: Direction, stratum: Stratum) -> f64 {
        self.cell(feature, stratum).map_or(0.0, |cell| cell.processes[direction_index(direction)].ln())
    }

    /// Whether edits and own texts support the hypothesis more than choices do.
    pub(crate) fn is_carried_by_writing(&self, feature: usize, direction: Direction, stratum: Stratum) -> bool {
        self.cell(feature, stratum).is_some_and(|cell| cell.processes[direction_index(direction)].is_mostly_written())
    }

    /// The direction in which the evidence leaned up to a restart: that of the rule which it ended. `None` without any.
    pub(crate) fn direction_before(&self, restart: &Restart) -> Option<Direction> {
        let rows = self.rows.iter().filter(|row| row.order <= restart.since && restart.stratum.contains(row));
        Direction::from_sign(rows.map(|row| row.evidence(restart.feature)).sum())
    }

    /// Number of relevant pieces of evidence, and of those that agree.
    pub(crate) fn counts(&self, feature: usize, direction: Direction, stratum: Stratum) -> (u32, u32) {
        let Some(cell) = self.cell(feature, stratum) else { return (0, 0) };
        let agree = if direction == Direction::More { cell.more } else { cell.relevant - cell.more };
        (cell.relevant, agree)
    }

    /// The share of relevant pieces that agree, 0..1, with "wrong" among those that disagree; 0 without any.
    pub(crate) fn agreement(&self, feature: usize, direction: Direction, stratum: Stratum) -> f64 {
        let (relevant, agree) = self.counts(feature, direction, stratum);
        let all = relevant + self.cell(feature, stratum).map_or(0, |cell| cell.wrong[direction_index(direction)]);
        if all == 0 { 0.0 } else { f64::from(agree) / f64::from(all) }
    }

    fn cell(&self, feature: usize, stratum: Stratum) -> Option<&Cell> {
        self.stratum_index(stratum).map(|index| &self.cells[index * self.features + feature])
    }

    /// The rows with evidence about a feature in a stratum, with their indexes.
    pub(crate) fn relevant(&self, feature: usize, stratum: Stratum) -> impl Iterator<Item = (usize, &'a Row)> + '_ {
        let rows = self.rows.iter().enumerate();
        rows.filter(move |(_, row)| stratum.contains(row) && self.evidence(row, feature) != 0.0)
    }

    /// Number of hypotheses tested: features × directions × open strata.
    pub(crate) fn tried(&self) -> usize {
        self.features * 2 * self.strata.len()
    }
}

fn direction_index(direction: Direction) -> usize {
    usize::from(direction == Direction::Less)
}
