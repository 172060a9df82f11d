//! Other settings on runs of the past: which prompts would have had other answers, from recorded numbers alone.

use crate::{
    config::Config,
    gate::{Match, Prepared, prepare_inject},
};

/// A run of the past, as it was recorded: the input of the gate, without any text.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    /// Id of the run.
    pub run_id: String,
    /// Milliseconds since 1970 at which its prompt was made.
    pub at: i64,
    /// The matches that its search found.
    pub matches: Vec<Match>,
}

/// The decision of the gate about a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Ids of the injected answers, in the order of the prompt.
    pub injected: Vec<String>,
    /// Id of the answer on probation.
    pub probation: Option<String>,
    /// No candidate is kept, because a strong answer or one to the same question is there; `None` if it is not known.
    pub is_answered: Option<bool>,
}

/// A run about which two settings decide differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedRun {
    /// Id of the run.
    pub run_id: String,
    /// By the first settings.
    pub before: Decided,
    /// By the second settings.
    pub after: Decided,
}

/// The comparison of two settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// Number of runs that were compared.
    pub runs: usize,
    /// Number of answers that are in the prompts of `before` and not in those of `after`.
    pub removed: usize,
    /// Number of answers that are in the prompts of `after` and not in those of `before`.
    pub added: usize,
    /// The runs with a difference, in the order in which they are given.
    pub changed: Vec<ChangedRun>,
}

/// Decides about runs of the past with two settings, each at the time of the run. The matches stay those of the search
/// of then: another `search_limit` or `min_score` would have found others.
#[must_use]
pub fn replay(runs: &[RecordedRun], before: &Config, after: &Config) -> Replay {
    let recorded: Vec<(RecordedRun, Decided)> = runs.iter().map(|run| (run.clone(), decided(run, before))).collect();
    replay_recorded(&recorded, after)
}

/// Decides about runs of the past with other settings, and compares with the decisions that were recorded.
#[must_use]
pub fn replay_recorded(runs: &[(RecordedRun, Decided)], after: &Config) -> Replay {
    let mut found = Replay { runs: runs.len(), removed: 0, added: 0, changed: Vec::new() };
    for (run, first) in runs {
        let mut second = decided(run, after);
        found.removed += missing(first, &second);
        found.added += missing(&second, first);
        if first.is_answered.is_none() {
            // For a run that was not completed, it is unknown whether a candidate was kept.
            second.is_answered = None;
        }
        if *first != second {
            found.changed.push(ChangedRun { run_id: run.run_id.clone(), before: first.clone(), after: second });
        }
    }
    found
}

fn decided(run: &RecordedRun, config: &Config) -> Decided {
    let prepared = prepare_inject(&run.matches, config, run.at);
    let is_answered = Some(prepared.has_strong || prepared.is_answered_already(config));
    let Prepared { injected, probation, .. } = prepared;
    Decided { injected, probation, is_answered }
}

/// Number of answers in one prompt that are not in the other.
fn missing(one: &Decided, other: &Decided) -> usize {
    let is_in_other = |id: &String| other.injected.contains(id) || other.probation.as_ref() == Some(id);
    one.injected.iter().chain(&one.probation).filter(|id| !is_in_other(id)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(run_id: &str, matches: &[(&str, u8, f64)]) -> RecordedRun {
        let matches = matches.iter().map(|(id, level, relevance)| Match {
            answer_id: (*id).to_owned(),
            status: "verified".into(),
            level: *level,
            relevance: *relevance,
            trust_milli: 600,
            freshness: 1.0,
            ..Match::default()
        });
        RecordedRun { run_id: run_id.to_owned(), at: 0, matches: matches.collect() }
    }

    #[test]
    fn the_same_settings_change_nothing() {
        let runs = [run("one", &[("a", 2, 0.9), ("b", 1, 0.8)]), run("two", &[])];
        let same = replay(&runs, &Config::default(), &Config::default());
        assert_eq!((same.runs, same.changed), (2, vec![]));
    }

    #[test]
    fn a_higher_gate_takes_answers_out_of_the_prompts_that_have_them() {
        let runs = [run("one", &[("a", 2, 0.9), ("b", 2, 0.55)]), run("two", &[("c", 3, 0.9)])];
        let mut higher = Config::default();
        higher.gatekeeper.min_score_inject = 0.6;
        let replay = replay(&runs, &Config::default(), &higher);
        assert_eq!((replay.removed, replay.added, replay.changed.len()), (1, 0, 1));
        assert_eq!(replay.changed[0].run_id, "one");
        assert_eq!(replay.changed[0].before.injected, ["a", "b"]);
        assert_eq!(replay.changed[0].after.injected, ["a"]);
    }

    #[test]
    fn a_fallback_in_the_place_of_a_strong_answer_is_one_removed_and_one_added() {
        let runs = [run("one", &[("strong", 2, 0.9), ("weaker", 1, 0.9)])];
        let mut stricter = Config::default();
        stricter.gatekeeper.min_level_inject = 3;
        let replay = replay(&runs, &Config::default(), &stricter);
        assert_eq!((replay.removed, replay.added), (0, 0), "the fallback takes the highest level");
        assert_eq!(replay.changed[0].before.is_answered, Some(true));
        assert_eq!(replay.changed[0].after.is_answered, Some(false));
    }
}
