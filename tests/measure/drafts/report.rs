//! The tables of a measurement.

use std::time::Duration;

use palimpsest_text::Language;

use crate::{
    outcome::{Card, Outcome},
    plan::SKILLS,
    statistics::{paired_interval, time_quantile, wilson_interval},
};

/// The reasons of the wire, with their names in the table.
const REASONS: [(&str, &str); 7] = [
    ("promptEcho", "prompt echo"),
    ("repeatsPassage", "repeats passage"),
    ("refusal", "refusal"),
    ("advice", "advice"),
    ("wrongLanguage", "wrong language"),
    ("loop", "loop"),
    ("empty", "empty"),
];

/// Some of the outcomes, under a name.
struct Group<'a> {
    name: String,
    outcomes: Vec<&'a Outcome>,
}

impl Group<'_> {
    fn cards(&self) -> impl Iterator<Item = &Card> {
        self.outcomes.iter().flat_map(|outcome| &outcome.cards)
    }
}

/// All tables, as Markdown.
pub fn tables(outcomes: &[Outcome], seed: u64) -> String {
    let groups = groups_of(outcomes);
    let shown: usize = outcomes.iter().map(|outcome| outcome.prompt_lines_shown).sum();
    let with: Vec<usize> = outcomes.iter().filter(|one| one.has_memory).map(|one| one.memories).collect();
    let without: usize = outcomes.iter().filter(|one| !one.has_memory).map(|one| one.memories).sum();
    let a_prompt = with.iter().sum::<usize>() as f64 / with.len().max(1) as f64;
    let parts = [
        format!("Lines of the prompt that were shown: {shown} (must be 0)."),
        format!("Rules and episodes in a prompt with memory: {a_prompt:.1}; in all prompts without memory: {without}.\n"),
        "Usable drafts; intervals are Wilson's of 95 %. *No filter* is the baseline: texts of the first try that need \
         no cut.\n"
            .to_owned(),
        usable_table(&groups),
        "\nReasons why texts of the first try are no drafts, and of those after the second try, for 100 candidates.\n"
            .to_owned(),
        reason_table(&groups),
        "\nLength of usable drafts between half and double of what is asked for, and time to the first piece of text.\n"
            .to_owned(),
        length_table(&groups),
        "\nMeasurable rules that the first usable draft follows, in pairs of runs that have one with and without \
         memory. The interval is of 95 %, by resampling the pairs.\n"
            .to_owned(),
        rule_table(outcomes, seed),
    ];
    parts.join("\n")
}

fn groups_of(outcomes: &[Outcome]) -> Vec<Group<'_>> {
    let mut groups = Vec::new();
    let mut push = |name: String, is_of: &dyn Fn(&Outcome) -> bool| {
        let outcomes: Vec<&Outcome> = outcomes.iter().filter(|outcome| is_of(outcome)).collect();
        if !outcomes.is_empty() {
            groups.push(Group { name, outcomes });
        }
    };
    for language in [Language::Zh, Language::En] {
        for has_memory in [false, true] {
            let name = format!("{}, {}", name_of(language), memory_name(has_memory));
            push(name, &|one| one.language == language && one.has_memory == has_memory);
        }
    }
    for skill in SKILLS {
        push(skill.to_owned(), &|one| one.skill == skill);
    }
    push("all".to_owned(), &|_| true);
    groups
}

pub fn name_of(language: Language) -> &'static str {
    if language == Language::Zh { "zh" } else { "en" }
}

pub fn memory_name(has_memory: bool) -> &'static str {
    if has_memory { "with memory" } else { "without" }
}

/// A share with its interval and its counts.
fn share_cell(part: usize, whole: usize) -> String {
    match wilson_interval(part, whole) {
        Some((low, high)) => {
            format!("{:.2} ({low:.2}–{high:.2}), {part} of {whole}", part as f64 / whole as f64)
        }
        None => "–".to_owned(),
    }
}

fn usable_table(groups: &[Group<'_>]) -> String {
    let head = "| runs | N | candidates | failed | no filter | usable at the first try | usable shown first, of runs |\n\
                | --- | ---: | ---: | ---: | ---: | ---: | ---: |";
    let row = |group: &Group<'_>| {
        let candidates = group.cards().count();
        let unfiltered = group.outcomes.iter().map(|outcome| outcome.usable_unfiltered).sum();
        format!(
            "| {} | {} | {candidates} | {} | {} | {} | {} |",
            group.name,
            group.outcomes.len(),
            group.cards().filter(|card| card.has_failed).count(),
            share_cell(unfiltered, candidates),
            share_cell(group.cards().filter(|card| card.is_usable_at_once()).count(), candidates),
            share_cell(group.outcomes.iter().filter(|outcome| outcome.is_usable_shown()).count(), group.outcomes.len()),
        )
    };
    table_of(head, groups.iter().map(row))
}

fn reason_table(groups: &[Group<'_>]) -> String {
    let names: Vec<&str> = REASONS.iter().map(|(_, name)| *name).collect();
    let head = format!(
        "| candidates | N | try | {} |\n| --- | ---: | --- |{}",
        names.join(" | "),
        " ---: |".repeat(REASONS.len())
    );
    let row = |group: &Group<'_>, attempt: &str, reason_of: &dyn Fn(&Card) -> Option<&String>| {
        let candidates = group.cards().count();
        let cell = |reason: &str| {
            let count = group.cards().filter(|card| reason_of(card).is_some_and(|found| found == reason)).count();
            format!("{:.1}", 100.0 * count as f64 / candidates.max(1) as f64)
        };
        let cells: Vec<String> = REASONS.iter().map(|(reason, _)| cell(reason)).collect();
        format!("| {} | {candidates} | {attempt} | {} |", group.name, cells.join(" | "))
    };
    let rows = groups.iter().flat_map(|group| {
        [row(group, "first", &|card| card.first_reason.as_ref()), row(group, "last", &|card| card.reason.as_ref())]
    });
    table_of(&head, rows)
}

fn length_table(groups: &[Group<'_>]) -> String {
    let head = "| runs | drafts | length | runs with text | first piece, median s | p95 s |\n\
                | --- | ---: | ---: | ---: | ---: | ---: |";
    let row = |group: &Group<'_>| {
        let drafts = group.outcomes.iter().map(|outcome| outcome.lengths.0).sum();
        let fitting = group.outcomes.iter().map(|outcome| outcome.lengths.1).sum();
        let times: Vec<Duration> = group.outcomes.iter().filter_map(|outcome| outcome.first).collect();
        let seconds =
            |share| time_quantile(&times, share).map_or("–".to_owned(), |time| format!("{:.1}", time.as_secs_f64()));
        format!(
            "| {} | {drafts} | {} | {} | {} | {} |",
            group.name,
            share_cell(fitting, drafts),
            times.len(),
            seconds(0.5),
            seconds(0.95)
        )
    };
    table_of(head, groups.iter().map(row))
}

fn rule_table(outcomes: &[Outcome], seed: u64) -> String {
    let head = "| pairs | N | rules followed with memory | without | difference |\n| --- | ---: | ---: | ---: | ---: |";
    let rows = [("zh", Some(Language::Zh)), ("en", Some(Language::En)), ("all", None)].map(|(name, language)| {
        let of_language = |one: &&Outcome| language.is_none_or(|language| one.language == language);
        let pairs = followed_pairs(outcomes.iter().filter(of_language));
        let mean = |side: fn(&(f64, f64)) -> f64| match pairs.is_empty() {
            true => "–".to_owned(),
            false => format!("{:.2}", pairs.iter().map(side).sum::<f64>() / pairs.len() as f64),
        };
        let differences: Vec<f64> = pairs.iter().map(|(with, without)| with - without).collect();
        let difference = paired_interval(&differences, seed)
            .map_or("–".to_owned(), |(mean, low, high)| format!("{mean:+.2} ({low:+.2} to {high:+.2})"));
        format!("| {name} | {} | {} | {} | {difference} |", pairs.len(), mean(|pair| pair.0), mean(|pair| pair.1))
    });
    table_of(head, rows.into_iter())
}

/// The share of its rules that a draft follows with memory and without, of each pair that has both drafts.
fn followed_pairs<'a>(outcomes: impl Iterator<Item = &'a Outcome> + Clone) -> Vec<(f64, f64)> {
    let share = |outcome: &Outcome| {
        let followed = outcome.followed.as_ref()?;
        Some(followed.iter().filter(|is_followed| **is_followed).count() as f64 / followed.len() as f64)
    };
    let with = outcomes.clone().filter(|outcome| outcome.has_memory);
    with.filter_map(|one| {
        let is_other = |other: &&Outcome| !other.has_memory && other.language == one.language && other.pair == one.pair;
        Some((share(one)?, share(outcomes.clone().find(is_other)?)?))
    })
    .collect()
}

fn table_of(head: &str, rows: impl Iterator<Item = String>) -> String {
    std::iter::once(head.to_owned()).chain(rows).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(pair: usize, has_memory: bool, first_reason: Option<&str>, followed: [bool; 2]) -> Outcome {
        let card = Card {
            first_reason: first_reason.map(str::to_owned),
            reason: None,
            has_failed: false,
            text: "Rain fell.".into(),
        };
        Outcome {
            language: Language::En,
            skill: "continue",
            pair,
            has_memory,
            cards: vec![card],
            usable_unfiltered: usize::from(first_reason.is_none()),
            prompt_lines_shown: 0,
            memories: if has_memory { 3 } else { 0 },
            first: Some(Duration::from_secs(2)),
            lengths: (1, 0),
            followed: Some(followed.into()),
        }
    }

    #[test]
    fn the_tables_have_a_row_for_each_group_that_has_runs() {
        let outcomes = [
            outcome(0, false, Some("promptEcho"), [false, false]),
            outcome(0, true, None, [true, false]),
            outcome(1, false, None, [true, false]),
            outcome(1, true, None, [true, true]),
        ];
        let tables = tables(&outcomes, 1);
        for row in [
            "Lines of the prompt that were shown: 0 (must be 0).",
            "Rules and episodes in a prompt with memory: 3.0; in all prompts without memory: 0.",
            "| en, without | 2 | 2 | 0 | 0.50 (0.09–0.91), 1 of 2 | 0.50 (0.09–0.91), 1 of 2 | 1.00 (0.34–1.00), 2 of 2 |",
            "| all | 4 | first | 25.0 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 |",
            "| continue | 4 | 0.00 (0.00–0.49), 0 of 4 | 4 | 2.0 | 2.0 |",
            "| en | 2 | 0.75 | 0.25 | +0.50 (+0.50 to +0.50) |",
            "| zh | 0 | – | – | – |",
        ] {
            assert!(tables.contains(row), "{row}\n{tables}");
        }
        assert!(!tables.contains("| zh, "));
    }
}
