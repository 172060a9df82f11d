//! Recall: which episodes are found, by which match, and which never are.

use std::{fs::File, io::Write as _, path::Path};

use flate2::{Compression, write::GzEncoder};
use palimpsest_tests::{Writer, text};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{taken, with_field};

fn recall_ids_with_ways(writer: &Writer, query: Value) -> Vec<(String, Vec<String>)> {
    let answer = writer.ask("memory:episode:query", query);
    answer["episodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            let by = found["matchedBy"].as_array().unwrap().iter().map(|by| by.as_str().unwrap().to_owned());
            (text(&found["episode"], "id"), by.collect())
        })
        .collect()
}

fn record(writer: &Writer, draft: Value) -> String {
    text(&writer.ask("memory:episode:record", draft), "episodeId")
}

#[test]
fn two_character_chinese_words_are_found() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let night = record(&writer, taken(&project, "雨夜，他合上手稿。", "灯灭了。"));
    record(&writer, taken(&project, "清晨的集市人声鼎沸。", "他买了三个包子。"));
    for query in ["雨夜", "手稿", "一个雨夜里的手稿"] {
        let found = recall_ids_with_ways(&writer, json!({ "projectId": project, "queryText": query }));
        assert_eq!(found.len(), 1, "{query}");
        assert_eq!(found[0].0, night, "{query}");
        assert_eq!(found[0].1, ["words"]);
    }
}

#[test]
fn english_words_are_found_in_their_other_forms() {
    let writer = Writer::new();
    let project = writer.book("High Water", "en");
    let ferry = record(&writer, taken(&project, "The ferries were crossing at dusk.", "Nobody waved."));
    record(&writer, taken(&project, "She boiled an egg.", "It cracked."));
    let found = recall_ids_with_ways(&writer, json!({ "projectId": project, "queryText": "a ferry that crossed" }));
    assert_eq!(found.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), [ferry]);
}

#[test]
fn the_scene_orders_the_examples_of_a_prompt_and_admits_none() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let scene = |draft, scene: &str| with_field(draft, "sceneType", json!(scene));
    let fight = record(&writer, scene(taken(&project, "刀光一闪。", "他退了半步。"), "action"));
    let calm = record(&writer, scene(taken(&project, "刀光一闪。", "他退了半步。"), "description"));
    record(&writer, scene(taken(&project, "湖面很静。", "没有风。"), "action"));
    let query = |text: Option<&str>| json!({ "projectId": project, "queryText": text, "sceneType": "action" });
    let ids = |query| recall_ids_with_ways(&writer, query).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ids(query(Some("刀光一闪，他退了半步"))), [fight, calm]);
    assert!(ids(query(Some("拳头砸在门上"))).is_empty());
    // Without a text, the scene is the query.
    assert_eq!(ids(query(None)).len(), 2);
}

#[test]
fn a_search_answers_with_the_nearest_where_nothing_is_close() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for n in 0..12 {
        record(&writer, taken(&project, "清晨的集市人声鼎沸。", &format!("他买了第{n}个包子。")));
    }
    let night = record(&writer, taken(&project, "雨夜，他合上手稿。", "灯灭了。"));
    let search = |text: &str| {
        let query = json!({ "projectId": project, "queryText": text, "purpose": "search" });
        writer.ask("memory:episode:query", query)["episodes"].as_array().unwrap().clone()
    };
    let groups = |found: &[Value]| found.iter().map(|one| text(one, "group")).collect::<Vec<_>>();
    let certain = search("雨夜的手稿");
    assert_eq!((text(&certain[0]["episode"], "id"), text(&certain[0], "group")), (night, "found".into()));
    let remote = search("一艘飞船");
    assert_eq!(remote.len(), 8, "the default number of a search");
    assert!(groups(&remote).iter().all(|group| group == "perhaps"), "{remote:?}");
    let prompt = json!({ "projectId": project, "queryText": "一艘飞船" });
    assert!(recall_ids_with_ways(&writer, prompt).is_empty());
}

#[test]
fn a_search_limits_its_results_to_the_scene_and_the_skill() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for n in 0..6 {
        record(&writer, taken(&project, "雨夜的码头。", &format!("第{n}盏灯。")));
    }
    let fight = record(&writer, with_field(taken(&project, "刀光一闪。", "雨停了。"), "sceneType", json!("action")));
    let polished = with_field(taken(&project, "雨夜的码头。", "门开了。"), "skillUsed", json!("polish"));
    let polished = record(&writer, polished);
    let search = |filter: &str, value: &str| {
        let mut query = json!({ "projectId": project, "queryText": "雨夜的码头", "purpose": "search" });
        query[filter] = json!(value);
        recall_ids_with_ways(&writer, query).into_iter().map(|(id, _)| id).collect::<Vec<_>>()
    };
    assert_eq!(search("sceneType", "action"), [fight]);
    assert_eq!(search("skillUsed", "polish"), [polished]);
    assert!(search("sceneType", "dialogue").is_empty());
}

#[test]
fn an_answer_holds_only_the_requested_fields() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let id = record(&writer, taken(&project, "雨夜，他合上手稿。", "灯灭了。"));
    let episode = |fields: Value| {
        let query = json!({ "projectId": project, "queryText": "手稿", "fields": fields });
        writer.ask("memory:episode:query", query)["episodes"][0]["episode"].clone()
    };
    assert_eq!(episode(json!([])), json!({ "id": id }));
    assert_eq!(
        episode(json!(["finalText", "sceneType"])),
        json!({ "id": id, "finalText": "灯灭了。", "sceneType": null })
    );
    assert_eq!(episode(Value::Null).as_object().unwrap().len(), 23);
    let refused = json!({ "projectId": project, "fields": ["colour"] });
    assert_eq!(writer.refused("memory:episode:query", refused).0, "MEMORY_INVALID_ARGUMENT");
}

#[test]
fn words_that_the_book_lacks_lower_the_score_of_the_others() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    record(&writer, taken(&project, "一只猫在屋顶上。", "它睡了一下午。"));
    let score = |text: &str| {
        let query = json!({ "projectId": project, "queryText": text, "purpose": "search" });
        writer.ask("memory:episode:query", query)["episodes"][0]["components"]["words"].as_f64().unwrap()
    };
    assert!(score("一只猫") > 0.8);
    assert!(score("一场决斗") < 0.3, "only 一 is in the book");
}

#[test]
fn the_end_of_a_long_text_and_its_beginning_are_both_found() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let middle = "潮水退了又涨，码头上的人来来去去。".repeat(600);
    let long = record(&writer, taken(&project, "起句", &format!("绿色鲸鱼在唱歌。{middle}")));
    record(&writer, taken(&project, "湖面很静。", "没有风。"));
    let found = recall_ids_with_ways(&writer, json!({ "projectId": project, "queryText": "绿色鲸鱼" }));
    assert_eq!(found.iter().map(|(id, _)| id).collect::<Vec<_>>(), [&long]);
}

#[test]
fn a_prompt_without_an_outstanding_example_names_the_nearest_in_its_trace() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for n in 0..4 {
        record(&writer, taken(&project, "清晨的集市人声鼎沸。", &format!("他买了第{n}个包子，又走到集市的另一头。")));
    }
    let cut = |passage: &str| {
        let prompt = writer.ask("memory:context:assemble", crate::passage(&project, passage));
        let cut = prompt["cut"].as_array().unwrap().clone();
        cut.into_iter().filter(|item| item["reason"] == "notOutstanding").collect::<Vec<_>>()
    };
    let unrelated = cut("飞船穿过小行星带，引擎熄了火，船长在座椅里睡着了，梦见外婆牵着他去赶集市，买糖人，看皮影戏，\
         回家的路下起大雪，狗在院门口叫个不停。");
    assert_eq!(unrelated.len(), 1);
    assert_eq!(unrelated[0]["kind"], "episode");
    assert!(cut("清晨的集市人声鼎沸，他又买了一个包子。").is_empty());
}

#[test]
fn no_book_ever_answers_for_another() {
    let writer = Writer::new();
    let (one, other) = (writer.book("甲", "zh"), writer.book("乙", "zh"));
    record(&writer, with_field(taken(&one, "雨夜，手稿。", "灯灭了。"), "sceneType", json!("action")));
    for query in [
        json!({ "projectId": other, "queryText": "雨夜手稿" }),
        json!({ "projectId": other, "sceneType": "action" }),
        json!({ "projectId": other }),
    ] {
        assert!(recall_ids_with_ways(&writer, query).is_empty());
    }
    let prompt = writer.ask("memory:context:assemble", crate::passage(&other, "雨夜，手稿。"));
    assert!(!prompt.to_string().contains("灯灭了"));
}

#[test]
fn three_to_five_are_returned_unless_more_are_asked_for() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for n in 0..8 {
        record(&writer, taken(&project, "雨夜的码头。", &format!("第{n}盏灯。")));
    }
    assert_eq!(recall_ids_with_ways(&writer, json!({ "projectId": project, "queryText": "雨夜" })).len(), 5);
    assert_eq!(
        recall_ids_with_ways(&writer, json!({ "projectId": project, "queryText": "雨夜", "limit": 8 })).len(),
        8
    );
}

#[test]
fn after_a_break_recall_finds_faded_episodes_and_marks_them() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let old = record(&writer, taken(&project, "雨夜，手稿。", "灯灭了。"));
    writer.clock.advance_millis(45 * 86_400_000);
    let found = recall_ids_with_ways(&writer, json!({ "projectId": project, "queryText": "手稿" }));
    assert_eq!(found, [(old, vec!["words".to_owned(), "sleeping".to_owned()])]);
}

#[test]
fn looking_counts_as_no_recall_and_a_generation_that_ran_does() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    record(&writer, taken(&project, "雨夜，手稿。", "灯灭了。"));
    let count = |writer: &Writer| {
        let answer = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "手稿" }));
        answer["episodes"][0]["episode"]["recallCount"].as_u64().unwrap()
    };
    writer.ask("memory:context:assemble", crate::passage(&project, "手稿还在。"));
    assert_eq!(count(&writer), 0);
    let (started, _) = writer.run(crate::passage(&project, "手稿还在。"));
    assert!(started["memoryReferences"].to_string().contains("灯灭了"));
    assert_eq!(count(&writer), 1);
}

#[test]
fn a_recorded_episode_is_found_after_a_restart() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let id = record(&writer, taken(&project, "雨夜，手稿。", "灯灭了。"));
    let writer = writer.restarted();
    assert_eq!(recall_ids_with_ways(&writer, json!({ "projectId": project, "queryText": "手稿" }))[0].0, id);
}

#[test]
fn texts_indexed_by_an_earlier_version_are_indexed_again_in_the_background() {
    let writer = Writer::new();
    let project = writer.book("High Water", "en");
    let evening = record(&writer, taken(&project, "The ferries were crossing in the evening.", "Nobody waved."));
    record(&writer, taken(&project, "She boiled an egg.", "It cracked."));
    assert_eq!(recall_ids_with_ways(&writer, json!({ "projectId": project, "queryText": "evenings" })).len(), 1);
    writer.wait_until_idle();
    let file = writer.data_dir().join("episodes.db");
    let counts = |db: &Connection| {
        let sql = "SELECT documents, terms FROM index_stats WHERE owner_kind = 'episode'";
        db.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).unwrap()
    };
    let before = counts(&Connection::open(&file).unwrap());
    let writer = writer.restarted_after(|| {
        // The earlier stemmer took "evening" for a form of "even".
        Connection::open(&file)
            .unwrap()
            .execute_batch(
                "UPDATE watermarks SET name = replace(name, 'words-4', 'words-3');
                 UPDATE word_rows SET model = 'words-3', terms = zeroblob(length(terms));
                 INSERT INTO words (words) VALUES ('delete-all');
                 INSERT INTO words (rowid, terms) SELECT row, '1xferri 1xcross 1xeven 1xwave' FROM word_rows;",
            )
            .unwrap();
    });
    writer.wait_until_idle();
    let by_words = recall_ids_with_ways(&writer, json!({ "projectId": project, "queryText": "evenings" }));
    assert_eq!(by_words, [(evening, vec!["words".to_owned()])]);
    assert!(recall_ids_with_ways(&writer, json!({ "projectId": project, "queryText": "even" })).is_empty());
    let db = Connection::open(&file).unwrap();
    assert_eq!(counts(&db), before);
    for names in ["model FROM word_rows", "name FROM watermarks WHERE name GLOB 'words-*'"] {
        let mut names = db.prepare(&format!("SELECT DISTINCT {names}")).unwrap();
        let names: Vec<String> = names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(names, ["words-4"]);
    }
}

#[test]
fn in_a_book_of_both_languages_a_dictionary_finds_the_passage_in_the_other_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(folder.path().join("cedict_1_0_ts_utf-8_mdbg.txt.gz")).unwrap();
    let mut packed = GzEncoder::new(file, Compression::fast());
    packed.write_all("信 信 [xin4] /letter/mail/\n燈塔 灯塔 [deng1 ta3] /lighthouse/\n".as_bytes()).unwrap();
    packed.finish().unwrap();

    let books = |dictionary: Option<&Path>| {
        let writer = Writer::with(|options| options.dictionary = dictionary.map(Into::into));
        let project = writer.book("夜航", "zh");
        let letter = record(&writer, taken(&project, "炉火很旺。", "她把信一封一封烧掉。"));
        let lighthouse = record(&writer, taken(&project, "Nobody climbed the stairs.", "The lighthouse was dark."));
        for n in 0..12 {
            record(&writer, taken(&project, "清晨的集市。", &format!("他买了{n}个包子。")));
            record(
                &writer,
                taken(&project, "A letter came on a market day.", &format!("He read the letter {n} times.")),
            );
        }
        let first_five = |query: &str| -> Vec<String> {
            let query = json!({ "projectId": project, "queryText": query, "purpose": "search", "limit": 5 });
            recall_ids_with_ways(&writer, query).into_iter().map(|(id, _)| id).collect()
        };
        (first_five("the letters").contains(&letter), first_five("灯塔里").contains(&lighthouse))
    };
    assert_eq!(books(Some(folder.path())), (true, true));
    assert_eq!(books(None), (false, false));
}
