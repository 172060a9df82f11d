//! The decisions that were agreed on, case by case: `golden/AREA.jsonl` has the input and the decision of each.
//!
//! The cases are shortened: a match has only the fields in which it differs from [`found`], `{tide}` is replaced by
//! [`TIDE`], and `{x*3}` by `xxx`. There is one `score`, which is both relevance and sameness.

#![allow(clippy::unwrap_used, clippy::panic)]

use palimpsest_answers::{
    assess::{EndedBy, RunOutcome, ToolUse, assess_quality},
    candidate::{Candidate, CandidateSource, Redaction, Refusal, extract_candidate},
    config::Config,
    decide::{CompletedRun, MemoryWriteDecider, WhyNot},
    gate::{Match, Prepared, TextChange, prepare_inject},
    marks::used_ids,
    standing::{Event, EventKind, Standing, StandingRules, State, fails_half, fold, trust_milli},
    validation::{Source, Strength, Validation, ValidationResult},
};
use serde_json::{Map, Value, json};

const TIDE: &str = "Use the tide table of the harbour office: high water falls about fifty minutes later each day, so \
                    the boat that left at dawn on Monday cannot leave at dawn on Friday. Move the departure to the \
                    afternoon, or let the skipper wait outside the bar until the flood, as the pilot does in chapter \
                    nine. Both agree with the log.";

const QUESTION: &str = "When can the boat leave?";
const KNOWN: [&str; 5] = ["qa-123", "qa-456", "qa_001", "0199aa-7b", "a1"];
const HOUR_MS: i64 = 3_600_000;
/// Milliseconds since 1970 at which every case is decided.
const NOW: i64 = 1_000_000 * HOUR_MS;

/// Decides the cases of a file, and compares with the decisions that were agreed on.
fn check(cases: &str, count: usize, decide: impl Fn(&Value) -> Value) {
    let mut failed = Vec::new();
    let mut all = 0;
    for case in cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        all += 1;
        let (decided, agreed) = (decide(&case["input"]), &case["ours"]);
        if !is_same(&decided, agreed) {
            failed.push(format!("{}: decided {decided}, agreed {agreed}", case["id"]));
        }
    }
    assert_eq!(all, count, "number of cases");
    assert!(failed.is_empty(), "{} of {all} differ:\n{}", failed.len(), failed.join("\n"));
}

/// Equal, numbers up to rounding.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => (one.as_f64().unwrap() - other.as_f64().unwrap()).abs() < 1e-9,
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len() && one.iter().all(|(key, value)| other.get(key).is_some_and(|o| is_same(value, o)))
        }
        _ => one == other,
    }
}

/// A text of a case, at full length.
fn text(value: &Value) -> String {
    let (mut whole, mut rest) = (String::new(), value.as_str().unwrap_or_default());
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, after) = after.split_once('}').unwrap();
        whole.push_str(before);
        match inside.rsplit_once('*') {
            Some((unit, times)) => whole.push_str(&unit.repeat(times.parse().unwrap())),
            None => whole.push_str(TIDE),
        }
        rest = after;
    }
    whole + rest
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

fn config(input: &Value) -> Config {
    let mut config = Config::default();
    for (key, value) in input["config"].as_object().unwrap_or(&Map::new()) {
        let count = value.as_u64().unwrap_or_default() as usize;
        let is_on = value.as_bool().unwrap_or_default();
        match key.as_str() {
            "max_inject" => config.gatekeeper.max_inject = count,
            "min_level_inject" => config.gatekeeper.min_level_inject = count as u8,
            "block_if_consecutive_fail_ge" => config.gatekeeper.block_if_consecutive_fail_ge = count as u32,
            "exclude_stale_by_default" => config.gatekeeper.exclude_stale_by_default = is_on,
            "probation_slots" => config.gatekeeper.probation_slots = count,
            "skip_if_top1_score_ge" => config.gatekeeper.skip_if_top1_score_ge = value.as_f64().unwrap(),
            "max_candidates" => config.candidate_extract.max_candidates = count,
            "confidence" => config.candidate_extract.min_confidence = value.as_f64().unwrap(),
            "redact" => config.candidate_extract.redact = is_on,
            "strict_secret_block" => config.candidate_extract.strict_secret_block = is_on,
            other => panic!("{other}"),
        }
    }
    config
}

fn found(value: &Value) -> Match {
    let number = |key: &str, default: f64| value.get(key).map_or(default, |value| value.as_f64().unwrap());
    let metadata = &value["metadata"];
    let count = |key: &str| metadata[key].as_u64().unwrap_or_default() as u32;
    // Services send numbers and texts of numbers; anything else is no failure.
    let failures = match &metadata["consecutive_fail"] {
        Value::Number(number) => number.as_f64().unwrap(),
        Value::String(text) => text.trim().parse().unwrap_or_default(),
        _ => 0.0,
    };
    Match {
        answer_id: value["qa_id"].as_str().unwrap().to_owned(),
        version: 1,
        relevance: number("score", 0.8),
        same: number("score", 0.8),
        status: value.get("status").map_or("active", |status| status.as_str().unwrap()).to_owned(),
        level: number("validation_level", 2.0) as u8,
        trust_milli: trust_milli(number("trust", 0.8)),
        freshness: number("freshness", 1.0),
        fails_half: fails_half(failures),
        shown_count: count("hit_count"),
        used_count: count("use_count"),
        times_blocked: count("times_blocked"),
        last_failed_at: metadata["hours_since_fail"].as_i64().map(|hours| NOW - hours * HOUR_MS),
        is_blocked_by_writer: false,
        user_confirmed: count("user_confirmed") > 0,
        changed: if count("changed_text") > 0 { TextChange::Yes } else { TextChange::No },
        is_remote: false,
    }
}

fn matches(input: &Value) -> Vec<Match> {
    input["matches"].as_array().unwrap().iter().map(found).collect()
}

/// Stands for the detection of secrets, which is not of this crate.
fn redact(text: &str) -> Redaction {
    let is_secret = |word: &&str| word.starts_with("sk-") || word.starts_with("AKIA");
    let count = text.split_whitespace().filter(is_secret).count();
    let words = text.split(' ').map(|word| if is_secret(&word) { "[redacted]" } else { word });
    Redaction { text: words.collect::<Vec<_>>().join(" "), count }
}

fn prepared_json(prepared: &Prepared) -> Value {
    let left_out: Map<String, Value> =
        prepared.left_out.iter().map(|(id, reason)| (id.clone(), reason.as_str().into())).collect();
    json!({
        "inject": prepared.injected,
        "probation": prepared.probation,
        "left_out": left_out,
        "has_strong": prepared.has_strong,
    })
}

#[test]
fn the_gate_decides_as_agreed() {
    check(include_str!("golden/inject.jsonl"), 74, |input| {
        prepared_json(&prepare_inject(&matches(input), &config(input), NOW))
    });
}

fn outcome(exit_code: &Value, tools: Vec<ToolUse>) -> RunOutcome {
    RunOutcome {
        exit_code: exit_code.as_i64().unwrap() as i32,
        ended_by: EndedBy::Itself,
        answer: "Grey.".to_owned(),
        output_tail: String::new(),
        error_tail: String::new(),
        tools,
        shown_ids: Vec::new(),
        used_ids: Vec::new(),
        verified_citations: 0,
    }
}

#[test]
fn a_run_is_assessed_as_agreed() {
    check(include_str!("golden/signal.jsonl"), 27, |input| {
        let count = |key: &str| input[key].as_u64().unwrap() as usize;
        let tools = [(false, "failing_tools"), (true, "tool_results_ok")].into_iter().flat_map(|(ok, key)| {
            std::iter::repeat_n(ToolUse { name: "tool".to_owned(), went_well: Some(ok) }, count(key))
        });
        let ids = vec!["a".to_owned(); count("used")];
        let assessment = assess_quality(&RunOutcome {
            output_tail: text(&input["stdout_tail"]),
            error_tail: text(&input["stderr_tail"]),
            shown_ids: ids.clone(),
            used_ids: ids,
            ..outcome(&input["exit_code"], tools.collect())
        });
        json!({
            "result": assessment.result.unwrap().as_str(),
            "signal_strength": assessment.strength.as_str(),
            "strong_signal": assessment.strength == Strength::Strong,
        })
    });
}

#[test]
fn a_run_writes_as_agreed() {
    check(include_str!("golden/evaluate.jsonl"), 40, |input| {
        let (config, matches, run) = (config(input), matches(input), &input["run"]);
        let results =
            input["tool_events"].as_array().unwrap().iter().filter(|event| event["event_type"] == "tool.result");
        let tools = results
            .map(|event| ToolUse { name: text(&event["tool"]), went_well: event["ok"].as_bool() })
            .collect::<Vec<_>>();
        let outcome = RunOutcome {
            ended_by: match run["ended"].as_str() {
                None => EndedBy::Itself,
                Some("cancelled") => EndedBy::Cancelled,
                Some("unavailable") => EndedBy::Unavailable,
                Some(other) => panic!("{other}"),
            },
            answer: text(&run["answer"]),
            output_tail: text(&run["stdout_tail"]),
            error_tail: text(&run["stderr_tail"]),
            shown_ids: texts(&run["shown"]),
            used_ids: texts(&run["used"]),
            verified_citations: run["verified_citations"].as_u64().unwrap_or_default() as usize,
            ..outcome(&run["exit_code"], tools)
        };
        let question = input.get("query").map_or(QUESTION.to_owned(), text);
        let source = CandidateSource {
            question: &question,
            answer: &outcome.answer,
            tools: outcome.tools.len(),
            verified_citations: outcome.verified_citations,
        };
        let prepared = prepare_inject(&matches, &config, NOW);
        let decision = MemoryWriteDecider::new(&config).decide(CompletedRun {
            matches: &matches,
            prepared: &prepared,
            outcome: &outcome,
            assessment: &assess_quality(&outcome),
            candidate: extract_candidate(&source, &redact, &config.candidate_extract),
            is_fresh: false,
        });
        let hits = decision.hits.iter();
        let validations = decision.validations.iter();
        json!({
            "inject": prepared.injected,
            "probation": prepared.probation,
            "hits": hits
                .map(|hit| json!({ "qa_id": hit.answer_id, "shown": hit.shown, "used": hit.used }))
                .collect::<Vec<_>>(),
            "validations": validations
                .map(|planned| json!({
                    "qa_id": planned.answer_id,
                    "result": planned.validation.result.as_str(),
                    "used": planned.validation.used,
                    "applied": planned.validation.applied,
                }))
                .collect::<Vec<_>>(),
            "invented": decision.invented,
            "write_candidate": decision.candidate.is_ok(),
            "why_not": decision.candidate.err().unwrap_or_default().into_iter().map(WhyNot::as_str).collect::<Vec<_>>(),
        })
    });
}

#[test]
fn the_standing_of_an_answer_moves_as_agreed() {
    check(include_str!("golden/standing.jsonl"), 20, |input| {
        let given = |key: &str, default: u64| input["state"][key].as_u64().unwrap_or(default) as u32;
        let initial = Standing::initial(0);
        let initial = Standing {
            level: given("level", 0) as u8,
            trust_milli: given("trust", u64::from(initial.trust_milli)) as u16,
            fails_half: given("fails2", 0),
            passes: given("passes", 0),
            used_count: given("use_count", 0),
            times_blocked: given("times_blocked", 0),
            state: match input["state"]["status"].as_str() {
                Some("blocked") => State::Blocked(palimpsest_answers::standing::BlockedBy::Run),
                _ => State::Active,
            },
            ..initial
        };
        let events = input["validations"].as_array().unwrap().iter().map(|event| {
            let validated = |result| {
                EventKind::Validated(Validation {
                    result,
                    strength: Strength::Weak,
                    source: Source::Run,
                    used: true,
                    applied: event["applied"].as_bool().unwrap_or(true),
                })
            };
            let kind = match event["result"].as_str().unwrap() {
                "pass" => validated(ValidationResult::Pass),
                "partial" => validated(ValidationResult::Partial),
                "fail" => validated(ValidationResult::Fail),
                "hit" => EventKind::Hit { shown: true, used: event["used"].as_bool().unwrap_or_default() },
                "block" => EventKind::Blocked,
                "unblock" => EventKind::Unblocked,
                other => panic!("{other}"),
            };
            Event { at: NOW, kind }
        });
        let standing = fold(initial, &events.collect::<Vec<_>>(), StandingRules::default());
        json!({
            "level": standing.level,
            "trust": standing.trust_milli,
            "fails2": standing.fails_half,
            "passes": standing.passes,
            "use_count": standing.used_count,
            "hit_count": standing.shown_count,
            "status": if standing.state == State::Active { "active" } else { standing.status() },
            "times_blocked": standing.times_blocked,
        })
    });
}

/// The assistant's own words in the events of a run, joined.
fn own_words(events: &Value) -> String {
    let events = events.as_array().into_iter().flatten();
    events.filter(|event| event["event_type"] == "assistant.output").map(|event| text(&event["output"])).collect()
}

#[test]
fn marks_of_use_are_found_as_agreed() {
    check(include_str!("golden/refs.jsonl"), 27, |input| {
        let words = text(&input["text"]) + &own_words(&input["events"]);
        let known = input.get("known").map_or(KNOWN.map(str::to_owned).to_vec(), texts);
        let marks = used_ids(&words, &known, "");
        json!({ "used": marks.used, "invented": marks.invented })
    });
}

#[test]
fn candidates_are_kept_and_refused_as_agreed() {
    check(include_str!("golden/candidate.jsonl"), 23, |input| {
        let (question, answer) = (text(&input["query"]), own_words(&input["tool_events"]));
        let events = input["tool_events"].as_array().unwrap();
        let tools = events.iter().filter(|event| event["event_type"] == "tool.request").count();
        let source = CandidateSource { question: &question, answer: &answer, tools, verified_citations: 0 };
        match extract_candidate(&source, &redact, &config(input).candidate_extract) {
            Ok(Candidate { question, answer, confidence, redactions }) => json!({
                "drafts": 1,
                "question": question,
                "answer_chars": answer.chars().count(),
                "confidence": confidence,
                "redactions": redactions,
            }),
            Err(refusal) => json!({ "drafts": 0, "why": refusal_name(refusal) }),
        }
    });
}

fn refusal_name(refusal: Refusal) -> &'static str {
    WhyNot::Words(refusal).as_str()
}
