//! A damaged file without a backup: an empty one replaces it when the writer confirms.

use std::{fs, path::Path};

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use super::{Book, RULE, draft, overwrite, sent, truncate};

const BEGIN: &str = "memory:store:begin-anew";

/// A book with a damaged file and no backups.
fn damaged(file: &str, breaks: fn(&Path)) -> Book {
    Book::new().reopened_after(|data| {
        let _none = fs::remove_dir_all(data.join("backups"));
        breaks(&data.join(file));
    })
}

#[test]
fn a_damaged_file_without_a_backup_is_set_aside_and_replaced_by_an_empty_one_next_to_the_intact_one() {
    for (file, breaks) in
        [("rules", overwrite as fn(&Path)), ("rules", truncate), ("episodes", overwrite), ("episodes", truncate)]
    {
        let name = format!("{file}.db");
        println!("{name}");
        let book = damaged(&name, breaks);
        let broken = fs::read(book.file(&name)).unwrap();
        let begun = book.writer.ask(BEGIN, json!({ "file": file, "confirmed": true }));
        let aside = text(&begun, "setAside");
        assert!(aside.starts_with(&format!("{name}.corrupt-")), "{aside}");
        assert!(fs::read(book.file(&aside)).unwrap() == broken, "the damaged file is kept as it was");
        // Both immediately, and after a restart from the disk alone.
        for book in [book].into_iter().flat_map(|book| {
            serves_with_half(&book, file);
            [book.reopened_after(|_| {})]
        }) {
            serves_with_half(&book, file);
            book.record().unwrap();
            let rule =
                json!({ "rule": "偏好短句", "category": "style", "scope": "project", "projectId": book.project });
            book.writer.ask("memory:semantic:add", rule);
        }
    }
}

/// Asserts that everything serves, with the content of the other file.
#[track_caller]
fn serves_with_half(book: &Book, begun: &str) {
    // An empty `rules.db` has no record of the book until its folder is opened again.
    book.writer.ask("project:open", json!({ "path": book.folder }));
    assert_eq!((book.part_state("rules").as_str(), book.part_state("episodes").as_str()), ("ok", "ok"));
    let prompt = book.prompt();
    assert_eq!(prompt["memoryDegraded"], false, "{prompt}");
    assert_eq!(sent(&prompt).contains(RULE), begun == "episodes", "{prompt}");
    assert_eq!(sent(&prompt).contains("灯灭了"), begun == "rules", "{prompt}");
}

#[test]
fn a_missing_file_with_backups_is_replaced_by_an_empty_one_when_the_writer_confirms() {
    for file in ["rules", "episodes"] {
        let name = format!("{file}.db");
        let book = Book::with_backups().reopened_after(|data| fs::remove_file(data.join(&name)).unwrap());
        assert_eq!(book.part_state(file), "unavailable");
        let begun = book.writer.ask(BEGIN, json!({ "file": file, "confirmed": true }));
        assert_eq!(begun, json!({ "file": file, "setAside": null }));
        serves_with_half(&book, file);
        let backups = book.writer.ask("memory:backup:list", json!({}))["backups"].as_array().unwrap().len();
        assert_eq!(backups, 2, "the backups are still there");
    }
}

#[test]
fn no_file_is_replaced_by_an_empty_one_without_confirmation() {
    let book = damaged("episodes.db", overwrite);
    let broken = fs::read(book.file("episodes.db")).unwrap();
    for args in [json!({ "file": "episodes" }), json!({ "file": "episodes", "confirmed": false })] {
        assert_eq!(book.writer.refused(BEGIN, args).0, "MEMORY_CLEAR_CONFIRM_REQUIRED");
    }
    assert!(fs::read(book.file("episodes.db")).unwrap() == broken);
    assert_eq!(book.part_state("episodes"), "unavailable");
}

#[test]
fn a_file_that_serves_is_never_replaced_by_an_empty_one() {
    let book = Book::new();
    for file in ["rules", "episodes"] {
        let refused = book.writer.refused(BEGIN, json!({ "file": file, "confirmed": true }));
        assert_eq!(refused, ("MEMORY_INVALID_ARGUMENT".into(), "file".into()));
    }
    book.is_well();
    let kept = fs::read_dir(book.writer.data_dir()).unwrap();
    let aside = kept.filter(|one| one.as_ref().unwrap().file_name().to_string_lossy().contains("corrupt")).count();
    assert_eq!(aside, 0);
}

#[test]
fn a_file_damaged_beyond_its_first_pages_can_be_replaced_too() {
    let book = Book::new();
    for n in 0..40 {
        book.writer
            .ask("memory:episode:record", draft(&book.project, &format!("灯灭了 {n} 次。{}", "雨。".repeat(400))));
    }
    let book = book.reopened_after(|data| {
        let _none = fs::remove_dir_all(data.join("backups"));
        let path = data.join("episodes.db");
        let mut bytes = fs::read(&path).unwrap();
        let from = bytes.len() * 2 / 3 / 4096 * 4096;
        bytes[from..from + 3 * 4096].fill(0x5a);
        fs::write(&path, bytes).unwrap();
    });
    book.writer.ask(BEGIN, json!({ "file": "episodes", "confirmed": true }));
    serves_with_half(&book, "episodes");
}

#[test]
fn a_book_of_another_editor_is_created_again_under_its_old_identity_after_the_rules_were_replaced() {
    let writer = Writer::new();
    let create = |identity: &Value| json!({ "title": "夜航", "language": "zh", "projectId": identity });
    let id = writer.ask("project:create", json!({ "title": "夜航", "language": "zh" }))["projectId"].clone();
    let project = id.as_str().unwrap();
    writer.ask("memory:episode:record", draft(project, "灯灭了。"));
    let refused = ("MEMORY_INVALID_ARGUMENT".into(), "projectId".into());
    assert_eq!(writer.refused("project:create", create(&id)), refused, "it is known");

    let data = writer.data_dir();
    let writer = writer.restarted().restarted_after(|| {
        let _none = fs::remove_dir_all(data.join("backups"));
        overwrite(&data.join("rules.db"));
    });
    writer.ask(BEGIN, json!({ "file": "rules", "confirmed": true }));
    let query = json!({ "projectId": project, "queryText": "灯灭了" });
    assert_eq!(writer.refused("memory:episode:query", query.clone()).0, "MEMORY_NOT_FOUND");
    let elsewhere = json!({ "title": "夜航", "language": "zh", "projectId": id, "path": "/nowhere" });
    assert_eq!(writer.refused("project:create", elsewhere), refused);
    assert_eq!(writer.ask("project:create", create(&id))["projectId"], id);
    assert_eq!(writer.ask("memory:episode:query", query)["episodes"][0]["episode"]["finalText"], "灯灭了。");
}
