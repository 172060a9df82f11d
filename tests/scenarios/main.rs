//! Scenarios: the guarantees of the program, each tested as a sequence of a writer's actions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answer_audit;
mod answer_config;
mod answer_search;
mod answer_service;
mod answers;
mod answers_cited;
mod answers_in_use;
mod answers_isolated;
mod answers_measured;
mod answers_mended;
mod answers_migrated;
mod answers_restored;
mod asking;
mod asking_again;
mod asking_cleared;
mod asking_history;
mod asking_host;
mod asking_kills;
mod asking_preview;
mod asking_private;
mod asking_program;
mod asking_program_ends;
mod asking_programs;
mod asking_service;
mod asking_stage;
mod asking_statements;
mod asking_tools;
mod backends;
mod backups;
mod bad_input;
mod books;
mod chapters;
mod clearing;
mod clock;
mod collinear;
mod conflicts;
mod continuity;
mod continuity_changes;
mod continuity_compared;
mod continuity_kinds;
mod distillation;
mod drafts;
mod drafts_usable;
mod embedding;
mod erasing;
mod evidence;
mod exchange;
mod exchange_between_books;
mod exchange_refused;
mod faults;
mod host_input_and_output;
mod island;
mod journal;
mod journal_events;
mod journal_missing;
mod journal_model;
mod journal_specification;
mod knowledge;
mod knowledge_copies;
mod knowledge_exchange;
mod knowledge_records;
mod knowledge_reranked;
mod learning;
mod life;
mod main_path;
mod maintenance;
mod manuscripts;
mod meaning;
mod measuring;
mod models;
mod names;
mod names_sent;
mod pages;
mod places;
mod profile;
mod prompts;
mod provenance;
mod providers;
mod recall;
mod rule_figures;
mod rules;
mod runs;
mod signals;
mod story;
mod story_canon;
mod story_facts;
mod story_lorebook;
mod story_names;
mod story_plot;
mod study;
mod study_confidence;
mod study_finds;
mod study_kills;
mod study_meanwhile;
mod study_stage;
mod study_surroundings;
mod traces;
mod undoing;
mod worded_by_model;
mod working;
mod writers_word;

use palimpsest_tests::Writer;
use serde_json::{Value, json};

/// A draft of an episode in which the first candidate was taken unchanged.
fn taken(project: &str, input: &str, written: &str) -> Value {
    json!({
        "projectId": project, "chapterId": "chapter", "skillUsed": "continue", "inputContext": input,
        "candidates": [written], "selectedIndex": 0, "finalText": written,
    })
}

/// The value with one field replaced.
fn with_field(mut value: Value, key: &str, new: Value) -> Value {
    value[key] = new;
    value
}

/// The arguments of a request for a prompt or a run.
fn passage(project: &str, before: &str) -> Value {
    json!({ "projectId": project, "chapterId": "chapter", "skill": "continue", "before": before })
}

/// The user message of a prompt.
fn sent(context: &Value) -> String {
    context["messages"][1]["content"].as_str().expect("a prompt").to_owned()
}

/// Adds a rule by hand, for one book or, without one, for all books.
fn add_rule(writer: &Writer, project: Option<&str>, rule: &str) -> Value {
    let scope = if project.is_some() { "project" } else { "global" };
    writer
        .ask("memory:semantic:add", json!({ "rule": rule, "category": "style", "scope": scope, "projectId": project }))
}
