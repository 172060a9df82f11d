//! A generator with a known truth: it draws real passages by a softmax over the demands of the memories in its prompt.
//!
//! ```text
//! p(passage | memories S) ∝ exp( habit(passage) + Σ strength_i · φ_i(passage), i in S )
//! ```
//!
//! `φ` of a rule is the passage's value of the rule's feature in the rule's direction; `φ` of an example is the
//! passage's likeness to it (terms, style, and meaning where the encoder is available). Half of the memories have
//! strength 0. Two have the same content: together they have the effect of the stronger one. The habit prefers passages
//! similar to the one that is being continued; examples are recalled by the same similarity. The dependence of a draft
//! on a set of memories is known exactly: `ln p(draft | S)`.

use palimpsest_text::random::SplitMix64;

use super::prose::Passage;

/// Number of passages that could be written next.
const POOL: usize = 1000;
/// Number of recent drafts of the same skill and scene.
const EARLIER: usize = 60;
/// Range of the strength of an effective memory. Set once, so that random weights have the same score as on the
/// benchmark that the bars come from (.29).
const STRENGTH: (f64, f64) = (1.2, 2.4);
/// Weight of the similarity to the passage before.
const NEAR: f64 = 0.7;
/// Standard deviation of the model's own habits.
const HABIT: f64 = 0.5;
/// Maximum correlation of the features of two rules in a prompt: the learner drops a rule whose correlation is larger.
const APART: f64 = 0.35;

pub struct Dice(SplitMix64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    pub fn roll(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform random number, 0..1.
    pub fn share(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.roll() % count.max(1) as u64) as usize
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.share() * (high - low)
    }

    /// Standard normal (Box & Muller 1958).
    fn normal(&mut self) -> f64 {
        (-2.0 * self.share().max(1e-300).ln()).sqrt() * (std::f64::consts::TAU * self.share()).cos()
    }

    /// Standard Gumbel: the index with the largest `utility + gumbel` is a draw from the softmax of the utilities.
    fn gumbel(&mut self) -> f64 {
        -(-self.share().clamp(1e-300, 1.0 - 1e-16).ln()).ln()
    }

    /// `count` of the numbers below `of`, in random order.
    fn some(&mut self, of: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..of).collect();
        for at in 0..count.min(of) {
            all.swap(at, at + self.below(of - at));
        }
        all.truncate(count);
        all
    }
}

/// The kind of a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A rule that asks for more (+1) or less (−1) of a feature.
    Rule { feature: usize, direction: i32 },
    /// A passage used as an example.
    Example { passage: usize },
}

/// A memory of the prompt, with values that only the benchmark knows.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    pub kind: Kind,
    /// The confidence of a rule as the prompt has it. It is independent of the strength, which the generator cannot
    /// know.
    pub confidence: f64,
    /// The score that recall ranks by: an example's similarity to the passage before, a rule's confidence.
    pub score: f64,
    /// The strength of the effect; 0 has no effect on the generator.
    pub strength: f64,
}

/// The memories that the recent drafts had.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Past {
    /// Rules came into force one after another, and examples were recalled now and then.
    Mixed,
    /// Every draft had all memories.
    Same,
    /// No draft had any memory: all are new.
    New,
}

/// A recent draft.
pub struct Earlier {
    pub passage: usize,
    pub with: Vec<bool>,
}

/// One generation.
pub struct Scenario<'a> {
    pub passages: &'a [Passage],
    pub memories: Vec<Memory>,
    /// The index of the passage that is the draft.
    pub draft: usize,
    pub earlier: Vec<Earlier>,
    pool: Vec<usize>,
    /// By position in the pool.
    habit: Vec<f64>,
    /// By memory and position in the pool.
    phi: Vec<Vec<f64>>,
    /// The seed that the draft was written with.
    pub seed: u64,
}

impl<'a> Scenario<'a> {
    /// Makes a scenario, which is the same for the same seed.
    pub fn new(passages: &'a [Passage], seed: u64, past: Past) -> Self {
        let mut dice = Dice::new(seed.wrapping_mul(0x5851_F42D_4C95_7F2D));
        let all = passages.len();
        let count = 6 + dice.below(7);
        let here = dice.below(all);
        let mut order = dice.some(all, all);
        order.retain(|at| *at != here);
        let rest = order.split_off(POOL.min(all * 3 / 4).min(order.len()));
        let pool = order;

        let mut near: Vec<(usize, f64)> =
            rest.iter().take(60).map(|at| (*at, passages[*at].by_terms(&passages[here]))).collect();
        near.sort_by(|one, other| other.1.total_cmp(&one.1));
        let examples = 2 + dice.below(3);
        let features = varied(passages, &pool);
        let mut memories: Vec<Memory> = apart(passages, &pool, &features, &mut dice, count - examples - 1)
            .into_iter()
            .map(|feature| {
                let direction = if dice.share() < 0.5 { 1 } else { -1 };
                let confidence = dice.between(0.55, 0.95);
                Memory { kind: Kind::Rule { feature, direction }, confidence, score: confidence, strength: 0.0 }
            })
            .collect();
        // A duplicate of the first rule.
        let confidence = dice.between(0.55, 0.95);
        memories.insert(1, Memory { confidence, score: confidence, ..memories[0] });
        memories.extend(near.iter().take(examples).map(|(passage, score)| Memory {
            kind: Kind::Example { passage: *passage },
            confidence: 1.0,
            score: *score,
            strength: 0.0,
        }));
        let minded = memories.len().div_ceil(2).max(2) - 2;
        for at in [0, 1].into_iter().chain(dice.some(memories.len() - 2, minded).into_iter().map(|at| at + 2)) {
            memories[at].strength = dice.between(STRENGTH.0, STRENGTH.1);
        }

        let phi = memories.iter().map(|memory| asked(passages, &pool, memory.kind)).collect();
        let seed = dice.roll();
        let mut scenario =
            Self { passages, memories, draft: 0, earlier: Vec::new(), pool, habit: Vec::new(), phi, seed };
        let own: Vec<(usize, f64)> =
            dice.some(features.len(), 3).into_iter().map(|at| (features[at], dice.normal() * HABIT)).collect();
        // The time at which each memory came into force.
        let since: Vec<f64> = scenario.memories.iter().map(|_| dice.share()).collect();
        for n in 0..EARLIER {
            let now = n as f64 / EARLIER as f64;
            let with: Vec<bool> = scenario
                .memories
                .iter()
                .zip(&since)
                .map(|(memory, since)| match (past, memory.kind) {
                    (Past::Same, _) => true,
                    (Past::New, _) => false,
                    (Past::Mixed, Kind::Rule { .. }) => *since < now,
                    (Past::Mixed, Kind::Example { .. }) => dice.share() < 0.2,
                })
                .collect();
            let elsewhere = dice.below(all);
            scenario.habit = scenario.habit_at(elsewhere, &own);
            let passage = scenario.write(&with, &mut dice);
            scenario.earlier.push(Earlier { passage, with });
        }
        scenario.habit = scenario.habit_at(here, &own);
        scenario.draft = scenario.regenerate(&vec![true; scenario.memories.len()]);
        scenario
    }

    fn habit_at(&self, place: usize, own: &[(usize, f64)]) -> Vec<f64> {
        let place = &self.passages[place];
        let near = standard(self.pool.iter().map(|at| self.passages[*at].by_terms(place)).collect());
        let habits = self.pool.iter().map(|at| {
            own.iter().map(|(feature, weight)| weight * f64::from(self.passages[*at].style[*feature])).sum::<f64>()
        });
        near.iter().zip(habits).map(|(near, habit)| NEAR * near + habit).collect()
    }

    fn wishes(&self, with: &[bool]) -> Vec<f64> {
        // A duplicate has no effect of its own: the stronger of the two applies.
        let twice = (0..2).filter(|at| with[*at]).map(|at| self.memories[at].strength).fold(0.0, f64::max);
        let mut wishes: Vec<f64> =
            self.habit.iter().zip(&self.phi[0]).map(|(habit, phi)| habit + twice * phi).collect();
        for ((memory, phi), _) in self.memories.iter().zip(&self.phi).zip(with).skip(2).filter(|(_, with)| **with) {
            if memory.strength > 0.0 {
                wishes.iter_mut().zip(phi).for_each(|(wish, phi)| *wish += memory.strength * phi);
            }
        }
        wishes
    }

    /// The index of the passage that is written with these memories.
    pub fn write(&self, with: &[bool], dice: &mut Dice) -> usize {
        let drawn: Vec<f64> = self.wishes(with).into_iter().map(|wish| wish + dice.gumbel()).collect();
        let best = (0..drawn.len()).max_by(|one, other| drawn[*one].total_cmp(&drawn[*other]));
        self.pool[best.unwrap_or(0)]
    }

    /// As [`Self::write`], with the seed of the draft.
    pub fn regenerate(&self, with: &[bool]) -> usize {
        self.write(with, &mut Dice::new(self.seed))
    }

    /// The log-probability of the draft with these memories.
    pub fn truth(&self, with: &[bool]) -> f64 {
        let wishes = self.wishes(with);
        let most = wishes.iter().copied().fold(f64::MIN, f64::max);
        let sum: f64 = wishes.iter().map(|wish| (wish - most).exp()).sum();
        let draft = self.pool.iter().position(|at| *at == self.draft).unwrap_or(0);
        wishes[draft] - most - sum.ln()
    }
}

/// Features that vary in the pool: a rule about dashes means nothing in prose without dashes.
fn varied(passages: &[Passage], pool: &[usize]) -> Vec<usize> {
    let count = passages.first().map_or(0, |passage| passage.style.len());
    let varies = |feature: &usize| {
        let values: Vec<f64> = pool.iter().map(|at| f64::from(passages[*at].style[*feature])).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let different = values.iter().filter(|value| (**value - values[0]).abs() > 1e-9).count();
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n > 0.1 && different * 4 > values.len()
    };
    (0..count).filter(varies).collect()
}

/// Chooses `count` features, no two of which are correlated.
fn apart(passages: &[Passage], pool: &[usize], features: &[usize], dice: &mut Dice, count: usize) -> Vec<usize> {
    let mut kept: Vec<(usize, Vec<f64>)> = Vec::new();
    for at in dice.some(features.len(), features.len()) {
        let feature = features[at];
        let values = standard(pool.iter().map(|at| f64::from(passages[*at].style[feature])).collect());
        let along = |other: &[f64]| other.iter().zip(&values).map(|(a, b)| a * b).sum::<f64>() / values.len() as f64;
        if kept.len() < count && kept.iter().all(|(_, other)| along(other).abs() < APART) {
            kept.push((feature, values));
        }
    }
    kept.into_iter().map(|(feature, _)| feature).collect()
}

/// The demand of a memory on each passage of the pool.
fn asked(passages: &[Passage], pool: &[usize], kind: Kind) -> Vec<f64> {
    match kind {
        Kind::Rule { feature, direction } => {
            let value = |at: &usize| f64::from(passages[*at].style[feature]) * f64::from(direction);
            standard(pool.iter().map(value).collect())
        }
        Kind::Example { passage } => {
            let example = &passages[passage];
            let by = |like: &dyn Fn(&Passage) -> Option<f64>| {
                pool.iter().map(|at| like(&passages[*at])).collect::<Option<Vec<f64>>>().map(standard)
            };
            let parts: Vec<Vec<f64>> = [
                by(&|other| Some(other.by_terms(example))),
                by(&|other| Some(other.by_style(example))),
                by(&|other| other.by_meaning(example)),
            ]
            .into_iter()
            .flatten()
            .collect();
            standard((0..pool.len()).map(|at| parts.iter().map(|part| part[at]).sum()).collect())
        }
    }
}

/// Standardizes values to mean 0 and deviation 1, clipped at ±3.
fn standard(values: Vec<f64>) -> Vec<f64> {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt().max(1e-9);
    values.into_iter().map(|value| ((value - mean) / deviation).clamp(-3.0, 3.0)).collect()
}
