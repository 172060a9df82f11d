//! Odd values in every column of both files, live and in backups: every command answers, and a clearing ends.

use std::{fs, path::Path};

use palimpsest_tests::{Writer, text};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::Book;

const QUESTION: &str = "渡船什么时候能走？";

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
    let book = Book::new();
    fill_answers(&book);
    book.writer.ask("memory:backup:create", json!({}));
    book.writer.ask("memory:maintenance:run", json!({}));
    let project = book.project.clone();
    let data = book.writer.data_dir();
    let _again = book.reopened_after(|_| {
        for file in ["rules.db", "episodes.db"] {
            fs::copy(data.join(file), to.join(file)).unwrap();
        }
    });
    add_study(to, &project);
    project
}

/// Adds what only a study with a model writes: its state, a proposed fact of the learning record, the comparison of a
/// pair of sentences, and a verdict on a continuity issue.
fn add_study(folder: &Path, project: &str) {
    let episodes = Connection::open(folder.join("episodes.db")).unwrap();
    let state = json!({ "phase": "exploring", "day": "2026-11-27", "questionsToday": 3, "work": { "stage": "exploring",
        "question": { "id": "q", "text": "灯是谁点的？", "questionType": "plot", "signature": "s", "isOwn": false },
        "steps": [], "begunSteps": 1 } });
    episodes.execute("INSERT INTO study VALUES (?1, ?2, 1)", [project, &state.to_string()]).unwrap();
    let proposed = "INSERT INTO proposed_facts SELECT 'f', project_id, answer_id, 'e', '身份', '领航员', 'told', '[\"e\"]', \
                    'c', 0, 13, 'h', '潮水满的时候，渡船才能走。', 'holds', 's', 1 FROM answers WHERE origin = 'studied'";
    assert_eq!(episodes.execute(proposed, []).unwrap(), 1);
    let compared = "INSERT INTO compared_pairs VALUES (?1, ?2, 'conflict', '左腿和右腿对不上。', 'reader', 1)";
    episodes.execute(compared, [project, &"0".repeat(64)]).unwrap();
    let studied = "INSERT INTO studied_records SELECT project_id, answer_id, 'plot', 0, 'reader', 0 FROM answers \
                   WHERE origin = 'studied'";
    assert_eq!(episodes.execute(studied, []).unwrap(), 1);
    let rules = Connection::open(folder.join("rules.db")).unwrap();
    let resolved = "INSERT INTO continuity_resolutions VALUES (?1, ?2, 'age', 'intended', 1)";
    rules.execute(resolved, [project, &"0".repeat(64)]).unwrap();
}

/// Fills the tables of questions and answers: a cited answer that was used, one that rests on nothing found, a run that
/// is open, an event that was undone, a question that the book answered, and a program.
fn fill_answers(Book { writer, project, folder }: &Book) {
    let of_book = |more: Value| {
        let mut arguments = json!({ "projectId": project });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let sentence = "潮水满的时候，渡船才能走。";
    fs::write(Path::new(folder).join("01.md"), format!("# 一\n\n{sentence}\n")).unwrap();
    let opened = writer.ask("project:open", json!({ "path": folder }));
    let chapter = &opened["book"]["chapters"][0]["chapterId"];
    let cited = json!({ "question": QUESTION, "answer": "潮水满的时候。", "kind": "canon",
        "citations": [{ "chapterId": chapter, "quote": sentence, "from": 5 }] });
    let id = text(&writer.ask("answer:record", of_book(cited))["answer"], "answerId");
    let nowhere = json!({ "question": "谁在游泳？", "answer": "书里没有写到。", "notInBook": true });
    writer.ask("answer:record", of_book(nowhere));
    for result in ["pass", "pass", "pass", "fail"] {
        let verdict = json!({ "answerId": id, "result": result, "source": "writer" });
        let event = writer.ask("answer:validate", of_book(verdict))["eventId"].clone();
        if result == "fail" {
            writer.ask("answer:undo", of_book(json!({ "eventId": event })));
        }
    }
    let run = writer.ask("answer:prepare", of_book(json!({ "query": QUESTION })));
    let outcome = json!({ "exitCode": 0, "answer": "照以前说的 [QA:1]。" });
    writer.ask("answer:complete", of_book(json!({ "runId": run["runId"], "outcome": outcome })));
    writer.ask("answer:prepare", of_book(json!({ "query": QUESTION })));
    let asked = json!({ "question": QUESTION, "onlyBook": true });
    let started = writer.ask("ask:run", of_book(asked));
    while writer.wait_for_event("ask:done")["runId"] != started["runId"] {}
    writer.ask("backend:save", json!({ "kind": "own", "name": "a", "program": "/no/such/program" }));
    fill_knowledge(writer, &of_book);
    writer.wait_until_idle();
}

/// Fills the tables of the knowledge of books: a learning record, a question, a failure, the writer's words and a note.
fn fill_knowledge(writer: &Writer, of_book: &dyn Fn(Value) -> Value) {
    let record = json!({ "question": "谁在守灯？", "questionType": "plot", "answer": "领航员。",
        "details": { "domain": "领航员", "tags": ["灯"], "metadata": { "a": "b" } } });
    writer.ask("knowledge:record:save", of_book(record));
    writer.ask("knowledge:question:add", of_book(json!({ "question": "灯是谁点的？" })));
    let failure = json!({ "operationType": "studySummary", "operation": "谁点的灯", "error": "noEvidence",
        "context": { "steps": "3" }, "avoidStrategy": "换一个问题。" });
    writer.ask("knowledge:failure:record", of_book(failure));
    writer.ask("knowledge:project:update", of_book(json!({ "background": "一个港口。", "version": 0 })));
    let note = json!({ "title": "删去第一段", "applicableScenarios": ["开头"], "sourceProjects": [of_book(json!({}))["projectId"]] });
    writer.ask("knowledge:practice:add", note);
}

/// Calls every reading command; the only requirement is that each answers.
fn run_read_commands(writer: &Writer, project: &str) {
    let status = writer.ask("memory:status", json!({}));
    assert_eq!(status["parts"].as_array().unwrap().len(), 8);
    let of_book = json!({ "projectId": project });
    let in_book = |more: Value| {
        let mut arguments = of_book.clone();
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    run_answer_commands(writer, &in_book);
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
        ("journal:list", of_book.clone()),
        ("answer:search", in_book(json!({ "query": QUESTION, "minScore": 0, "includeBlocked": true }))),
        ("answer:replay", in_book(json!({ "config": { "gatekeeper.max_inject": 2 } }))),
        ("answer:recheck", of_book.clone()),
        ("answer:config:get", json!({})),
        ("knowledge:record:list", of_book.clone()),
        ("knowledge:record:search", in_book(json!({ "query": QUESTION }))),
        ("knowledge:question:list", of_book.clone()),
        ("knowledge:project:get", of_book.clone()),
        ("knowledge:domain:get", in_book(json!({ "domain": "领航员" }))),
        ("knowledge:global:get", json!({})),
        ("knowledge:load", in_book(json!({ "query": QUESTION }))),
        ("knowledge:study:get", of_book.clone()),
        ("knowledge:study:estimate", of_book.clone()),
        ("story:continuity:list", of_book.clone()),
        ("answer:record", in_book(json!({ "question": "谁掌舵？", "answer": "领航员掌舵。" }))),
        ("memory:episode:record", super::draft(project, "灯亮了。")),
        ("memory:maintenance:run", json!({})),
        ("memory:clear:project", json!({ "projectId": project, "confirmed": true })),
    ] {
        let _answered_either_way = writer.api.call(command, args);
    }
}

/// Calls the commands that need an answer, a run or a program on each one that is listed, and asks a question.
fn run_answer_commands(writer: &Writer, in_book: &dyn Fn(Value) -> Value) {
    let call = |command: &str, args: Value| -> Value {
        let answered = writer.api.call(command, args);
        answered.map_or(Value::Null, |answer| serde_json::from_str(&answer).unwrap())
    };
    let listed = call("answer:list", in_book(json!({})));
    for answer in listed["answers"].as_array().into_iter().flatten() {
        let (id, version) = (&answer["answerId"], &answer["version"]);
        for command in ["get", "history", "copied", "replacements"] {
            call(&format!("answer:{command}"), in_book(json!({ "answerId": id })));
        }
        for command in ["reaffirm", "block", "unblock", "promote"] {
            call(&format!("answer:{command}"), in_book(json!({ "answerId": id, "version": version })));
        }
        call("answer:validate", in_book(json!({ "answerId": id, "result": "pass", "source": "writer" })));
        let history = call("answer:history", in_book(json!({ "answerId": id })));
        let event = &history["events"][0]["eventId"];
        call("answer:undo", in_book(json!({ "eventId": event })));
        call("answer:hit", in_book(json!({ "references": [{ "answerId": id, "used": true }] })));
    }
    let runs = call("answer:run:list", in_book(json!({})));
    for run in runs["runs"].as_array().into_iter().flatten() {
        let id = &run["runId"];
        call("answer:run:get", in_book(json!({ "runId": id })));
        call("answer:measure", in_book(json!({ "runId": id })));
        let outcome = json!({ "exitCode": 0, "answer": "照以前说的 [QA:1]。" });
        call("answer:complete", in_book(json!({ "runId": id, "outcome": outcome })));
    }
    let programs = call("backend:list", json!({}));
    for program in programs["backends"].as_array().into_iter().flatten() {
        call("backend:test", json!({ "backendId": program["backendId"] }));
    }
    let started = call("ask:run", in_book(json!({ "question": QUESTION, "onlyBook": true })));
    if started["runId"].is_string() {
        let done = writer.wait_for_event("ask:done");
        assert_eq!(done["runId"], started["runId"], "a question ends");
        call("ask:cancel", json!({ "runId": started["runId"] }));
    }
}

/// Threads that share the columns: starting a memory waits for the disk more than it computes.
const THREADS: usize = 4;

/// A file, a table, a column of it, and the value that this column gets.
type OddValue = (&'static str, String, String, &'static str);

/// One odd value for every column, in turn. The migration library once panicked over its history table: its columns get
/// all values.
fn odd_values(folder: &Path) -> Vec<OddValue> {
    let mut turn = 0;
    let mut all = Vec::new();
    for file in ["rules.db", "episodes.db"] {
        for (table, column) in columns(&folder.join(file)) {
            let values = if table == "refinery_schema_history" { VALUES.len() } else { 1 };
            for _ in 0..values {
                turn += 1;
                all.push((file, table.clone(), column.clone(), VALUES[turn % VALUES.len()]));
            }
        }
    }
    all
}

/// Opens a copy of a memory with an odd value, calls every reading command, and returns whether a row took the value.
fn opens_with((file, table, column, value): &OddValue, template: &Path, project: &str) -> bool {
    let mut taken = false;
    let writer = Writer::with_folder(|data| {
        for file in ["rules.db", "episodes.db"] {
            fs::copy(template.join(file), data.join(file)).unwrap();
        }
        taken = set_column(&data.join(file), table, column, value);
    });
    if taken {
        println!("{file} {table}.{column} = {value}");
        run_read_commands(&writer, project);
    }
    taken
}

#[test]
fn a_memory_opens_and_answers_with_any_value_in_any_column() {
    let template = tempfile::TempDir::new().unwrap();
    let project = copy_filled_memory(template.path());
    let values = odd_values(template.path());
    let tried: usize = std::thread::scope(|scope| {
        let shares: Vec<_> = (0..THREADS)
            .map(|thread| {
                let share = values.iter().skip(thread).step_by(THREADS);
                let (folder, project) = (template.path(), &project);
                scope.spawn(move || share.filter(|value| opens_with(value, folder, project)).count())
            })
            .collect();
        shares.into_iter().map(|share| share.join().unwrap()).sum()
    });
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
