//! Deletion everywhere: the words of a deleted memory, names removed from a map, and forgotten books.

use std::{fs, path::Path, sync::Arc};

use palimpsest_api::SystemIds;
use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    add_rule,
    exchange::{export, import, wait_until_idle},
    passage, sent, taken, with_field,
    writers_word::learned,
};

/// One word of each script, in each field of the deleted memory and nowhere else.
const WORDS: [&str; 2] = ["zyxquorn", "缥缈螭吻"];
/// Strings to search for in files: the words in lower and upper case, and their fragments in an index, which stores of
/// each term only the part that the term before it does not have.
const MARKS: [&str; 6] = ["zyxquorn", "yxquorn", "ZYXQUORN", "缥缈", "螭吻", "缈螭"];

fn marked(field: &str) -> String {
    format!("{field}里写着{}和{}。", WORDS[0], WORDS[1])
}

/// Files under a folder that contain one of the marks, as bytes or as JSON escapes, each with the mark.
pub(crate) fn files_containing(folder: &Path, marks: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_containing(&path, marks));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        for mark in marks {
            let escaped: String = mark.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            let utf16: Vec<u8> = mark.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let forms = [mark.as_bytes(), escaped.as_bytes(), utf16.as_slice()];
            if forms.iter().any(|form| bytes.windows(form.len()).any(|window| window == *form)) {
                found.push(format!("{mark} in {}", path.file_name().unwrap().to_string_lossy()));
            }
        }
    }
    found.sort();
    found
}

fn marked_episode(project: &str) -> Value {
    json!({
        "projectId": project, "chapterId": "chapter", "skillUsed": "continue", "sceneType": "narration",
        "inputContext": marked("上文"), "candidates": [marked("第一稿"), marked("第二稿")], "selectedIndex": 0,
        "finalText": marked("定稿"), "explicit": marked("评语"),
    })
}

/// Runs a skill with the memory of this identity in its prompt. Returns the generation.
fn cited_in(writer: &Writer, project: &str, before: &str, id: &str) -> String {
    let (started, _) = writer.run(passage(project, before));
    assert!(started["memoryReferences"].to_string().contains(id), "{started}");
    text(&started, "generationId")
}

fn trace(writer: &Writer, project: &str, generation: &str) -> Value {
    writer.ask("memory:trace:get", json!({ "projectId": project, "generationId": generation }))
}

/// Asserts that a trace has no words left and still has all its references to memories.
fn check_blanked(trace: &Value) {
    assert!(trace["blankedAt"].is_string(), "{trace}");
    for message in trace["messages"].as_array().unwrap() {
        assert_eq!(message["content"], "");
    }
    for reference in trace["memoryReferences"].as_array().unwrap() {
        assert_eq!(reference["text"], "");
        assert!(!text(reference, "id").is_empty());
    }
    assert_eq!(text(trace, "promptHash").len(), 64);
}

/// Records an episode that is in the trace of its own generation, in the prompt of another, in a verdict with a note,
/// in backups, in the index and in working memory. Returns the identities of the episode and the two generations.
fn remembered_episode(writer: &Writer, project: &str) -> (String, [String; 2]) {
    let (own, _) = writer.run(passage(project, &marked("上文")));
    let own = text(&own, "generationId");
    let draft = with_field(marked_episode(project), "generationId", json!(own));
    let id = text(&writer.ask("memory:episode:record", draft), "episodeId");
    wait_until_idle(writer);
    let cited = cited_in(writer, project, "定稿里写着什么，上文又写着什么。", &id);
    let reference = trace(writer, project, &cited)["memoryReferences"]
        .as_array()
        .unwrap()
        .iter()
        .find(|reference| reference["id"] == id.as_str())
        .map(|reference| text(reference, "referenceId"))
        .unwrap();
    writer.ask(
        "memory:trace:feedback",
        json!({ "projectId": project, "generationId": cited, "referenceId": reference, "verdict": "right",
            "note": marked("附注") }),
    );
    writer.ask("memory:backup:create", json!({}));
    (id, [own, cited])
}

#[test]
fn an_episode_deleted_everywhere_leaves_no_byte_in_the_data_folder() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "码头上。", "船没有来。"));
    let (id, generations) = remembered_episode(&writer, &project);
    fs::write(writer.data_dir().join("rules.db.corrupt-1"), marked("坏掉的")).unwrap();
    let before = files_containing(&writer.data_dir(), &MARKS).join("\n");
    for place in ["episodes.db", "backup", "corrupt", "yxquorn", "缈螭"] {
        assert!(before.contains(place) || place == "backup" && before.contains("manual"), "{place}: {before}");
    }

    let answer =
        writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": id, "everywhere": true }));
    let words = &answer["words"];
    assert_eq!((&words["everywhere"], words["finishedAt"].is_string()), (&json!(true), true), "{answer}");
    let places = &words["places"];
    assert_eq!(
        (&places["traces"], &places["notes"], &places["setAside"]),
        (&json!(2), &json!(1), &json!(1)),
        "{places}"
    );
    assert!(places["backups"].as_u64().unwrap() >= 2, "{places}");
    for generation in &generations {
        check_blanked(&trace(&writer, &project, generation));
    }
    assert_eq!(files_containing(&writer.data_dir(), &MARKS), [""; 0], "while the program runs");

    writer.ask("memory:maintenance:run", json!({}));
    let path = export(&writer, None);
    let exported = fs::read_to_string(path).unwrap();
    assert!(MARKS.iter().all(|mark| !exported.contains(mark)), "an export to come");
    let next = sent(&writer.ask("memory:context:assemble", passage(&project, "定稿里写着什么。")));
    assert!(MARKS.iter().all(|mark| !next.contains(mark)));
    let log = writer.ask("memory:clear:log", json!({}))["erasures"].take();
    assert_eq!((&log[0]["kind"], &log[0]["targetId"]), (&json!("episode"), &json!(id)));
    assert_eq!((&log[0]["counts"], log[0]["finishedAt"].is_string()), (places, true));
    let writer = writer.restarted();
    assert_eq!(files_containing(&writer.data_dir(), &MARKS), [""; 0], "after a restart");
    let left = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "码头" }));
    assert_eq!(left["episodes"][0]["episode"]["finalText"], "船没有来。", "the other one is whole");
}

#[test]
fn a_compressed_episode_deleted_everywhere_leaves_no_byte_either() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let (id, _) = remembered_episode(&writer, &project);
    writer.clock.advance_millis(400 * 86_400_000);
    writer.ask("memory:clock:confirm", json!({}));
    writer.ask("memory:maintenance:run", json!({}));
    wait_until_idle(&writer);
    writer.ask("memory:backup:create", json!({}));
    let query = json!({ "projectId": project, "queryText": "定稿" });
    assert_eq!(writer.ask("memory:episode:query", query)["episodes"][0]["episode"]["compressed"], true);
    writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": id, "everywhere": true }));
    assert_eq!(files_containing(&writer.data_dir(), &MARKS), [""; 0]);
}

#[test]
fn a_rule_deleted_everywhere_leaves_no_byte_in_the_data_folder_and_is_not_learned_again() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let rule = add_rule(&writer, Some(&project), &marked("规则"));
    let id = text(&rule, "id");
    writer.ask(
        "memory:semantic:update",
        json!({ "ruleId": id, "version": rule["version"], "rule": marked("改过的规则") }),
    );
    let opposite = add_rule(&writer, Some(&project), "多用长句");
    let cited = cited_in(&writer, &project, "雨夜。", &id);
    // The episode of a "wrong" verdict quotes the rule, and is itself in later prompts.
    writer.ask(
        "memory:trace:feedback",
        json!({ "projectId": project, "generationId": cited, "referenceId": format!("rule:{id}"), "verdict": "wrong",
            "note": marked("理由") }),
    );
    // One more episode, so that the verdict's is not the newest.
    writer.ask("memory:episode:record", taken(&project, "码头上。", "船没有来。"));
    wait_until_idle(&writer);
    writer.run(passage(
        &project,
        &format!("这条规则不对：{}", marked("规则")).replace(WORDS[0], "").replace(WORDS[1], ""),
    ));
    writer.ask("memory:backup:create", json!({}));
    assert!(files_containing(&writer.data_dir(), &MARKS).join("\n").contains("manual"));

    let answer = writer.ask("memory:semantic:delete", json!({ "ruleId": id, "everywhere": true }));
    let places = &answer["words"]["places"];
    assert_eq!(
        (&places["ruleVersions"], &places["tombstones"], &places["remarks"]),
        (&json!(4), &json!(1), &json!(1)),
        "{answer}"
    );
    assert!(places["traces"].as_u64().unwrap() >= 1 && places["notes"] == 1, "{answer}");
    check_blanked(&trace(&writer, &project, &cited));
    writer.ask("memory:maintenance:run", json!({}));
    assert_eq!(files_containing(&writer.data_dir(), &MARKS), [""; 0]);
    let writer = writer.restarted();
    assert_eq!(files_containing(&writer.data_dir(), &MARKS), [""; 0], "after a restart");

    // The rule's dimension is still known; its words are erased and cannot be restored.
    let history = writer.ask("memory:semantic:history", json!({ "ruleId": id }));
    assert!(history["versions"].as_array().unwrap().iter().all(|version| version["rule"] == ""), "{history}");
    let refused = writer.error("memory:semantic:undo", json!({ "ruleId": id }));
    assert_eq!(
        refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
        Some("wordsErased")
    );
    let page = writer.path_beside("rules.md");
    fs::write(&page, format!("# 写作风格\n\n## 写作风格\n\n- {}\n", marked("改过的规则"))).unwrap();
    let list = json!({ "projectId": project });
    let sheet = json!({ "path": page, "dryRun": false, "format": "markdown", "projectId": project });
    let taken = writer.ask("memory:import", sheet);
    let rules = writer.ask("memory:semantic:list", list)["rules"].to_string();
    assert!(!rules.contains("zyxquorn"), "the same words are recognised by their hash: {taken}");
    assert!(rules.contains(&text(&opposite, "id")));
}

#[test]
fn a_learned_rule_deleted_everywhere_is_removed_from_its_run_and_does_not_return() {
    let writer = Writer::new();
    let (life, rule) = learned(&writer, 21);
    let said = text(&rule, "rule");
    let project = text(&rule, "projectId");
    assert!(!files_containing(&writer.data_dir(), &[&said]).is_empty());
    let answer = writer.ask("memory:semantic:delete", json!({ "ruleId": rule["id"], "everywhere": true }));
    assert!(answer["words"]["places"]["runChanges"].as_u64().unwrap() >= 1, "{answer}");
    assert_eq!(files_containing(&writer.data_dir(), &[&said]), [""; 0]);
    let runs = writer.ask("memory:distill:list", json!({ "projectId": project }))["runs"].take();
    let run = runs.as_array().unwrap().iter().find(|run| run["status"] == "committed").unwrap();
    assert!(run["changes"].to_string().contains(&text(&rule, "id")), "the run still says what it did: {run}");
    life.distil();
    assert!(!life.rules().iter().any(|rule| rule["rule"] == said.as_str()), "its dimension is known");
    // Undoing the run does not restore the rule without words.
    let undone = writer.ask("memory:distill:undo", json!({ "runId": run["runId"] }));
    assert_eq!(undone["status"], "undone");
    assert!(life.rules().iter().all(|rule| rule["rule"] != ""));
    assert_eq!(files_containing(&writer.data_dir(), &[&said]), [""; 0]);
}

#[test]
fn a_deletion_reports_where_the_words_remain() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let (id, generations) = remembered_episode(&writer, &project);
    let answer = writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": id }));
    let words = &answer["words"];
    assert_eq!(
        (&words["everywhere"], &words["alsoIn"], &words["finishedAt"]),
        (&json!(false), &Value::Null, &Value::Null)
    );
    assert_eq!((&words["places"]["traces"], &words["places"]["notes"]), (&json!(2), &json!(1)), "{answer}");
    assert!(words["places"]["backups"].as_u64().unwrap() >= 2);
    let kept = trace(&writer, &project, &generations[1]);
    assert!(kept["blankedAt"].is_null() && kept["messages"].to_string().contains("zyxquorn"));

    let rule = add_rule(&writer, None, &marked("规则"));
    let answer = writer.ask("memory:semantic:delete", json!({ "ruleId": rule["id"] }));
    let places = &answer["words"]["places"];
    assert_eq!((&places["ruleVersions"], &places["tombstones"]), (&json!(2), &json!(1)), "{answer}");
    writer.ask("memory:semantic:undo", json!({ "ruleId": rule["id"] }));
}

#[test]
fn other_memories_with_the_same_sentence_are_counted_and_stay() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let said = "他把手稿藏进了雨夜的灯塔里。";
    let id = text(&writer.ask("memory:episode:record", taken(&project, "雨夜。", said)), "episodeId");
    // The next passage begins where the first one ends.
    writer.ask("memory:episode:record", taken(&project, &format!("雨夜。{said}"), "天亮了，没有人来。"));
    writer.ask("memory:working:put", json!({ "projectId": project, "kind": "focus", "text": said }));
    writer.ask(
        "chapter:keep",
        json!({ "projectId": project, "chapterId": "chapter", "text": format!("# 一\n\n{said}"), "baseHash": "x" }),
    );
    let answer =
        writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": id, "everywhere": true }));
    let also = &answer["words"]["alsoIn"];
    assert_eq!((&also["episodes"], &also["recoveryCopies"]), (&json!(1), &json!(1)), "{answer}");
    assert!(also["workingItems"].as_u64().unwrap() >= 1, "{answer}");
    let left = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "手稿" }));
    assert!(left["episodes"].to_string().contains(said));
}

#[test]
fn neither_a_backup_nor_a_file_from_before_brings_erased_words_back() {
    let writer = Writer::with(|options| options.ids = Arc::new(SystemIds));
    let project = writer.book("夜航", "zh");
    let rule = text(&add_rule(&writer, Some(&project), &marked("规则")), "id");
    let (episode, generations) = remembered_episode(&writer, &project);
    let cited = cited_in(&writer, &project, "雨夜。", &rule);
    writer.ask("memory:backup:create", json!({}));
    let everything = export(&writer, None);
    // A copy of the backups, which the program cannot rewrite.
    let outside = writer.path_beside("outside");
    fs::create_dir(&outside).unwrap();
    let backups = writer.data_dir().join("backups");
    for file in fs::read_dir(&backups).unwrap() {
        let path = file.unwrap().path();
        fs::copy(&path, outside.join(path.file_name().unwrap())).unwrap();
    }
    writer.ask("memory:episode:delete", json!({ "projectId": project, "episodeId": episode, "everywhere": true }));
    writer.ask("memory:semantic:delete", json!({ "ruleId": rule, "everywhere": true }));
    assert_eq!(files_containing(&writer.data_dir(), &MARKS), [""; 0]);

    import(&writer, &everything);
    let ours = |writer: &Writer| files_containing(&writer.data_dir(), &MARKS);
    assert_eq!(ours(&writer), [""; 0], "a file from before");
    for file in fs::read_dir(&outside).unwrap() {
        let path = file.unwrap().path();
        let at = backups.join(path.file_name().unwrap());
        let was = fs::read(&at).ok();
        fs::copy(&path, &at).unwrap();
        let id = path.file_stem().unwrap().to_string_lossy().into_owned();
        writer.ask("memory:backup:restore", json!({ "backupId": id }));
        match was {
            Some(was) => fs::write(&at, was).unwrap(),
            None => drop(fs::remove_file(&at)),
        }
        assert_eq!(ours(&writer), [""; 0], "{id} from outside");
    }
    for generation in generations.iter().chain([&cited]) {
        check_blanked(&trace(&writer, &project, generation));
    }
    // The memory records the erasure although its backups were restored, so the erased rule is not listed.
    let list = writer.ask("memory:semantic:list", json!({ "projectId": project }))["rules"].to_string();
    assert!(!list.contains(&rule));
}

#[test]
fn a_trace_whose_words_were_erased_is_not_measured_and_goes_out_and_in_again() {
    let writer = Writer::with(|options| options.ids = Arc::new(SystemIds));
    let project = writer.book("夜航", "zh");
    let rule = text(&add_rule(&writer, Some(&project), &marked("规则")), "id");
    let cited = cited_in(&writer, &project, "雨夜。", &rule);
    writer.ask("memory:semantic:delete", json!({ "ruleId": rule, "everywhere": true }));
    let of = json!({ "projectId": project, "generationId": cited, "tier": "masked" });
    let refused = writer.error("memory:trace:measure", of);
    assert_eq!(
        refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
        Some("wordsErased")
    );
    let path = export(&writer, None);
    let other = Writer::with(|options| options.ids = Arc::new(SystemIds));
    import(&other, &path);
    assert_eq!(trace(&other, &project, &cited), trace(&writer, &project, &cited));
    // A trace that claims to be blanked and has words is refused.
    let forged = other.path_beside("forged.jsonl");
    let lines: Vec<String> = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| {
            if line.contains(r#""kind":"trace""#) {
                line.replace(r#""content":"""#, r#""content":"x""#)
            } else {
                line.to_owned()
            }
        })
        .collect();
    fs::write(&forged, lines.join("\n") + "\n").unwrap();
    let third = Writer::with(|options| options.ids = Arc::new(SystemIds));
    assert_eq!(third.refused("memory:import", json!({ "path": forged, "dryRun": false })).0, "MEMORY_INVALID_ARGUMENT");
}

#[test]
fn a_name_taken_off_the_map_is_in_no_file_while_the_program_runs() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let set = |names: &[(&str, &str)]| {
        let names: Vec<Value> = names.iter().map(|(name, alias)| json!({ "name": name, "alias": alias })).collect();
        writer.ask("memory:names:set", json!({ "projectId": project, "names": names }))
    };
    set(&[("欧阳砚", "林先生"), ("Wystan", "Robert")]);
    writer.ask("memory:backup:create", json!({}));
    set(&[("欧阳砚", "林先生")]);
    let log = loop {
        let log = writer.ask("memory:clear:log", json!({}))["erasures"].take();
        if log[0]["finishedAt"].is_string() {
            break log;
        }
        // The end of the erasure raises an event.
        writer.wait_for_event("memory:changed");
    };
    assert_eq!((&log[0]["kind"], &log[0]["targetId"]), (&json!("names"), &json!(project)));
    assert_eq!(files_containing(&writer.data_dir(), &["Wystan", "Robert"]), [""; 0]);
    assert!(!files_containing(&writer.data_dir(), &["欧阳砚"]).is_empty(), "the other one stays hidden");
}

#[test]
fn a_restored_backup_hides_the_names_that_are_hidden_now() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:backup:create", json!({}));
    let backups = writer.ask("memory:backup:list", json!({}))["backups"].take();
    let of_rules = backups.as_array().unwrap().iter().find(|backup| backup["file"] == "rules").unwrap().clone();
    let names = json!([{ "name": "欧阳砚", "alias": "林先生" }]);
    writer.ask("memory:names:set", json!({ "projectId": project, "names": names }));
    writer.ask("memory:backup:restore", json!({ "backupId": of_rules["backupId"] }));
    assert_eq!(writer.ask("memory:names:list", json!({ "projectId": project }))["names"], names);
    assert!(!sent(&writer.ask("memory:context:assemble", passage(&project, "欧阳砚来了。"))).contains("欧阳砚"));
}

/// A book in a folder with a title, names, rules and a recovery copy.
fn book_with_everything(writer: &Writer, title: &str, name: &str, copy: &str) -> String {
    let folder = writer.path_beside(&format!("folder-{title}"));
    let project =
        text(&writer.ask("project:create", json!({ "title": title, "language": "zh", "path": folder })), "projectId");
    fs::write(folder.join("01.md"), "# 一\n\n雨夜。\n").unwrap();
    let names = json!([{ "name": name, "alias": "林先生" }]);
    writer.ask("memory:names:set", json!({ "projectId": project, "names": names }));
    writer.ask("chapter:keep", json!({ "projectId": project, "chapterId": "chapter", "text": copy, "baseHash": "x" }));
    add_rule(writer, Some(&project), "对白短");
    writer.ask("settings:set", json!({ "lastProjectId": project }));
    writer.ask("memory:backup:create", json!({}));
    project
}

#[test]
fn everything_cleared_forgets_titles_folders_names_and_recovery_copies() {
    let writer = Writer::new();
    let one = book_with_everything(&writer, "zyxquorn", "缥缈君", "没存上的螭吻");
    writer.ask("settings:set", json!({ "theme": "dark" }));
    let marks = ["zyxquorn", "缥缈君", "螭吻"];
    assert!(files_containing(&writer.data_dir(), &marks).len() >= 3);
    writer.ask("memory:clear:all", json!({ "confirmed": true }));
    assert_eq!(files_containing(&writer.data_dir(), &marks), [""; 0]);
    assert_eq!(writer.ask("project:list", json!({}))["projects"], json!([]));
    assert_eq!(writer.refused("memory:semantic:list", json!({ "projectId": one })).0, "MEMORY_NOT_FOUND");
    let settings = writer.ask("settings:get", json!({}));
    assert_eq!((&settings["theme"], &settings["lastProjectId"]), (&json!("dark"), &Value::Null));
    let folder = writer.path_beside("folder-zyxquorn");
    assert_eq!(fs::read_to_string(folder.join("01.md")).unwrap(), "# 一\n\n雨夜。\n", "the manuscript stays");
    let writer = writer.restarted();
    assert_eq!(writer.ask("project:list", json!({}))["projects"], json!([]));
    // The folder opens as it does for a new writer.
    let opened = writer.ask("project:open", json!({ "path": folder }));
    assert_eq!((&opened["status"], &opened["book"]["project"]["projectId"]), (&json!("opened"), &json!(one)));
    assert_eq!(writer.ask("memory:semantic:list", json!({ "projectId": one }))["rules"], json!([]));
}

#[test]
fn a_forgotten_book_is_in_no_file_and_opened_again_it_is_a_new_one() {
    let writer = Writer::new();
    let one = book_with_everything(&writer, "zyxquorn", "缥缈君", "没存上的螭吻");
    let other = book_with_everything(&writer, "夜航", "欧阳砚", "另一本没存上的");
    let backups = writer.ask("memory:backup:list", json!({}))["backups"].take();
    let of_rules = backups.as_array().unwrap().iter().find(|backup| backup["file"] == "rules").unwrap().clone();
    for args in [json!({ "projectId": one }), json!({ "projectId": one, "confirmed": false })] {
        assert_eq!(writer.refused("project:forget", args).0, "MEMORY_CLEAR_CONFIRM_REQUIRED");
    }
    let counts = writer.ask("project:forget", json!({ "projectId": one, "confirmed": true }));
    assert_eq!(counts["rules"], 1);
    let marks = ["zyxquorn", "缥缈君", "螭吻"];
    assert_eq!(files_containing(&writer.data_dir(), &marks), [""; 0]);
    let listed = writer.ask("project:list", json!({}))["projects"].take();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["projectId"]), (1, &json!(other)));
    let log = writer.ask("memory:clear:log", json!({}))["clearings"].take();
    assert_eq!((&log[0]["projectId"], &log[0]["forgetsBook"]), (&json!(one), &json!(true)));
    assert_eq!(writer.refused("chapter:list", json!({ "projectId": one })).0, "MEMORY_NOT_FOUND");

    // Neither an older backup nor a restart restores the book.
    writer.ask("memory:backup:restore", json!({ "backupId": of_rules["backupId"] }));
    assert_eq!(files_containing(&writer.data_dir(), &marks), [""; 0]);
    let writer = writer.restarted();
    assert_eq!(writer.ask("project:list", json!({}))["projects"].as_array().unwrap().len(), 1);
    let names = writer.ask("memory:names:list", json!({ "projectId": other }))["names"].to_string();
    assert!(names.contains("欧阳砚") && !files_containing(&writer.data_dir(), &["另一本没存上的"]).is_empty());

    let folder = writer.path_beside("folder-zyxquorn");
    assert!(folder.join(".palimpsest").exists() && folder.join("01.md").exists(), "the folder stays as it is");
    writer.ask("project:open", json!({ "path": folder }));
    let list = writer.ask("memory:semantic:list", json!({ "projectId": one }));
    assert_eq!((&list["rules"], &list["episodesRecorded"]), (&json!([]), &json!(0)));
    assert_eq!(writer.ask("memory:names:list", json!({ "projectId": one }))["names"], json!([]));
    // A book that was opened again stays known, whatever backup is restored.
    add_rule(&writer, Some(&one), "新的规则");
}

#[test]
fn every_kind_of_file_in_the_data_folder_is_known_to_deletion() {
    /// The kinds of files, each with the effect of an erasure on it.
    const KINDS: &[(&str, &str)] = &[
        ("rules.db", "erased, rewritten"),
        ("episodes.db", "erased, rewritten"),
        ("-wal", "truncated"),
        ("-shm", "an index of the log"),
        ("backups/", "rewritten"),
        (".corrupt-", "deleted"),
        ("unsaved/", "manuscript: counted"),
        ("lock", "empty"),
    ];
    let writer = Writer::new();
    let project = book_with_everything(&writer, "夜航", "欧阳砚", "没存上的");
    let (_, _) = remembered_episode(&writer, &project);
    let path = export(&writer, None);
    import(&writer, &path);
    fn files(folder: &Path, under: &str) -> Vec<String> {
        let mut all = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{under}{}", path.file_name().unwrap().to_string_lossy());
            if path.is_dir() { all.extend(files(&path, &format!("{name}/"))) } else { all.push(name) }
        }
        all
    }
    for file in files(&writer.data_dir(), "") {
        let known = KINDS.iter().any(|(kind, _)| file.contains(kind));
        assert!(known, "{file}: say here what an erasure does with such a file");
    }
}
