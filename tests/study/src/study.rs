//! Many simulated lives in one language, and the figures computed from them.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use palimpsest_learning::Settings;

use crate::{
    dice::Dice,
    figures::{Bar, Estimate, Table},
    life::{Circumstances, Life, Model, Rule, live},
    prose::Pool,
    score,
    writer::{Manner, TURN, Writer},
};

/// The number of writers of each kind.
#[derive(Clone, Copy)]
pub struct Size {
    /// Writers with preferences.
    pub wanting: usize,
    /// Writers without preferences, of each of three kinds.
    pub free: usize,
    /// Writers of each adversarial kind.
    pub adversaries: usize,
}

/// A writer with preferences, with each of the three models.
pub struct Three {
    writer: Writer,
    none: Life,
    memory: Life,
    oracle: Life,
}

/// Days over which edit distance is compared while the rules are learned.
const LEARNING: std::ops::Range<i64> = 30..TURN;
const WHOLE: std::ops::Range<i64> = 0..120;

/// The share of the gap between no memory and known truth that a life closes, over all writers.
fn gap(three: &[&Three], days: &std::ops::Range<i64>, of: fn(&Three) -> &Life) -> f64 {
    let mean =
        |which: fn(&Three) -> &Life| three.iter().map(|three| score::distance(which(three), days.clone())).sum::<f64>();
    let (none, oracle) = (mean(|three| &three.none), mean(|three| &three.oracle));
    (none - mean(of)) / (none - oracle)
}

/// Calls `work` for 0..count on as many threads as there are cores; the results are in order.
pub fn each<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    let made = work(at);
                    if let Ok(mut done) = done.lock() {
                        done.push((at, made));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}

/// The study of one language with one seed.
pub struct Study<'a> {
    pub pool: &'a Pool,
    pub seed: u64,
    pub size: Size,
    pub settings: &'a Settings,
}

impl Study<'_> {
    /// The lives of the writers with preferences. The measure itself is checked first: an error when even a model that
    /// knows the truth saves too little to distinguish learners.
    pub fn lives(&self, column: usize, table: &mut Table) -> Result<Vec<Three>, String> {
        let three = each(self.size.wanting, |number| {
            let writer = Writer::with_preferences(self.pool, &mut Dice::new(self.seed, number as u64 * 2));
            let live = |model| {
                let how = Circumstances::ordinary(model);
                live(&writer, self.pool, &how, self.seed, number as u64, self.settings)
            };
            Three { none: live(Model::Plain), memory: live(Model::Memory), oracle: live(Model::Oracle), writer }
        });
        let gap = Estimate::over(&three, format!("{} writers", three.len()), |three| {
            let mean =
                |of: fn(&Three) -> &Life| three.iter().map(|three| score::distance(of(three), WHOLE)).sum::<f64>();
            1.0 - mean(|three| &three.oracle) / mean(|three| &three.none)
        });
        if gap.value.is_nan() || gap.value < 0.30 {
            return Err(format!(
                "the gap between no memory and the truth is {:.2}, under .30: nothing can be measured",
                gap.value
            ));
        }
        table.put(
            column,
            "none → oracle: edit distance that knowing the truth saves",
            Bar::AtLeast { must: 0.3, strong: 0.3 },
            2,
            gap,
        );
        Ok(three)
    }

    /// Adds the figures of the writers with preferences.
    pub fn wanting(&self, three: &[Three], column: usize, table: &mut Table) {
        let mut put = |measure, bar, digits, estimate| table.put(column, measure, bar, digits, estimate);
        let at = |day: i64| {
            let look = move |three: &Three| {
                score::look_before(&three.memory, day)
                    .map(|look| score::standing(look, &three.writer))
                    .unwrap_or_default()
            };
            three.iter().map(look).collect::<Vec<_>>()
        };
        let pairs = |standing: &[score::Standing], of: fn(&score::Standing) -> (usize, usize)| {
            let pairs: Vec<(f64, f64)> = standing.iter().map(of).map(|(one, two)| (one as f64, two as f64)).collect();
            let all = pairs.iter().map(|pair| pair.1).sum::<f64>();
            (pairs, all)
        };
        let standing = at(TURN);
        let (right, rules) = pairs(&standing, |one| (one.right, one.rules));
        put(
            "precision at ~150 episodes",
            Bar::AtLeast { must: 0.95, strong: 0.95 },
            3,
            Estimate::ratio(&right, format!("{rules} rules")),
        );
        let (found, wants) = pairs(&standing, |one| (one.found, one.wants));
        put(
            "recall at ~150 episodes",
            Bar::AtLeast { must: 0.8, strong: 0.88 },
            3,
            Estimate::ratio(&found, format!("{wants} preferences")),
        );

        let learned: Vec<Vec<f64>> =
            three.iter().map(|three| score::learned_after(&three.memory, &three.writer)).collect();
        let n = learned.iter().map(Vec::len).sum::<usize>();
        put(
            "median episodes to learn a rule (4 scenes)",
            Bar::AtMost { must: 115.0, strong: 50.0 },
            0,
            Estimate::median(&learned, format!("{n} preferences")),
        );

        let said: Vec<Vec<(f64, bool)>> = three.iter().map(|three| score::predictions(&three.memory)).collect();
        let n = said.iter().map(Vec::len).sum::<usize>();
        let error = Estimate::over(&said, format!("{n} predictions"), |said| {
            score::calibration_error(&said.iter().flat_map(|said| said.iter().copied()).collect::<Vec<_>>())
        });
        put("calibration error, prequential", Bar::AtMost { must: 0.03, strong: 0.015 }, 3, error);

        let turned: Vec<score::Turned> =
            three.iter().filter_map(|three| score::turned(&three.memory, &three.writer)).collect();
        let when = |of: fn(&score::Turned) -> Option<f64>| {
            let known: Vec<Vec<f64>> = turned.iter().map(|turned| vec![of(turned).unwrap_or(f64::INFINITY)]).collect();
            Estimate::median(&known, format!("{} rules", known.len()))
        };
        put("relevant episodes until a flipped rule is gone, in these lives", Bar::None, 0, when(|turned| turned.gone));
        put(
            "relevant episodes until it is replaced, in these lives",
            Bar::AtMost { must: 12.0, strong: 12.0 },
            0,
            when(|turned| turned.replaced),
        );
        let falsely: Vec<(f64, f64)> = three
            .iter()
            .map(|three| score::false_retirements(&three.memory, &three.writer))
            .map(|(falsely, stood)| (falsely, stood / 300.0))
            .collect();
        let n = falsely.iter().map(|pair| pair.1 * 300.0).sum::<f64>();
        put(
            "right rules retired by drift, in 300 relevant episodes",
            Bar::AtMost { must: 0.02, strong: 0.01 },
            3,
            Estimate::ratio(&falsely, format!("{n} relevant episodes")),
        );

        let n = format!("{} writers", three.len());
        let saved = |days: std::ops::Range<i64>| {
            Estimate::over(three, n.clone(), |three| gap(three, &days, |three| &three.memory))
        };
        put(
            "edit distance saved, share of the gap, days 30–60",
            Bar::AtLeast { must: 0.6, strong: 0.8 },
            2,
            saved(LEARNING),
        );
        put(
            "edit distance saved, share of the gap, whole run",
            Bar::AtLeast { must: 0.35, strong: 0.65 },
            2,
            saved(WHOLE),
        );

        let kept = |day: i64| {
            let keeps = |three: &Three| {
                score::look_before(&three.memory, day)
                    .is_some_and(|look| score::keeps_contradiction(look, &three.writer))
            };
            let pairs: Vec<(f64, f64)> = three.iter().map(|three| (f64::from(u8::from(keeps(three))), 1.0)).collect();
            Estimate::ratio(&pairs, n.clone())
        };
        let bar = Bar::AtLeast { must: 0.7, strong: 0.9 };
        put("contradiction across scenes kept as two scoped rules, at ~300 episodes", bar, 2, kept(120));
        // Half of the episodes of each of two scenes is an eighth of all: this takes longest.
        put("the same at ~150 episodes", Bar::None, 2, kept(TURN));
    }

    /// Adds the figures of writers without preferences and of adversarial ones. Returns the number of false rules of
    /// each life without a preference.
    pub fn adversaries(&self, column: usize, table: &mut Table) -> Vec<usize> {
        let count = self.size.free;
        let ordinary = Circumstances::ordinary(Model::Memory);
        let alike = Circumstances { alike: true, ..ordinary };
        let mut all = Vec::new();
        for (measure, from, how, manner) in [
            (
                "false rules of a writer without preference, any time in 300 episodes",
                10_000,
                ordinary,
                Manner::Ordinary,
            ),
            ("… of one who takes what is shown first", 20_000, ordinary, Manner::First),
            ("… whose candidates do not differ", 30_000, alike, Manner::Ordinary),
        ] {
            let counts = self.falsely(count, from, how, |_| Writer::without(manner));
            let bar = Bar::AtMost { must: 0.01, strong: 0.002 };
            table.put(column, measure, bar, 3, Estimate::rare(&counts, format!("{count} writers")));
            all.extend(counts);
        }

        let few = self.size.adversaries;
        let shortest = self.stood(few, 40_000, ordinary, |_| Writer::shortest());
        table.put(column, "precision for one who wants only short texts", Bar::None, 3, shortest.0);
        table.put(column, "recall of that", Bar::None, 3, shortest.1);
        let wanting = |number: usize| {
            Writer::with_preferences(self.pool, &mut Dice::new(self.seed, (50_000 + number as u64) * 2))
        };
        let ignoring =
            self.stood(few, 50_000, Circumstances { learns: true, ..Circumstances::ordinary(Model::Plain) }, wanting);
        table.put(column, "precision with a model that ignores rules", Bar::None, 3, ignoring.0);
        table.put(column, "recall of that", Bar::None, 3, ignoring.1);
        table.put(column, "rules of a sleeper that are there after 45 days away", Bar::None, 3, self.sleepers(wanting));
        all
    }

    fn falsely(
        &self,
        count: usize,
        from: u64,
        how: Circumstances,
        writer: impl Fn(usize) -> Writer + Sync,
    ) -> Vec<usize> {
        each(count, |number| {
            let writer = writer(number);
            let life = live(&writer, self.pool, &how, self.seed, from + number as u64, self.settings);
            score::false_rules(&life, &writer)
        })
    }

    /// Precision and recall at ~150 episodes.
    fn stood(
        &self,
        count: usize,
        from: u64,
        how: Circumstances,
        writer: impl Fn(usize) -> Writer + Sync,
    ) -> (Estimate, Estimate) {
        let all = each(count, |number| {
            let writer = writer(number);
            let life = live(
                &writer,
                self.pool,
                &Circumstances { days: TURN, ..how },
                self.seed,
                from + number as u64,
                self.settings,
            );
            score::look_before(&life, TURN).map(|look| score::standing(look, &writer)).unwrap_or_default()
        });
        let right: Vec<(f64, f64)> = all.iter().map(|one| (one.right as f64, one.rules as f64)).collect();
        let found: Vec<(f64, f64)> = all.iter().map(|one| (one.found as f64, one.wants as f64)).collect();
        let n = |pairs: &[(f64, f64)]| pairs.iter().map(|pair| pair.1).sum::<f64>();
        let (rules, wants) = (format!("{} rules", n(&right)), format!("{} preferences", n(&found)));
        (Estimate::ratio(&right, rules), Estimate::ratio(&found, wants))
    }

    /// Of the rules on the evening before a break of 45 days, the share in force on each of the first five evenings
    /// after it.
    fn sleepers(&self, writer: impl Fn(usize) -> Writer + Sync) -> Estimate {
        const AWAY: (i64, i64) = (50, 95);
        let kept = each(self.size.adversaries, |number| {
            let mut writer = writer(number);
            // The preferences after the break are the same as before.
            writer.preferences.retain(|want| want.days.0 == 0);
            writer.preferences.iter_mut().for_each(|want| want.days.1 = i64::MAX);
            let how = Circumstances { days: AWAY.1 + 5, away: AWAY, ..Circumstances::ordinary(Model::Memory) };
            let life = live(&writer, self.pool, &how, self.seed, 60_000 + number as u64, self.settings);
            let Some(before) = score::look_before(&life, AWAY.0) else { return (0.0, 0.0) };
            let after: Vec<_> = life.looks.iter().filter(|look| look.day >= AWAY.1).collect();
            let stays = |rule: &&Rule| {
                after.iter().all(|look| look.rules.iter().any(|other| other.preference() == rule.preference()))
            };
            (before.rules.iter().filter(stays).count() as f64, before.rules.len() as f64)
        });
        let n = kept.iter().map(|pair| pair.1).sum::<f64>();
        Estimate::ratio(&kept, format!("{n} rules"))
    }
}
