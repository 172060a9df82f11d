//! Guarantees for the knowledge of books in files: it moves to another machine, whether the book is studied does not,
//! and what the writer refused stays refused.

use palimpsest_tests::{Writer, text};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    exchange::{count, export, import, lines, writer_with_clock},
    island::{FERRY, LEDGER, analyze, change},
    knowledge_records::{has_text, plain, save},
};

/// A book with one of everything that a file has of its knowledge.
fn filled(writer: &Writer) -> String {
    let project = writer.book("island", "en");
    analyze(writer, &project, &[FERRY, LEDGER]);
    save(writer, &project, plain("Who rows?", "Tobias rows."));
    change(writer, "knowledge:question:add", &project, json!({ "question": "Who waits at the pier?" }));
    let update = json!({ "projectId": project, "background": "A harbour town.", "version": 0 });
    writer.ask("knowledge:project:update", update);
    let note = json!({ "title": "Cut the first paragraph", "applicableScenarios": ["openings"],
        "sourceProjects": [project] });
    writer.ask("knowledge:practice:add", note);
    project
}

fn visible_knowledge(writer: &Writer, project: &str) -> [Value; 4] {
    let of = |command: &str| change(writer, command, project, json!({}));
    let memory = of("knowledge:project:get");
    [
        of("knowledge:record:list"),
        of("knowledge:question:list"),
        writer.ask("knowledge:global:get", json!({}))["bestPractices"].clone(),
        json!([memory["background"], memory["version"], memory["createdAt"], memory["learningRecordIds"]]),
    ]
}

#[test]
fn the_knowledge_of_a_book_moves_to_another_machine() {
    let (here, there) = (writer_with_clock(), writer_with_clock());
    let project = filled(&here);
    let data = here.data_dir();
    let here = here.restarted_after(|| {
        let db = Connection::open(data.join("rules.db")).unwrap();
        db.execute("UPDATE knowledge_settings SET is_study_on = 1, agreed_host = 'localhost'", []).unwrap();
        db.execute("INSERT INTO continuity_resolutions VALUES (?1, 'a', 'age', 'intended', 0)", [&project]).unwrap();
        let db = Connection::open(data.join("episodes.db")).unwrap();
        let compared = "INSERT INTO compared_pairs VALUES (?1, 'a', 'conflict', 'Blue is not brown.', 'reader', 0)";
        db.execute(compared, [&project]).unwrap();
        db.execute("INSERT INTO studied_records VALUES (?1, 'a', 'plot', 1, 'reader', 1)", [&project]).unwrap();
    });
    let file = export(&here, None);
    let taken = import(&there, &file);
    let kinds = [
        "question",
        "knowledgeSettings",
        "practice",
        "continuityResolution",
        "comparedPair",
        "studiedRecord",
        "answer",
    ];
    for kind in kinds {
        assert_eq!(count(&taken, kind, "new"), 1, "{kind}: {taken}");
    }
    assert_eq!(visible_knowledge(&there, &project), visible_knowledge(&here, &project));
    let study = change(&there, "knowledge:project:get", &project, json!({}))["evolutionStatus"].clone();
    assert_eq!((&study["isEnabled"], &study["agreedHost"]), (&json!(false), &Value::Null), "agreed to here alone");
    let again = import(&there, &file);
    assert_eq!(count(&again, "question", "new") + count(&again, "practice", "new"), 0, "{again}");
    assert_eq!(visible_knowledge(&there, &project), visible_knowledge(&here, &project));
    let of_book = export(&here, Some(&project));
    assert!(lines(&of_book).iter().all(|line| line["kind"] != "practice"), "notes are for all books");
}

#[test]
fn a_file_from_before_brings_no_refused_record_and_no_question_of_it_back() {
    let writer = writer_with_clock();
    let project = writer.book("island", "en");
    analyze(&writer, &project, &[FERRY, LEDGER]);
    let question = "Who is the zyxquorn of the harbour?";
    change(&writer, "knowledge:question:add", &project, json!({ "question": question }));
    let record = save(&writer, &project, plain(question, "Aldous Pike is the zyxquorn."));
    writer.wait_until_idle();
    let file = export(&writer, None);
    let refuse = json!({ "answerId": record["answerId"], "version": record["version"], "verdict": "refuse" });
    change(&writer, "knowledge:record:judge", &project, refuse);
    writer.wait_until_idle();
    import(&writer, &file);
    assert_eq!(change(&writer, "knowledge:record:list", &project, json!({}))["records"], json!([]));
    assert_eq!(change(&writer, "knowledge:question:list", &project, json!({}))["questions"], json!([]));
    let data = writer.data_dir();
    // Into an empty memory, a file from afterwards brings that it was refused along.
    let after = export(&writer, None);
    let there = writer_with_clock();
    import(&there, &after);
    let mut again = plain(question, "Mara Venn.");
    again["projectId"] = json!(project);
    assert_eq!(there.refused("knowledge:record:save", again).1, "question");
    let _closed = writer.restarted();
    assert_eq!(has_text(&data, "zyxquorn"), Vec::<String>::new());
    assert!(!text(&record, "answerId").is_empty());
}
