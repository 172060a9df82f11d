//! Answers while the book is written: kept although their sentences changed.

use std::fs;

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::answers::{LONG, folder_book, get, of_book, prepare, record, run, validate};

const FERRY: &str = "When did the ferry sink?";

/// An answer that rests on a sentence of the first chapter.
fn cited(writer: &Writer, project: &str, chapter: &str, (question, quote): (&str, &str)) -> String {
    let citations = json!([{ "chapterId": chapter, "quote": quote, "from": 0 }]);
    let asked = json!({ "question": question, "answer": "In the autumn.", "citations": citations });
    text(&writer.ask("answer:record", of_book(project, asked))["answer"], "answerId")
}

fn recheck(writer: &Writer, project: &str) -> Value {
    writer.ask("answer:recheck", of_book(project, json!({})))
}

/// The writer says that an answer is still right.
fn reaffirm(writer: &Writer, project: &str, id: &str) -> Value {
    let version = get(writer, project, id)["version"].clone();
    writer.ask("answer:reaffirm", of_book(project, json!({ "answerId": id, "version": version })))
}

fn undo_change(writer: &Writer, project: &str, change: &Value) -> Value {
    writer.ask("answer:undo", of_book(project, json!({ "eventId": change["eventId"] })))["answer"].clone()
}

#[test]
fn an_answer_on_changed_text_that_is_still_right_rests_on_the_new_sentence_until_that_is_undone() {
    for (chapter, quote, changed, now) in [
        (
            "# One\n\nIt was late. The ferry sank in the autumn. No one swam.\n",
            "The ferry sank in the autumn.",
            "# One\n\nIt was late, and cold. The ferry went down in the autumn. No one swam.\n",
            "The ferry went down in the autumn.",
        ),
        (
            "# 一\n\n夜深了。那年秋天渡船沉在了河口。没有人游水。\n",
            "那年秋天渡船沉在了河口。",
            "# 一\n\n夜很深了。渡船沉在河口，是那年深秋。没有人游水。\n",
            "渡船沉在河口，是那年深秋。",
        ),
    ] {
        let writer = Writer::new();
        let (project, chapter_id, file) = folder_book(&writer, chapter);
        let id = cited(&writer, &project, &chapter_id, (FERRY, quote));
        validate(&writer, &project, &id, "pass");
        fs::write(&file, changed).unwrap();
        recheck(&writer, &project);
        let stale = get(&writer, &project, &id);
        assert_eq!(stale["staleness"], "stale");
        let replacements = writer.ask("answer:replacements", of_book(&project, json!({ "answerId": id })));
        assert_eq!(replacements["replacements"][0]["citation"]["quote"], *now);
        assert_eq!(replacements["replacements"][0]["ordinal"], 0);

        let kept = reaffirm(&writer, &project, &id);
        let answer = &kept["answer"];
        assert_eq!((&answer["staleness"], &answer["passes"]), (&json!("current"), &json!(2)));
        assert_eq!(
            (&answer["citations"][0]["quote"], &answer["citations"][0]["status"]),
            (&json!(now), &json!("holds"))
        );
        assert_eq!(recheck(&writer, &project), json!({ "checked": 1, "moved": 0, "changed": 0, "gone": 0 }));
        assert_eq!(prepare(&writer, &project, FERRY)["injected"][0]["answerId"], *id);
        let history = writer.ask("answer:history", of_book(&project, json!({ "answerId": id })));
        let event = &history["events"][0];
        assert_eq!((&event["source"], &event["signalStrength"]), (&json!("writer"), &json!("strong")));
        assert_eq!(event["citations"]["before"][0]["quote"], *quote);

        let undone = undo_change(&writer, &project, &kept);
        let same = ["citations", "staleness", "validationLevel", "trust", "passes", "posterior"];
        assert!(same.iter().all(|field| undone[*field] == stale[*field]), "{undone}");
        recheck(&writer, &project);
        assert_eq!(get(&writer, &project, &id)["staleness"], "stale");
        // The old sentence comes back.
        fs::write(&file, chapter).unwrap();
        recheck(&writer, &project);
        assert_eq!(get(&writer, &project, &id)["staleness"], "current");
    }
}

#[test]
fn a_verdict_on_changed_text_is_refused_for_an_old_version_and_for_a_chapter_that_is_gone() {
    let writer = Writer::new();
    let (project, chapter, file) = folder_book(&writer, "# One\n\nThe ferry sank in the autumn.\n");
    fs::write(file.with_file_name("02.md"), "# Two\n\nThe sea was calm.\n").unwrap();
    let id = cited(&writer, &project, &chapter, (FERRY, "The ferry sank in the autumn."));
    let old = json!({ "answerId": id, "version": 1 });
    validate(&writer, &project, &id, "pass");
    assert_eq!(writer.refused("answer:reaffirm", of_book(&project, old)).0, "MEMORY_STALE_VERSION");
    let unchanged = reaffirm(&writer, &project, &id);
    assert!(unchanged["eventId"].is_null(), "nothing has changed: {unchanged}");
    fs::remove_file(&file).unwrap();
    recheck(&writer, &project);
    let gone = get(&writer, &project, &id);
    assert_eq!(gone["staleness"], "stale");
    let replacements = writer.ask("answer:replacements", of_book(&project, json!({ "answerId": id })));
    assert!(replacements["replacements"][0]["citation"].is_null(), "{replacements}");
    let args = json!({ "answerId": id, "version": gone["version"] });
    assert_eq!(writer.refused("answer:reaffirm", of_book(&project, args)).0, "MEMORY_CITATION_NOT_FOUND");
    assert_eq!(get(&writer, &project, &id), gone);
}

#[test]
fn a_confirmed_answer_that_failed_since_is_kept_by_the_writer_and_challenged_again_once_that_is_undone() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    let recorded = record(&writer, &project, FERRY, LONG);
    let id = text(&recorded, "answerId");
    let confirm = json!({ "answerId": id, "version": recorded["version"], "userConfirmed": true });
    writer.ask("answer:confirm", of_book(&project, confirm));
    for _ in 0..2 {
        run(&writer, &project, FERRY, 1);
    }
    assert_eq!(get(&writer, &project, &id)["isChallenged"], true);
    let kept = reaffirm(&writer, &project, &id);
    assert_eq!((&kept["answer"]["isChallenged"], &kept["answer"]["userConfirmed"]), (&json!(false), &json!(true)));
    let undone = undo_change(&writer, &project, &kept);
    assert_eq!((&undone["isChallenged"], &undone["userConfirmed"]), (&json!(true), &json!(true)));
}
