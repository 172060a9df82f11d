//! Programs of this machine that answer questions: set up once for all books, found, and tested before they are asked.

use std::{fs, path::Path, sync::Arc};

use palimpsest_api::{
    Options,
    agents::{Book, Chapter, EndedBy, Environment, Launcher, Limits, Programs, RunRequest},
};
use palimpsest_tests::{Writer, host_binary, text};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Programs that are found in `bin` of a folder, with a home folder and a folder for copies.
pub(crate) fn programs_in(folder: &Path, launcher: Launcher, limits: Limits) -> Programs {
    for inner in ["bin", "home", "tmp"] {
        fs::create_dir_all(folder.join(inner)).unwrap();
    }
    let of = |name: &str, inner: &str| (name.into(), folder.join(inner).into());
    let environment = Environment::new([of("PATH", "bin"), of("HOME", "home")]);
    Programs::new(environment, folder.join("tmp"), launcher, limits, vec![folder.join("bin")])
}

/// A folder of the build, where the double of the assistants can be linked, and a writer whose programs are there.
pub(crate) fn machine(launcher: Launcher) -> (Arc<TempDir>, Writer) {
    let folder = Arc::new(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
    let programs = programs_in(folder.path(), launcher, Limits::default());
    (folder, Writer::with(|options: &mut Options| options.programs = programs))
}

pub(crate) fn install(folder: &Path, name: &str) {
    fs::hard_link(env!("CARGO_BIN_EXE_fake-agent"), folder.join("bin").join(name)).unwrap();
    fs::write(folder.join(format!("bin/{name}.version")), format!("{name} 2.0.1\nmore\n")).unwrap();
}

fn saved(writer: &Writer, draft: Value) -> Value {
    writer.ask("backend:save", draft)
}

#[test]
fn programs_are_set_up_changed_and_taken_off_the_list_and_outlive_a_restart() {
    let writer = Writer::new();
    assert_eq!(writer.ask("backend:list", json!({})), json!({ "backends": [] }));
    let claude = saved(&writer, json!({ "kind": "claude", "name": " Claude " }));
    let expected = json!({ "backendId": claude["backendId"], "kind": "claude", "name": "Claude", "program": "claude",
        "arguments": [], "model": null, "isolation": "asked" });
    assert_eq!(claude, expected);
    assert_eq!(writer.wait_for_event("memory:changed")["what"], json!(["backends"]));
    let own = json!({ "kind": "own", "name": "Mine", "program": "/opt/mine", "arguments": ["-m", "{model}"],
        "model": "small", "isolation": "system" });
    let own = saved(&writer, own);
    let changed = json!({ "backendId": claude["backendId"], "kind": "claude", "name": "Claude", "model": "opus" });
    assert_eq!(saved(&writer, changed)["model"], "opus");
    let writer = writer.restarted();
    let list = writer.ask("backend:list", json!({}))["backends"].clone();
    assert_eq!((&list[0]["model"], &list[1]), (&json!("opus"), &own));
    writer.ask("backend:delete", json!({ "backendId": claude["backendId"] }));
    assert_eq!(writer.ask("backend:list", json!({}))["backends"], json!([own]));
    let gone = writer.refused("backend:delete", json!({ "backendId": claude["backendId"] }));
    assert_eq!(gone, ("MEMORY_NOT_FOUND".to_owned(), "backendId".to_owned()));
}

#[test]
fn a_set_up_that_cannot_work_is_refused_with_the_field_and_nothing_is_stored() {
    let writer = Writer::new();
    for (draft, field) in [
        (json!({ "kind": "claude", "name": "" }), "name"),
        (json!({ "kind": "claude", "name": "x".repeat(81) }), "name"),
        (json!({ "kind": "oracle", "name": "a" }), "kind"),
        (json!({ "kind": "own", "name": "a" }), "program"),
        (json!({ "kind": "own", "name": "a", "program": "" }), "program"),
        (json!({ "kind": "own", "name": "a", "program": "bin/a" }), "program"),
        (json!({ "kind": "own", "name": "a", "program": ".." }), "program"),
        (json!({ "kind": "own", "name": "a", "program": "a\nb" }), "program"),
        (json!({ "kind": "codex", "name": "a", "arguments": ["--yes"] }), "arguments"),
        (json!({ "kind": "own", "name": "a", "program": "a", "arguments": vec!["x"; 33] }), "arguments"),
        (json!({ "kind": "own", "name": "a", "program": "a", "arguments": ["{model}"] }), "model"),
        (json!({ "kind": "own", "name": "a", "program": "a", "model": "m" }), "model"),
        (json!({ "kind": "codex", "name": "a", "model": "--dangerously-bypass" }), "model"),
        (json!({ "kind": "codex", "name": "a", "isolation": "none" }), "isolation"),
        (json!({ "kind": "codex", "name": "a", "shell": true }), "shell"),
    ] {
        let refused = writer.refused("backend:save", draft.clone());
        assert_eq!(refused, ("MEMORY_INVALID_ARGUMENT".to_owned(), field.to_owned()), "{draft}");
    }
    assert_eq!(writer.ask("backend:list", json!({}))["backends"], json!([]));
    for n in 0..32 {
        saved(&writer, json!({ "kind": "codex", "name": format!("{n}") }));
    }
    let full = writer.refused("backend:save", json!({ "kind": "codex", "name": "one too many" }));
    assert_eq!(full, ("MEMORY_INVALID_ARGUMENT".to_owned(), "backendId".to_owned()));
}

#[test]
fn installed_programs_are_found_and_tested_without_asking_anything() {
    let (folder, writer) = machine(Launcher::none());
    assert_eq!(writer.ask("backend:find", json!({})), json!({ "programs": [], "fence": "asked" }));
    install(folder.path(), "codex");
    let found = writer.ask("backend:find", json!({}));
    let path = folder.path().join("bin/codex");
    assert_eq!(found["programs"], json!([{ "kind": "codex", "program": path }]));
    let codex = text(&saved(&writer, json!({ "kind": "codex", "name": "Codex" })), "backendId");
    let test = |id: &str| writer.ask("backend:test", json!({ "backendId": id }));
    let ready = json!({ "version": "codex 2.0.1", "ready": true, "fence": "asked", "reason": null });
    assert_eq!(test(&codex), ready);
    assert!(!folder.path().join("bin/codex.seen.json").exists(), "no question was asked");
    fs::write(folder.path().join("bin/codex.help"), "  login   Manage login\n --json --sandbox\n").unwrap();
    fs::write(folder.path().join("bin/codex.loggedOut"), "").unwrap();
    assert_eq!(test(&codex)["reason"], "notLoggedIn");
    let gemini = text(&saved(&writer, json!({ "kind": "gemini", "name": "Gemini" })), "backendId");
    let missing = json!({ "version": null, "ready": false, "fence": "asked", "reason": "programMissing" });
    assert_eq!(test(&gemini), missing);
    let strict = json!({ "kind": "codex", "name": "Codex", "isolation": "system" });
    let strict = text(&saved(&writer, strict), "backendId");
    assert_eq!(test(&strict)["reason"], "notFenced");
    let own = json!({ "kind": "own", "name": "Mine", "program": path });
    let own = text(&saved(&writer, own), "backendId");
    assert_eq!((&test(&own)["fence"], &test(&own)["ready"]), (&json!("none"), &json!(true)));
}

#[test]
fn a_program_of_the_list_answers_and_cannot_read_the_book_or_the_memory() {
    let launcher = Launcher::new(host_binary().to_owned());
    if !launcher.is_fencing() {
        eprintln!("NOT CHECKED: the fence of a program of the list: this system has no Landlock");
        assert!(std::env::var_os("PALIMPSEST_REQUIRE_FENCE").is_none(), "PALIMPSEST_REQUIRE_FENCE, and no Landlock");
        return;
    }
    let (folder, writer) = machine(launcher);
    install(folder.path(), "claude");
    fs::create_dir(writer.path_beside("夜航")).unwrap();
    let opened = writer.ask("project:open", json!({ "path": writer.path_beside("夜航") }));
    let project = text(&opened["book"]["project"], "projectId");
    writer.ask("chapter:create", json!({ "projectId": project, "title": "码头" }));
    let chapter = fs::read_dir(writer.path_beside("夜航")).unwrap().map(|entry| entry.unwrap().path());
    let chapter = chapter.filter(|path| path.is_file()).collect::<Vec<_>>().remove(0);
    let protected = writer.api.folders_to_protect();
    assert!(protected.contains(&writer.data_dir()) && protected.contains(&writer.path_beside("夜航")));
    let steps = [
        json!({ "read": chapter }),
        json!({ "read": writer.data_dir().join("rules.db") }),
        json!({ "read": "001.md" }),
        json!({ "out": json!({ "type": "result", "is_error": false, "result": "灰色。" }).to_string() }),
    ];
    let script: String = steps.iter().map(|step| format!("{step}\n")).collect();
    fs::write(folder.path().join("bin/claude.script.jsonl"), script).unwrap();
    let claude = text(&saved(&writer, json!({ "kind": "claude", "name": "Claude" })), "backendId");
    assert_eq!(writer.ask("backend:test", json!({ "backendId": claude }))["fence"], "system");
    let chapters = [Chapter { title: "码头", text: "她的眼睛是灰色的。" }];
    let request = RunRequest {
        prompt: "她的眼睛是什么颜色？",
        book: Book { chapters: &chapters, end: None },
        names: Some(&[]),
        protected: &protected,
        is_unfenced_allowed: false,
        is_cancelled: &|| false,
    };
    let backend = writer.api.run_backend(&claude).unwrap();
    let outcome = backend.run(&request, &mut |_| {}).unwrap();
    assert_eq!((outcome.answer.as_str(), outcome.ended_by), ("灰色。", EndedBy::Itself));
    let seen: Value = serde_json::from_slice(&fs::read(folder.path().join("bin/claude.seen.json")).unwrap()).unwrap();
    let reads: Vec<bool> = seen["reads"].as_array().unwrap().iter().map(|read| read[1] == true).collect();
    assert_eq!(reads, [false, false, true]);
}

#[test]
fn programs_are_in_backups_and_in_no_export_and_no_clearing_takes_them() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let own = json!({ "kind": "own", "name": "Planted", "program": "/opt/planted", "arguments": ["planted"] });
    let own = saved(&writer, own);
    let file = writer.path_beside("memory.jsonl");
    writer.ask("memory:export", json!({ "path": file }));
    assert!(!fs::read_to_string(&file).unwrap().to_lowercase().contains("planted"));
    let backups = writer.ask("memory:backup:create", json!({}))["backups"].clone();
    let backup = backups.as_array().unwrap().iter().find(|one| one["file"] == "rules").unwrap();
    writer.ask("backend:delete", json!({ "backendId": own["backendId"] }));
    writer.ask("memory:backup:restore", json!({ "backupId": backup["backupId"] }));
    assert_eq!(writer.ask("backend:list", json!({}))["backends"], json!([own]), "it is in the backup");
    writer.ask("memory:clear:project", json!({ "projectId": project, "confirmed": true }));
    writer.ask("memory:clear:all", json!({ "confirmed": true }));
    assert_eq!(writer.ask("backend:list", json!({}))["backends"], json!([own]));
}

#[test]
fn a_program_of_a_later_version_hides_no_other() {
    let writer = Writer::new();
    let codex = saved(&writer, json!({ "kind": "codex", "name": "Codex" }));
    let data = writer.data_dir();
    let writer = writer.restarted_after(|| {
        let db = rusqlite::Connection::open(data.join("rules.db")).unwrap();
        db.execute_batch("INSERT INTO backends VALUES ('later', 'oracle', 'a', 'a', '[]', NULL, 'asked', 0);").unwrap();
    });
    let list = writer.ask("backend:list", json!({}));
    assert_eq!(list["backends"], json!([codex]));
    assert!(list["degradedReason"].is_string());
}
