//! Files that are overwritten with noise, truncated or deleted: while the program is closed and while it runs.

use std::{fs, path::Path, thread};

use palimpsest_api::EncoderSource;
use palimpsest_tests::text;
use serde_json::json;

use super::{Book, empty, overwrite, sent, truncate};

type Break = fn(&Path);

const BREAKS: [(&str, Break); 2] = [("noise", overwrite), ("truncated", truncate)];

#[test]
fn with_episodes_damaged_at_rest_rules_list_edit_and_inject() {
    for (how, breaks) in BREAKS {
        println!("{how}");
        let book = Book::new().reopened_after(|data| breaks(&data.join("episodes.db")));
        book.serves_without_episodes();
    }
}

#[test]
fn with_rules_damaged_at_rest_past_examples_serve_and_the_rules_of_the_last_good_backup() {
    for (how, breaks) in BREAKS {
        println!("{how}");
        let book = Book::with_backups().reopened_after(|data| breaks(&data.join("rules.db")));
        book.serves_without_rules(true);
    }
}

#[test]
fn with_rules_damaged_and_no_backup_the_built_in_rules_serve() {
    let book = Book::new().reopened_after(|data| overwrite(&data.join("rules.db")));
    book.serves_without_rules(false);
}

#[test]
fn with_both_files_damaged_writing_continues_with_the_built_in_rules_and_the_status_reports_it() {
    for (how, breaks) in BREAKS {
        println!("{how}");
        let book = Book::new().reopened_after(|data| {
            breaks(&data.join("rules.db"));
            breaks(&data.join("episodes.db"));
        });
        book.serves_without_memory();
    }
}

/// Breaks a file while the program runs, checks the service, and restores the file, without a restart.
fn break_and_mend(file: &str, breaks: Break, serves: impl Fn(&Book)) {
    let book = Book::with_backups();
    book.is_well();
    // Indexed and closed once more, so that the file is complete without its log, and nothing writes into it again.
    book.writer.wait_until_idle();
    let book = book.reopened_after(|_| {});
    book.writer.wait_until_idle();
    let path = book.file(file);
    let good = fs::read(&path).unwrap();
    breaks(&path);
    serves(&book);
    fs::write(&path, good).unwrap();
    book.is_well();
}

#[test]
fn episodes_broken_under_a_running_program_serve_again_when_they_are_back() {
    for (how, breaks) in BREAKS {
        println!("{how}");
        break_and_mend("episodes.db", breaks, Book::serves_without_episodes);
    }
}

#[test]
fn rules_broken_under_a_running_program_serve_again_when_they_are_back() {
    for (how, breaks) in BREAKS {
        println!("{how}");
        break_and_mend("rules.db", breaks, |book| book.serves_without_rules(true));
    }
}

#[test]
fn an_emptied_or_lost_file_is_not_silently_replaced_by_an_empty_one() {
    for (how, breaks) in [("emptied", empty as Break), ("lost", |path| fs::remove_file(path).unwrap())] {
        println!("{how}");
        break_and_mend("rules.db", breaks, |book| book.serves_without_rules(true));
        break_and_mend("episodes.db", breaks, Book::serves_without_episodes);
    }
}

#[test]
fn a_damaged_file_is_left_as_it_is_until_a_backup_takes_its_place() {
    let book = Book::with_backups().reopened_after(|data| overwrite(&data.join("rules.db")));
    let before = fs::read(book.file("rules.db")).unwrap();
    book.serves_without_rules(true);
    assert!(fs::read(book.file("rules.db")).unwrap() == before, "something was written into a damaged file");
}

#[test]
fn without_the_encoders_files_recall_uses_words_scene_and_time_and_the_status_reports_it() {
    let Book { writer, project, folder } = Book::new();
    let gone = writer.path_beside("no-encoder");
    let book = Book {
        writer: writer.restarted_with(|options| options.encoder = EncoderSource::Folder(gone)),
        project,
        folder,
    };
    // The encoder is looked for in the background.
    while book.part_state("embedder") == "catchingUp" {
        thread::yield_now();
    }
    assert_eq!(book.part_state("embedder"), "unavailable");
    let query = json!({ "projectId": book.project, "queryText": "手稿" });
    let found = book.writer.ask("memory:episode:query", query);
    assert_eq!(found["episodes"][0]["episode"]["finalText"], "灯灭了。");
    assert_eq!(found["degraded"], true);
    assert!(text(&found, "degradedReason").starts_with("recall is less precise"), "{found}");
    assert!(sent(&book.prompt()).contains("灯灭了"));
    book.record().unwrap();
}
