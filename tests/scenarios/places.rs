//! Paths that the writer chooses: files that no export replaces, and files that no import waits for.

use std::{
    fs,
    path::{Path, PathBuf},
};

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{add_rule, taken};

/// A book with two chapters in the folder of this name, opened. Returns its folder and identity.
fn book_in_folder(writer: &Writer, name: &str) -> (PathBuf, String) {
    let path = writer.path_beside(name);
    fs::create_dir_all(path.join("part")).unwrap();
    fs::write(path.join("01.md"), "# 渡船\n\n渡船靠岸时，灯已经亮了。\n").unwrap();
    fs::write(path.join("part/02.md"), "# 簿子\n\n簿子摊在桌上。\n").unwrap();
    let answer = writer.ask("project:open", json!({ "path": path }));
    (path, text(&answer["book"]["project"], "projectId"))
}

/// Every command that writes a file at a path of the writer's choice.
fn exports(project: &str, path: &Path) -> [(&'static str, Value); 5] {
    [
        ("project:export", json!({ "projectId": project, "path": path, "format": "markdown" })),
        ("project:export", json!({ "projectId": project, "path": path, "format": "docx" })),
        ("memory:export", json!({ "path": path })),
        ("memory:export", json!({ "path": path, "projectId": project })),
        ("memory:export", json!({ "path": path, "format": "markdown", "projectId": project })),
    ]
}

/// Asserts that each export to the path is refused for this reason, and that the file is as before.
#[track_caller]
fn refused_there(writer: &Writer, project: &str, path: &Path, reason: &str) {
    let before = fs::read(path).ok();
    each_export_is_refused(writer, project, path, reason);
    assert!(fs::read(path).ok() == before, "{} was written", path.display());
}

/// Asserts that each export to the path is refused for this reason.
///
/// Compares no content, since the program itself writes to its open databases at any time.
#[track_caller]
fn each_export_is_refused(writer: &Writer, project: &str, path: &Path, reason: &str) {
    for (command, args) in exports(project, path) {
        let details = writer.error(command, args).details.unwrap();
        assert_eq!(
            (details.field.as_deref(), details.reason.map(palimpsest_api::model::Reason::name).as_deref()),
            (Some("path"), Some(reason)),
            "{command} {}",
            path.display()
        );
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn no_book_is_made_or_opened_among_the_files_of_the_memory() {
    let writer = Writer::new();
    let data = writer.data_dir();
    fs::create_dir_all(data.join("unsaved")).unwrap();
    let before = names(&data);
    let refused = |command: &str, args: Value| {
        let details = writer.error(command, args).details.unwrap();
        assert_eq!(
            (details.field.as_deref(), details.reason.map(palimpsest_api::model::Reason::name).as_deref()),
            (Some("path"), Some("insideTheMemory"))
        );
    };
    for inner in ["", "unsaved", "new", "unsaved/new/deeper"] {
        refused("project:create", json!({ "title": "夜航", "language": "zh", "path": data.join(inner) }));
    }
    for inner in ["", "unsaved"] {
        refused("project:open", json!({ "path": data.join(inner) }));
    }
    assert_eq!(names(&data), before, "no folder and no id file was made");
    let sample = writer.ask("project:sample", json!({ "language": "zh" }));
    let opened = writer.ask("project:open", json!({ "path": sample["project"]["path"] }));
    assert_eq!(opened["status"], "opened", "the sample book is unpacked there");
}

#[test]
fn no_export_replaces_a_file_of_the_memory() {
    let writer = Writer::new();
    let (_folder, project) = book_in_folder(&writer, "book");
    writer.ask("memory:episode:record", taken(&project, "雨夜。", "他合上手稿。"));
    writer.ask("memory:backup:create", json!({}));
    let list = writer.ask("chapter:list", json!({ "projectId": project }));
    writer.ask(
        "chapter:keep",
        json!({ "projectId": project, "chapterId": list["chapters"][0]["chapterId"], "text": "没存下的", "baseHash": "b" }),
    );
    let data = writer.data_dir();
    fs::create_dir_all(data.join("logs")).unwrap();
    let backup = data.join("backups").join(names(&data.join("backups")).remove(0));
    let kept = data.join("unsaved").join(&project);
    let kept = kept.join(names(&kept).remove(0));
    for path in [
        data.join("rules.db"),
        data.join("episodes.db"),
        data.join("rules.db-wal"),
        data.join("logs/palimpsest.log"),
        writer.path_beside("book/../data/rules.db"),
    ] {
        each_export_is_refused(&writer, &project, &path, "insideTheMemory");
    }
    for path in [data.join("lock"), data.join("new.md"), backup, kept] {
        refused_there(&writer, &project, &path, "insideTheMemory");
    }
    // The memory in another data folder counts as a memory too.
    let other = writer.path_beside("other");
    fs::create_dir_all(other.join("backups")).unwrap();
    for name in ["rules.db", "episodes.db", "backups/1.db"] {
        fs::write(other.join(name), "another memory").unwrap();
    }
    for name in ["rules.db", "backups/1.db", "new.md"] {
        refused_there(&writer, &project, &other.join(name), "insideTheMemory");
    }
    let writer = writer.restarted();
    writer.ask("memory:episode:record", taken(&project, "雨夜。", "他又打开它。"));
    let found = writer.ask("memory:episode:query", json!({ "projectId": project, "limit": 50 }));
    assert_eq!(found["episodes"].as_array().unwrap().len(), 2, "an export replaced the episodes");
    add_rule(&writer, Some(&project), "句子要短");
}

#[test]
fn no_export_replaces_a_chapter_of_any_book_or_becomes_one() {
    let writer = Writer::new();
    let (own, project) = book_in_folder(&writer, "book");
    let (other, _) = book_in_folder(&writer, "other");
    // A book that this memory does not know, marked only by its id file.
    let strange = writer.path_beside("strange");
    fs::create_dir_all(strange.join(".palimpsest")).unwrap();
    fs::copy(own.join(".palimpsest/book.json"), strange.join(".palimpsest/book.json")).unwrap();
    fs::write(strange.join("01.md"), "someone else's").unwrap();
    // A known book whose id file is lost is still that book.
    let writer = writer.restarted();
    fs::remove_dir_all(other.join(".palimpsest")).unwrap();
    for path in [
        own.join("01.md"),
        own.join("part/02.md"),
        own.join("new.MD"),
        own.join(".palimpsest/book.json"),
        own.join(".palimpsest/new.txt"),
        own.join(".palimpsest-0123456789abcdef.tmp"),
        other.join("01.md"),
        other.join("part/new.md"),
        other.join(".palimpsest"),
        strange.join("01.md"),
        strange.join(".palimpsest/book.json"),
    ] {
        refused_there(&writer, &project, &path, "insideTheBook");
    }
    for name in ["book.docx", "part/rules.txt"] {
        for (command, args) in exports(&project, &own.join(name)) {
            writer.ask(command, args);
        }
    }
    assert_eq!(names(&own), [".palimpsest", "01.md", "book.docx", "part"]);
}

#[test]
fn a_folder_that_claims_to_be_a_book_of_another_editor_is_asked_about() {
    let writer = Writer::new();
    let project = writer.book("在别处写的", "zh");
    add_rule(&writer, Some(&project), "句子要短");
    let claims = writer.path_beside("claims");
    fs::create_dir_all(claims.join(".palimpsest")).unwrap();
    let id_file = json!({ "format": 1, "projectId": project, "title": "冒名的", "language": "zh", "chapters": [] });
    fs::write(claims.join(".palimpsest/book.json"), id_file.to_string()).unwrap();
    let asked = writer.ask("project:open", json!({ "path": claims }));
    assert_eq!(
        (&asked["status"], &asked["copiedFrom"], &asked["knownTitle"], &asked["book"]),
        (&json!("copied"), &json!(null), &json!("在别处写的"), &json!(null))
    );
    let known = writer.ask("project:list", json!({}))["projects"].clone();
    assert_eq!((&known[0]["title"], &known[0]["path"]), (&json!("在别处写的"), &json!(null)));
    let own = writer.ask("project:open", json!({ "path": claims, "copiedAs": "newBook" }));
    assert_ne!(own["book"]["project"]["projectId"], json!(project));
    fs::write(claims.join(".palimpsest/book.json"), id_file.to_string()).unwrap();
    let same = writer.ask("project:open", json!({ "path": claims, "copiedAs": "sameBook" }));
    assert_eq!(same["book"]["project"]["projectId"], json!(project));
    // From now on the book is known in this folder, and opening it raises no question.
    assert_eq!(writer.ask("project:open", json!({ "path": claims }))["status"], "opened");
}

#[test]
fn a_folder_in_which_another_book_lies_by_now_is_not_opened_as_that_book_unasked() {
    let writer = Writer::new();
    let (folder, project) = book_in_folder(&writer, "book");
    let elsewhere = writer.book("在别处写的", "zh");
    let writer = writer.restarted();
    let file = folder.join(".palimpsest/book.json");
    let mut ids: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    ids["projectId"] = json!(elsewhere);
    fs::write(&file, ids.to_string()).unwrap();
    let refused = writer.error("chapter:list", json!({ "projectId": project }));
    assert_eq!(
        refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
        Some("folderOfAnotherBook")
    );
    let known = writer.ask("project:list", json!({}))["projects"].clone();
    let other = known.as_array().unwrap().iter().find(|book| book["projectId"] == json!(elsewhere)).unwrap().clone();
    assert_eq!((&other["title"], &other["path"]), (&json!("在别处写的"), &json!(null)));
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    use palimpsest_tests::Host;
    use tempfile::TempDir;

    use super::*;

    fn pipe(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_link_to_a_protected_folder_is_protected_and_a_link_is_no_target() {
        let writer = Writer::new();
        let (own, project) = book_in_folder(&writer, "book");
        for (link, folder, path, reason) in [
            ("memory", writer.data_dir(), "memory/rules.db", "insideTheMemory"),
            ("backups", writer.data_dir().join("backups"), "backups/new.db", "insideTheMemory"),
            ("linked", own.clone(), "linked/01.md", "insideTheBook"),
            ("ours", own.join(".palimpsest"), "ours/book.json", "insideTheBook"),
            ("rules.md", writer.data_dir().join("rules.db"), "rules.md", "notAFile"),
            ("chapter.txt", own.join("01.md"), "chapter.txt", "notAFile"),
        ] {
            fs::create_dir_all(writer.data_dir().join("backups")).unwrap();
            symlink(folder, writer.path_beside(link)).unwrap();
            refused_there(&writer, &project, &writer.path_beside(path), reason);
        }
        fs::create_dir(writer.path_beside("folder.md")).unwrap();
        refused_there(&writer, &project, &writer.path_beside("folder.md"), "notAFile");
        refused_there(&writer, &project, &writer.path_beside("no/such.md"), "noFolder");
    }

    #[test]
    fn links_and_pipes_beside_an_export_are_neither_written_to_nor_waited_for() {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("book")).unwrap();
        fs::write(at("book/01.md"), "# 渡船\n").unwrap();
        let host = Host::start(&at("data"), &[]);
        let opened = host.ask("project:open", json!({ "path": at("book") }));
        let project = text(&opened["book"]["project"], "projectId");
        fs::write(at("victim"), "a file of somebody's").unwrap();
        fs::create_dir(at("out")).unwrap();
        for (n, ending) in [".palimpsest-part", ".palimpsest-export", ".tmp", "~"].into_iter().enumerate() {
            for (kind, make) in [("link", false), ("pipe", true)] {
                let name = format!("{kind}{n}.txt");
                let beside = at("out").join(format!(".{name}{ending}"));
                if make {
                    pipe(&beside)
                } else {
                    symlink(at("victim"), &beside).unwrap()
                }
                for (command, args) in exports(&project, &at("out").join(&name)) {
                    host.ask(command, args);
                }
            }
        }
        pipe(&at("out/pipe"));
        for (command, args) in exports(&project, &at("out/pipe")) {
            assert_eq!(host.answer(command, args)["error"]["data"]["details"]["reason"], "notAFile");
        }
        assert_eq!(fs::read_to_string(at("victim")).unwrap(), "a file of somebody's");
        assert_eq!(names(&at("out")).len(), 4 * 2 * 2 + 1, "no temporary file is left");
        host.ask("memory:backup:create", json!({}));
    }

    #[test]
    fn an_export_has_the_mode_of_the_file_it_replaces_and_a_new_one_of_the_memory_is_for_its_owner_alone() {
        let writer = Writer::new();
        let (_, project) = book_in_folder(&writer, "book");
        for (n, (command, args)) in exports(&project, &writer.path_beside("new")).into_iter().enumerate() {
            let path = writer.path_beside(&format!("{n}.out"));
            let args = crate::with_field(args, "path", json!(path));
            writer.ask(command, args.clone());
            if command == "memory:export" {
                assert_eq!(mode(&path), 0o600);
            }
            for kept in [0o600, 0o640, 0o664] {
                fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
                writer.ask(command, args.clone());
                assert_eq!(mode(&path), kept, "{command}");
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
            assert_eq!(json!(writer.error(command, args).code), "MEMORY_WRITE_FAILED");
        }
    }

    #[test]
    fn files_that_the_program_adds_to_a_book_are_for_the_owner_alone() {
        let writer = Writer::new();
        let (folder, project) = book_in_folder(&writer, "book");
        let list = writer.ask("chapter:list", json!({ "projectId": project }));
        let at = json!({ "projectId": project, "chapterId": list["chapters"][0]["chapterId"] });
        let read = writer.ask("chapter:read", at.clone());
        let mut write = at.clone();
        write["text"] = json!("# 渡船\n\n改过的。\n");
        write["baseHash"] = read["contentHash"].clone();
        write["origins"] = json!([]);
        write["before"] = json!([{ "text": read["text"], "reason": "beforeInsertion" }]);
        assert_eq!(writer.ask("chapter:write", write)["snapshotsSaved"], true);
        let mut keep = at;
        keep["text"] = json!("没存下的");
        keep["baseHash"] = json!("b");
        writer.ask("chapter:keep", keep);
        let mut seen = 0;
        let mut folders = vec![folder.join(".palimpsest"), writer.data_dir().join("unsaved")];
        while let Some(folder) = folders.pop() {
            assert_eq!(mode(&folder), 0o700, "{}", folder.display());
            for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else {
                    assert_eq!(mode(&entry), 0o600, "{}", entry.display());
                    seen += 1;
                }
            }
        }
        assert!(seen >= 4, "ids, sketches, a snapshot and a kept text");
        fs::write(writer.path_beside("as-usual"), "").unwrap();
        assert_eq!(mode(&folder.join("01.md")), mode(&writer.path_beside("as-usual")), "chapters are the writer's");
    }

    #[test]
    fn an_import_from_an_endless_file_is_refused_and_delays_nothing() {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("book")).unwrap();
        fs::write(at("book/01.md"), "# 渡船\n").unwrap();
        let host = Host::start(&at("data"), &[]);
        let opened = host.ask("project:open", json!({ "path": at("book") }));
        let project = text(&opened["book"]["project"], "projectId");
        pipe(&at("pipe"));
        let paths = [
            at("pipe"),
            at("book"),
            "/dev/zero".into(),
            "/dev/tty".into(),
            "/proc/kmsg".into(),
            "/proc/version".into(),
        ];
        for path in paths.iter().filter(|path| path.exists()) {
            for (command, args) in [
                ("memory:import", json!({ "path": path, "dryRun": false })),
                ("memory:import", json!({ "path": path, "dryRun": true })),
                ("memory:import", json!({ "path": path, "dryRun": false, "format": "markdown" })),
                ("project:import", json!({ "projectId": project, "path": path })),
            ] {
                let answer = host.answer(command, args.clone());
                // A page of rules without a line is valid.
                let is_empty_page = args["format"] == "markdown" && path.starts_with("/proc");
                assert!(
                    is_empty_page || answer["error"]["data"]["code"] == "MEMORY_INVALID_ARGUMENT",
                    "{command} {answer}"
                );
            }
        }
        host.ask("memory:backup:create", json!({}));
        assert_eq!(names(&at("data")).iter().filter(|name| name.starts_with("import")).count(), 0);
    }
}
