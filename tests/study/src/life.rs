//! A simulated life with the program: it offers candidates, the writer chooses and edits, and a run of distillation
//! follows every evening.

use palimpsest_learning::{ActiveRule, Direction, Restart, Row, Settings, State, Stratum, SupportedRule, distill};
use palimpsest_text::{edit, style::Feature};

use crate::{
    dice::Dice,
    evidence::{Book, Episode},
    operations,
    prose::{Passage, Pool, SCENES},
    writer::{Levels, Manner, Writer},
};

/// Candidates per generation.
const OFFERED: usize = 3;
/// With memory, a candidate is the best of this many drafts by the rules …
const DRAFTS: usize = 6;
/// … with this probability, because a model does not always follow rules.
const LISTENS: f32 = 0.75;
/// Probability that a writer without preferences edits, in no particular direction.
const EDITS: f32 = 0.6;
/// Skills in use; no preference depends on them.
const SKILLS: usize = 3;

/// The knowledge that the model uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// None.
    Plain,
    /// The rules learned so far.
    Memory,
    /// The true preferences.
    Oracle,
}

/// The circumstances of a life.
#[derive(Clone, Copy)]
pub struct Circumstances {
    pub model: Model,
    pub days: i64,
    /// Days without writing: from the first up to the second.
    pub away: (i64, i64),
    /// Whether all candidates are equal.
    pub alike: bool,
    /// Whether runs of distillation take place.
    pub learns: bool,
}

impl Circumstances {
    pub fn ordinary(model: Model) -> Self {
        Self { model, days: 120, away: (0, 0), alike: false, learns: model == Model::Memory }
    }
}

/// One episode, for scoring.
pub struct Event {
    pub day: i64,
    /// Edit distance of the accepted text; `None` when all candidates were rejected.
    pub distance: Option<f64>,
    pub rows: Vec<Row>,
}

/// A rule in force.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rule {
    pub feature: Feature,
    pub direction: Direction,
    pub stratum: Stratum,
    pub confidence: f64,
}

impl Rule {
    pub fn preference(&self) -> (Feature, Direction, Stratum) {
        (self.feature, self.direction, self.stratum)
    }
}

/// The result of an evening's run.
pub struct Look {
    pub day: i64,
    /// Episodes so far.
    pub episodes: usize,
    pub rules: Vec<Rule>,
    /// Rules that were retired because of drift.
    pub retired: Vec<Rule>,
}

pub struct Life {
    pub events: Vec<Event>,
    pub looks: Vec<Look>,
}

/// Rules in force and the state that must persist between runs, in the form that the engine stores.
#[derive(Default)]
pub struct Memory {
    state: State,
    pub rules: Vec<Rule>,
}

impl Memory {
    /// Performs one run over all evidence so far, and returns the rules retired because of drift.
    pub fn distill(&mut self, rows: &[Row], now: i64, settings: &Settings) -> Vec<Rule> {
        let outcome = distill(rows, Feature::COUNT, settings, &self.state);
        let retired: Vec<Rule> = outcome.retired.iter().filter_map(|gone| self.rules.get(gone.rule).copied()).collect();
        let restarts: Vec<Restart> = outcome.retired.iter().map(|gone| gone.restart).collect();
        let before = std::mem::take(&mut self.state.active);
        self.state.restarts.extend(restarts);
        self.state.active = outcome.rules.iter().map(|rule| standing(rule, &before, &outcome.retired, now)).collect();
        self.rules = outcome
            .rules
            .iter()
            .map(|rule| Rule {
                feature: Feature::ALL[rule.feature],
                direction: rule.direction,
                stratum: rule.stratum,
                confidence: rule.confidence.value,
            })
            .collect();
        retired
    }
}

/// A rule that was active before and was not retired retains the day on which it was learned.
fn standing(
    rule: &SupportedRule,
    before: &[ActiveRule],
    retired: &[palimpsest_learning::Retired],
    now: i64,
) -> ActiveRule {
    let same = |(at, old): &(usize, &ActiveRule)| {
        (old.feature, old.direction, old.stratum) == (rule.feature, rule.direction, rule.stratum)
            && retired.iter().all(|gone| gone.rule != *at)
    };
    let since = before.iter().enumerate().find(same).map_or(now, |(_, old)| old.since);
    ActiveRule { feature: rule.feature, direction: rule.direction, stratum: rule.stratum, since, confirmed: false }
}

/// Simulates the days of a life. The result depends only on the seed and the writer's number.
pub fn live(writer: &Writer, pool: &Pool, how: &Circumstances, seed: u64, number: u64, settings: &Settings) -> Life {
    let mut dice = Dice::new(seed, number * 2 + 1);
    let mut book = Book::new(pool.language);
    let mut memory = Memory::default();
    let mut rows: Vec<Row> = Vec::new();
    let mut life = Life { events: Vec::new(), looks: Vec::new() };
    let mut levels: Option<(bool, [Levels; SCENES])> = None;
    for day in 0..how.days {
        if (how.away.0..how.away.1).contains(&day) {
            continue;
        }
        let turned = day >= crate::writer::TURN;
        if levels.as_ref().is_none_or(|(before, _)| *before != turned) {
            levels = Some((turned, std::array::from_fn(|scene| writer.levels(pool, scene as u16, day))));
        }
        let Some((_, levels)) = &levels else { continue };
        for _ in 0..2 + dice.below(2) {
            let (scene, skill) = (dice.below(SCENES) as u16, dice.below(SKILLS) as u16);
            let order = life.events.len() as i64;
            let offered = offer(writer, pool, how, (scene, day), &memory.rules, &mut dice);
            let (offered, twins): (Vec<Passage>, Vec<Option<Passage>>) = offered.into_iter().unzip();
            let mut deed = writer.act(&offered, pool, (scene, day), levels[usize::from(scene)], &mut dice);
            if let Some(chosen) = deed.chosen
                && deed.written.is_none()
                && dice.heads(EDITS)
            {
                deed.written.clone_from(&twins[chosen]);
            }
            let features: Vec<_> = offered.iter().map(|passage| passage.features).collect();
            let fresh = book.record(&Episode {
                order,
                scene: Some(scene),
                skill: Some(skill),
                candidates: &features,
                chosen: deed.chosen,
                written: deed.written.as_ref().map(|passage| &passage.features),
                undone: deed.undone,
            });
            let distance = deed.chosen.map(|chosen| {
                deed.written.as_ref().map_or(0.0, |written| edit::distance(&offered[chosen].text, &written.text))
            });
            rows.extend(fresh.iter().cloned());
            life.events.push(Event { day, distance, rows: fresh });
        }
        if how.learns {
            let retired = memory.distill(&rows, life.events.len() as i64 - 1, settings);
            life.looks.push(Look { day, episodes: life.events.len(), rules: memory.rules.clone(), retired });
        }
    }
    life
}

/// The candidates that the model offers. For a writer without preferences each has a twin, one of the two being an
/// edited form of the other, and a coin decides which is offered: an edit into the twin is as likely as its reverse.
fn offer(
    writer: &Writer,
    pool: &Pool,
    how: &Circumstances,
    when: (u16, i64),
    rules: &[Rule],
    dice: &mut Dice,
) -> Vec<(Passage, Option<Passage>)> {
    let (scene, day) = when;
    let passages = &pool.scenes[usize::from(scene)];
    let score = |passage: &Passage| match how.model {
        Model::Plain => 0.0,
        Model::Oracle => writer.utility(&passage.features, pool, scene, day),
        Model::Memory => rules
            .iter()
            .filter(|rule| matches!(rule.stratum, Stratum::Anywhere) || rule.stratum == Stratum::Scene(scene))
            .map(|rule| rule.direction.sign() * passage.features.get(rule.feature) / pool.spread[rule.feature.index()])
            .sum(),
    };
    let mut offered: Vec<(Passage, Option<Passage>)> = (0..OFFERED)
        .map(|_| {
            let drafts = if how.model != Model::Plain && dice.heads(LISTENS) { DRAFTS } else { 1 };
            let drafts: Vec<&Passage> = (0..drafts).map(|_| &passages[dice.below(passages.len())]).collect();
            let best = drafts.iter().max_by(|one, two| score(one).total_cmp(&score(two)));
            let best = best.map_or_else(|| passages[0].clone(), |best| (*best).clone());
            if writer.manner != Manner::Shortest && writer.preferences.is_empty() {
                let twin = worked_over(&best, pool, dice);
                if dice.heads(0.5) { (best, Some(twin)) } else { (twin, Some(best)) }
            } else {
                (best, None)
            }
        })
        .collect();
    if how.alike {
        let first = offered[0].clone();
        offered.fill(first);
    }
    offered
}

fn worked_over(passage: &Passage, pool: &Pool, dice: &mut Dice) -> Passage {
    let mut text = passage.text.clone();
    for _ in 0..1 + dice.below(3) {
        text = operations::anything(&text, pool, dice).unwrap_or(text);
    }
    Passage { features: palimpsest_text::style::measure_as(&text, pool.language), text }
}
