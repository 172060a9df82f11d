//! Export and import: a memory moves from one machine to another, and invalid files are refused.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use palimpsest_api::{SystemIds, testing::FixedClock};
use palimpsest_tests::{Writer, text};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{add_rule, exchange_between_books::ORDER, passage, taken, with_field, writers_word::learned};

/// Longer than any step takes. Reaching it fails the test.
const PATIENCE: Duration = Duration::from_secs(30);
const DAY: i64 = 86_400_000;

/// A writer whose identities are unique among all writers.
pub(crate) fn writer_with_clock() -> Writer {
    Writer::with(|options| options.ids = Arc::new(SystemIds))
}

/// Waits until no background worker is catching up and no entry of the journal is still to be written: an export has
/// entries, and the notes of those that are due are no part of it.
pub(crate) fn wait_until_idle(writer: &Writer) {
    let began = Instant::now();
    loop {
        let status = writer.ask("memory:status", json!({}));
        if !status["parts"].to_string().contains("catchingUp") && status["journalDue"] == 0 {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "{status}");
        std::thread::yield_now();
    }
}

pub(crate) fn export(writer: &Writer, project: Option<&str>) -> PathBuf {
    let before = fs::read_dir(writer.path_beside("")).unwrap().count();
    let path = writer.path_beside(&format!("export-{before}.jsonl"));
    writer.ask("memory:export", json!({ "path": path, "projectId": project }));
    path
}

pub(crate) fn import(writer: &Writer, path: &Path) -> Value {
    writer.ask("memory:import", json!({ "path": path, "dryRun": false }))
}

pub(crate) fn dry_run(writer: &Writer, path: &Path) -> Value {
    writer.ask("memory:import", json!({ "path": path, "dryRun": true }))
}

/// The count of one kind in one column of the report.
pub(crate) fn count(imported: &Value, kind: &str, what: &str) -> u64 {
    let kinds = imported["kinds"].as_array().unwrap();
    kinds.iter().find(|one| one["kind"] == kind).map_or(0, |one| one[what].as_u64().unwrap())
}

/// The sum of one column of the report.
pub(crate) fn sum(imported: &Value, what: &str) -> u64 {
    imported["kinds"].as_array().unwrap().iter().map(|one| one[what].as_u64().unwrap()).sum()
}

/// The parsed lines of a file.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Everything that a writer can see of the books and rules that a file names.
fn visible_state(writer: &Writer, file: &Path) -> Value {
    wait_until_idle(writer);
    let ids = |kind: &str, key: &str| -> Vec<String> {
        let mut ids: Vec<String> =
            lines(file).iter().filter(|line| line["kind"] == kind).map(|line| text(line, key)).collect();
        ids.dedup();
        ids
    };
    let books = ids("project", "projectId");
    let mut all = json!({
        "global": writer.ask("memory:semantic:list", json!({})),
        "conflicts": writer.ask("memory:conflict:list", json!({})),
        "runs": writer.ask("memory:distill:list", json!({})),
    });
    for id in ids("ruleVersion", "ruleId") {
        all[format!("history {id}")] = writer.ask("memory:semantic:history", json!({ "ruleId": id }));
    }
    for book in &books {
        let of = json!({ "projectId": book });
        let rules = writer.ask("memory:semantic:list", of.clone());
        let evidence: Vec<Value> = rules["rules"]
            .as_array()
            .unwrap()
            .iter()
            .map(|rule| writer.ask("memory:semantic:evidence", with_field(of.clone(), "ruleId", rule["id"].clone())))
            .collect();
        let recall = |asked: &str| {
            let query = with_field(with_field(of.clone(), "queryText", json!(asked)), "limit", json!(50));
            writer.ask("memory:episode:query", query)["episodes"].clone()
        };
        let mut names = writer.ask("project:list", json!({}))["projects"].as_array().unwrap().clone();
        names.retain(|one| one["projectId"] == *book);
        all[book] = json!({
            "book": [&names[0]["title"], &names[0]["language"], &names[0]["createdAt"]],
            "rules": rules,
            "evidence": evidence,
            "recalled": [recall("He ran along the wall"), recall("雨夜的手稿"), recall("灯")],
            "conflicts": writer.ask("memory:conflict:list", of.clone()),
            "runs": writer.ask("memory:distill:list", of.clone()),
            "names": writer.ask("memory:names:list", of.clone()),
            "skills": writer.ask("memory:skills:order", with_field(of.clone(), "sceneType", json!("action"))),
            "prompt": writer.ask("memory:context:assemble", passage(book, "雨夜，他合上手稿。"))["messages"],
        });
    }
    for trace in lines(file).iter().filter(|line| line["kind"] == "trace") {
        let of = json!({ "projectId": trace["projectId"], "generationId": trace["generationId"] });
        all[text(trace, "generationId")] = writer.ask("memory:trace:get", of);
    }
    all
}

/// The first difference between two answers.
fn difference(one: &Value, other: &Value, at: &str) -> Option<String> {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys());
            keys.into_iter().find_map(|key| {
                let part = |of: &serde_json::Map<String, Value>| of.get(key).cloned().unwrap_or_default();
                difference(&part(a), &part(b), &format!("{at}.{key}"))
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(n, (a, b))| difference(a, b, &format!("{at}[{n}]")))
        }
        _ if one == other => None,
        _ => Some(format!("{at}: {one} and {other}")),
    }
}

#[track_caller]
fn assert_same(is: &Value, was: &Value) {
    assert_eq!(difference(is, was, ""), None);
}

/// Fills a memory with data of every kind and waits for its workers: one book with learned rules, and one with the
/// writer's remarks.
fn build_memory(writer: &Writer) -> (String, String) {
    let (learnt, rule) = learned(writer, 77);
    let (english, chinese) = (learnt.project.clone(), writer.book("夜航", "zh"));
    // From here on nothing changes in the background.
    writer.ask("memory:learning:pause", json!({}));
    let names = json!([{ "name": "林晚", "alias": "甲" }, { "name": "沈渡", "alias": "乙" }]);
    writer.ask("memory:names:set", json!({ "projectId": chinese, "names": names }));

    writer.ask("memory:semantic:confirm", json!({ "ruleId": rule["id"], "version": rule["version"] }));
    let own = add_rule(writer, Some(&chinese), "对白避免感叹号");
    writer.ask("memory:semantic:update", json!({ "ruleId": own["id"], "version": 1, "rule": "对白里不用感叹号" }));
    let gone = add_rule(writer, Some(&chinese), "使用文言句式");
    writer.ask("memory:semantic:delete", json!({ "ruleId": gone["id"] }));
    let back = add_rule(writer, Some(&chinese), "段落要短");
    writer.ask("memory:semantic:delete", json!({ "ruleId": back["id"] }));
    writer.ask("memory:semantic:undo", json!({ "ruleId": back["id"] }));
    let all = add_rule(writer, Some(&english), "Keep to the first person");
    writer.ask("memory:promote", json!({ "ruleId": all["id"] }));

    for (n, written) in ["灯灭了。", "他没有走。", "手稿湿了。"].into_iter().enumerate() {
        let draft = with_field(taken(&chinese, "雨夜的手稿。", written), "explicit", json!(format!("更短些，第{n}次")));
        let recorded = writer.ask("memory:episode:record", draft);
        let of = json!({ "projectId": chinese, "episodeId": recorded["episodeId"] });
        match n {
            0 => drop(writer.ask("memory:episode:confirm", of)),
            1 => drop(writer.ask("memory:episode:delete", of)),
            _ => {
                let undone = json!({ "episodeId": recorded["episodeId"], "signal": "undo", "text": "不是这样" });
                drop(writer.ask("memory:episode:feedback", undone));
            }
        }
    }
    for (project, before) in [(&chinese, "雨夜，他合上手稿。"), (&english, "He ran.")] {
        let (started, done) = writer.run(with_field(passage(project, before), "sceneType", json!("action")));
        let generation = &started["generationId"];
        let written = done["candidates"][0].as_str().unwrap().to_owned();
        let draft = with_field(taken(project, before, &written), "generationId", generation.clone());
        writer.ask("memory:episode:record", draft);
        let of = json!({ "projectId": project, "generationId": generation });
        let reference = writer.ask("memory:trace:get", of.clone())["memoryReferences"][0]["referenceId"].clone();
        let said = with_field(with_field(of, "referenceId", reference), "verdict", json!("wrong"));
        writer.ask("memory:trace:feedback", with_field(said, "note", json!("不在这里")));
    }
    // The earliest episodes are compressed by now.
    writer.clock.advance_millis(40 * DAY);
    writer.ask("memory:maintenance:run", json!({ "job": "weekly" }));
    writer.ask("memory:episode:record", taken(&chinese, "雨夜的手稿。", "灯又亮了。"));
    wait_until_idle(writer);
    (english, chinese)
}

/// The filled memory after a restart, so that it holds nothing of the former session.
pub(crate) fn filled_memory() -> (Writer, Arc<FixedClock>, [String; 2]) {
    let writer = Writer::new();
    let (english, chinese) = build_memory(&writer);
    let clock = Arc::clone(&writer.clock);
    let writer = writer.restarted_with(|options| options.clock = Arc::clone(&clock) as _);
    (writer, clock, [english, chinese])
}

/// An empty memory with the clock of another one.
pub(crate) fn second_machine(clock: &Arc<FixedClock>) -> Writer {
    Writer::with(|options| options.clock = Arc::clone(clock) as _)
}

#[test]
fn an_export_of_everything_fills_an_empty_memory_with_the_same_content() {
    let (writer, clock, _) = filled_memory();
    let path = export(&writer, None);
    let before = visible_state(&writer, &path);
    let kinds: Vec<String> = {
        let mut kinds: Vec<String> = lines(&path).iter().map(|line| text(line, "kind")).collect();
        kinds.dedup();
        kinds
    };
    // Kinds that this memory lacks have tests of their own.
    let elsewhere_told = ["header", "verdict", "conflict", "followed"];
    for kind in ORDER.into_iter().filter(|kind| !elsewhere_told.contains(kind)) {
        assert!(kinds.iter().any(|one| one == kind), "this life has no {kind}: {kinds:?}");
    }

    let other = second_machine(&clock);
    let would = dry_run(&other, &path);
    assert_eq!((&would["dryRun"], &would["backedUp"]), (&json!(true), &json!(false)));
    assert_eq!(other.ask("project:list", json!({}))["projects"], json!([]), "a dry run writes nothing");
    let imported = import(&other, &path);
    assert_eq!(imported["kinds"], would["kinds"]);
    assert_eq!(sum(&imported, "new"), lines(&path).len() as u64 - 2, "{imported}");
    let after = visible_state(&other, &path);
    assert_same(&after, &before);
    let backups = other.ask("memory:backup:list", json!({}))["backups"].as_array().unwrap().clone();
    assert_eq!(backups.iter().filter(|backup| backup["reason"] == "import").count(), 2);

    // An export of the importing memory equals the imported file.
    let again = export(&other, None);
    let (was, is) = (lines(&path), lines(&again));
    for (was, is) in was.iter().zip(&is).skip(1) {
        assert_same(is, was);
    }
    assert_eq!(was.len(), is.len());

    // A second import changes nothing and makes no backup.
    let twice = import(&other, &path);
    assert_eq!((sum(&twice, "same"), &twice["backedUp"]), (lines(&path).len() as u64 - 2, &json!(false)), "{twice}");
    assert_same(
        &visible_state(&other.restarted_with(|options| options.clock = Arc::clone(&clock) as _), &path),
        &after,
    );
}

#[test]
fn the_export_of_one_book_contains_nothing_of_another() {
    let (writer, clock, [english, chinese]) = filled_memory();
    let path = export(&writer, Some(&chinese));
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains(&english) && !text.contains("High Water") && !text.contains("He ran"));
    let other = second_machine(&clock);
    import(&other, &path);
    let books = other.ask("project:list", json!({}))["projects"].take();
    assert_eq!((books.as_array().unwrap().len(), &books[0]["title"]), (1, &json!("夜航")));
    let (was, is) = (visible_state(&writer, &path), visible_state(&other, &path));
    for what in ["names", "recalled", "skills"] {
        assert_eq!(is[&chinese][what], was[&chinese][what], "{what}");
    }
    let own = |seen: &Value| -> Vec<Value> {
        let rules = seen[&chinese]["rules"]["rules"].as_array().unwrap().clone();
        rules.into_iter().filter(|rule| rule["scope"] == "project").collect()
    };
    assert_eq!(own(&is), own(&was));
    assert_eq!(
        other.ask("memory:semantic:list", json!({}))["learningPaused"],
        false,
        "a book pauses nobody's learning"
    );
}

pub(crate) fn count_recalled(writer: &Writer, project: &str) -> usize {
    let answer = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "雨夜的手稿" }));
    answer["episodes"].as_array().unwrap().len()
}

/// A small memory, and its export as text.
pub(crate) fn small(writer: &Writer) -> (String, String) {
    let book = writer.book("夜航", "zh");
    add_rule(writer, Some(&book), "对白避免感叹号");
    writer.ask("memory:episode:record", taken(&book, "雨夜的手稿。", "灯灭了。"));
    wait_until_idle(writer);
    let path = export(writer, None);
    (book, fs::read_to_string(path).unwrap())
}

#[test]
fn newer_rows_of_the_file_replace_older_ones_and_newer_rows_here_stay() {
    let writer = writer_with_clock();
    let (book, _) = small(&writer);
    let old = export(&writer, None);
    let other = writer_with_clock();
    import(&other, &old);
    let list = |writer: &Writer| writer.ask("memory:semantic:list", json!({ "projectId": book }))["rules"].clone();
    let rule = list(&writer)[0].clone();
    let edit = |writer: &Writer, version: u32, words: &str| {
        writer.ask("memory:semantic:update", json!({ "ruleId": rule["id"], "version": version, "rule": words }))
    };
    edit(&writer, 1, "对白里不用感叹号");
    let query = json!({ "projectId": book, "queryText": "雨夜的手稿" });
    let episode = writer.ask("memory:episode:query", query.clone())["episodes"][0]["episode"]["id"].clone();
    writer.ask("memory:episode:feedback", json!({ "episodeId": episode, "signal": "undo" }));
    let new = export(&writer, None);

    let imported = import(&other, &new);
    assert_eq!((count(&imported, "rule", "newer"), count(&imported, "episode", "newer")), (1, 1), "{imported}");
    assert_eq!(list(&other), list(&writer));
    wait_until_idle(&other);
    let recalled = other.ask("memory:episode:query", query.clone())["episodes"][0]["episode"].clone();
    assert_eq!((&recalled["implicit"], &recalled["version"]), (&json!("delayedNegative"), &json!(2)));
    // Importing the old file again reverts nothing.
    let imported = import(&other, &old);
    assert_eq!((count(&imported, "rule", "leftOut"), count(&imported, "episode", "leftOut")), (1, 1), "{imported}");
    assert_eq!(list(&other), list(&writer));
    // Two different texts with the same version: the local one stays.
    edit(&writer, 2, "不用感叹号");
    edit(&other, 2, "少用感叹号");
    let imported = import(&other, &export(&writer, None));
    assert_eq!(count(&imported, "rule", "conflicting"), 1, "{imported}");
    assert_eq!(list(&other)[0]["rule"], "少用感叹号");
}

#[test]
fn deletions_and_restorations_on_either_machine_apply_to_both() {
    let writer = writer_with_clock();
    let (book, _) = small(&writer);
    let old = export(&writer, None);
    let other = writer_with_clock();
    import(&other, &old);
    let rules = |writer: &Writer| {
        writer.ask("memory:semantic:list", json!({ "projectId": book }))["rules"].as_array().unwrap().clone()
    };
    let rule = rules(&writer)[0]["id"].clone();
    let query = json!({ "projectId": book, "queryText": "雨夜的手稿" });
    let episode = writer.ask("memory:episode:query", query)["episodes"][0]["episode"]["id"].clone();
    writer.ask("memory:semantic:delete", json!({ "ruleId": rule }));
    writer.ask("memory:episode:delete", json!({ "projectId": book, "episodeId": episode }));
    wait_until_idle(&writer);
    // An older file restores neither of them.
    let imported = import(&writer, &old);
    assert_eq!(
        (count(&imported, "rule", "leftOut"), count(&imported, "episode", "leftOut"), sum(&imported, "new")),
        (1, 1, 0),
        "{imported}"
    );
    assert!(rules(&writer).is_empty() && count_recalled(&writer, &book) == 0);

    // An import on the other machine applies the deletions.
    other.ask("memory:semantic:update", json!({ "ruleId": rule, "version": 1, "category": "vocabulary" }));
    let deleted = export(&writer, None);
    let imported = import(&other, &deleted);
    assert_eq!((count(&imported, "tombstone", "new"), count(&imported, "deletion", "new")), (1, 1), "{imported}");
    assert!(rules(&other).is_empty() && count_recalled(&other, &book) == 0);
    assert_eq!(sum(&import(&other, &deleted), "new"), 0);

    // The deletion holds until the writer restores the rule.
    other.ask("memory:semantic:undo", json!({ "ruleId": rule }));
    assert_eq!(rules(&other).len(), 1);
    import(&other, &deleted);
    assert_eq!(rules(&other).len(), 1, "what she brought back since stays");
    import(&writer, &export(&other, None));
    assert_eq!(rules(&writer).len(), 1);
}

#[test]
fn a_file_that_was_about_to_come_in_when_the_power_went_is_taken_in_whole_when_the_memory_opens() {
    let (writer, clock, _) = filled_memory();
    let path = export(&writer, None);
    let before = visible_state(&writer, &path);
    // Interrupted before either database file was written.
    let other = second_machine(&clock);
    let data = other.data_dir();
    let other = other.restarted_with(|options| {
        fs::copy(&path, data.join("import.pending")).unwrap();
        fs::write(data.join("import.part"), "half of a copy").unwrap();
        options.clock = Arc::clone(&clock) as _;
    });
    assert_same(&visible_state(&other, &path), &before);
    assert!(!data.join("import.pending").exists() && !data.join("import.part").exists());

    // Interrupted after `episodes.db` was written and before `rules.db` was.
    let other = second_machine(&clock);
    let data = other.data_dir();
    let kept = other.path_beside("kept");
    let other = other.restarted_with(|_| assert!(fs::copy(data.join("rules.db"), &kept).is_ok()));
    import(&other, &path);
    let other = other.restarted_after(|| {
        fs::copy(&kept, data.join("rules.db")).unwrap();
        for beside in ["rules.db-wal", "rules.db-shm"] {
            let _gone = fs::remove_file(data.join(beside));
        }
        fs::copy(&path, data.join("import.pending")).unwrap();
    });
    let other = other.restarted_with(|options| options.clock = Arc::clone(&clock) as _);
    assert_same(&visible_state(&other, &path), &before);

    // A pending file that is not a complete export is discarded.
    let other = Writer::new();
    let data = other.data_dir();
    let other = other.restarted_after(|| fs::write(data.join("import.pending"), "not a file of ours").unwrap());
    assert!(!data.join("import.pending").exists());
    assert_eq!(other.ask("project:list", json!({}))["projects"], json!([]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_was_done_goes_out_and_in_again_as_it_was(done in prop::collection::vec((0..9_u8, any::<u16>()), 1..24)) {
        let writer = Writer::new();
        writer.ask("memory:learning:pause", json!({}));
        let books = [writer.book("夜航", "zh"), writer.book("High Water", "en")];
        let (mut rules, mut episodes): (Vec<Value>, Vec<(usize, Value)>) = (Vec::new(), Vec::new());
        for (what, which) in done {
            let at = usize::from(which);
            let book = &books[at % 2];
            let rule = (!rules.is_empty()).then(|| rules[at % rules.len()].clone());
            let episode = (!episodes.is_empty()).then(|| episodes[at % episodes.len()].clone());
            // The intervals are too short for any episode to fade: the schedule of decay is not under test here.
            writer.clock.advance_millis(i64::from(which) * 100);
            // A refused call has no effect; every other call has taken effect.
            let call = |command: &str, args: Value| drop(writer.api.call(command, args));
            match (what, rule, episode) {
                (0, ..) => rules.push(add_rule(&writer, (at % 3 > 0).then_some(book), &format!("规则{at}：\u{3000}“短”\\"))),
                (1, ..) => {
                    let draft = with_field(taken(book, &format!("雨夜{at}"), &format!("灯{at}\n\t\u{0}灭了")), "sceneType", json!("action"));
                    episodes.push((at % 2, writer.ask("memory:episode:record", draft)["episodeId"].clone()));
                }
                (2, Some(rule), _) => call("memory:semantic:update", json!({ "ruleId": rule["id"], "version": 1, "rule": format!("改{at}") })),
                (3, Some(rule), _) => call("memory:semantic:delete", json!({ "ruleId": rule["id"] })),
                (4, Some(rule), _) => call("memory:semantic:undo", json!({ "ruleId": rule["id"] })),
                (5, Some(rule), _) => call("memory:promote", json!({ "ruleId": rule["id"] })),
                (6, _, Some((of, id))) => call("memory:episode:delete", json!({ "projectId": books[of], "episodeId": id })),
                (7, _, Some((_, id))) => call("memory:episode:feedback", json!({ "episodeId": id, "signal": "undo", "text": format!("不{at}") })),
                (8, ..) => call("memory:names:set", json!({ "projectId": book, "names": [{ "name": format!("林{at}"), "alias": "甲" }] })),
                _ => {}
            }
        }
        let clock = Arc::clone(&writer.clock);
        let writer = writer.restarted_with(|options| options.clock = Arc::clone(&clock) as _);
        wait_until_idle(&writer);
        let path = export(&writer, None);
        let other = second_machine(&clock);
        let would = dry_run(&other, &path);
        let imported = import(&other, &path);
        prop_assert_eq!(&imported["kinds"], &would["kinds"]);
        prop_assert_eq!(difference(&visible_state(&other, &path), &visible_state(&writer, &path), ""), None);
        let again = export(&other, None);
        prop_assert_eq!(lines(&again).split_off(1), lines(&path).split_off(1));
        let twice = import(&other, &path);
        prop_assert_eq!(sum(&twice, "new") + sum(&twice, "newer") + sum(&twice, "conflicting"), 0);
    }
}
