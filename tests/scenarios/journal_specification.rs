//! The tests of the journal's specification, each under its name there, against the real files and the bundled encoder.
//!
//! Where set-up could not fetch the encoder's files, the tests of meaning print a note and check nothing.

use std::{collections::BTreeSet, fs, thread};

use palimpsest_api::bundled_encoder;
use palimpsest_embedder::Encoder;
use palimpsest_tests::{Writer, text};
use palimpsest_vectors::{Matrix, quantize};
use serde_json::{Value, json};

use crate::{
    journal::{contents, entries, recalled, store, verified},
    meaning,
};

const REDIS: &str = "Deployed 3-node redis cluster, config at /opt/redis/";

fn book(writer: &Writer) -> String {
    writer.book("Night Ferry", "en")
}

/// The rows of a book's journal in the file, read without the engine.
fn rows_on_disk(writer: &Writer) -> Vec<String> {
    let file = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    let mut statement = file.prepare("SELECT content FROM journal ORDER BY row").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// The exported entries, in the format of the specification.
fn exported(writer: &Writer, project: &str, name: &str) -> Vec<Value> {
    let path = writer.path_beside(name);
    writer.ask("journal:export", json!({ "projectId": project, "path": path }));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn searched(writer: &Writer, project: &str, query: &str, top_k: u32) -> Value {
    writer.ask("journal:recall", json!({ "projectId": project, "query": query, "topK": top_k }))
}

#[test]
fn t_mem_store_01_an_entry_is_recalled_and_on_disk() {
    let writer = Writer::new();
    let project = book(&writer);
    store(&writer, &project, REDIS);
    assert_eq!(recalled(&writer, &project, "redis cluster"), [REDIS]);
    assert_eq!(rows_on_disk(&writer), [REDIS]);
}

#[test]
fn t_mem_store_02_ten_entries_are_all_recalled_and_on_disk() {
    let writer = Writer::new();
    let project = book(&writer);
    let words = ["harbour", "lantern", "ledger", "tide", "gauge", "ferry", "island", "letter", "torch", "well"];
    let stored: BTreeSet<String> = words.iter().map(|word| format!("The {word} was described.")).collect();
    for content in &stored {
        store(&writer, &project, content);
    }
    for word in words {
        assert_eq!(recalled(&writer, &project, word)[0], format!("The {word} was described."));
    }
    assert_eq!(rows_on_disk(&writer).into_iter().collect::<BTreeSet<_>>(), stored);
}

#[test]
fn t_mem_store_03_entries_come_back_with_content_time_and_vector_when_the_memory_is_opened_again() {
    let Some(writer) = meaning::writer() else { return };
    let project = book(&writer);
    for content in [REDIS, "Went to the grocery store."] {
        store(&writer, &project, content);
        writer.clock.advance_millis(1_000);
    }
    meaning::wait_for_vectors(&writer);
    let (before, with_vectors) = (entries(&writer, &project), exported(&writer, &project, "before.json"));
    assert!(with_vectors.iter().all(|entry| entry["embedding"].as_array().unwrap().len() > 100));
    let writer = writer.restarted();
    assert_eq!(entries(&writer, &project), before);
    assert_eq!(exported(&writer, &project, "after.json"), with_vectors);
}

#[test]
fn t_mem_store_04_without_a_file_the_journal_is_empty_and_works() {
    let writer = Writer::new();
    let project = book(&writer);
    assert_eq!(contents(&writer, &project), [""; 0]);
    assert_eq!(recalled(&writer, &project, "redis"), [""; 0]);
    store(&writer, &project, REDIS);
    assert_eq!(recalled(&writer, &project, "redis"), [REDIS]);
}

#[test]
fn t_mem_store_05_a_damaged_file_is_said_and_a_broken_import_is_refused_whole_with_its_place() {
    let writer = Writer::new();
    let project = book(&writer);
    store(&writer, &project, REDIS);
    let data = writer.data_dir();
    let writer = writer.restarted_after(|| fs::write(data.join("episodes.db"), "{ not a journal").unwrap());
    let found = searched(&writer, &project, "redis", 5);
    assert_eq!((&found["entries"], &found["degraded"]), (&json!([]), &json!(true)));
    let parts = writer.ask("memory:status", json!({}))["parts"].as_array().unwrap().clone();
    assert!(parts.iter().any(|part| part["part"] == "episodes" && part["state"] == "unavailable"));
    let listed = writer.error("journal:list", json!({ "projectId": project }));
    assert_eq!(serde_json::to_value(listed.code).unwrap(), "MEMORY_STORE_UNAVAILABLE");

    let other = Writer::new();
    let project = book(&other);
    let good = r#"{"id":"a","timestamp":"2026-01-02T03:04:05Z","content":"good","embedding":[]}"#;
    for (broken, reason, place) in [
        (format!("[{good},\n{{\"id\":\"b\"}}]"), "badValue", 2),
        (format!("[{good},\n{{"), "cutOff", 2),
        ("[1]".into(), "badValue", 1),
        (good.replace("2026-01-02T03:04:05Z", "yesterday").replace('{', "[{").replace('}', "}]"), "badValue", 1),
        (good.replace("2026-01-02", "2036-01-02").replace('{', "[{").replace('}', "}]"), "badValue", 1),
        (good.replace("good", "").replace('{', "[{").replace('}', "}]"), "badValue", 1),
    ] {
        let path = other.path_beside("entries.json");
        fs::write(&path, &broken).unwrap();
        let refused = other.error("journal:import", json!({ "projectId": project, "path": path, "dryRun": false }));
        let details = serde_json::to_value(refused.details).unwrap();
        assert_eq!((&details["reason"], &details["line"]), (&json!(reason), &json!(place)), "{broken}");
        assert_eq!(contents(&other, &project), [""; 0], "{broken}");
    }
}

#[test]
fn t_mem_store_06_entries_stored_at_the_same_time_are_all_there_in_one_whole_chain() {
    let writer = Writer::new();
    let project = book(&writer);
    thread::scope(|scope| {
        for thread in 0..16 {
            let (writer, project) = (&writer, &project);
            scope.spawn(move || (0..50).for_each(|n| drop(store(writer, project, &format!("{thread}, {n}")))));
        }
    });
    let check = verified(&writer, &project);
    assert_eq!((&check["entries"], &check["isWhole"]), (&json!(800), &json!(true)));
    assert_eq!(rows_on_disk(&writer).into_iter().collect::<BTreeSet<_>>().len(), 800);
}

#[test]
fn t_mem_store_07_every_character_comes_back_as_it_was() {
    let writer = Writer::new();
    let project = book(&writer);
    let content = "中文，emoji 👩‍👩‍👧‍👦🏳️‍🌈，\u{20BB7}野家，e\u{0301}，\"'\\<>&，\tTab\n第二行 \u{200F}עברית";
    store(&writer, &project, content);
    let writer = writer.restarted();
    assert_eq!(contents(&writer, &project), [content]);
    assert_eq!(exported(&writer, &project, "all.json")[0]["content"], content);
}

#[test]
fn t_mem_recall_01_a_chinese_question_finds_the_english_entry_among_others() {
    let Some(writer) = meaning::writer() else { return };
    let project = book(&writer);
    let others = [
        "Renamed the third chapter to Power Cut.",
        "Polished the description of the harbour; the second draft was taken.",
        "Asked how many ferries go to the island each day.",
        "Wrote 1,340 words and finished chapter eight.",
        "Added a fact to the card of Aman.",
        "Went to the grocery store.",
    ];
    others.iter().chain([&REDIS]).for_each(|content| drop(store(&writer, &project, content)));
    meaning::wait_for_vectors(&writer);
    let found = recalled(&writer, &project, "redis 集群的配置在哪里");
    assert!(found.iter().take(3).any(|content| content == REDIS), "{found:?}");
    // Without a word in common.
    let found = recalled(&writer, &project, "去买菜");
    assert!(found.iter().take(3).any(|content| content == "Went to the grocery store."), "{found:?}");
}

#[test]
fn t_mem_recall_02_as_many_entries_as_asked_for_are_found() {
    let writer = Writer::new();
    let project = book(&writer);
    (0..20).for_each(|n| drop(store(&writer, &project, &format!("Redis node {n} was restarted."))));
    let count = |top_k| searched(&writer, &project, "redis node", top_k)["entries"].as_array().unwrap().len();
    assert_eq!((count(3), count(20)), (3, 20));
    assert_eq!(recalled(&writer, &project, "redis node").len(), 5, "by default");
    writer.ask("settings:set", json!({ "journalTopK": 7 }));
    assert_eq!(recalled(&writer, &project, "redis node").len(), 7);
    for top_k in [0, 51] {
        let args = json!({ "projectId": project, "query": "redis", "topK": top_k });
        assert_eq!(writer.refused("journal:recall", args).0, "MEMORY_INVALID_ARGUMENT");
    }
}

#[test]
fn t_mem_recall_03_an_empty_journal_finds_nothing_and_fails_nothing() {
    let writer = Writer::new();
    assert_eq!(searched(&writer, &book(&writer), "redis", 5)["entries"], json!([]));
}

#[test]
fn t_mem_recall_04_an_unrelated_question_finds_nothing() {
    let Some(writer) = meaning::writer() else { return };
    let project = book(&writer);
    for content in [REDIS, "Redis cluster expanded to 5 nodes", "Restarted redis-node-2 after a failed health check"] {
        store(&writer, &project, content);
    }
    meaning::wait_for_vectors(&writer);
    assert_eq!(recalled(&writer, &project, "天气怎么样"), [""; 0]);
}

#[test]
fn t_mem_recall_05_the_old_and_the_new_state_are_both_found_with_their_times() {
    let Some(writer) = meaning::writer() else { return };
    let project = book(&writer);
    let (old, new) = ("Redis cluster deployed with 3 nodes", "Redis cluster expanded to 5 nodes");
    store(&writer, &project, old);
    writer.clock.advance_millis(86_400_000);
    store(&writer, &project, new);
    meaning::wait_for_vectors(&writer);
    let found = searched(&writer, &project, "redis cluster 有几个节点", 5);
    let found: Vec<(String, String)> = found["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(&one["entry"], "content"), text(&one["entry"], "timestamp")))
        .collect();
    assert!(found.contains(&(old.into(), "2026-03-15T21:00:00.000Z".into())), "{found:?}");
    assert!(found.contains(&(new.into(), "2026-03-16T21:00:00.000Z".into())), "{found:?}");
}

/// How long it takes is measured by `npm run bench`.
#[test]
fn t_mem_recall_06_one_entry_of_a_thousand_is_found() {
    let writer = Writer::new();
    let project = book(&writer);
    let lines: Vec<String> = (0..1_000)
        .map(|n| {
            let content = if n == 417 { REDIS.to_owned() } else { format!("Chapter {n} was read.") };
            json!({ "id": format!("e{n}"), "timestamp": "2026-01-02T03:04:05Z", "kind": "note", "content": content })
                .to_string()
        })
        .collect();
    let path = writer.path_beside("entries.jsonl");
    fs::write(&path, lines.join("\n")).unwrap();
    let args = |dry_run| json!({ "projectId": project, "path": path, "dryRun": dry_run });
    assert_eq!(writer.ask("journal:import", args(true))["new"], 1_000);
    assert_eq!(contents(&writer, &project).len(), 0, "only reported");
    assert_eq!(writer.ask("journal:import", args(false))["backedUp"], true);
    writer.wait_until_idle();
    assert_eq!(recalled(&writer, &project, "redis cluster"), [REDIS]);
    let again = writer.ask("journal:import", args(false));
    assert_eq!((&again["new"], &again["same"]), (&json!(0), &json!(1_000)));
    assert_eq!(verified(&writer, &project)["isWhole"], true);
}

fn encoder() -> Option<Encoder> {
    let folder = bundled_encoder();
    if folder.is_none() {
        eprintln!("NOT RUN: the encoder's files are not there; `npm run setup` fetches them");
    }
    folder.map(|folder| Encoder::load(&folder).unwrap())
}

/// The similarity of two vectors as the index computes it.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let mut matrix = Matrix::new(a.len());
    let quantized = quantize(a);
    assert!(matrix.push(&quantized.bytes, quantized.scale));
    matrix.nearest_of(0..1, &quantize(b)).unwrap()
}

#[test]
fn t_mem_emb_01_the_same_text_has_the_same_vector() {
    let Some(encoder) = encoder() else { return };
    assert_eq!(encoder.embed(REDIS), encoder.embed(REDIS));
}

#[test]
fn t_mem_emb_02_similar_texts_have_near_vectors() {
    let Some(encoder) = encoder() else { return };
    let near = cosine(&encoder.embed("deployed redis cluster"), &encoder.embed("set up redis cluster"));
    assert!(near > 0.8, "{near}");
}

#[test]
fn t_mem_emb_03_unrelated_texts_have_distant_vectors() {
    let Some(encoder) = encoder() else { return };
    let near = cosine(&encoder.embed("deployed redis cluster"), &encoder.embed("went to the grocery store"));
    assert!(near < 0.3, "{near}");
}

#[test]
fn t_mem_emb_04_without_an_encoder_entries_are_stored_and_found_by_words() {
    let writer = Writer::new();
    let project = book(&writer);
    store(&writer, &project, REDIS);
    let found = searched(&writer, &project, "where is the redis config", 5);
    assert_eq!((&found["entries"][0]["entry"]["content"], &found["degraded"]), (&json!(REDIS), &json!(true)));
    assert!(found["degradedReason"].is_string());
    assert_eq!(exported(&writer, &project, "all.json")[0]["embedding"], json!([]));
}

#[test]
fn t_mem_cos_01_of_a_vector_and_itself_is_one() {
    assert!((cosine(&[1.0, 0.0, 0.0], &[1.0, 0.0, 0.0]) - 1.0).abs() < 1e-6);
}

#[test]
fn t_mem_cos_02_of_orthogonal_vectors_is_zero() {
    assert_eq!(cosine(&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]), 0.0);
}

#[test]
fn t_mem_cos_03_of_opposite_vectors_is_minus_one() {
    assert!((cosine(&[1.0, 0.0, 0.0], &[-1.0, 0.0, 0.0]) + 1.0).abs() < 1e-6);
}

#[test]
fn t_mem_cos_04_of_a_vector_of_zeros_is_zero() {
    assert_eq!(cosine(&[0.0, 0.0, 0.0], &[1.0, 0.0, 0.0]), 0.0);
}

#[test]
fn t_mem_cos_05_of_vectors_with_1536_values_is_right() {
    let unit = |seed: f32| -> Vec<f32> {
        let values: Vec<f32> = (0..1_536).map(|n| (n as f32 * seed).sin()).collect();
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
        values.iter().map(|value| value / length).collect()
    };
    let (a, b) = (unit(0.37), unit(0.39));
    let exact: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
    assert!((f64::from(cosine(&a, &b)) - exact).abs() < 1e-2, "{exact}");
}
