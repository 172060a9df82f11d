//! Odd values in every column of both files, live and in backups: every command answers, and a clearing ends.

use std::{fs, path::Path};

use palimpsest_tests::{Writer, text};
use rusqlite::Connection;
use serde_json::json;

use super::Book;

const VALUES: [&str; 6] = ["NULL", "9223372036854775807", "1e308", "zeroblob(70000)", "'\u{feff}x'", "-1"];

/// The columns of every table except the internal tables of indexes.
fn columns(path: &Path) -> Vec<(String, String)> {
    let db = Connection::open(path).unwrap();
    let select = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_xinfo(m.name) c \
                  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'word%_%' AND c.hidden = 0";
    let mut statement = db.prepare(select).unwrap();
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Sets a column of every row to a value, bypassing every constraint, and returns whether a row accepted it.
fn set_column(path: &Path, table: &str, column: &str, value: &str) -> bool {
    let select = "SELECT sql FROM sqlite_schema WHERE name = ?1";
    let define = |sql: &str| {
        let db = Connection::open(path).unwrap();
        db.execute_batch("PRAGMA writable_schema = ON").unwrap();
        db.execute("UPDATE sqlite_schema SET sql = ?2 WHERE name = ?1", [table, sql]).unwrap();
    };
    let sql: String = Connection::open(path).unwrap().query_row(select, [table], |row| row.get(0)).unwrap();
    define(
        &sql.replace(") STRICT, WITHOUT ROWID", ") WITHOUT ROWID").replace(") STRICT", ")").replace(" NOT NULL", ""),
    );
    let db = Connection::open(path).unwrap();
    db.execute_batch("PRAGMA ignore_check_constraints = ON").unwrap();
    let put = db.execute(&format!("UPDATE OR IGNORE {table} SET {column} = {value}"), []);
    drop(db);
    define(&sql);
    put.is_ok_and(|rows| rows > 0)
}

/// Copies the files of a closed memory with some content to `to`, and returns the identity of its book.
fn copy_filled_memory(to: &Path) -> String {
    let book = Book::with_backups();
    book.writer.ask("memory:maintenance:run", json!({}));
    let project = book.project.clone();
    let data = book.writer.data_dir();
    let _again = book.reopened_after(|_| {
        for file in ["rules.db", "episodes.db"] {
            fs::copy(data.join(file), to.join(file)).unwrap();
        }
    });
    project
}

/// Calls every reading command; the only requirement is that each answers.
fn run_read_commands(writer: &Writer, project: &str) {
    let status = writer.ask("memory:status", json!({}));
    assert_eq!(status["parts"].as_array().unwrap().len(), 8);
    let of_book = json!({ "projectId": project });
    for (command, args) in [
        ("memory:semantic:list", of_book.clone()),
        ("memory:episode:query", json!({ "projectId": project, "queryText": "手稿" })),
        ("memory:backup:list", json!({})),
        ("memory:clear:log", json!({})),
        ("memory:distill:list", json!({})),
        ("memory:names:list", of_book.clone()),
        ("settings:get", json!({})),
        ("answer:list", of_book.clone()),
        ("answer:run:list", of_book.clone()),
        ("answer:service:get", json!({})),
        ("backend:list", json!({})),
        ("backend:find", json!({})),
        ("answer:search", json!({ "projectId": project, "query": "手稿", "minScore": 0 })),
        ("answer:prepare", json!({ "projectId": project, "query": "手稿" })),
        ("answer:config:get", json!({})),
        ("answer:replay", json!({ "projectId": project, "config": {} })),
        ("answer:recheck", of_book.clone()),
        ("answer:record", json!({ "projectId": project, "question": "谁掌舵？", "answer": "领航员掌舵。" })),
        ("ask:run", json!({ "projectId": project, "question": "谁掌舵？", "onlyBook": true })),
        ("ask:cancel", json!({ "runId": "none" })),
        ("memory:episode:record", super::draft(project, "灯亮了。")),
        ("memory:maintenance:run", json!({})),
        ("memory:clear:project", json!({ "projectId": project, "confirmed": true })),
    ] {
        let _answered_either_way = writer.api.call(command, args);
    }
}

#[test]
fn a_memory_opens_and_answers_with_any_value_in_any_column() {
    let template = tempfile::TempDir::new().unwrap();
    let project = copy_filled_memory(template.path());
    let (mut tried, mut turn) = (0, 0);
    for file in ["rules.db", "episodes.db"] {
        for (table, column) in columns(&template.path().join(file)) {
            // The migration library once panicked over its history table: that table gets all values, the others one in
            // turn.
            let values = if table == "refinery_schema_history" { VALUES.len() } else { 1 };
            for _ in 0..values {
                turn += 1;
                let value = VALUES[turn % VALUES.len()];
                let mut taken = false;
                let writer = Writer::with_folder(|data| {
                    for file in ["rules.db", "episodes.db"] {
                        fs::copy(template.path().join(file), data.join(file)).unwrap();
                    }
                    taken = set_column(&data.join(file), &table, &column, value);
                });
                if taken {
                    println!("{file} {table}.{column} = {value}");
                    run_read_commands(&writer, &project);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 60, "{tried}");
}

#[test]
fn a_restore_and_a_clearing_survive_any_value_in_any_column_of_a_backup() {
    let template = tempfile::TempDir::new().unwrap();
    let project = copy_filled_memory(template.path());
    let (mut made, mut turn) = (Vec::new(), 0);
    let writer = Writer::with_folder(|data| {
        for file in ["rules", "episodes"] {
            let from = template.path().join(format!("{file}.db"));
            fs::copy(&from, data.join(format!("{file}.db"))).unwrap();
            fs::create_dir_all(data.join("backups")).unwrap();
            for (table, column) in columns(&from) {
                turn += 1;
                let id = format!("{file}-{turn}-manual");
                let path = data.join(format!("backups/{id}.db"));
                fs::copy(&from, &path).unwrap();
                if set_column(&path, &table, &column, VALUES[turn % VALUES.len()]) {
                    made.push(id);
                } else {
                    fs::remove_file(&path).unwrap();
                }
            }
        }
    });
    assert!(made.len() > 60, "{}", made.len());
    for id in made.iter().step_by(7).chain(made.iter().filter(|id| id.len() < 9)) {
        let _answered_either_way = writer.api.call("memory:backup:restore", json!({ "backupId": id }));
    }
    let known = writer.ask("project:list", json!({}));
    if known["projects"].as_array().unwrap().iter().any(|book| text(book, "projectId") == project) {
        writer.ask("memory:clear:project", json!({ "projectId": project, "confirmed": true }));
    } else {
        writer.ask("memory:clear:all", json!({ "confirmed": true }));
    }
    let log = writer.ask("memory:clear:log", json!({}));
    assert!(log["clearings"][0]["finishedAt"].is_string(), "{log}");
}
