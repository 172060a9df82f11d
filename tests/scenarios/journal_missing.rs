//! Entries that are missing at the end of a journal, and what a backup, a clearing and an import change about it.

use std::fs;

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    exchange,
    journal::{contents, store, verified},
};

fn store_some(writer: &Writer, project: &str, entries: std::ops::Range<u32>) {
    entries.for_each(|n| drop(store(writer, project, &format!("第{n}条"))));
}

/// The fields of a check about entries that are not there.
fn missing(check: &Value) -> (&Value, &Value, &Value, &Value) {
    (&check["entries"], &check["isWhole"], &check["missing"], &check["leftBehind"])
}

/// The backup of `episodes.db` among those of an answer.
fn backup_of_episodes(backups: &Value) -> Value {
    backups.as_array().unwrap().iter().find(|one| one["file"] == "episodes").unwrap()["backupId"].clone()
}

#[test]
fn entries_that_were_removed_at_the_end_are_counted_as_missing_also_after_others_were_written() {
    let writer = Writer::new();
    let (project, other) = (writer.book("夜航", "zh"), writer.book("别的书", "zh"));
    store_some(&writer, &project, 0..5);
    store_some(&writer, &other, 0..2);
    assert_eq!(missing(&verified(&writer, &project)), (&json!(5), &json!(true), &json!(0), &json!(0)));
    let file = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    assert_eq!(file.execute("DELETE FROM journal WHERE content IN ('第3条', '第4条')", []).unwrap(), 2);
    let check = verified(&writer, &project);
    assert_eq!(missing(&check), (&json!(3), &json!(false), &json!(2), &json!(0)));
    assert_eq!(check["brokenAt"], Value::Null, "what is there is as it was");
    store_some(&writer, &project, 5..6);
    let writer = writer.restarted();
    assert_eq!(missing(&verified(&writer, &project)), (&json!(4), &json!(false), &json!(2), &json!(0)));
    assert_eq!(missing(&verified(&writer, &other)), (&json!(2), &json!(true), &json!(0), &json!(0)));
}

#[test]
fn a_file_in_the_place_of_which_an_older_copy_was_put_has_lost_its_last_entries() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    store_some(&writer, &project, 0..3);
    let file = writer.data_dir().join("episodes.db");
    let copy = writer.path_beside("older.db");
    let writer = writer.restarted_after(|| {
        fs::copy(&file, &copy).unwrap();
    });
    store_some(&writer, &project, 3..5);
    verified(&writer, &project);
    let file = writer.data_dir().join("episodes.db");
    let writer = writer.restarted_after(|| {
        fs::copy(&copy, &file).unwrap();
    });
    assert_eq!(contents(&writer, &project).len(), 3);
    assert_eq!(missing(&verified(&writer, &project)), (&json!(3), &json!(false), &json!(2), &json!(0)));
    // It is said once: the journal goes on from here.
    store_some(&writer, &project, 5..7);
    assert_eq!(missing(&verified(&writer, &project)), (&json!(5), &json!(false), &json!(2), &json!(0)));
}

#[test]
fn a_backup_that_lacks_the_last_entries_is_no_alarm_and_is_said_until_they_are_back() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    store_some(&writer, &project, 0..3);
    let older = backup_of_episodes(&writer.ask("memory:backup:create", json!({}))["backups"]);
    store_some(&writer, &project, 3..5);
    let newer = backup_of_episodes(&writer.ask("memory:backup:create", json!({}))["backups"]);
    writer.ask("memory:backup:restore", json!({ "backupId": older }));
    let check = verified(&writer, &project);
    assert_eq!(missing(&check), (&json!(3), &json!(true), &json!(0), &json!(2)));
    assert!(check["replacedAt"].is_string(), "{check}");
    let writer = writer.restarted();
    assert_eq!(missing(&verified(&writer, &project)), (&json!(3), &json!(true), &json!(0), &json!(2)));
    writer.ask("memory:backup:restore", json!({ "backupId": newer }));
    let check = verified(&writer, &project);
    assert_eq!(missing(&check), (&json!(5), &json!(true), &json!(0), &json!(0)));
    assert_eq!(check["replacedAt"], Value::Null);
}

#[test]
fn an_older_backup_of_the_rules_makes_no_entry_missing() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    store_some(&writer, &project, 0..3);
    verified(&writer, &project);
    let backups = writer.ask("memory:backup:create", json!({}))["backups"].clone();
    let rules = backups.as_array().unwrap().iter().find(|one| one["file"] == "rules").unwrap()["backupId"].clone();
    store_some(&writer, &project, 3..5);
    verified(&writer, &project);
    writer.ask("memory:backup:restore", json!({ "backupId": rules }));
    assert_eq!(missing(&verified(&writer, &project)), (&json!(5), &json!(true), &json!(0), &json!(0)));
}

#[test]
fn a_file_that_cannot_be_read_and_is_begun_anew_leaves_its_entries_behind_and_says_so() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    store_some(&writer, &project, 0..4);
    verified(&writer, &project);
    let data = writer.data_dir();
    let writer = writer.restarted_after(|| {
        for entry in fs::read_dir(data.join("backups")).into_iter().flatten().flatten() {
            let _gone = fs::remove_file(entry.path());
        }
        fs::write(data.join("episodes.db"), "no database").unwrap();
    });
    let begun = writer.ask("memory:store:begin-anew", json!({ "file": "episodes", "confirmed": true }));
    assert!(text(&begun, "setAside").contains("corrupt"), "{begun}");
    assert_eq!(missing(&verified(&writer, &project)), (&json!(0), &json!(true), &json!(0), &json!(4)));
    store_some(&writer, &project, 4..5);
    assert_eq!(missing(&verified(&writer, &project)), (&json!(1), &json!(true), &json!(0), &json!(4)));
}

#[test]
fn a_clearing_leaves_no_entry_behind_and_no_restored_backup_says_otherwise() {
    let writer = Writer::new();
    let (project, other) = (writer.book("夜航", "zh"), writer.book("别的书", "zh"));
    store_some(&writer, &project, 0..4);
    store_some(&writer, &other, 0..2);
    verified(&writer, &project);
    writer.ask("memory:backup:create", json!({}));
    writer.clock.advance_millis(1_000);
    writer.ask("memory:clear:project", json!({ "projectId": project, "confirmed": true }));
    let none = (&json!(0), &json!(true), &json!(0), &json!(0));
    assert_eq!(missing(&verified(&writer, &project)), none);
    let backups = writer.ask("memory:backup:list", json!({}))["backups"].clone();
    for backup in backups.as_array().unwrap() {
        writer.ask("memory:backup:restore", json!({ "backupId": backup["backupId"] }));
        assert_eq!(missing(&verified(&writer, &project)), none, "{backup}");
    }
    let writer = writer.restarted();
    assert_eq!(missing(&verified(&writer, &project)), none);
    assert_eq!(missing(&verified(&writer, &other)), (&json!(2), &json!(true), &json!(0), &json!(0)));
    store_some(&writer, &project, 4..5);
    assert_eq!(missing(&verified(&writer, &project)), (&json!(1), &json!(true), &json!(0), &json!(0)));
}

#[test]
fn a_redaction_and_an_import_make_no_entry_missing() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    store_some(&writer, &project, 0..3);
    let last = store(&writer, &project, "最后一条");
    writer.ask("journal:redact", json!({ "projectId": project, "entryId": last, "confirmed": true }));
    assert_eq!(missing(&verified(&writer, &project)), (&json!(4), &json!(true), &json!(0), &json!(0)));
    let file = exchange::export(&writer, None);
    let elsewhere = Writer::new();
    exchange::import(&elsewhere, &file);
    assert_eq!(missing(&verified(&elsewhere, &project)), (&json!(4), &json!(true), &json!(0), &json!(0)));
    exchange::import(&elsewhere, &file);
    assert_eq!(missing(&verified(&elsewhere, &project)), (&json!(4), &json!(true), &json!(0), &json!(0)));
}
