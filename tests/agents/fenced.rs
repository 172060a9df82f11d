//! Behind the fence of the system a program reads its copy, its own files and its settings, and nothing else.

use std::fs;

use palimpsest_agents::{Assistant, Fence, Launcher, Position, Reason};
use palimpsest_text::names::Pair;
use serde_json::{Value, json};

use super::{Stage, launcher, result};

/// A stage whose programs run behind the fence; `None` where there is none.
fn fenced(test: &str) -> Option<Stage> {
    let mut stage = Stage::new(Assistant::Claude);
    stage.launcher = launcher(test)?;
    stage.is_unfenced_allowed = false;
    Some(stage)
}

/// Whether the double could read each of these paths.
fn reads(stage: &Stage, paths: &[String]) -> Vec<bool> {
    let mut steps: Vec<Value> = paths.iter().map(|path| json!({ "read": path })).collect();
    steps.push(result("Yes."));
    assert_eq!(stage.outcome(&steps).answer, "Yes.");
    let seen = stage.seen().unwrap();
    seen["reads"].as_array().unwrap().iter().map(|read| read[1].as_bool().unwrap()).collect()
}

#[test]
fn a_program_cannot_read_the_books_the_data_folder_or_the_home_folder() {
    let Some(mut stage) = fenced("a_program_cannot_read_the_books") else { return };
    stage.names = Some(vec![Pair::new("Mara", "Nora")]);
    stage.end = Some(Position { chapter: 1, offset: 3 });
    let kept = [
        "books/one/0.md",
        "books/one",
        "books/two/secret.md",
        "books",
        "data/rules.db",
        "data",
        "home/notes.txt",
        "home",
        "tmp",
        "",
    ];
    let kept: Vec<String> = kept.iter().map(|path| stage.path(path).to_str().unwrap().to_owned()).collect();
    // The same files by other ways.
    let pid = std::process::id();
    let ways = [
        format!("/proc/self/root{}", kept[0]),
        format!("/proc/{pid}/root{}", kept[0]),
        format!("/proc/{pid}/environ"),
        "../../../books/one/0.md".to_owned(),
    ];
    std::os::unix::fs::symlink(stage.path("books/one"), stage.path("bin/link")).unwrap();
    let link = stage.path("bin/link/0.md").to_str().unwrap().to_owned();
    let all = [&kept[..], &ways[..], &[link]].concat();
    assert_eq!(reads(&stage, &all), vec![false; all.len()], "{all:?}");
    assert_eq!(reads(&stage, &["001.md".to_owned(), "/etc/passwd".to_owned()]), [true, true]);
}

#[test]
fn without_the_fence_the_same_program_reads_them() {
    let stage = Stage::new(Assistant::Claude);
    let book = stage.path("books/one/0.md").to_str().unwrap().to_owned();
    assert_eq!(reads(&stage, &[book]), [true], "the double reads what it may read");
}

#[test]
fn a_program_cannot_write_behind_the_fence_outside_its_settings() {
    let Some(stage) = fenced("a_program_cannot_write_behind_the_fence") else { return };
    let settings = stage.path("home/.claude/session");
    let targets = ["books/one/0.md", "data/rules.db", "home/.bashrc", "home/notes.txt"].map(|path| stage.path(path));
    let mut steps: Vec<Value> =
        targets.iter().chain([&settings]).map(|path| json!({ "write": { "path": path, "text": "x" } })).collect();
    steps.push(json!({ "write": { "path": "001.md", "text": "x" } }));
    steps.push(result("Yes."));
    let outcome = stage.outcome(&steps);
    assert_eq!((outcome.answer.as_str(), outcome.wrote_files.len()), ("Yes.", 0), "the copy is read only");
    assert_eq!(fs::read(stage.path("data/rules.db")).unwrap(), b"the memory");
    assert_eq!(fs::read(stage.path("home/notes.txt")).unwrap(), b"notes");
    assert!(!stage.path("home/.bashrc").exists());
    assert_eq!(fs::read(settings).unwrap(), b"x", "a program may keep its login fresh");
}

#[test]
fn a_program_whose_folder_holds_a_book_is_given_its_file_alone() {
    let Some(stage) = fenced("a_program_whose_folder_holds_a_book") else { return };
    // The program lies beside the books.
    let beside = stage.path("claude");
    fs::hard_link(env!("CARGO_BIN_EXE_fake-agent"), &beside).unwrap();
    fs::write(stage.path("claude.version"), "1.0").unwrap();
    let program = palimpsest_agents::Program { program: beside.to_str().unwrap().to_owned(), ..stage.program() };
    let tested = stage.programs().test(&program, &stage.protected());
    // It starts, and cannot even read the file beside it.
    assert_eq!((tested.version, tested.is_ready), (None, true));
}

#[test]
fn a_test_of_a_program_says_how_it_would_run() {
    let mut stage = Stage::new(Assistant::Claude);
    fs::write(stage.beside("version"), "2.0.1 (Claude Code)\n").unwrap();
    let tested = stage.programs().test(&stage.program(), &stage.protected());
    assert_eq!((tested.version.as_deref(), tested.is_ready), (Some("2.0.1 (Claude Code)"), true));
    assert_eq!((tested.fence, tested.reason), (Fence::Asked, None));
    assert!(stage.seen().is_none(), "nothing is asked of a model");
    let help = "--print --output-format --verbose --tools\n  auth   Manage authentication\n";
    fs::write(stage.beside("help"), help).unwrap();
    fs::write(stage.beside("loggedOut"), "").unwrap();
    assert_eq!(stage.programs().test(&stage.program(), &[]).reason, Some(Reason::NotLoggedIn));
    fs::write(stage.beside("help"), "--print").unwrap();
    let tested = stage.programs().test(&stage.program(), &stage.protected());
    assert_eq!((tested.is_ready, tested.reason), (false, Some(Reason::VersionTooOld)));
    let missing = palimpsest_agents::Program { program: "no-such-program".to_owned(), ..stage.program() };
    assert_eq!(stage.programs().test(&missing, &[]).reason, Some(Reason::ProgramMissing));
    assert_eq!(Stage::new(Assistant::Own).programs().fence(Assistant::Own), Fence::None);
    // A launcher that is none: the program is not started without the fence.
    stage.launcher = Launcher::new("/bin/false".into());
    if stage.launcher.is_fencing() {
        assert!(!stage.programs().test(&stage.program(), &[]).is_ready);
    }
    let Some(launcher) = launcher("the fence of a test") else { return };
    fs::remove_file(stage.beside("help")).unwrap();
    stage.launcher = launcher;
    let tested = stage.programs().test(&stage.program(), &stage.protected());
    assert_eq!((tested.fence, tested.is_ready), (Fence::System, true));
}
