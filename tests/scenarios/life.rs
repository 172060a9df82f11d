//! The life of an episode, with the names of the scenarios in the writer's specification.

use std::path::Path;

use palimpsest_tests::{Writer, text};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{passage, taken, with_field};

const DAY: i64 = 86_400_000;

fn record(writer: &Writer, draft: Value) -> String {
    text(&writer.ask("memory:episode:record", draft), "episodeId")
}

/// Every episode of a book that a query finds, with the ways in which it matched.
fn recall_with_ways(writer: &Writer, project: &str, query: &str) -> Vec<(Value, Vec<String>)> {
    let answer = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": query, "limit": 50 }));
    let by = |found: &Value| serde_json::from_value(found["matchedBy"].clone()).unwrap();
    answer["episodes"].as_array().unwrap().iter().map(|found| (found["episode"].clone(), by(found))).collect()
}

fn days(writer: &Writer, days: i64) {
    writer.clock.advance_millis(days * DAY);
}

/// AI 技能执行后自动记录情景
#[test]
fn an_episode_is_recorded_after_a_skill_ran_with_the_signal_read_from_the_texts() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let draft = json!({
        "projectId": project, "chapterId": "seven", "skillUsed": "continue", "sceneType": "action",
        "inputContext": "他拔出刀。", "candidates": ["雨停了。", "一二三四五六七八九十一二三四五六七八九十", "灯灭了。"],
        "selectedIndex": 1, "finalText": "一二三四五六七八九十一二三四五六七甲乙丙",
    });
    record(&writer, draft);
    let (episode, _) = recall_with_ways(&writer, &project, "拔出刀").remove(0);
    assert_eq!((&episode["skillUsed"], &episode["sceneType"]), (&json!("continue"), &json!("action")));
    assert_eq!((&episode["selectedIndex"], &episode["editDistance"]), (&json!(1), &json!(0.15)));
    assert_eq!((&episode["implicit"], &episode["implicitWeight"]), (&json!("weakPositive"), &json!(0.5)));
}

/// 用户撤销 AI 输出——延迟负反馈
#[test]
fn undoing_an_accepted_passage_thirty_seconds_later_is_the_heaviest_signal() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let id = record(&writer, with_field(taken(&project, "雨夜。", "他合上手稿。"), "skillUsed", json!("polish")));
    writer.clock.advance_millis(30_000);
    let undo = json!({ "episodeId": id, "projectId": project, "signal": "undo" });
    let episode = writer.ask("memory:episode:feedback", undo.clone());
    assert_eq!((&episode["implicit"], &episode["implicitWeight"]), (&json!("delayedNegative"), &json!(-1.5)));
    assert_eq!((&episode["version"], &episode["editDistance"]), (&json!(2), &json!(0.0)));
    // A repeated signal changes nothing, here without the book's identity.
    assert_eq!(writer.ask("memory:episode:feedback", json!({ "episodeId": id, "signal": "undo" })), episode);
    let writer = writer.restarted();
    assert_eq!(recall_with_ways(&writer, &project, "手稿")[0].0, episode);
}

#[test]
fn a_new_remark_is_stored_next_to_the_earlier_one() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let id = record(&writer, with_field(taken(&project, "雨夜。", "他合上手稿。"), "explicit", json!("太快")));
    let say = |text: &str| json!({ "episodeId": id, "signal": "explicit", "text": text });
    let once = writer.ask("memory:episode:feedback", say("也太书面"));
    assert_eq!(once["explicit"], "太快\n也太书面");
    assert_eq!(writer.ask("memory:episode:feedback", say("也太书面")), once);
    let refused = |args: Value| writer.refused("memory:episode:feedback", args);
    assert_eq!(refused(json!({ "episodeId": id, "signal": "explicit" })).1, "text");
    assert_eq!(refused(say(" ")).1, "text");
    assert_eq!(refused(say(&"长".repeat(4_000))).1, "text");
    assert_eq!(refused(json!({ "episodeId": "another", "signal": "undo" })).0, "MEMORY_NOT_FOUND");
    let other = writer.book("别的书", "zh");
    let foreign = refused(json!({ "episodeId": id, "projectId": other, "signal": "undo" }));
    assert_eq!(foreign.0, "MEMORY_SCOPE_DENIED");
    let nothing_taken =
        with_field(with_field(taken(&project, "", "灯"), "selectedIndex", json!(-1)), "finalText", json!(""));
    let rejected = record(&writer, nothing_taken);
    assert_eq!(refused(json!({ "episodeId": rejected, "signal": "undo" })).1, "signal");
}

#[test]
fn a_wrong_selected_index_is_corrected_by_the_text_and_a_text_of_no_candidate_is_refused() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let draft =
        with_field(taken(&project, "雨夜。", "灯亮着。"), "candidates", json!(["灯灭了。", "灯亮着。", "灯灭了。"]));
    let with_text = |index: i32, text: &str| {
        with_field(with_field(draft.clone(), "selectedIndex", json!(index)), "selectedText", json!(text))
    };
    for index in [-1, 0, 1] {
        let id = record(&writer, with_text(index, "灯亮着。"));
        let episode = recall_with_ways(&writer, &project, "灯亮着")
            .into_iter()
            .find(|(one, _)| one["id"] == json!(id))
            .unwrap()
            .0;
        assert_eq!((&episode["selectedIndex"], &episode["implicit"]), (&json!(1), &json!("strongPositive")));
    }
    record(&writer, with_text(2, "灯灭了。"));
    for (index, text) in [(1, "灯灭了。"), (0, "谁的灯？"), (-1, "谁的灯？")] {
        let refused = writer.refused("memory:episode:record", with_text(index, text));
        assert_eq!(refused, ("MEMORY_INVALID_ARGUMENT".into(), "selectedText".into()), "{index} {text}");
    }
}

/// 用户反复对同类场景使用同一技能
#[test]
fn skills_are_offered_in_the_order_in_which_this_kind_of_scene_has_used_them() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let order = |writer: &Writer, scene: Option<&str>| -> Vec<(String, f64)> {
        let answer = writer.ask("memory:skills:order", json!({ "projectId": project, "sceneType": scene }));
        let skills = answer["skills"].as_array().unwrap().iter();
        skills.map(|one| (text(one, "skill"), one["weight"].as_f64().unwrap())).collect()
    };
    assert_eq!(order(&writer, None)[0], ("continue".into(), 0.0));
    let run = |skill: &str, scene: &str| {
        with_field(with_field(taken(&project, "", "灯灭了。"), "skillUsed", json!(skill)), "sceneType", json!(scene))
    };
    let mut last = String::new();
    for (skill, scene) in
        [("condense", "action"), ("condense", "action"), ("condense", "action"), ("唱", "action"), ("ask", "dialogue")]
    {
        last = record(&writer, run(skill, scene));
    }
    let writer = writer.restarted();
    let action = order(&writer, Some("action"));
    assert_eq!(action[..3], [("condense".into(), 0.3), ("唱".into(), 0.1), ("continue".into(), 0.0)]);
    assert_eq!(action.len(), 7);
    assert_eq!(order(&writer, Some("dialogue"))[0], ("ask".into(), 0.1));
    assert_eq!(order(&writer, None)[0], ("condense".into(), 0.3));
    // A deleted episode does not count in the order of skills.
    writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": last }));
    assert_eq!(order(&writer, Some("dialogue"))[0], ("continue".into(), 0.0));
    let other = writer.book("别的书", "zh");
    let answer = writer.ask("memory:skills:order", json!({ "projectId": other }));
    assert!(answer["skills"].as_array().unwrap().iter().all(|one| one["weight"] == json!(0.0)));
}

/// 被召回的记忆重新激活
#[test]
fn a_fading_episode_that_a_generation_used_is_active_again() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    record(&writer, taken(&project, "雨夜，他合上手稿。", "灯灭了。"));
    days(&writer, 8);
    let decay = |writer: &Writer| {
        let answer = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "手稿" }));
        answer["episodes"][0]["components"]["decay"].as_f64().unwrap()
    };
    let before = decay(&writer);
    assert!((0.3..0.7).contains(&before), "{before}");
    writer.run(passage(&project, "他又翻开手稿。"));
    assert!(decay(&writer) >= 0.7);
    let (episode, _) = recall_with_ways(&writer, &project, "手稿").remove(0);
    assert_eq!((&episode["recallCount"], &episode["lastRecalledAt"]), (&json!(1), &json!("2026-03-23T21:00:00.000Z")));
}

/// 情景记忆衰减到待压缩状态
#[test]
fn an_episode_not_recalled_for_sixty_days_is_compressed_to_a_summary_by_the_weekly_job() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let draft = with_field(taken(&project, "旧灯塔没人看守。", "水手跳上甲板。"), "sceneType", json!("action"));
    let id = record(&writer, draft);
    days(&writer, 60);
    writer.ask("memory:maintenance:run", json!({ "job": "weekly" }));
    let (episode, by) = recall_with_ways(&writer, &project, "水手").remove(0);
    assert_eq!((&episode["id"], &episode["compressed"]), (&json!(id), &json!(true)));
    assert_eq!((&episode["candidates"], &episode["inputContext"]), (&json!([]), &json!("")));
    assert_eq!(episode["summary"], "动作·续写：原样采用（权重 +1.0）。文本：“水手跳上甲板。”");
    assert!(by.contains(&"compressed".to_owned()), "{by:?}");
    // The texts are deleted: words that were only in them find nothing, and no prompt cites the episode.
    assert!(recall_with_ways(&writer, &project, "旧灯塔").is_empty());
    let context = writer.ask("memory:context:assemble", passage(&project, "水手跳上甲板。"));
    assert!(!context["memoryReferences"].to_string().contains(&format!("episode:{id}")));
}

/// 用户确认的记忆免于衰减
#[test]
fn an_episode_that_the_writer_keeps_does_not_decay_until_it_is_released() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let id = record(&writer, taken(&project, "雨夜。", "他合上手稿。"));
    let confirm = json!({ "projectId": project, "episodeId": id });
    assert_eq!(writer.ask("memory:episode:confirm", confirm.clone())["userConfirmed"], true);
    days(&writer, 2_000);
    for job in ["daily", "weekly", "monthly"] {
        writer.ask("memory:maintenance:run", json!({ "job": job }));
    }
    let (episode, by) = recall_with_ways(&writer, &project, "手稿").remove(0);
    assert_eq!((&episode["compressed"], by), (&json!(false), vec!["words".to_owned()]));
    let released = writer.ask("memory:episode:confirm", with_field(confirm, "userConfirmed", json!(false)));
    assert_eq!((&released["userConfirmed"], &released["version"]), (&json!(false), &json!(3)));
    assert!(recall_with_ways(&writer, &project, "手稿")[0].1.contains(&"sleeping".to_owned()));
}

#[test]
fn a_deleted_episode_is_removed_from_every_answer() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let other = writer.book("别的书", "zh");
    let (started, _) = writer.run(passage(&project, "雨夜，他合上手稿。"));
    let draft =
        with_field(taken(&project, "雨夜，他合上手稿。", "灯灭了。"), "generationId", started["generationId"].clone());
    let id = record(&writer, draft);
    let kept = record(&writer, taken(&project, "清晨的集市。", "他买了三个包子。"));
    writer.ask("memory:episode:confirm", json!({ "projectId": project, "episodeId": id }));
    assert_eq!(recall_with_ways(&writer, &project, "手稿").len(), 1);

    let foreign = writer.refused("memory:episode:delete", json!({ "projectId": other, "episodeId": id }));
    assert_eq!(foreign.0, "MEMORY_SCOPE_DENIED");
    let delete = json!({ "projectId": project, "episodeId": id });
    let deleted = writer.ask("memory:episode:delete", delete.clone());
    assert_eq!((&deleted["episodeId"], &deleted["words"]["places"]["traces"]), (&json!(id), &json!(1)));
    assert_eq!(writer.refused("memory:episode:delete", delete).0, "MEMORY_NOT_FOUND");
    let writer = writer.restarted();
    assert!(recall_with_ways(&writer, &project, "手稿").is_empty());
    assert_eq!(recall_with_ways(&writer, &project, "包子")[0].0["id"], json!(kept));
    let why = json!({ "projectId": project, "generationId": started["generationId"] });
    assert_eq!(writer.ask("memory:trace:get", why)["episodeId"], Value::Null);
    let db = Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    for table in ["episodes WHERE id", "episode_features WHERE episode_id", "word_rows WHERE owner_id"] {
        let left: u32 = db.query_row(&format!("SELECT count(*) FROM {table} = ?1"), [&id], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{table}");
    }
}

/// Inserts `count` episodes, `confirmed` or not, as if they had been recorded a millisecond apart `age` days ago.
fn insert_episodes(data: &Path, project: &str, name: &str, count: u32, age: i64, compressed: bool, confirmed: bool) {
    let mut db = Connection::open(data.join("episodes.db")).unwrap();
    let tx = db.transaction().unwrap();
    let at = palimpsest_tests::evening().millis() - age * DAY;
    let mut insert = tx
        .prepare(
            "INSERT INTO episodes (id, project_id, chapter_id, version, created_at, skill_used, input_context, candidates, \
             selected_index, final_text, implicit, implicit_weight, edit_distance, importance, user_confirmed, compressed, \
             summary, compressed_at) \
             VALUES (?1, ?2, 'c', 1, ?3, 'continue', ?4, ?5, 0, '灯灭了。', 'strongPositive', 1, 0, 0.4, ?6, ?7, ?8, ?9)",
        )
        .unwrap();
    for n in 0..count {
        let (input, candidates) = if compressed { ("", "[]") } else { ("雨夜。", "[\"灯灭了。\"]") };
        let summary = compressed.then_some("续写：原样采用。");
        let at = at + i64::from(n);
        insert
            .execute(rusqlite::params![
                format!("{name}-{n:05}"),
                project,
                at,
                input,
                candidates,
                confirmed,
                compressed,
                summary,
                compressed.then_some(at),
            ])
            .unwrap();
    }
    drop(insert);
    // The rows count as indexed, as the background worker would have indexed them by now.
    tx.execute(
        "INSERT INTO watermarks (name, value) SELECT 'words-4', max(row) FROM episodes WHERE true \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        [],
    )
    .unwrap();
    tx.commit().unwrap();
}

fn is_compressed(writer: &Writer, id: &str) -> Option<bool> {
    let db = Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    db.query_row("SELECT compressed FROM episodes WHERE id = ?1", [id], |row| row.get(0)).ok()
}

/// 情景记忆超过上限触发 LRU+TTL 淘汰，记忆上限自动回收
#[test]
fn at_ten_thousand_episodes_a_write_succeeds_and_the_expired_and_least_recently_used_make_room() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let data = writer.data_dir();
    let writer = writer.restarted_after(|| {
        insert_episodes(&data, &project, "kept", 1, 400, false, true);
        insert_episodes(&data, &project, "expired", 1, 200, false, false);
        insert_episodes(&data, &project, "cold", 1, 100, false, false);
        insert_episodes(&data, &project, "fresh", 9_997, 1, false, false);
    });
    for (n, makes_room) in ["expired-00000", "cold-00000", "fresh-00000"].into_iter().enumerate() {
        assert_eq!(is_compressed(&writer, makes_room), Some(false));
        let new = record(&writer, taken(&project, "雨夜，他合上手稿。", &format!("灯灭了 {n} 次。")));
        assert_eq!((is_compressed(&writer, makes_room), is_compressed(&writer, &new)), (Some(true), Some(false)));
    }
    assert_eq!(
        (is_compressed(&writer, "kept-00000"), is_compressed(&writer, "fresh-00001")),
        (Some(false), Some(false))
    );
    assert_eq!(recall_with_ways(&writer, &project, "他合上手稿").len(), 3);
}

#[test]
fn at_fifty_thousand_summaries_only_summaries_are_deleted_and_never_a_confirmed_one() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let data = writer.data_dir();
    let writer = writer.restarted_after(|| {
        insert_episodes(&data, &project, "active", 10_000, 1, false, false);
        insert_episodes(&data, &project, "kept", 1, 800, true, true);
        insert_episodes(&data, &project, "expired", 1, 700, true, false);
        insert_episodes(&data, &project, "summary", 49_998, 20, true, false);
    });
    record(&writer, taken(&project, "雨夜。", "灯灭了。"));
    assert_eq!((is_compressed(&writer, "expired-00000"), is_compressed(&writer, "kept-00000")), (None, Some(true)));
    assert_eq!(
        (is_compressed(&writer, "active-00000"), is_compressed(&writer, "summary-00000")),
        (Some(true), Some(true))
    );
    record(&writer, taken(&project, "雨夜。", "灯又灭了。"));
    assert_eq!((is_compressed(&writer, "active-00001"), is_compressed(&writer, "summary-00000")), (Some(true), None));
}

#[test]
fn a_book_with_pinned_episodes_only_reports_that_it_is_full_and_another_book_does_not() {
    let writer = Writer::new();
    let (project, other) = (writer.book("夜航", "zh"), writer.book("别的书", "zh"));
    let data = writer.data_dir();
    let writer = writer.restarted_after(|| insert_episodes(&data, &project, "kept", 10_000, 1, false, true));
    let draft = taken(&project, "雨夜。", "灯灭了。");
    assert_eq!(writer.refused("memory:episode:record", draft.clone()).0, "MEMORY_CAPACITY_EXCEEDED");
    record(&writer, with_field(draft.clone(), "projectId", json!(other)));
    writer.ask(
        "memory:episode:confirm",
        json!({ "projectId": project, "episodeId": "kept-00000", "userConfirmed": false }),
    );
    record(&writer, draft);
    assert_eq!(is_compressed(&writer, "kept-00000"), Some(true));
}

/// A run without candidates, which the writer rejected.
fn without_candidates(project: &str, input: &str, own: &str) -> Value {
    let draft = with_field(with_field(taken(project, input, own), "candidates", json!([])), "selectedIndex", json!(-1));
    with_field(draft, "finalText", json!(own))
}

#[test]
fn a_run_without_candidates_is_recorded_as_rejected_and_serves_like_any_other_episode() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let (started, _) = writer.run(passage(&project, "旧灯塔没人看守。"));
    let generation = started["generationId"].clone();
    let draft = with_field(without_candidates(&project, "旧灯塔没人看守。", ""), "generationId", generation.clone());
    let nothing = record(&writer, draft);
    let own = record(
        &writer,
        with_field(without_candidates(&project, "渡口起雾。", "水手跳上甲板。"), "explicit", json!("太慢")),
    );
    let remarked = record(
        &writer,
        with_field(without_candidates(&project, "北风刮了一夜。", ""), "explicit", json!("不要写天气")),
    );

    let (episode, _) = recall_with_ways(&writer, &project, "旧灯塔").remove(0);
    assert_eq!((&episode["id"], &episode["selectedIndex"]), (&json!(nothing), &json!(-1)));
    assert_eq!((&episode["candidates"], &episode["editDistance"]), (&json!([]), &Value::Null));
    assert_eq!((&episode["implicit"], &episode["implicitWeight"]), (&json!("strongNegative"), &json!(-1.0)));
    // The writer's own text and the writer's remark are found.
    assert_eq!(recall_with_ways(&writer, &project, "水手跳上甲板")[0].0["id"], json!(own));
    assert_eq!(recall_with_ways(&writer, &project, "不要写天气")[0].0["id"], json!(remarked));
    let prompt = |before: &str| crate::sent(&writer.ask("memory:context:assemble", passage(&project, before)));
    assert!(prompt("旧灯塔没人看守。").contains("续写，全部放弃\n"), "{}", prompt("旧灯塔没人看守。"));
    assert!(prompt("水手跳上甲板。").contains("全部放弃，自己写成：“水手跳上甲板。”"));
    assert!(prompt("北风刮了一夜。").contains("全部放弃，作者说：“不要写天气”"));
    // The trace records the rejection.
    let trace = writer.ask("memory:trace:get", json!({ "projectId": project, "generationId": generation }));
    assert_eq!(trace["outcome"], json!({ "selectedIndex": -1, "editDistance": null }));
    let undo = json!({ "projectId": project, "episodeId": nothing, "signal": "undo" });
    assert_eq!(writer.refused("memory:episode:feedback", undo).1, "signal");
    // The episode counts as a use of its skill and gives no evidence of style.
    writer.wait_until_idle();
    let run = writer.ask("memory:semantic:distill", json!({ "projectId": project, "wait": true }));
    assert_eq!((&run["status"], &run["reason"]["kind"]), (&json!("nothing"), &json!("noEvidence")), "{run}");

    // An export and an import preserve the episode.
    let path = writer.path_beside("memory.jsonl");
    writer.ask("memory:export", json!({ "path": path }));
    let other = Writer::new();
    other.ask("memory:import", json!({ "path": path, "dryRun": false }));
    let there = recall_with_ways(&other, &project, "旧灯塔").remove(0).0;
    assert_eq!(there, episode);
    let twice = other.ask("memory:import", json!({ "path": path, "dryRun": true }));
    assert!(twice["kinds"].as_array().unwrap().iter().all(|kind| kind["conflicting"] == 0), "{twice}");

    // The episode is compressed like any other.
    days(&writer, 60);
    writer.ask("memory:maintenance:run", json!({ "job": "weekly" }));
    let summary = |query: &str| recall_with_ways(&writer, &project, query)[0].0["summary"].clone();
    assert_eq!(summary("全部放弃"), "续写：全部放弃（权重 -1.0）。");
    assert_eq!(summary("水手"), "续写：全部放弃，自己写（权重 -1.0）。作者说：“太慢”。文本：“水手跳上甲板。”");
    assert_eq!(summary("不要写天气"), "续写：全部放弃（权重 -1.0）。作者说：“不要写天气”。");
}

#[test]
fn a_write_that_meets_a_lock_of_another_program_is_refused_and_nothing_of_it_stays() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.wait_until_idle();
    let held = Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    held.busy_timeout(std::time::Duration::from_secs(30)).unwrap();
    held.execute_batch("BEGIN IMMEDIATE").unwrap();
    let draft = taken(&project, "雨夜。", "灯灭了。");
    assert_eq!(json!(writer.error("memory:episode:record", draft.clone()).code), "MEMORY_WRITE_FAILED");
    // `rules.db` still accepts writes.
    crate::add_rule(&writer, Some(&project), "句子要短");
    let recorded = || writer.ask("memory:semantic:list", json!({ "projectId": project }))["episodesRecorded"].clone();
    assert_eq!(recorded(), 0);
    held.execute_batch("ROLLBACK").unwrap();
    writer.ask("memory:episode:record", draft);
    assert_eq!(recorded(), 1);
}
