//! Recall by meaning, with the bundled encoder: it finds episodes that share no word, and no other part depends on it.
//!
//! Where set-up could not fetch the encoder's files, these tests print a note and check nothing.

use std::{collections::BTreeSet, fs, sync::Arc};

use palimpsest_api::{
    EncoderSource, bundled_encoder,
    ports::{Embedder, EmbedderError},
};
use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{passage, sent, taken};

/// A writer with the encoder loaded; `None` where its files are missing.
pub(crate) fn writer() -> Option<Writer> {
    let Some(folder) = bundled_encoder() else {
        eprintln!("NOT RUN: the encoder's files are not there; `npm run setup` fetches them");
        return None;
    };
    let writer = Writer::with(|options| options.encoder = EncoderSource::Folder(folder));
    wait_for_vectors(&writer);
    Some(writer)
}

/// Waits until every episode has its vectors.
pub(crate) fn wait_for_vectors(writer: &Writer) {
    while part_state(writer, "embedder") == "catchingUp" || part_state(writer, "words") == "catchingUp" {
        std::thread::yield_now();
    }
}

fn part_state(writer: &Writer, part: &str) -> String {
    let status = writer.ask("memory:status", json!({}));
    let parts = status["parts"].as_array().unwrap();
    text(parts.iter().find(|one| one["part"] == part).unwrap(), "state")
}

fn ask(writer: &Writer, project: &str, question: &str) -> Value {
    writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": question }))
}

fn search(writer: &Writer, project: &str, question: &str) -> Value {
    let query = json!({ "projectId": project, "queryText": question, "purpose": "search" });
    writer.ask("memory:episode:query", query)
}

#[test]
fn an_episode_without_a_common_word_is_found_by_meaning_across_languages_too() {
    let Some(writer) = writer() else { return };
    let project = writer.book("夜航", "zh");
    let draft = |text: &str| writer.ask("memory:episode:record", taken(&project, "", text));
    let storm = draft("暴雨下了一整夜，河水漫过了堤坝。");
    draft("他在厨房里煮了一碗面，放了两个鸡蛋。");
    draft("母亲把旧毛衣拆了，重新织成围巾。");
    wait_for_vectors(&writer);
    for question in ["It rained all night and the river flooded.", "洪水冲垮了河岸"] {
        let found = ask(&writer, &project, question);
        assert_eq!(found["degraded"], false);
        let best = &found["episodes"][0];
        assert_eq!(best["episode"]["id"], storm["episodeId"], "{question}");
        assert!(best["matchedBy"].as_array().unwrap().contains(&json!("meaning")), "{best}");
        assert!(best["components"]["meaning"].as_f64().unwrap() > 0.2);
    }
}

#[test]
fn a_short_search_finds_the_passage_it_means_before_many_with_one_of_its_words_by_chance() {
    let Some(writer) = writer() else { return };
    let project = writer.book("High Water", "en");
    let draft = |it: &str| text(&writer.ask("memory:episode:record", taken(&project, "", it)), "episodeId");
    let meant = draft(
        "The watchmaker opened the pocket watch and saw that the spring had been replaced by a copper wire no thicker \
         than a hair. No wonder it stopped every night on the stroke of twelve. He closed the lid and told his \
         customer that this watch had better not be mended.",
    );
    for by_chance in [
        "After supper the ladies sang, the carriage came, and before the clock struck eleven they had gone home.",
        "There was a clock on the mantelpiece, between two silver candlesticks.",
        "The garden ended at the clock tower, and beyond it were the meadows where the horses grazed.",
        "The roof was out of repair, and the rain came in on the piano.",
    ] {
        draft(by_chance);
    }
    // Episodes without a word of the query, so that its words are as rare as in a book.
    for n in 0..40 {
        draft(&format!("On the {n}th day the ferry crossed the river, and nobody waved."));
    }
    wait_for_vectors(&writer);
    let found = search(&writer, &project, "clock repairer");
    assert_eq!(text(&found["episodes"][0]["episode"], "id"), meant);
}

#[test]
fn no_book_ever_answers_for_another_by_meaning_either() {
    let Some(writer) = writer() else { return };
    let (one, other) = (writer.book("甲", "zh"), writer.book("乙", "zh"));
    writer.ask("memory:episode:record", taken(&one, "", "暴雨下了一整夜，河水漫过了堤坝。"));
    wait_for_vectors(&writer);
    assert_eq!(ask(&writer, &one, "洪水冲垮了河岸")["episodes"].as_array().unwrap().len(), 1);
    assert_eq!(ask(&writer, &other, "洪水冲垮了河岸")["episodes"], json!([]));
    assert!(!sent(&writer.ask("memory:context:assemble", passage(&other, "洪水冲垮了河岸"))).contains("堤坝"));
    // The first book's vectors are in use again when it is queried.
    assert_eq!(ask(&writer, &one, "洪水冲垮了河岸")["episodes"].as_array().unwrap().len(), 1);
}

#[test]
fn vectors_that_were_never_made_are_made_after_a_restart() {
    let Some(folder) = bundled_encoder() else { return };
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "", "暴雨下了一整夜，河水漫过了堤坝。"));
    let without = ask(&writer, &project, "It rained all night and the river flooded.");
    assert_eq!((&without["episodes"], &without["degraded"]), (&json!([]), &json!(true)));
    let writer = writer.restarted_with(|options| options.encoder = EncoderSource::Folder(folder));
    wait_for_vectors(&writer);
    let found = ask(&writer, &project, "It rained all night and the river flooded.");
    assert_eq!(found["episodes"].as_array().unwrap().len(), 1);
}

#[test]
fn without_the_encoder_recall_is_less_precise_and_reported_as_degraded() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    let found = ask(&writer, &project, "手稿");
    assert_eq!(found["episodes"].as_array().unwrap().len(), 1);
    assert!(text(&found, "degradedReason").starts_with("recall is less precise"));
    assert_eq!(part_state(&writer, "embedder"), "unavailable");
    // The prompt has everything that it should have, so it does not count as degraded.
    assert_eq!(writer.ask("memory:context:assemble", passage(&project, "手稿。"))["memoryDegraded"], false);
}

#[test]
fn damaged_encoder_files_are_a_clear_reason_and_nothing_else_breaks() {
    let folder = tempfile::TempDir::new().unwrap();
    for name in ["weights.npz", "sp.model"] {
        fs::write(folder.path().join(name), b"not what it says").unwrap();
    }
    let path = folder.path().to_owned();
    let writer = Writer::with(|options| options.encoder = EncoderSource::Folder(path));
    wait_for_vectors(&writer);
    assert_eq!(part_state(&writer, "embedder"), "unavailable");
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    assert_eq!(ask(&writer, &project, "手稿")["episodes"].as_array().unwrap().len(), 1);
}

/// An encoder of another model: each letter has a direction of its own.
struct Letters(&'static str);

impl Embedder for Letters {
    fn model(&self) -> &str {
        self.0
    }

    fn dimensions(&self) -> usize {
        32
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        let mut vector = vec![0.0_f32; 32];
        for byte in text.bytes() {
            vector[usize::from(byte % 32)] += 1.0;
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1.0);
        Ok(vector.into_iter().map(|value| value / length).collect())
    }
}

#[test]
fn another_model_makes_its_own_vectors_while_words_serve_and_then_the_old_ones_go() {
    let letters = |model| EncoderSource::Loaded(Arc::new(Letters(model)));
    let models = |writer: &Writer| -> BTreeSet<String> {
        let db = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
        let mut statement = db.prepare("SELECT DISTINCT model FROM vectors").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    };
    let writer = Writer::with(|options| options.encoder = letters("letters-1"));
    let project = writer.book("夜航", "zh");
    for n in 0..20 {
        writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", &format!("第{n}盏灯灭了。")));
    }
    wait_for_vectors(&writer);
    assert_eq!(models(&writer), BTreeSet::from(["letters-1".to_owned()]));

    let writer = writer.restarted_with(|options| options.encoder = letters("letters-2"));
    // A query right after the change of model works with whatever vectors exist.
    assert_eq!(search(&writer, &project, "雨夜的手稿")["episodes"].as_array().unwrap().len(), 8);
    wait_for_vectors(&writer);
    let found = search(&writer, &project, "雨夜的手稿");
    assert!(found["episodes"][0]["components"]["meaning"].as_f64().unwrap() > 0.0, "{found}");
    while models(&writer).len() > 1 {
        std::thread::yield_now();
    }
    assert_eq!(models(&writer), BTreeSet::from(["letters-2".to_owned()]));
}

#[test]
fn a_recall_before_the_vectors_of_a_large_book_are_in_memory_serves_words_and_reports_it() {
    let source = || EncoderSource::Loaded(Arc::new(Letters("letters")));
    let writer = Writer::with(|options| options.encoder = source());
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "一盏灯灭了。"));
    wait_for_vectors(&writer);
    let database = writer.data_dir().join("episodes.db");
    let writer = writer.restarted_with(|options| {
        // More vectors than a recall reads by itself: that of one text, again and again.
        let db = rusqlite::Connection::open(database).unwrap();
        db.execute(
            "WITH RECURSIVE parts(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM parts WHERE n < 13000) \
             INSERT INTO vectors \
                 (project_id, model, owner_kind, owner_id, part, owner_row, content_hash, scale, bytes) \
             SELECT project_id, model, owner_kind, owner_id, n, owner_row, content_hash, scale, bytes \
             FROM vectors, parts WHERE part = 0",
            [],
        )
        .unwrap();
        options.encoder = source();
    });
    let first = search(&writer, &project, "灯灭了");
    assert_eq!(first["episodes"].as_array().unwrap().len(), 1, "{first}");
    assert_eq!(first["degradedReason"], "recall is less precise: the vectors of the book are being read");
    wait_for_vectors(&writer);
    let next = search(&writer, &project, "灯灭了");
    assert_eq!(next["degraded"], false, "{next}");
    assert!(next["episodes"][0]["components"]["meaning"].as_f64().unwrap() > 0.0, "{next}");
}

/// Paragraphs of some seventy words, each a passage of its own, about as many subjects.
fn paragraphs(subjects: &[&str]) -> String {
    let paragraph = |subject: &&str| format!("{} ", subject).repeat(70 / subject.split_whitespace().count() + 1);
    subjects.iter().map(paragraph).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn a_prompt_has_the_passage_of_the_book_that_stands_out_before_the_caret_and_none_after_it() {
    let Some(writer) = writer() else { return };
    let project = writer.book("island", "en");
    let usual = [
        "The market sold onions and blue cloth.",
        "A dog slept under the table all day.",
        "He paid the rent in small coins.",
        "The choir practised on Thursday evenings.",
        "She painted the fence green again.",
        "They argued about the price of coal.",
        "The train was late by an hour.",
        "Bread rose slowly in the warm kitchen.",
        "A clerk copied letters with a dry pen.",
        "The garden had too many apples.",
        "Somebody played cards behind the curtain.",
        "The teacher lost her spectacles twice.",
        "Snow closed the road to the village.",
        "The barber told a long joke.",
        "Two boys built a kite from newspaper.",
        "The piano needed a new string.",
        "An aunt sent marmalade by post.",
        "The clock struck nine in the hall.",
        "Her brother sold insurance in the city.",
        "The bank refused the second loan.",
        "A tailor measured the grey coat.",
        "The cat walked along the wall.",
    ];
    let leg = "His leg was broken and Harrow kept him for months in the county hospital.";
    let later = "His broken leg healed badly, the hospital doctor had said to him.";
    let first = paragraphs(&[&usual[..11], &[leg], &usual[11..]].concat());
    let texts = [first, paragraphs(&[later])];
    let analyze = |count: usize| {
        let chapter = |(n, text): (usize, &String)| json!({ "chapterId": format!("c{}", n + 1), "text": text });
        let chapters: Vec<Value> = texts.iter().take(count).enumerate().map(chapter).collect();
        writer.ask("story:analyze", json!({ "projectId": project, "chapters": chapters, "isWhole": true }));
        wait_for_vectors(&writer);
    };
    analyze(2);
    let harrow = json!({ "projectId": project, "kind": "character", "name": "Harrow" });
    let harrow = writer.ask("story:entity:save", harrow)["entityIds"][0].clone();
    let fact = json!({ "projectId": project, "entityId": harrow, "attribute": "trade", "value": "sets bones" });
    writer.ask("story:fact:save", fact);
    // The caret is before the second chapter's text, and the prompt has not the first one's.
    let asked = json!({ "projectId": project, "chapterId": "c2", "skill": "continue", "offset": 40,
        "before": "He asked about the leg that he had broken, and the months in the hospital." });
    let cards = || -> Vec<(Value, Value)> {
        let context = writer.ask("memory:context:assemble", asked.clone());
        let references = context["memoryReferences"].as_array().unwrap().iter().filter(|one| one["kind"] == "entity");
        references.map(|one| (one["referenceId"].clone(), one["matchedBy"].clone())).collect()
    };
    let book = || -> (String, Vec<String>) {
        let context = writer.ask("memory:context:assemble", asked.clone());
        let prompt = sent(&context);
        let section = prompt.split_once("<book>\n").and_then(|(_, rest)| rest.split_once("\n</book>"));
        let references = context["memoryReferences"].as_array().unwrap().iter();
        let ids = references.filter(|one| one["kind"] == "passage").map(|one| text(one, "referenceId")).collect();
        (section.map(|(section, _)| section.to_owned()).unwrap_or_default(), ids)
    };
    let (section, ids) = book();
    assert_eq!(section.lines().count(), 2, "{section}");
    assert!(section.contains("Ch. 1: “His leg was broken"), "{section}");
    assert_eq!(ids.len(), 1);
    let harrow = json!(format!("entity:{}", harrow.as_str().unwrap()));
    assert_eq!(cards(), [(harrow, json!(["meaning"]))], "the passage names him, and nothing nearer does");
    analyze(1);
    assert_eq!(book().0, "", "a chapter that is not in the book has nothing before it");
    assert!(cards().is_empty());
    let in_first = json!({ "chapterId": "c1", "offset": 1_000 });
    let mut early = asked.clone();
    early["chapterId"] = in_first["chapterId"].clone();
    early["offset"] = in_first["offset"].clone();
    assert!(!sent(&writer.ask("memory:context:assemble", early)).contains("<book>"), "it is after the caret there");
}
