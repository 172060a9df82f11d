//! A backup replaces its file.

use std::fs;

use palimpsest_tests::text;
use serde_json::{Value, json};

use super::{Book, RULE, draft, overwrite, truncate};

fn newest(book: &Book, file: &str) -> Value {
    let list = book.writer.ask("memory:backup:list", json!({}));
    let backups = list["backups"].as_array().unwrap();
    backups.iter().find(|one| one["file"] == file).unwrap_or_else(|| panic!("{list}")).clone()
}

fn restore(book: &Book, backup: &Value) -> Value {
    book.writer.ask("memory:backup:restore", json!({ "backupId": backup["backupId"] }))
}

#[test]
fn a_backup_that_replaces_a_damaged_file_serves_at_once_and_the_damaged_file_is_set_aside() {
    for (file, breaks) in [("rules", overwrite as fn(&_)), ("episodes", truncate)] {
        let name = format!("{file}.db");
        let book = Book::with_backups().reopened_after(|data| breaks(&data.join(&name)));
        let damaged = fs::read(book.file(&name)).unwrap();
        let answer = restore(&book, &newest(&book, file));
        let aside = text(&answer, "setAside");
        assert!(aside.starts_with(&format!("{name}.corrupt-")), "{aside}");
        assert!(fs::read(book.file(&aside)).unwrap() == damaged);
        book.is_well();
        // Also after a restart, from the disk alone.
        book.reopened_after(|_| {}).is_well();
    }
}

#[test]
fn restoring_over_a_whole_file_makes_that_one_a_backup_first() {
    let book = Book::with_backups();
    let old = newest(&book, "episodes");
    book.writer.ask("memory:episode:record", draft(&book.project, "门开了。"));
    let answer = restore(&book, &old);
    assert_eq!(answer["setAside"], Value::Null);
    let found = || {
        let query = json!({ "projectId": book.project, "queryText": "手稿" });
        book.writer.ask("memory:episode:query", query).to_string().contains("门开了")
    };
    assert!(!found());
    let before = newest(&book, "episodes");
    assert_eq!(before["reason"], "restore");
    restore(&book, &before);
    assert!(found());
}

#[test]
fn items_deleted_after_a_backup_stay_deleted_when_it_is_restored() {
    let book = Book::with_backups();
    let (rules, episodes) = (newest(&book, "rules"), newest(&book, "episodes"));
    let rule = book.writer.ask("memory:semantic:list", json!({ "projectId": book.project }))["rules"][0].clone();
    book.writer.ask("memory:semantic:delete", json!({ "ruleId": rule["id"] }));
    let found = book.writer.ask("memory:episode:query", json!({ "projectId": book.project, "queryText": "手稿" }));
    let episode = &found["episodes"][0]["episode"]["id"];
    book.writer.ask("memory:episode:delete", json!({ "projectId": book.project, "episodeId": episode }));
    restore(&book, &episodes);
    restore(&book, &rules);
    let prompt = book.prompt().to_string();
    assert!(!prompt.contains(RULE) && !prompt.contains("灯灭了"), "{prompt}");
    // The tombstones are carried over: after another restore the episode is still deleted.
    restore(&book, &episodes);
    assert!(!book.prompt().to_string().contains("灯灭了"));
    let history = book.writer.ask("memory:semantic:history", json!({ "ruleId": rule["id"] }));
    assert_eq!(history["versions"][1]["change"], "deleted");
}

#[test]
fn an_episode_deleted_while_the_rules_file_was_down_stays_deleted_after_a_restore() {
    let book = Book::with_backups();
    let backup = newest(&book, "episodes");
    let good = fs::read(book.file("rules.db")).unwrap();
    let book = book.reopened_after(|data| overwrite(&data.join("rules.db")));
    let found = book.writer.ask("memory:episode:query", json!({ "projectId": book.project, "queryText": "手稿" }));
    let episode = &found["episodes"][0]["episode"]["id"];
    book.writer.ask("memory:episode:delete", json!({ "projectId": book.project, "episodeId": episode }));
    // Once while the rules are still unavailable, and once when they are back.
    restore(&book, &backup);
    assert!(!book.prompt().to_string().contains("灯灭了"));
    let book = book.reopened_after(|data| fs::write(data.join("rules.db"), &good).unwrap());
    book.writer.ask("memory:episode:record", draft(&book.project, "门开了。"));
    restore(&book, &backup);
    assert!(!book.prompt().to_string().contains("灯灭了"));
}

#[test]
fn a_damaged_backup_is_refused_and_nothing_is_touched() {
    let book = Book::with_backups();
    let backup = newest(&book, "rules");
    overwrite(&book.file("backups").join(format!("{}.db", text(&backup, "backupId"))));
    let (code, _) = book.writer.refused("memory:backup:restore", json!({ "backupId": backup["backupId"] }));
    assert_eq!(code, "MEMORY_STORE_UNAVAILABLE");
    book.is_well();
}

#[test]
fn a_backup_that_does_not_exist_is_refused_whatever_its_name() {
    let book = Book::new();
    for name in ["rules-1-manual", "../rules", "rules.db"] {
        let (code, field) = book.writer.refused("memory:backup:restore", json!({ "backupId": name }));
        assert!(["MEMORY_NOT_FOUND", "MEMORY_INVALID_ARGUMENT"].contains(&code.as_str()), "{name}: {code}");
        assert_eq!(field, "backupId");
    }
}

#[test]
fn no_acknowledged_write_is_lost_when_backups_and_restores_run_beside_concurrent_writes() {
    let book = Book::with_backups();
    let old = newest(&book, "rules");
    std::thread::scope(|scope| {
        let recorded = scope.spawn(|| (0..40).filter(|_| book.record().is_ok()).count());
        for _ in 0..4 {
            // Backups of one hour are thinned out.
            book.writer.clock.advance_millis(3_600_000);
            restore(&book, &old);
            book.writer.ask("memory:backup:create", json!({}));
        }
        assert_eq!(recorded.join().unwrap(), 40);
    });
    let rules = book.writer.ask("memory:semantic:list", json!({ "projectId": book.project }));
    assert_eq!(rules["episodesRecorded"], 41);
}
