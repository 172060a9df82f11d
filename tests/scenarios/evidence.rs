//! Evidence of an episode: stored apart from its texts, and changed by the writer's actions.

use palimpsest_tests::{Writer, text};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::with_field;

const DAY: i64 = 86_400_000;
const LONG: &str = "他慢慢地沿着那条又长又湿、仿佛没有尽头的走廊走过去，心里想着许多许多年以前的那些事情。";
const SHORT: &str = "他走过走廊。停下。听。没有人。";

/// A choice of one of two candidates, unchanged.
fn chosen(project: &str) -> Value {
    json!({
        "projectId": project, "chapterId": "chapter", "skillUsed": "continue", "sceneType": "action",
        "inputContext": "雨夜。", "candidates": [LONG, SHORT], "selectedIndex": 1, "finalText": SHORT,
    })
}

fn record(writer: &Writer, draft: Value) -> String {
    text(&writer.ask("memory:episode:record", draft), "episodeId")
}

/// Waits until the evidence worker has caught up.
pub(crate) fn wait_for_evidence(writer: &Writer) {
    let state = || {
        let status = writer.ask("memory:status", json!({}));
        let part = status["parts"].as_array().unwrap().iter().find(|part| part["part"] == "evidence").unwrap();
        text(part, "state")
    };
    while state() != "ok" {
        std::thread::yield_now();
    }
}

/// The stored evidence of a book. Per episode: its identity, whether it was undone, whether it is excluded from
/// learning, and the numbers of the choice.
fn evidence(writer: &Writer, project: &str) -> Vec<(String, bool, bool, Vec<u8>)> {
    wait_for_evidence(writer);
    let path = writer.data_dir().join("rules.db");
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut statement = db
        .prepare(
            "SELECT episode_id, undone, \
             pause IS NOT NULL AND pause NOT IN (SELECT started_at FROM pauses WHERE used), coalesce(choice, x'') \
             FROM evidence WHERE project_id = ?1 ORDER BY episode_id",
        )
        .unwrap();
    let rows = statement.query_map([project], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

fn ids(writer: &Writer, project: &str) -> Vec<String> {
    evidence(writer, project).into_iter().map(|(id, ..)| id).collect()
}

fn backup(writer: &Writer, file: &str) -> Value {
    let list = writer.ask("memory:backup:create", json!({}));
    let made = list["backups"].as_array().unwrap().iter().find(|one| one["file"] == file).unwrap();
    json!({ "backupId": made["backupId"] })
}

fn lock(writer: &Writer) -> Connection {
    let lock = Connection::open(writer.data_dir().join("rules.db")).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    lock
}

#[test]
fn a_choice_in_one_book_is_evidence_there_and_nowhere_else() {
    let writer = Writer::new();
    let (one, other) = (writer.book("夜航", "zh"), writer.book("实验小说", "zh"));
    let first = record(&writer, chosen(&one));
    let second = record(&writer, with_field(chosen(&one), "selectedIndex", json!(-1)));
    let others = record(&writer, chosen(&other));
    assert_eq!((ids(&writer, &one), ids(&writer, &other)), (vec![first, second], vec![others]));
}

#[test]
fn a_sessions_summary_is_no_evidence_of_style() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for _ in 0..2 {
        writer.ask(
            "memory:working:put",
            json!({ "projectId": project, "kind": "signal", "text": "又删掉了比喻", "weight": -0.8, "skillUsed": "polish" }),
        );
    }
    assert_eq!(writer.ask("memory:working:end-session", json!({ "projectId": project }))["archived"], 1);
    assert_eq!(ids(&writer, &project), Vec::<String>::new());
}

#[test]
fn an_undo_that_comes_months_later_turns_the_evidence_round_and_leaves_its_numbers() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let episode = record(&writer, chosen(&project));
    let before = evidence(&writer, &project);
    writer.clock.advance_millis(90 * DAY);
    writer.ask("memory:clock:confirm", json!({}));
    writer.ask("memory:maintenance:run", json!({ "job": "weekly" }));
    assert_eq!(evidence(&writer, &project), before, "compression leaves it alone");
    writer.ask("memory:episode:feedback", json!({ "episodeId": episode, "signal": "undo" }));
    let (id, _, paused, numbers) = before[0].clone();
    assert_eq!(evidence(&writer, &project), [(id, true, paused, numbers)]);
    // The evidence remains when nothing else is left of the episode.
    writer.clock.advance_millis(366 * DAY);
    writer.ask("memory:clock:confirm", json!({}));
    writer.ask("memory:maintenance:run", json!({ "job": "monthly" }));
    let recorded = writer.ask("memory:semantic:list", json!({ "projectId": project }))["episodesRecorded"].clone();
    assert_eq!((recorded, evidence(&writer, &project).len()), (json!(0), 1));
}

#[test]
fn a_deleted_episode_is_no_evidence_even_if_the_rules_could_not_be_written_at_that_time() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let all: Vec<String> = (0..3).map(|_| record(&writer, chosen(&project))).collect();
    assert_eq!(ids(&writer, &project), all);
    let delete = |id: &str| writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": id }));
    delete(&all[0]);
    assert_eq!(ids(&writer, &project), all[1..]);
    let held = lock(&writer);
    delete(&all[1]);
    held.execute_batch("COMMIT").unwrap();
    drop(held);
    let writer = writer.restarted();
    assert_eq!(ids(&writer, &project), all[2..]);
}

#[test]
fn episodes_of_a_pause_never_become_evidence_unless_the_writer_chooses_so_on_resuming() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let paused = |writer: &Writer| -> Vec<bool> {
        evidence(writer, &project).into_iter().map(|(_, _, paused, _)| paused).collect()
    };
    let learning =
        |writer: &Writer, command: &str, args: Value| writer.ask(&format!("memory:learning:{command}"), args);
    record(&writer, chosen(&project));
    assert_eq!(learning(&writer, "pause", json!({})), json!({ "learningPaused": true }));
    assert_eq!(learning(&writer, "pause", json!({})), json!({ "learningPaused": true }));
    // The time of recording decides, not the time in `occurredAt`.
    record(&writer, with_field(chosen(&project), "occurredAt", json!("2026-03-01T12:00:00Z")));
    let writer = writer.restarted();
    record(&writer, chosen(&project));
    assert_eq!(learning(&writer, "resume", json!({})), json!({ "learningPaused": false }));
    record(&writer, chosen(&project));
    assert_eq!(paused(&writer), [false, true, true, false]);

    learning(&writer, "pause", json!({}));
    record(&writer, chosen(&project));
    assert_eq!(paused(&writer), [false, true, true, false, true]);
    learning(&writer, "resume", json!({ "useRecorded": true }));
    assert_eq!(paused(&writer), [false, true, true, false, false], "this pause, and none before");
    assert_eq!(writer.refused("memory:learning:resume", json!({ "use": true })).0, "MEMORY_INVALID_ARGUMENT");
}

#[test]
fn a_backup_that_is_put_back_loses_no_evidence_no_pause_and_no_word_on_it() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let pause = |how: &str, args: Value| writer.ask(&format!("memory:learning:{how}"), args);
    let deleted = record(&writer, chosen(&project));
    wait_for_evidence(&writer);
    let [old_rules, old_episodes] = ["rules", "episodes"].map(|file| backup(&writer, file));
    writer.clock.advance_millis(1_000);
    writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": deleted }));
    let undone = record(&writer, chosen(&project));
    pause("pause", json!({}));
    record(&writer, chosen(&project));
    pause("resume", json!({ "useRecorded": true }));
    writer.clock.advance_millis(1_000);
    pause("pause", json!({}));
    record(&writer, chosen(&project));
    writer.ask("memory:episode:feedback", json!({ "episodeId": undone, "signal": "undo" }));
    let before = evidence(&writer, &project);
    let flags: Vec<(bool, bool)> = before.iter().map(|(_, undone, paused, _)| (*undone, *paused)).collect();
    assert_eq!(flags, [(true, false), (false, false), (false, true)]);

    writer.ask("memory:backup:restore", old_rules);
    assert_eq!(evidence(&writer, &project), before);
    assert_eq!(pause("pause", json!({})), json!({ "learningPaused": true }));
    record(&writer, chosen(&project));
    assert!(evidence(&writer, &project)[3].2, "learning is paused, as it was");

    // The restored `episodes.db` lacks the episodes; their evidence in `rules.db` remains.
    let before = evidence(&writer, &project);
    writer.ask("memory:backup:restore", old_episodes);
    assert_eq!(evidence(&writer, &project), before);
    let recorded = writer.ask("memory:semantic:list", json!({ "projectId": project }))["episodesRecorded"].clone();
    assert_eq!(recorded, json!(0), "the only one in it was deleted since");
}

#[test]
fn evidence_is_recomputed_when_the_rules_file_is_replaced_by_an_empty_one() {
    let writer = Writer::new();
    let folder = writer.path_beside("夜航");
    let book = writer.ask("project:create", json!({ "title": "夜航", "language": "zh", "path": folder }));
    let project = text(&book, "projectId");
    record(&writer, chosen(&project));
    let before = evidence(&writer, &project);
    let data = writer.data_dir();
    let writer = writer.restarted_after(|| {
        for file in ["rules.db", "rules.db-wal", "rules.db-shm"] {
            let _gone = std::fs::remove_file(data.join(file));
        }
        let _none = std::fs::remove_dir_all(data.join("backups"));
    });
    // The book is unknown here until it is opened again; work that is due for it waits.
    assert_eq!(writer.ask("project:list", json!({}))["projects"], json!([]));
    writer.ask("project:open", json!({ "path": folder }));
    // Recording any episode wakes the indexer.
    let other = writer.book("实验小说", "zh");
    record(&writer, chosen(&other));
    assert_eq!(evidence(&writer, &project), before);
}

#[test]
fn clearing_a_book_takes_its_evidence_along_from_every_file_and_backup() {
    let writer = Writer::new();
    let (one, other) = (writer.book("夜航", "zh"), writer.book("实验小说", "zh"));
    let gone = record(&writer, chosen(&one));
    let kept = record(&writer, chosen(&other));
    wait_for_evidence(&writer);
    backup(&writer, "rules");
    writer.ask("memory:clear:project", json!({ "projectId": one, "confirmed": true }));
    assert_eq!((ids(&writer, &one), ids(&writer, &other)), (vec![], vec![kept]));
    let data = writer.data_dir();
    let _closed = writer.restarted_after(|| {
        let folders = [data.clone(), data.join("backups")];
        let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
        for path in files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(gone.len()).any(|window| window == gone.as_bytes()), "{}", path.display());
        }
    });
}

#[test]
fn everything_cleared_is_a_new_beginning_for_learning_too() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    record(&writer, chosen(&project));
    writer.ask("memory:learning:pause", json!({}));
    writer.ask("memory:clear:all", json!({ "confirmed": true }));
    writer.ask("project:create", json!({ "title": "夜航", "language": "zh", "projectId": project }));
    record(&writer, chosen(&project));
    let left = evidence(&writer, &project);
    assert_eq!((left.len(), left[0].2), (1, false));
}
