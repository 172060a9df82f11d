//! All hypotheses at once: one pass over the rows.
//!
//! Every row belongs to three strata at most (anywhere, its scene, its skill). A stratum opens with its first row.
//!
//! **What counts no more.** A restart (the writer deleted a rule, or drift retired one) names a feature, a stratum and a
//! time; rows of that stratum up to then say nothing about that feature any more, in whatever stratum they are looked
//! at. So it restarts both directions, and nested strata with it; and what a scene's deleted rule stood on
//! cannot come back inside a rule for the whole project.

use crate::{
    confidence::WRONG,
    distil::State,
    eprocess::Purses,
    row::{Direction, Order, Row, Stratum},
};

/// What is known about a feature in a stratum.
#[derive(Debug, Clone, Default)]
struct Cell {
    purses: [Purses; 2],
    relevant: u32,
    more: u32,
    /// What the writer's "wrong" adds against more and against less; apart, for it says nothing about scope.
    wrong: [u32; 2],
}

/// The folded rows.
pub(crate) struct Ledger<'a> {
    pub(crate) rows: &'a [Row],
    pub(crate) features: usize,
    /// As they opened; the first is [`Stratum::Anywhere`].
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
        ledger.fold();
        ledger.hear(state);
        ledger
    }

    fn fold(&mut self) {
        for row in self.rows {
            let mut places = [Some(0), None, None];
            if let Some(scene) = row.scene {
                places[1] = Some(self.open(Stratum::Scene(scene)));
            }
            if let Some(skill) = row.skill {
                places[2] = Some(self.open(Stratum::Skill(skill)));
            }
            let is_written = row.kind.is_written();
            for feature in 0..self.features {
                let a = row.evidence(feature);
                if a == 0.0 || self.is_void(row, feature) {
                    continue;
                }
                for place in places.into_iter().flatten() {
                    let cell = &mut self.cells[place * self.features + feature];
                    cell.purses[0].observe(a, is_written);
                    cell.purses[1].observe(-a, is_written);
                    cell.relevant += 1;
                    cell.more += u32::from(a > 0.0);
                }
            }
        }
    }

    /// "Wrong": an episode of evidence against, and four disagreements in every count, there and within.
    fn hear(&mut self, state: &State) {
        for verdict in state.verdicts.iter().filter(|verdict| verdict.feature < self.features) {
            let against = -verdict.direction.sign();
            for (place, stratum) in self.strata.iter().enumerate() {
                let is_void =
                    |(restarted, since): &(Stratum, Order)| verdict.at <= *since && stratum.within(*restarted);
                if !stratum.within(verdict.stratum) || self.restarts[verdict.feature].iter().any(is_void) {
                    continue;
                }
                let cell = &mut self.cells[place * self.features + verdict.feature];
                cell.purses[0].observe(against, true);
                cell.purses[1].observe(-against, true);
                cell.wrong[index(verdict.direction)] += WRONG;
            }
        }
    }

    fn open(&mut self, stratum: Stratum) -> usize {
        self.place(stratum).unwrap_or_else(|| {
            self.strata.push(stratum);
            self.cells.resize(self.strata.len() * self.features, Cell::default());
            self.strata.len() - 1
        })
    }

    fn place(&self, stratum: Stratum) -> Option<usize> {
        self.strata.iter().position(|open| *open == stratum)
    }

    /// Whether a row says nothing about a feature any more.
    pub(crate) fn is_void(&self, row: &Row, feature: usize) -> bool {
        self.restarts[feature].iter().any(|(stratum, since)| row.order <= *since && stratum.holds(row))
    }

    /// The evidence of a row about a feature, 0 where it counts no more.
    pub(crate) fn evidence(&self, row: &Row, feature: usize) -> f32 {
        if self.is_void(row, feature) { 0.0 } else { row.evidence(feature) }
    }

    /// The difference of a row, 0 where it counts no more.
    pub(crate) fn difference(&self, row: &Row, feature: usize) -> f32 {
        if self.is_void(row, feature) { 0.0 } else { row.difference(feature) }
    }

    /// ln of the e-value; 0, that is E = 1, where the stratum has not opened.
    pub(crate) fn ln_e(&self, feature: usize, direction: Direction, stratum: Stratum) -> f64 {
        self.cell(feature, stratum).map_or(0.0, |cell| cell.purses[index(direction)].ln())
    }

    /// How many relevant pieces of evidence there are, and how many agree.
    pub(crate) fn counts(&self, feature: usize, direction: Direction, stratum: Stratum) -> (u32, u32) {
        let Some(cell) = self.cell(feature, stratum) else { return (0, 0) };
        let agree = if direction == Direction::More { cell.more } else { cell.relevant - cell.more };
        (cell.relevant, agree)
    }

    /// The share of relevant pieces that agree, 0..1, "wrong" among those that do not; 0 where there are none.
    pub(crate) fn agreement(&self, feature: usize, direction: Direction, stratum: Stratum) -> f64 {
        let (relevant, agree) = self.counts(feature, direction, stratum);
        let all = relevant + self.cell(feature, stratum).map_or(0, |cell| cell.wrong[index(direction)]);
        if all == 0 { 0.0 } else { f64::from(agree) / f64::from(all) }
    }

    fn cell(&self, feature: usize, stratum: Stratum) -> Option<&Cell> {
        self.place(stratum).map(|place| &self.cells[place * self.features + feature])
    }

    /// The rows that say something about a feature in a stratum, with their positions.
    pub(crate) fn relevant(&self, feature: usize, stratum: Stratum) -> impl Iterator<Item = (usize, &'a Row)> + '_ {
        let rows = self.rows.iter().enumerate();
        rows.filter(move |(_, row)| stratum.holds(row) && self.evidence(row, feature) != 0.0)
    }

    /// Everything that was tried: features × directions × open strata.
    pub(crate) fn tried(&self) -> usize {
        self.features * 2 * self.strata.len()
    }
}

fn index(direction: Direction) -> usize {
    usize::from(direction == Direction::Less)
}
