//! The journal: what is written, found, proved and redacted.

use std::{fs, thread};

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{erasing::files_containing, exchange, passage, taken, with_field};

/// A string that is in one entry and nowhere else.
const MARK: &str = "zyxquorn";

fn args(project: &str, more: Value) -> Value {
    let mut args = json!({ "projectId": project });
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    args
}

pub(crate) fn store(writer: &Writer, project: &str, content: &str) -> String {
    text(&writer.ask("journal:store", args(project, json!({ "content": content, "kind": "note" }))), "entryId")
}

pub(crate) fn entries(writer: &Writer, project: &str) -> Vec<Value> {
    writer.ask("journal:list", args(project, json!({ "limit": 200 })))["entries"].as_array().unwrap().clone()
}

pub(crate) fn contents(writer: &Writer, project: &str) -> Vec<String> {
    entries(writer, project).iter().map(|entry| text(entry, "content")).collect()
}

pub(crate) fn verified(writer: &Writer, project: &str) -> Value {
    writer.ask("journal:verify", args(project, json!({})))
}

fn redact(writer: &Writer, project: &str, entry: &str) -> Value {
    writer.ask("journal:redact", args(project, json!({ "entryId": entry, "confirmed": true })))
}

/// The contents that a search finds, best first.
pub(crate) fn recalled(writer: &Writer, project: &str, query: &str) -> Vec<String> {
    let found = writer.ask("journal:recall", args(project, json!({ "query": query })));
    found["entries"].as_array().unwrap().iter().map(|one| text(&one["entry"], "content")).collect()
}

#[test]
fn a_decision_on_a_run_leaves_an_entry_with_skill_chapter_outcome_and_names_and_no_passage() {
    let writer = Writer::with_folder(|_| {});
    let folder = writer.path_beside("book");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("01.md"), "# 停电\n\n纪伯坐在床沿上。\n").unwrap();
    let book = writer.ask("project:open", json!({ "path": folder }))["book"].clone();
    let (project, chapter) = (text(&book["project"], "projectId"), text(&book["chapters"][0], "chapterId"));
    writer.ask("story:entity:save", args(&project, json!({ "name": "纪伯", "kind": "character" })));
    let draft = json!({
        "projectId": project, "chapterId": chapter, "skillUsed": "continue", "sceneType": "dialogue",
        "inputContext": "后半夜停了电。", "candidates": ["灯灭了。", "纪伯把手电筒递了过来，说自己认得数目。", "没有人说话。"],
        "selectedIndex": 1, "finalText": "纪伯把手电筒递了过来，说他认得数目。", "explicit": "短一点",
    });
    writer.ask("memory:episode:record", draft.clone());
    let entry = entries(&writer, &project)[0].clone();
    assert_eq!(entry["content"], "《停电》，续写（对话）。三稿中取第二稿，改了 11%。作者说：“短一点”。文中有纪伯。");
    assert_eq!(
        (&entry["kind"], &entry["wordedBy"], &entry["isRedacted"]),
        (&json!("skill"), &json!("template"), &json!(false))
    );
    assert_eq!(entry["chapterId"], chapter);
    let rejected = with_field(with_field(draft, "selectedIndex", json!(-1)), "finalText", json!(""));
    writer.ask("memory:episode:record", with_field(rejected, "explicit", json!(null)));
    writer.clock.advance_millis(1);
    assert!(contents(&writer, &project).contains(&"《停电》，续写（对话）。几稿都没要。".into()));
}

#[test]
fn the_writers_instruction_is_in_the_entry_and_goes_when_the_episode_is_deleted() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:names:set", args(&project, json!({ "names": [{ "name": "林远", "alias": "周明" }] })));
    let taken_for = |instruction: &str| {
        let run = with_field(passage(&project, "雨夜。"), "instruction", json!(instruction));
        let (started, ended) = writer.run(run);
        let candidates = ended["candidates"].clone();
        let draft = json!({ "projectId": project, "chapterId": "chapter", "skillUsed": "continue",
            "inputContext": "雨夜。", "candidates": candidates, "selectedIndex": 0, "finalText": candidates[0],
            "generationId": started["generationId"] });
        let id = text(&writer.ask("memory:episode:record", draft), "episodeId");
        writer.clock.advance_millis(1);
        let entry = entries(&writer, &project)[0].clone();
        assert_eq!(entry["generationId"], started["generationId"]);
        (id, text(&entry, "content"))
    };
    let (id, content) = taken_for("短一点，别解释");
    assert!(content.starts_with("续写。要求“短一点，别解释”。"), "{content}");
    writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": id, "everywhere": true }));
    assert_eq!(contents(&writer, &project), [""]);
    // The trace has an alias where the writer wrote a hidden name: the entry has neither.
    let (_, content) = taken_for("别提林远");
    assert!(!content.contains("要求") && !content.contains("周明"), "{content}");
}

#[test]
fn in_an_english_book_entries_are_english() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    let id = text(&writer.ask("memory:episode:record", taken(&project, "The pier.", "No boat came.")), "episodeId");
    writer.clock.advance_millis(20 * 60_000);
    writer.ask("memory:episode:feedback", json!({ "projectId": project, "episodeId": id, "signal": "undo" }));
    let expected =
        ["continue. The draft that was taken was undone 20 min later.", "continue. The draft was taken, unchanged."];
    assert_eq!(contents(&writer, &project), expected);
}

#[test]
fn a_session_that_has_ended_leaves_an_entry_with_its_figures() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for minute in 0..3 {
        writer.ask("memory:episode:record", taken(&project, "", &format!("第{minute}句。")));
        writer.clock.advance_millis(10 * 60_000);
    }
    let rejected = with_field(taken(&project, "", "没有。"), "selectedIndex", json!(-1));
    writer.ask(
        "memory:episode:record",
        with_field(with_field(rejected, "finalText", json!("")), "skillUsed", json!("polish")),
    );
    assert!(entries(&writer, &project).iter().all(|entry| entry["kind"] == "skill"), "the session is still open");
    writer.ask("memory:working:end-session", args(&project, json!({})));
    let session = writer.ask("journal:list", args(&project, json!({ "kind": "session" })));
    assert_eq!(session["total"], 1);
    assert_eq!(session["entries"][0]["content"], "写了 30 分钟：续写 3 次、润色 1 次。取用 3 稿，1 次都没要。");
    // The next one counts its own decisions alone.
    writer.clock.advance_millis(1);
    writer.ask("memory:episode:record", taken(&project, "", "又一句。"));
    let writer = writer.restarted();
    let session = writer.ask("journal:list", args(&project, json!({ "kind": "session" })));
    assert_eq!(session["total"], 2);
    assert_eq!(session["entries"][0]["content"], "写了不到一分钟：续写 1 次。取用 1 稿，0 次都没要。");
}

#[test]
fn what_happened_long_before_it_was_recorded_belongs_to_no_session() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for day in 1..4 {
        let at = format!("2025-01-0{day}T12:00:00Z");
        writer.ask("memory:episode:record", with_field(taken(&project, "", "很久以前。"), "occurredAt", json!(at)));
    }
    writer.ask("memory:working:end-session", args(&project, json!({})));
    let all = entries(&writer, &project);
    assert_eq!(all.iter().filter(|entry| entry["kind"] == "session").count(), 0, "{all:?}");
    assert_eq!(all[0]["timestamp"], "2025-01-03T12:00:00.000Z");
}

#[test]
fn a_deleted_episode_redacts_nothing_in_another_book() {
    let writer = Writer::new();
    let (project, other) = (writer.book("夜航", "zh"), writer.book("别的书", "zh"));
    let id = text(&writer.ask("memory:episode:record", taken(&project, "", "船没有来。")), "episodeId");
    let foreign = json!({ "content": "别的书里的一条", "kind": "note", "refId": id });
    writer.ask("journal:store", args(&other, foreign));
    assert_eq!(contents(&writer, &project), ["续写。取了，一字没改。"]);
    assert_eq!(entries(&writer, &other)[0]["chapterId"], json!(null), "nothing of the other book's episode is shown");
    writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": id, "everywhere": true }));
    assert_eq!(
        (contents(&writer, &project), contents(&writer, &other)),
        (vec![String::new()], vec!["别的书里的一条".into()])
    );
}

#[test]
fn a_list_is_latest_first_in_pages_and_by_kind() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for n in 0..7 {
        writer.clock.advance_millis(1_000);
        store(&writer, &project, &format!("第{n}条"));
    }
    writer.ask("journal:store", args(&project, json!({ "content": "问了一句", "kind": "ask" })));
    let notes = |more: Value| {
        let mut query = args(&project, json!({ "kind": "note", "limit": 3 }));
        query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        writer.ask("journal:list", query)
    };
    let first = notes(json!({}));
    assert_eq!((&first["total"], &first["hasMore"]), (&json!(7), &json!(true)));
    let second = notes(json!({ "before": first["entries"][2]["id"] }));
    let third = notes(json!({ "before": second["entries"][2]["id"] }));
    assert_eq!((third["entries"].as_array().unwrap().len(), &third["hasMore"]), (1, &json!(false)));
    let all: Vec<Value> =
        [first, second, third].iter().flat_map(|page| page["entries"].as_array().unwrap().clone()).collect();
    let expected: Vec<String> = (0..7).rev().map(|n| format!("第{n}条")).collect();
    assert_eq!(all.iter().map(|entry| text(entry, "content")).collect::<Vec<_>>(), expected);
    let other = writer.book("别的书", "zh");
    let foreign = args(&other, json!({ "before": all[0]["id"] }));
    assert_eq!(writer.refused("journal:list", foreign).0, "MEMORY_NOT_FOUND", "an entry of another book");
}

#[test]
fn what_is_no_entry_is_refused_and_nothing_is_stored() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let long = "字".repeat(1_201);
    for (field, value) in [
        ("content", json!("")),
        ("content", json!(" \n ")),
        ("content", json!(long)),
        ("content", json!("有\u{0}字")),
        ("kind", json!("dream")),
        ("refId", json!("")),
        ("occurredAt", json!("2030-01-01T00:00:00Z")),
        ("projectId", json!("nowhere")),
    ] {
        let draft = args(&project, json!({ "content": "好的", "kind": "note" }));
        let (code, _) = writer.refused("journal:store", with_field(draft, field, value.clone()));
        let expected = if field == "projectId" { "MEMORY_NOT_FOUND" } else { "MEMORY_INVALID_ARGUMENT" };
        assert_eq!(code, expected, "{field}: {value}");
    }
    assert_eq!(entries(&writer, &project).len(), 0);
    assert_eq!(writer.refused("journal:recall", args(&project, json!({ "query": " " }))).0, "MEMORY_INVALID_ARGUMENT");
    assert_eq!(store(&writer, &project, &"字".repeat(1_200)).len(), 36);
}

#[test]
fn an_entry_cannot_be_changed_and_a_changed_file_is_found_out() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let ids: Vec<String> = (0..5).map(|n| store(&writer, &project, &format!("第{n}条"))).collect();
    assert_eq!(verified(&writer, &project)["isWhole"], true);
    let file = writer.data_dir().join("episodes.db");
    let change = |sql: &str| rusqlite::Connection::open(&file).unwrap().execute_batch(sql);
    let refused = change("UPDATE journal SET content = '改过了' WHERE row = 3").unwrap_err();
    assert!(refused.to_string().contains("does not change"), "{refused}");
    change("UPDATE journal SET at = at + 1 WHERE row = 3").unwrap_err();
    // A program that removes the trigger can change the file; the chain says where.
    let without_trigger = |sql: &str| {
        let trigger: String = rusqlite::Connection::open(&file)
            .unwrap()
            .query_row("SELECT sql FROM sqlite_schema WHERE name = 'journal_is_immutable'", [], |row| row.get(0))
            .unwrap();
        change(&format!("DROP TRIGGER journal_is_immutable; {sql}; {trigger};")).unwrap();
    };
    for (forged, restored) in [
        ("UPDATE journal SET content = '改过了' WHERE row = 3", "UPDATE journal SET content = '第2条' WHERE row = 3"),
        ("UPDATE journal SET at = at + 1 WHERE row = 3", "UPDATE journal SET at = at - 1 WHERE row = 3"),
        ("UPDATE journal SET kind = 'ask' WHERE row = 3", "UPDATE journal SET kind = 'note' WHERE row = 3"),
    ] {
        without_trigger(forged);
        let check = verified(&writer, &project);
        assert_eq!((&check["isWhole"], &check["brokenAt"]), (&json!(false), &json!(ids[2])), "{forged}");
        without_trigger(restored);
        assert_eq!(verified(&writer, &project)["isWhole"], true);
    }
    without_trigger("DELETE FROM journal WHERE row = 2");
    assert_eq!(verified(&writer, &project)["brokenAt"], json!(ids[2]), "the one after the hole");
}

#[test]
fn a_redacted_entry_leaves_a_hole_that_the_chain_proves_and_no_byte_of_its_words() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let first = store(&writer, &project, "码头上没有人。");
    let marked = store(&writer, &project, &format!("这里写着 {MARK}。"));
    store(&writer, &project, "船来了。");
    writer.wait_until_idle();
    writer.ask("memory:backup:create", json!({}));
    assert_ne!(files_containing(&writer.data_dir(), &[MARK]), [""; 0]);
    let unconfirmed = args(&project, json!({ "entryId": marked, "confirmed": false }));
    assert_eq!(writer.refused("journal:redact", unconfirmed).0, "MEMORY_CLEAR_CONFIRM_REQUIRED");
    let answer = redact(&writer, &project, &marked);
    assert_eq!((&answer["entry"]["content"], &answer["entry"]["isRedacted"]), (&json!(""), &json!(true)));
    assert!(answer["finishedAt"].is_string());
    assert_eq!(files_containing(&writer.data_dir(), &[MARK]), [""; 0], "while the program runs");
    let check = verified(&writer, &project);
    assert_eq!((&check["entries"], &check["redacted"], &check["isWhole"]), (&json!(3), &json!(1), &json!(true)));
    assert_eq!(recalled(&writer, &project, MARK), [""; 0]);
    // Once more, and an entry of another book.
    assert_eq!(redact(&writer, &project, &marked)["entry"]["isRedacted"], true);
    let other = writer.book("别的书", "zh");
    let foreign = args(&other, json!({ "entryId": first, "confirmed": true }));
    assert_eq!(writer.refused("journal:redact", foreign).0, "MEMORY_NOT_FOUND");
    assert_eq!(contents(&writer, &project), ["船来了。", "", "码头上没有人。"]);
    assert!(writer.restarted().ask("journal:verify", args(&project, json!({})))["isWhole"] == true);
}

#[test]
fn neither_a_backup_nor_an_imported_file_brings_a_redacted_entry_back() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let id = store(&writer, &project, &format!("这里写着 {MARK}。"));
    store(&writer, &project, "船来了。");
    let file = exchange::export(&writer, None);
    let backup = writer.ask("memory:backup:create", json!({}))["backups"].clone();
    redact(&writer, &project, &id);
    let older = backup.as_array().unwrap().iter().find(|one| one["file"] == "episodes").unwrap().clone();
    writer.ask("memory:backup:restore", json!({ "backupId": older["backupId"] }));
    assert_eq!(contents(&writer, &project), ["船来了。", ""]);
    exchange::import(&writer, &file);
    assert_eq!(contents(&writer, &project), ["船来了。", ""]);
    assert_eq!(files_containing(&writer.data_dir(), &[MARK]), [""; 0]);
    assert_eq!(verified(&writer, &project)["isWhole"], true);
}

#[test]
fn a_deleted_episode_has_its_entries_redacted() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let marked = with_field(taken(&project, "", "船没有来。"), "explicit", json!(MARK));
    let id = text(&writer.ask("memory:episode:record", marked), "episodeId");
    writer.ask("memory:episode:record", taken(&project, "", "船来了。"));
    assert!(contents(&writer, &project).iter().any(|content| content.contains(MARK)));
    writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": id, "everywhere": true }));
    assert_eq!(contents(&writer, &project).iter().filter(|content| content.is_empty()).count(), 1);
    assert_eq!(files_containing(&writer.data_dir(), &[MARK]), [""; 0]);
    assert_eq!(verified(&writer, &project)["isWhole"], true);
    // Deleted from the memory alone, its entry is redacted too.
    let only_here = with_field(taken(&project, "", "风停了。"), "explicit", json!("风声"));
    let id = text(&writer.ask("memory:episode:record", only_here), "episodeId");
    assert!(contents(&writer, &project).iter().any(|content| content.contains("风声")));
    writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": id }));
    assert!(!contents(&writer, &project).iter().any(|content| content.contains("风声")));
    // One that is still due is not written.
    let id = text(&writer.ask("memory:episode:record", taken(&project, "", "灯灭了。")), "episodeId");
    writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": id }));
    assert_eq!(
        entries(&writer, &project)
            .iter()
            .filter(|entry| entry["refId"] == json!(id) && entry["isRedacted"] == false)
            .count(),
        0
    );
}

#[test]
fn a_cleared_book_has_no_journal_and_the_other_books_keep_theirs() {
    let writer = Writer::new();
    let (project, other) = (writer.book("夜航", "zh"), writer.book("别的书", "zh"));
    store(&writer, &project, MARK);
    writer.ask("memory:episode:record", taken(&project, "", "船没有来。"));
    store(&writer, &other, "还在。");
    writer.ask("memory:backup:create", json!({}));
    writer.ask("memory:clear:project", args(&project, json!({ "confirmed": true })));
    assert_eq!(verified(&writer, &project)["entries"], 0);
    assert_eq!(files_containing(&writer.data_dir(), &[MARK]), [""; 0]);
    assert_eq!(contents(&writer, &other), ["还在。"]);
    // A new chain begins.
    store(&writer, &project, "第一条");
    assert_eq!(
        (verified(&writer, &project)["isWhole"].clone(), verified(&writer, &other)["isWhole"].clone()),
        (json!(true), json!(true))
    );
}

#[test]
fn an_exported_journal_comes_into_another_memory_with_its_holes_and_a_whole_chain() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let hole = store(&writer, &project, "这条会被抹去。");
    store(&writer, &project, "码头上没有人。\n船来了。");
    writer.ask("memory:episode:record", taken(&project, "", "灯灭了。"));
    redact(&writer, &project, &hole);
    let expected = entries(&writer, &project);
    let file = exchange::export(&writer, None);
    let other = Writer::new();
    exchange::import(&other, &file);
    assert_eq!(entries(&other, &project), expected);
    let check = verified(&other, &project);
    assert_eq!((&check["entries"], &check["redacted"], &check["isWhole"]), (&json!(3), &json!(1), &json!(true)));
    let again = exchange::import(&other, &file);
    assert!(!again.to_string().contains("\"backedUp\":true"), "nothing is new: {again}");
    // A changed line is refused with its place, and nothing is imported.
    let forged = fs::read_to_string(&file).unwrap().replace("码头上没有人", "码头上有一个人");
    fs::write(&file, forged).unwrap();
    let third = Writer::new();
    let error = third.error("memory:import", json!({ "path": file, "dryRun": false }));
    let details = serde_json::to_value(error.details).unwrap();
    assert_eq!((&details["reason"], &details["field"]), (&json!("badValue"), &json!("contentHash")), "{details}");
}

#[test]
fn an_entry_that_was_redacted_on_one_machine_is_redacted_on_the_other_and_does_not_return() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let id = store(&writer, &project, &format!("这里写着 {MARK}。"));
    let before = exchange::export(&writer, None);
    redact(&writer, &project, &id);
    let after = exchange::export(&writer, None);
    let other = Writer::new();
    exchange::import(&other, &before);
    assert_eq!(contents(&other, &project), [format!("这里写着 {MARK}。")]);
    exchange::import(&other, &after);
    assert_eq!(contents(&other, &project), [""]);
    let third = Writer::new();
    exchange::import(&third, &after);
    exchange::import(&third, &before);
    assert_eq!(contents(&third, &project), [""]);
    let fourth = Writer::new();
    // The deletion alone came first: the entry of the older file is left out.
    let only_deletion: Vec<String> = fs::read_to_string(&after)
        .unwrap()
        .lines()
        .filter(|line| !line.contains("\"kind\":\"journalEntry\""))
        .map(str::to_owned)
        .collect();
    let count = only_deletion.len() - 1;
    let file = fourth.path_beside("deletion.jsonl");
    let whole = only_deletion.join("\n") + "\n";
    let end = format!("\"lines\":{}", count + 1);
    fs::write(&file, whole.replace(&end, &format!("\"lines\":{count}"))).unwrap();
    exchange::import(&fourth, &file);
    exchange::import(&fourth, &before);
    assert_eq!(contents(&fourth, &project), [""; 0]);
}

#[test]
fn a_book_without_a_journal_gets_no_entries_and_keeps_those_it_has() {
    let writer = Writer::new();
    let (project, other) = (writer.book("夜航", "zh"), writer.book("别的书", "zh"));
    writer.ask("memory:episode:record", taken(&project, "", "还在。"));
    writer.ask("journal:keep", args(&project, json!({ "isKept": false })));
    writer.ask("memory:episode:record", taken(&project, "", "船没有来。"));
    writer.ask("memory:working:end-session", args(&project, json!({})));
    let refused = args(&project, json!({ "content": "好的", "kind": "note" }));
    assert_eq!(writer.refused("journal:store", refused).0, "MEMORY_INVALID_ARGUMENT");
    let writer = writer.restarted();
    let id = text(&writer.ask("memory:episode:record", taken(&project, "", "船来了。")), "episodeId");
    writer.ask("memory:episode:feedback", json!({ "projectId": project, "episodeId": id, "signal": "undo" }));
    assert_eq!(contents(&writer, &project), ["续写。取了，一字没改。"]);
    assert_eq!(writer.ask("journal:list", args(&project, json!({})))["isKept"], false);
    // Other books have theirs; and pausing what is learned does not stop it.
    writer.ask("memory:learning:pause", json!({}));
    writer.ask("memory:episode:record", taken(&other, "", "船来了。"));
    assert_eq!(contents(&writer, &other).len(), 1);
    writer.ask("journal:keep", args(&project, json!({ "isKept": true })));
    writer.ask("memory:episode:record", taken(&project, "", "灯亮了。"));
    assert_eq!(contents(&writer, &project).len(), 2);
}

#[test]
fn a_recall_is_by_words_newer_first_and_never_from_another_book() {
    let writer = Writer::new();
    let (project, other) = (writer.book("夜航", "zh"), writer.book("别的书", "zh"));
    store(&writer, &other, "验潮所的水尺改过两指。");
    assert_eq!(recalled(&writer, &project, "水尺"), [""; 0]);
    store(&writer, &project, "验潮所的水尺改过两指。");
    writer.clock.advance_millis(1_000);
    store(&writer, &project, "验潮所的水尺改过三指。");
    assert_eq!(recalled(&writer, &project, "验潮所 水尺"), ["验潮所的水尺改过三指。", "验潮所的水尺改过两指。"]);
    let found = writer.ask("journal:recall", args(&project, json!({ "query": "水尺" })));
    assert_eq!(found["entries"][0]["matchedBy"], json!(["words"]));
    assert_eq!(found["degraded"], true, "without an encoder");
}

#[test]
fn the_journal_is_in_no_prompt_for_writing() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    store(&writer, &project, &format!("验潮所里 {MARK}。"));
    let assembled = writer.ask("memory:context:assemble", passage(&project, &format!("验潮所里 {MARK}？")));
    assert_eq!(assembled["messages"].to_string().matches(MARK).count(), 1, "the passage itself");
}

#[test]
fn a_journal_that_cannot_be_written_delays_no_decision_and_is_told_in_the_status() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    store(&writer, &project, "第一条");
    // As on a full disk: no entry gets a row any more. The note that one is due is in another table.
    let file = writer.data_dir().join("episodes.db");
    let number_rows_from = |row: i64| {
        let sql = "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'journal'";
        assert_eq!(rusqlite::Connection::open(&file).unwrap().execute(sql, [row]).unwrap(), 1);
    };
    number_rows_from(i64::MAX);
    writer.ask("memory:episode:record", taken(&project, "", "船没有来。"));
    assert_eq!(contents(&writer, &project), ["第一条"]);
    assert_eq!(writer.ask("memory:status", json!({}))["journalDue"], 1);
    number_rows_from(1);
    assert_eq!(contents(&writer, &project), ["续写。取了，一字没改。", "第一条"]);
    assert_eq!(writer.ask("memory:status", json!({}))["journalDue"], 0);
}

#[test]
fn sixteen_threads_write_one_chain() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    thread::scope(|scope| {
        for thread in 0..16 {
            let (writer, project) = (&writer, &project);
            scope.spawn(move || {
                for n in 0..50 {
                    store(writer, project, &format!("第{thread}个，第{n}条"));
                }
            });
        }
    });
    let check = verified(&writer, &project);
    assert_eq!((&check["entries"], &check["isWhole"]), (&json!(800), &json!(true)));
}
