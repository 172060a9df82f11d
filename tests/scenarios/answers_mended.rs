//! Settings that have an effect: the limits of programs, and the form of answers in the prompt of a question.

use std::{fs, path::Path, time::Duration};

use palimpsest_api::agents::{Book, EndedBy, Launcher, Limits, RunEvent, RunOutcome, RunRequest};
use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    answers::{of_book, record, validate},
    asking_stage::{result, spoken},
    backends::{install, machine, programs_in},
    island::{END, FERRY, LEDGER, analyzed},
};

/// A value of each setting of `[control]` that is not the built-in one.
const CONTROL: &str = "[control]\nabort_grace_ms = 10\nmax_first_line_ms = 1001\nmax_silence_ms = 1002\n\
                       max_tool_silence_ms = 1003\nmax_run_ms = 60000\nmax_after_result_ms = 0\n\
                       max_concurrent_runs = 1\n";

fn set_steps(folder: &Path, steps: &[Value]) {
    let lines: String = steps.iter().map(|step| format!("{step}\n")).collect();
    fs::write(folder.join("bin/claude.script.jsonl"), lines).unwrap();
}

/// Runs the program; `on_event` gets each event.
fn run_program(
    writer: &Writer,
    backend: &str,
    is_cancelled: &(dyn Fn() -> bool + Sync),
    on_event: &mut dyn FnMut(RunEvent<'_>),
) -> RunOutcome {
    let request = RunRequest {
        prompt: "Who?",
        book: Book { chapters: &[], end: None },
        names: Some(&[]),
        protected: &[],
        is_unfenced_allowed: true,
        is_cancelled,
    };
    writer.api.run_backend(backend).unwrap().run(&request, on_event).unwrap()
}

fn times(limits: &Limits) -> [Duration; 6] {
    let Limits { grace, first_line, silence, tool_silence, total, after_result, .. } = limits;
    [*grace, *first_line, *silence, *tool_silence, *total, *after_result]
}

#[test]
fn each_setting_of_control_is_a_limit_of_the_next_run_of_a_program() {
    let (folder, writer) = machine(Launcher::none());
    let (built_in, usual) = (writer.api.run_limits(), Limits::default());
    assert_eq!((times(&built_in), built_in.concurrent_runs), (times(&usual), usual.concurrent_runs));
    let named = writer.ask("answer:config:get", json!({}))["settings"].clone();
    let control = named.as_array().unwrap().iter().filter(|one| text(one, "key").starts_with("control.")).count();
    assert_eq!(control, times(&usual).len() + 1, "a setting without an effect is no setting");
    // A stored value, and then the file.
    writer.ask("answer:config:set", json!({ "values": { "control.max_run_ms": 5_000 } }));
    assert_eq!(writer.api.run_limits().total, Duration::from_secs(5));
    let file = writer.data_dir().join("config.toml");
    let programs = programs_in(folder.path(), Launcher::none(), Limits::default());
    let writer = writer.restarted_with(|options| {
        fs::write(&file, CONTROL).unwrap();
        options.programs = programs;
    });
    let limits = writer.api.run_limits();
    assert_eq!(times(&limits), [10, 1_001, 1_002, 1_003, 60_000, 0].map(Duration::from_millis));
    assert_eq!(limits.concurrent_runs, 1);

    install(folder.path(), "claude");
    let backend = text(&writer.ask("backend:save", json!({ "kind": "claude", "name": "Claude" })), "backendId");
    let gate = folder.path().join("gate");
    // It does not exit after its result: without the setting it is given five seconds.
    set_steps(folder.path(), &[spoken("Mara."), json!({ "wait": gate }), result("Mara."), json!({ "hang": true })]);
    let mut second = None;
    let first = run_program(&writer, &backend, &|| false, &mut |event| {
        if matches!(event, RunEvent::Text(_)) && second.is_none() {
            let asked = std::sync::atomic::AtomicUsize::new(0);
            let is_cancelled = || asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) > 2;
            let outcome = run_program(&writer, &backend, &is_cancelled, &mut |event| panic!("started: {event:?}"));
            second = Some((outcome.ended_by, outcome.duration_ms));
            fs::write(&gate, "").unwrap();
        }
    });
    assert_eq!(second, Some((EndedBy::Cancelled, 0)), "one program at a time");
    assert_eq!((first.ended_by, first.answer.as_str()), (EndedBy::AfterResult, "Mara."));
    assert!(first.duration_ms < 4_000, "{}", first.duration_ms);
    // A program that says nothing.
    set_steps(folder.path(), &[json!({ "hang": true })]);
    let silent = run_program(&writer, &backend, &|| false, &mut |_| {});
    assert_eq!(silent.ended_by, EndedBy::Silence);
    assert!(silent.duration_ms < 20_000, "{}", silent.duration_ms);
}

#[test]
fn answers_in_the_prompt_of_a_question_have_the_length_and_the_meta_line_of_the_settings() {
    let (folder, writer) = machine(Launcher::none());
    install(folder.path(), "claude");
    let backend = writer.ask("backend:save", json!({ "kind": "claude", "name": "Claude" }))["backendId"].clone();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let question = "How long does a body float in cold water?";
    let answer = "For two or three weeks, says the pilot. Then it sinks for good, says the doctor of the port.";
    let id = text(&record(&writer, &project, question, answer), "answerId");
    for _ in 0..3 {
        validate(&writer, &project, &id, "pass");
    }
    set_steps(folder.path(), &[spoken("Two weeks. [QA:1]"), result("Two weeks. [QA:1]"), json!({ "exit": 0 })]);
    let sent = || {
        let asked = json!({ "question": question, "backendId": backend, "fresh": true });
        let started = writer.ask("ask:run", of_book(&project, asked));
        while writer.wait_for_event("ask:done")["runId"] != started["runId"] {}
        let seen = fs::read_to_string(folder.path().join("bin/claude.seen.json")).unwrap();
        text(&serde_json::from_str(&seen).unwrap(), "stdin")
    };
    let whole = sent();
    assert!(whole.contains("doctor of the port") && whole.contains("level 2, trust"), "{whole}");
    let form = json!({ "prompt_inject.max_answer_chars": 45, "prompt_inject.include_meta_line": false });
    writer.ask("answer:config:set", json!({ "values": form }));
    let cut = sent();
    assert!(cut.contains("says the pilot") && !cut.contains("doctor of the port"), "{cut}");
    assert!(!cut.contains("level 2") && !cut.contains("trust"), "{cut}");
}
