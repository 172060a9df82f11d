//! Programs that misbehave: each run ends within its limits, leaves no process, and says why.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use palimpsest_agents::{Assistant, EndedBy, Isolation, Reason, TokenCount};
use palimpsest_text::names::Pair;
use serde_json::{Value, json};

use super::{Event, Stage, has_ended, result, spoken};

/// The longest time from the limit of a run to its end as an event.
const MAX_DELAY: Duration = Duration::from_millis(200);
/// A limit that a test waits for.
const SHORT: Duration = Duration::from_millis(100);

fn claude() -> Stage {
    Stage::new(Assistant::Claude)
}

/// Runs a script that ends by a limit, and returns the time from the start of the run to the event of its end.
fn time_to_end(stage: &Stage, steps: &[Value], expected: EndedBy) -> Duration {
    stage.script(steps);
    let started = Instant::now();
    let mut ended = None;
    let (outcome, events) = stage.ask_program_watched("Why?", &mut |event| {
        if matches!(event, Event::Ending(_)) {
            ended = Some(started.elapsed());
        }
    });
    assert_eq!(outcome.unwrap().ended_by, expected);
    assert_eq!(events.last(), Some(&Event::Ending(expected)));
    ended.unwrap()
}

#[test]
fn an_answer_comes_back_with_its_words_tools_and_tokens() {
    let stage = claude();
    let tool = json!({ "type": "assistant", "message": { "content": [
        { "type": "text", "text": "Let me look." },
        { "type": "tool_use", "id": "t1", "name": "Read", "input": { "file_path": "003.md" } }] } });
    let read = json!({ "type": "user", "message": { "content": [
        { "type": "tool_result", "tool_use_id": "t1", "content": "…" }] } });
    let end = json!({ "type": "result", "subtype": "success", "is_error": false, "result": "She was afraid.",
        "usage": { "input_tokens": 7, "cache_read_input_tokens": 2, "output_tokens": 3 } });
    let init = json!({ "type": "system", "subtype": "init", "session_id": "s1" });
    let lines = [init, tool, read].map(|line| json!({ "out": line.to_string() }));
    let steps = [&lines[..], &[spoken("She was afraid."), json!({ "out": end.to_string() })]].concat();
    let outcome = stage.outcome(&steps);
    assert_eq!((outcome.answer.as_str(), outcome.exit_code), ("She was afraid.", Some(0)));
    assert_eq!((outcome.ended_by, outcome.reason()), (EndedBy::Itself, None));
    assert_eq!((outcome.tools[0].name.as_str(), outcome.tools[0].is_ok), ("Read", Some(true)));
    assert_eq!(outcome.tokens, Some(TokenCount { prompt: 9, answer: 3 }));
    assert_eq!(outcome.session_id.as_deref(), Some("s1"));
    let files = stage.seen().unwrap()["files"].clone();
    assert_eq!(files.as_object().unwrap().keys().collect::<Vec<_>>(), ["001.md", "002.md", "003.md"]);
    assert_eq!(files["002.md"], "# 晚潮\n\n梅走到码头，灯还亮着。\n");
}

#[test]
fn a_program_of_the_writers_own_answers_in_plain_text() {
    let mut stage = Stage::new(Assistant::Own);
    stage.arguments = vec!["--with".to_owned(), "{model}".to_owned()];
    stage.model = Some("small".to_owned());
    let outcome = stage.outcome(&[json!({ "out": "{\"no\": stream}" }), json!({ "raw": "Because." })]);
    assert_eq!((outcome.answer.as_str(), outcome.bad_lines), ("{\"no\": stream}\nBecause.", 0));
    assert_eq!(stage.seen().unwrap()["argv"], json!(["--with", "small"]));
}

#[test]
fn cancelling_ends_the_program_and_its_children() {
    let stage = claude();
    stage.script(&[spoken("Wait"), json!({ "child": true }), spoken("…"), json!({ "hang": true })]);
    let mut cancelled = None;
    let mut delay = None;
    let (outcome, _) = stage.ask_program_watched("Why?", &mut |event| match event {
        Event::Text(text) if text.contains('…') => {
            stage.cancel.store(true, Ordering::SeqCst);
            cancelled = Some(Instant::now());
        }
        Event::Ending(EndedBy::Cancelled) => delay = cancelled.map(|at| at.elapsed()),
        _ => {}
    });
    let outcome = outcome.unwrap();
    assert_eq!((outcome.ended_by, outcome.exit_code), (EndedBy::Cancelled, None));
    assert!(delay.unwrap() <= MAX_DELAY, "{delay:?}");
    assert!(has_ended(stage.seen().unwrap()["child"].as_u64().unwrap()));
}

#[test]
fn a_panic_of_the_listener_ends_the_program() {
    let stage = claude();
    stage.script(&[json!({ "child": true }), spoken("Wait"), json!({ "hang": true })]);
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        stage.ask_program_watched("Why?", &mut |_| panic!("a listener fails"))
    }));
    assert!(ended.is_err());
    stage.check_left_behind();
}

#[test]
fn a_program_that_ignores_the_request_to_end_is_killed() {
    let mut stage = claude();
    stage.limits.grace = SHORT;
    stage.script(&[json!({ "child": true }), json!({ "hang": "ignoringTerm" })]);
    let seen = stage.beside("seen.json");
    // The double prints one line, which is no JSON, once it ignores SIGTERM; the silence begins then.
    stage.limits.silence = SHORT;
    let (outcome, events) = stage.ask_program("Why?");
    let outcome = outcome.unwrap();
    assert_eq!((outcome.ended_by, outcome.bad_lines), (EndedBy::Silence, 1));
    assert_eq!(events, [Event::Ending(EndedBy::Silence)]);
    assert!(seen.exists());
}

#[test]
fn a_program_that_says_nothing_is_ended() {
    let mut stage = claude();
    stage.limits.first_line = SHORT;
    let after = time_to_end(&stage, &[json!({ "hang": true })], EndedBy::Silence);
    assert!((SHORT..SHORT + MAX_DELAY).contains(&after), "{after:?}");
    stage.script(&[json!({ "raw": "{\"half\": " }), json!({ "hang": true })]);
    assert_eq!(stage.ask_program("Why?").0.unwrap().reason(), Some(Reason::Silent));
}

#[test]
fn silence_is_longer_while_a_tool_runs() {
    let mut stage = claude();
    stage.limits.silence = SHORT;
    time_to_end(&stage, &[spoken("Hm."), json!({ "hang": true })], EndedBy::Silence);
    let tool =
        json!({ "type": "assistant", "message": { "content": [{ "type": "tool_use", "id": "t", "name": "Grep" }] } });
    let steps = [json!({ "out": tool.to_string() }), json!({ "hang": true })];
    stage.limits.tool_silence = 4 * SHORT;
    assert!(time_to_end(&stage, &steps, EndedBy::Silence) >= 4 * SHORT);
}

#[test]
fn a_run_that_takes_too_long_is_ended() {
    let mut stage = claude();
    stage.limits.total = 3 * SHORT;
    // Printing does not prolong it.
    let steps = [json!({ "raw": "{}\n", "times": 100 }), json!({ "close": true }), json!({ "hang": true })];
    let after = time_to_end(&stage, &steps, EndedBy::Timeout);
    assert!(after < 3 * SHORT + MAX_DELAY, "{after:?}");
}

#[test]
fn a_program_that_hangs_after_its_result_has_answered() {
    let mut stage = claude();
    stage.limits.after_result = SHORT;
    let outcome = stage.outcome(&[result("Yes."), json!({ "child": true }), json!({ "hang": true })]);
    assert_eq!((outcome.ended_by, outcome.exit_code), (EndedBy::AfterResult, Some(0)));
    assert_eq!((outcome.answer.as_str(), outcome.reason()), ("Yes.", None));
}

#[test]
fn a_child_that_outlives_its_program_is_killed_and_the_answer_stays() {
    let stage = claude();
    let outcome = stage.outcome(&[json!({ "child": true }), result("Yes.")]);
    assert_eq!((outcome.ended_by, outcome.answer.as_str()), (EndedBy::Itself, "Yes."));
    assert!(outcome.duration_ms < 5_000, "its open output is not waited for");
}

#[test]
fn more_output_than_is_read_ends_the_run() {
    let stage = claude();
    let flood = "x".repeat(1 << 16) + "\n";
    for steps in [
        // A gigabyte, in lines and in one.
        [json!({ "raw": flood, "times": 1 << 14 })],
        [json!({ "raw": "x".repeat(1 << 16), "times": 1 << 14 })],
        // Many short lines.
        [json!({ "raw": "{}\n", "times": 20_000 })],
    ] {
        let outcome = stage.outcome(&steps);
        assert_eq!((outcome.ended_by, outcome.reason()), (EndedBy::TooMuch, Some(Reason::TooMuch)));
    }
}

#[test]
fn a_line_that_is_too_long_is_dropped_and_the_answer_is_read() {
    let stage = claude();
    let outcome =
        stage.outcome(&[json!({ "raw": "x".repeat(1 << 15), "times": 33 }), json!({ "out": "" }), result("Yes.")]);
    assert_eq!((outcome.answer.as_str(), outcome.bad_lines), ("Yes.", 1));
}

#[test]
fn broken_lines_are_counted_and_the_others_read() {
    let stage = claude();
    let split = json!({ "bytes": [b'{', 0xff, 0xfe, b'\n'] });
    let outcome =
        stage.outcome(&[split, json!({ "out": "[1]" }), spoken("Grey."), json!({ "raw": "{\"type\": \"resu" })]);
    assert_eq!((outcome.answer.as_str(), outcome.bad_lines), ("Grey.", 3));
    let line = spoken("Gr\u{1}ey")["out"].as_str().unwrap().replace("\\u0001", "\u{fffd}");
    let bytes: Vec<u8> =
        line.replace('\u{fffd}', "?").bytes().map(|byte| if byte == b'?' { 0xff } else { byte }).collect();
    let outcome = stage.outcome(&[json!({ "bytes": bytes })]);
    assert_eq!(outcome.answer, "Gr\u{fffd}ey", "bytes that are not UTF-8 are replaced");
}

#[test]
fn a_flood_of_errors_is_read_and_its_end_retained_without_secrets() {
    let stage = claude();
    let key = format!("sk-ant-{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2));
    let outcome = stage.outcome(&[
        json!({ "err": "noise\n", "times": 200_000 }),
        json!({ "err": format!("the end {key}") }),
        result("Yes."),
    ]);
    assert_eq!((outcome.answer.as_str(), outcome.ended_by), ("Yes.", EndedBy::Itself));
    assert!(outcome.tail.len() <= 4 << 10 && outcome.tail.contains("the end"));
    assert!(!outcome.tail.contains(&key), "{}", outcome.tail);
}

#[test]
fn a_program_that_does_not_read_its_input_answers_all_the_same() {
    let stage = claude();
    stage.script(&[json!({ "deaf": true }), result("Yes.")]);
    let (outcome, _) = stage.ask_program(&"long ".repeat(100_000));
    assert_eq!(outcome.unwrap().answer, "Yes.");
}

#[test]
fn exit_codes_and_results_are_reported_apart() {
    let stage = claude();
    let outcome = stage.outcome(&[json!({ "exit": 0 })]);
    assert_eq!((outcome.answer.as_str(), outcome.exit_code, outcome.is_result_ok), ("", Some(0), None));
    let outcome = stage.outcome(&[spoken("All of it."), json!({ "exit": 3 })]);
    assert_eq!((outcome.answer.as_str(), outcome.exit_code), ("All of it.", Some(3)));
    let outcome = stage.outcome(&[result("Yes."), json!({ "exit": 1 })]);
    assert_eq!((outcome.answer.as_str(), outcome.exit_code, outcome.is_result_ok), ("Yes.", Some(1), Some(true)));
}

#[test]
fn a_missing_login_and_an_untrusted_folder_have_reasons_of_their_own() {
    let stage = claude();
    let refused = json!({ "type": "result", "subtype": "success", "is_error": true,
        "result": "Invalid API key · Please run /login" });
    let outcome = stage.outcome(&[json!({ "out": refused.to_string() }), json!({ "exit": 1 })]);
    assert_eq!((outcome.reason(), outcome.answer.as_str()), (Some(Reason::NotLoggedIn), ""));
    let outcome = stage.outcome(&[json!({ "err": "Error: not logged in" }), json!({ "exit": 1 })]);
    assert_eq!(outcome.reason(), Some(Reason::NotLoggedIn));
    let gemini = Stage::new(Assistant::Gemini);
    assert_eq!(gemini.outcome(&[json!({ "exit": 55 })]).reason(), Some(Reason::UntrustedFolder));
    let failed = json!({ "type": "result", "status": "error", "error": { "type": "auth", "message": "x" } });
    let outcome = gemini.outcome(&[json!({ "out": failed.to_string() }), json!({ "exit": 1 })]);
    assert_eq!(outcome.reason(), Some(Reason::NotLoggedIn));
    let codex = Stage::new(Assistant::Codex);
    let failed = json!({ "type": "turn.failed", "error": { "message": "401 Unauthorized" } });
    assert_eq!(codex.outcome(&[json!({ "out": failed.to_string() })]).reason(), Some(Reason::NotLoggedIn));
    // An answer about a login is an answer.
    assert_eq!(stage.outcome(&[result("They were not logged in."), json!({ "exit": 1 })]).reason(), None);
}

#[test]
fn files_that_a_program_writes_are_reported_and_never_in_the_book() {
    let stage = claude();
    let write = |path: &str| json!({ "write": { "path": path, "text": "changed" } });
    let outcome = stage.outcome(&[write("002.md"), write("new.md"), result("Done.")]);
    assert_eq!(outcome.wrote_files, ["002.md", "new.md"]);
    assert_eq!((outcome.reason(), outcome.answer.as_str()), (Some(Reason::WroteFiles), "Done."));
    let codex = Stage::new(Assistant::Codex);
    let change = json!({ "type": "item.completed", "item": { "id": "f", "type": "file_change", "status": "completed",
        "changes": [{ "path": "/elsewhere/003.md", "kind": "update" }] } });
    let outcome = codex.outcome(&[json!({ "out": change.to_string() })]);
    assert_eq!(outcome.wrote_files, ["/elsewhere/003.md"], "also where the program alone says so");
}

#[test]
fn a_program_that_is_missing_or_too_old_is_not_started() {
    let mut stage = claude();
    let missing = Stage { kind: Assistant::Codex, ..claude() };
    assert_eq!(missing.ask_program("Why?").0.unwrap_err().reason, Reason::ProgramMissing);
    stage.script(&[result("Yes.")]);
    std::fs::write(stage.beside("help"), "--print --output-format --verbose --model").unwrap();
    assert_eq!(stage.ask_program("Why?").0.unwrap_err().reason, Reason::VersionTooOld);
    assert!(stage.seen().is_none());
    std::fs::write(stage.beside("help"), "--print --output-format --verbose --permission-mode --restricted").unwrap();
    let (outcome, _) = stage.ask_program("Why?");
    assert_eq!(outcome.unwrap().answer, "Yes.");
    let expected =
        ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "dontAsk", "--restricted"];
    assert_eq!(stage.seen().unwrap()["argv"], json!(expected));
    stage.model = Some("m".to_owned());
    assert_eq!(stage.ask_program("Why?").0.unwrap_err().reason, Reason::VersionTooOld, "the model cannot be chosen");
}

#[test]
fn nothing_starts_without_a_fence_where_one_is_needed() {
    let mut stage = claude();
    stage.script(&[result("Yes.")]);
    stage.is_unfenced_allowed = false;
    assert!(stage.ask_program("Why?").0.is_ok(), "nothing is hidden");
    std::fs::remove_file(stage.beside("seen.json")).unwrap();
    stage.end = Some(palimpsest_agents::Position { chapter: 1, offset: 3 });
    assert_eq!(stage.ask_program("Why?").0.unwrap_err().reason, Reason::NotFenced);
    stage.end = None;
    stage.names = Some(vec![Pair::new("Mara", "Nora")]);
    assert_eq!(stage.ask_program("Why?").0.unwrap_err().reason, Reason::NotFenced);
    stage.names = None;
    assert_eq!(stage.ask_program("Why?").0.unwrap_err().reason, Reason::NamesUnread);
    assert!(stage.seen().is_none());
    stage.names = Some(Vec::new());
    stage.isolation = Isolation::Always;
    stage.is_unfenced_allowed = true;
    assert_eq!(stage.ask_program("Why?").0.unwrap_err().reason, Reason::NotFenced);
    assert!(stage.seen().is_none());
}

#[test]
fn hidden_names_are_in_nothing_that_the_program_is_given_and_come_back_in_the_answer() {
    let mut stage = claude();
    stage.names = Some(vec![Pair::new("Mara", "Nora"), Pair::new("梅", "兰")]);
    stage.script(&[spoken("No"), spoken("ra and 兰 burned it. N"), result("Nora and 兰 burned it.")]);
    let (outcome, events) = stage.ask_program("Did Mara or 梅 burn it? Mara's letter, MARA!");
    assert_eq!(outcome.unwrap().answer, "Mara and 梅 burned it.");
    let streamed: String =
        events.iter().map(|event| if let Event::Text(text) = event { text.as_str() } else { "" }).collect();
    assert!(streamed.contains("梅 burned it.") && !streamed.contains('兰'), "{streamed}");
    let seen = stage.seen().unwrap();
    let given = seen.to_string();
    assert!(!given.contains("Mara") && !given.contains("MARA") && !given.contains('梅'), "{given}");
    assert!(seen["stdin"].as_str().unwrap().starts_with("Did Nora or 兰 burn it?"));
}

#[test]
fn a_copy_ends_where_the_reader_is() {
    let mut stage = claude();
    stage.script(&[result("Yes.")]);
    stage.end = Some(palimpsest_agents::Position { chapter: 2, offset: 25 });
    assert!(stage.ask_program("Why?").0.is_ok());
    let files = stage.seen().unwrap()["files"].clone();
    // The candle is two code units, and the position is in the middle of it.
    assert_eq!(files["003.md"], "# The Letter\n\nMara burned the letter. ");
    stage.end = Some(palimpsest_agents::Position { chapter: 0, offset: 0 });
    assert!(stage.ask_program("Why?").0.is_ok());
    let files = stage.seen().unwrap()["files"].clone();
    assert_eq!(files, json!({ "001.md": "# The Quay\n\n" }));
}

#[test]
fn a_copy_that_cannot_be_made_starts_nothing() {
    let stage = claude();
    stage.script(&[result("Yes.")]);
    std::fs::remove_dir(stage.path("tmp")).unwrap();
    std::fs::create_dir(stage.path("elsewhere")).unwrap();
    // The folder for temporary files lies in a book.
    #[cfg(unix)]
    std::os::unix::fs::symlink(stage.path("books/one"), stage.path("tmp")).unwrap();
    let chapters = [palimpsest_agents::Chapter { title: "", text: "a" }];
    let protected = stage.protected();
    let request = palimpsest_agents::RunRequest {
        prompt: "Why?",
        book: palimpsest_agents::Book { chapters: &chapters, end: None },
        names: Some(&[]),
        protected: &protected,
        is_unfenced_allowed: true,
        is_cancelled: &|| false,
    };
    let refused = stage.programs().backend(stage.program()).run(&request, &mut |_| {}).unwrap_err();
    assert_eq!(refused.reason, Reason::StartFailed);
    assert!(stage.seen().is_none());
    assert_eq!(super::files_below(&stage.path("books")), stage.before);
}

#[test]
fn the_copies_of_a_crash_are_deleted_at_the_next_start_and_those_of_a_running_process_are_not() {
    let stage = claude();
    let copy = palimpsest_agents::BookCopy::create(&stage.path("tmp"), &["text".to_owned()], &[]).unwrap();
    let dead = stage.path("tmp/palimpsest-run-dead");
    std::fs::create_dir_all(dead.join("book")).unwrap();
    std::fs::write(dead.join("book/001.md"), "text").unwrap();
    std::fs::write(dead.join("lock"), "").unwrap();
    std::fs::create_dir(stage.path("tmp/another program")).unwrap();
    palimpsest_agents::remove_leftovers(&stage.path("tmp"));
    assert!(!dead.exists() && copy.chapters().join("001.md").exists());
    assert!(stage.path("tmp/another program").exists());
    drop(copy);
    assert_eq!(std::fs::read_dir(stage.path("tmp")).unwrap().count(), 1);
}

#[test]
fn two_programs_run_at_a_time_and_a_third_waits_or_is_cancelled() {
    let stage = claude();
    let gate = stage.path("gate");
    stage.script(&[spoken("started"), json!({ "wait": gate }), result("Yes.")]);
    let programs = stage.programs();
    let run = |is_cancelled: &(dyn Fn() -> bool + Sync), on_text: &mut dyn FnMut()| {
        let request = palimpsest_agents::RunRequest {
            prompt: "Why?",
            book: palimpsest_agents::Book { chapters: &[], end: None },
            names: Some(&[]),
            protected: &[],
            is_unfenced_allowed: true,
            is_cancelled,
        };
        programs.backend(stage.program()).run(&request, &mut |_| on_text()).unwrap()
    };
    std::thread::scope(|scope| {
        let (sender, started) = std::sync::mpsc::channel();
        for _ in 0..2 {
            let sender = sender.clone();
            scope.spawn(move || {
                let outcome = run(&|| false, &mut || sender.send(()).unwrap_or(()));
                assert_eq!(outcome.answer, "Yes.");
            });
        }
        started.recv().unwrap();
        started.recv().unwrap();
        let waited = std::sync::atomic::AtomicUsize::new(0);
        let outcome = run(&|| waited.fetch_add(1, Ordering::SeqCst) > 2, &mut || panic!("it must not start"));
        assert_eq!((outcome.ended_by, outcome.duration_ms), (EndedBy::Cancelled, 0));
        std::fs::write(&gate, "").unwrap();
    });
}
