//! A simulated writer: hidden preferences, choices with noise, and edits of the text itself.

use palimpsest_learning::{Direction, Stratum};
use palimpsest_text::style::{Feature, Features, measure_as};

use crate::{
    dice::Dice,
    operations::{self, MOVABLE},
    prose::{Passage, Pool, SCENES},
};

/// The day on which preferences change.
pub const TURN: i64 = 60;
/// Maximum absolute correlation of two preferred features.
const APART: f32 = 0.45;
/// Probability that a preference holds everywhere; otherwise it holds in one scene type.
const GLOBAL: f32 = 0.65;
/// Standard Gumbel noise times this is added to the utility of each candidate.
const NOISE: f32 = 0.6;
/// Share of the pool's passages that are not good enough without an edit.
const ENOUGH: f32 = 0.92;
/// Share of the pool's passages that are bad enough to be undone.
const BAD: f32 = 0.25;
/// Probability of a random rejection.
const REJECTED: f32 = 0.04;
/// Probability that a text that is not good enough is left unchanged, for lack of time.
const TIRED: f32 = 0.15;
/// Probability that a step of an edit is unrelated to the preferences.
const OTHERWISE: f32 = 0.25;
/// Probability that an acceptable text is edited nevertheless: a typo, or a change to the story.
const TOUCHED: f32 = 0.08;
/// Maximum number of steps of an edit.
const STEPS: usize = 6;

/// A preference of a writer, hidden from the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preference {
    pub feature: Feature,
    pub direction: Direction,
    pub weight: f32,
    /// The scene type in which it holds; `None` is everywhere.
    pub scene: Option<u16>,
    /// Days on which it holds: from the first up to the second.
    pub days: (i64, i64),
}

impl Preference {
    pub fn stratum(&self) -> Stratum {
        self.scene.map_or(Stratum::Anywhere, Stratum::Scene)
    }

    pub fn holds(&self, day: i64) -> bool {
        self.days.0 <= day && day < self.days.1
    }
}

/// The behaviour of a writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// Chooses by preference or, without preferences, at random.
    Ordinary,
    /// Takes the first candidate.
    First,
    /// Takes the shortest candidate, and has no other preference.
    Shortest,
}

#[derive(Clone)]
pub struct Writer {
    pub preferences: Vec<Preference>,
    pub manner: Manner,
}

/// The choice and the edit of a writer for some candidates.
pub struct Deed {
    pub chosen: Option<usize>,
    /// The final text, where it is not an unchanged candidate.
    pub written: Option<Passage>,
    pub undone: bool,
}

impl Writer {
    /// A writer with four preferences, one of which contradicts itself between two scenes; on day 60 one is reversed
    /// and a new one appears.
    pub fn with_preferences(pool: &Pool, dice: &mut Dice) -> Self {
        let mut features: Vec<Feature> = Vec::new();
        while features.len() < 5 {
            let feature = MOVABLE[dice.below(MOVABLE.len())];
            if features.iter().all(|other| *other != feature && pool.correlation(*other, feature).abs() < APART) {
                features.push(feature);
            }
        }
        let ever = (0, i64::MAX);
        let mut preferences = Vec::new();
        for (at, feature) in features.into_iter().enumerate() {
            let direction = if dice.heads(0.5) { Direction::More } else { Direction::Less };
            let weight = 0.8 + 0.6 * dice.share();
            let scene = dice.below(SCENES) as u16;
            let one = Preference { feature, direction, weight, scene: Some(scene), days: ever };
            let everywhere = if dice.heads(GLOBAL) { None } else { Some(scene) };
            match at {
                0 => {
                    let other = (scene + 1 + dice.below(SCENES - 1) as u16) % SCENES as u16;
                    preferences.push(one);
                    preferences.push(Preference { direction: direction.opposite(), scene: Some(other), ..one });
                }
                1 => {
                    let one = Preference { scene: everywhere, ..one };
                    preferences.push(Preference { days: (0, TURN), ..one });
                    preferences.push(Preference { direction: direction.opposite(), days: (TURN, i64::MAX), ..one });
                }
                4 => preferences.push(Preference { scene: everywhere, days: (TURN, i64::MAX), ..one }),
                _ => preferences.push(Preference { scene: everywhere, ..one }),
            }
        }
        Self { preferences, manner: Manner::Ordinary }
    }

    pub fn without(manner: Manner) -> Self {
        Self { preferences: Vec::new(), manner }
    }

    pub fn shortest() -> Self {
        let length = Preference {
            feature: Feature::Length,
            direction: Direction::Less,
            weight: 1.5,
            scene: None,
            days: (0, i64::MAX),
        };
        Self { preferences: vec![length], manner: Manner::Shortest }
    }

    pub fn wanted(&self, scene: u16, day: i64) -> impl Iterator<Item = &Preference> {
        let here = self.preferences.iter().filter(move |preference| preference.holds(day));
        here.filter(move |preference| preference.scene.is_none_or(|only| only == scene))
    }

    /// Σ w · direction · z.
    pub fn utility(&self, features: &Features, pool: &Pool, scene: u16, day: i64) -> f32 {
        let of = |preference: &Preference| {
            let z = features.get(preference.feature) / pool.spread[preference.feature.index()];
            preference.weight * preference.direction.sign() * z
        };
        self.wanted(scene, day).map(of).sum()
    }

    /// The utilities below which the shares `ENOUGH` and `BAD` of the pool's passages lie.
    pub fn levels(&self, pool: &Pool, scene: u16, day: i64) -> Levels {
        let passages = &pool.scenes[usize::from(scene)];
        let mut all: Vec<f32> =
            passages.iter().map(|passage| self.utility(&passage.features, pool, scene, day)).collect();
        all.sort_by(f32::total_cmp);
        let at = |share: f32| all[((all.len() as f32 * share) as usize).min(all.len() - 1)];
        Levels { enough: at(ENOUGH), bad: at(BAD) }
    }

    /// Chooses among the candidates, and edits the chosen one.
    pub fn act(&self, offered: &[Passage], pool: &Pool, when: (u16, i64), levels: Levels, dice: &mut Dice) -> Deed {
        let (scene, day) = when;
        let wants = self.wanted(scene, day).next().is_some();
        if dice.heads(REJECTED) {
            let own = dice.heads(0.5).then(|| self.own(pool, when, levels, dice));
            return Deed { chosen: None, written: own, undone: false };
        }
        let chosen = match self.manner {
            Manner::First => 0,
            _ => {
                let score = |passage: &Passage, dice: &mut Dice| {
                    self.utility(&passage.features, pool, scene, day) + NOISE * dice.gumbel()
                };
                let scores: Vec<f32> = offered.iter().map(|passage| score(passage, dice)).collect();
                (0..scores.len()).max_by(|one, two| scores[*one].total_cmp(&scores[*two])).unwrap_or(0)
            }
        };
        let taken = &offered[chosen];
        let edited = if wants { self.edit(taken, pool, when, levels, dice) } else { None };
        let last = edited.as_ref().unwrap_or(taken);
        let undone = wants && self.utility(&last.features, pool, scene, day) < levels.bad && dice.heads(0.5);
        Deed { chosen: Some(chosen), written: edited, undone }
    }

    /// A text of the writer's own: the best of several passages, edited.
    fn own(&self, pool: &Pool, when: (u16, i64), levels: Levels, dice: &mut Dice) -> Passage {
        let passages = &pool.scenes[usize::from(when.0)];
        let thoughts: Vec<&Passage> = (0..6).map(|_| &passages[dice.below(passages.len())]).collect();
        let of = |passage: &&&Passage| self.utility(&passage.features, pool, when.0, when.1);
        let best = thoughts.iter().max_by(|one, two| of(one).total_cmp(&of(two))).map_or(&passages[0], |best| *best);
        self.edit(best, pool, when, levels, dice).unwrap_or_else(|| best.clone())
    }

    fn edit(&self, taken: &Passage, pool: &Pool, when: (u16, i64), levels: Levels, dice: &mut Dice) -> Option<Passage> {
        let (scene, day) = when;
        let measured = |text: String| Passage { features: measure_as(&text, pool.language), text };
        let utility = |passage: &Passage| self.utility(&passage.features, pool, scene, day);
        let mut current = taken.clone();
        if utility(&current) >= levels.enough || dice.heads(TIRED) {
            if !dice.heads(TOUCHED) {
                return None;
            }
            let touched = match dice.heads(0.5) {
                true => operations::typo(&current.text, dice),
                false => operations::anything(&current.text, pool, dice)?,
            };
            return Some(measured(touched));
        }
        for _ in 0..STEPS {
            if utility(&current) >= levels.enough {
                break;
            }
            if dice.heads(OTHERWISE) {
                if let Some(text) = operations::anything(&current.text, pool, dice) {
                    current = measured(text);
                }
                continue;
            }
            let wanted: Vec<&Preference> = self.wanted(scene, day).collect();
            let aim = *dice.pick(&wanted)?;
            let means = operations::towards(pool.language, aim.feature, aim.direction);
            let tries: Vec<Passage> =
                (0..2).filter_map(|_| dice.pick(&means)?.apply(&current.text, pool, dice)).map(measured).collect();
            let best = tries.into_iter().max_by(|one, two| utility(one).total_cmp(&utility(two)));
            if let Some(best) = best.filter(|best| utility(best) > utility(&current)) {
                current = best;
            }
        }
        (current.text != taken.text).then_some(current)
    }
}

/// The utility that is good enough in a scene, and the utility below which a text may be undone.
#[derive(Clone, Copy)]
pub struct Levels {
    pub enough: f32,
    pub bad: f32,
}
