//! Guarantees for the writer's word on a story as a whole: its history, undo, copies, deletion, and what is left when a
//! file is gone.

use std::fs;

use palimpsest_tests::Writer;
use serde_json::{Value, json};

use crate::{
    island::{END, FERRY, LEDGER, accepted, analyze, analyzed, at, change, entity, list, undo},
    sent,
};

/// Mara Venn with a fact, and Tobias who knows it.
fn with_canon(writer: &Writer) -> (String, Value, Value) {
    let project = analyzed(writer, "en", &[FERRY, LEDGER, END]);
    let (venn, tobias) = (accepted(writer, &project, "Mara Venn"), accepted(writer, &project, "Tobias"));
    let citation = json!({ "chapterId": "c1", "from": 0, "quote": "“You are early,” said Mara Venn." });
    let args = json!({ "entityId": venn, "attribute": "greeting", "value": "says it is early", "objectId": tobias,
        "citation": citation });
    let fact = change(writer, "story:fact:save", &project, args)["fact"].clone();
    let know = json!({ "factId": fact["factId"], "version": 1, "entityId": tobias, "since": at("c1") });
    change(writer, "story:fact:known-by", &project, know);
    (project, venn, tobias)
}

fn card(writer: &Writer, project: &str, id: &Value) -> Value {
    change(writer, "story:entity:get", project, json!({ "entityId": id }))
}

#[test]
fn a_deleted_entity_takes_its_facts_along_and_undo_brings_all_back_also_after_a_restart() {
    let writer = Writer::new();
    let (project, venn, _) = with_canon(&writer);
    let before = card(&writer, &project, &venn);
    let args = json!({ "entityId": venn, "version": before["version"] });
    let deleted = change(&writer, "story:entity:delete", &project, args);
    assert_eq!(deleted["entityIds"], json!([]));
    let get = json!({ "projectId": project, "entityId": venn });
    assert_eq!(writer.refused("story:entity:get", get), ("MEMORY_NOT_FOUND".into(), "entityId".into()));
    let writer = writer.restarted();
    analyze(&writer, &project, &[FERRY, LEDGER, END]);
    undo(&writer, &project, &deleted);
    let after = card(&writer, &project, &venn);
    let (facts, had) = (&after["facts"][0], &before["facts"][0]);
    for field in ["value", "objectId", "knownBy", "citations"] {
        assert_eq!(facts[field], had[field], "{field}");
    }
    assert!(facts["version"].as_u64() > had["version"].as_u64());
}

#[test]
fn facts_follow_their_entity_into_another_one_and_back() {
    let writer = Writer::new();
    let (project, venn, tobias) = with_canon(&writer);
    let mara = entity(&list(&writer, &project), "Venn")["entityId"].clone();
    let merged = change(&writer, "story:entity:merge", &project, json!({ "entityId": mara, "otherId": venn }));
    let moved = card(&writer, &project, &mara)["facts"][0].clone();
    assert_eq!((&moved["entityId"], &moved["value"]), (&mara, &json!("says it is early")));
    undo(&writer, &project, &merged);
    assert_eq!(card(&writer, &project, &venn)["facts"][0]["objectId"], tobias);
    // One who knew it and is deleted does not know it any more.
    let args = json!({ "entityId": tobias, "version": card(&writer, &project, &tobias)["version"] });
    change(&writer, "story:entity:delete", &project, args);
    let left = card(&writer, &project, &venn)["facts"][0].clone();
    assert_eq!((&left["objectId"], &left["knownBy"]), (&Value::Null, &json!([])));
}

#[test]
fn the_history_has_each_change_with_what_was_before() {
    let writer = Writer::new();
    let (project, venn, _) = with_canon(&writer);
    let fact = card(&writer, &project, &venn)["facts"][0].clone();
    let edit = json!({ "entityId": venn, "factId": fact["factId"], "version": fact["version"], "attribute": "greeting",
        "value": "says it is late" });
    let edited = change(&writer, "story:fact:save", &project, edit);
    assert_eq!(edited["fact"]["citations"], fact["citations"], "a changed fact keeps its sentence");
    let history = |of: Value| change(&writer, "story:history", &project, of)["changes"].clone();
    let changes = history(json!({ "factId": fact["factId"] }));
    assert_eq!(changes.as_array().unwrap().len(), 3);
    assert_eq!(changes[0]["before"]["fact"]["value"], "says it is early");
    assert_eq!(changes[0]["after"]["fact"]["value"], "says it is late");
    assert_eq!(changes[2]["before"], Value::Null);
    undo(&writer, &project, &edited);
    assert!(history(json!({ "factId": fact["factId"] }))[0]["undoneAt"].is_string());
    let of_entity = history(json!({ "entityId": venn }));
    assert_eq!(of_entity.as_array().unwrap().len(), 4, "its own change and those of its fact");
    let both = json!({ "projectId": project, "entityId": venn, "factId": fact["factId"] });
    assert_eq!(writer.refused("story:history", both).1, "entityId");
    let other = writer.book("another", "en");
    let elsewhere = json!({ "projectId": other, "factId": fact["factId"] });
    assert_eq!(writer.ask("story:history", elsewhere)["changes"], json!([]));
}

#[test]
fn an_entity_written_by_hand_is_listed_where_the_reader_knows_it_and_named_once_the_text_does() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let save = |more: Value| change(&writer, "story:entity:save", &project, more)["entityIds"][0].clone();
    let gauge = save(json!({ "kind": "worldRule", "name": "The gauge" }));
    let edda = save(json!({ "kind": "character", "name": "Edda Pike" }));
    let listed = |at: Option<Value>| {
        let mut args = json!({ "projectId": project });
        if let Some(at) = at {
            args["at"] = at;
        }
        let unnamed = writer.ask("story:entity:list", args)["unnamed"].clone();
        unnamed.as_array().unwrap().iter().map(|one| one["entityId"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(listed(None).len(), 2);
    assert_eq!(listed(Some(at("c1"))), std::slice::from_ref(&gauge), "a rule of the world is always known");
    let args = json!({ "entityId": edda, "attribute": "is", "value": "his aunt", "at": at("c2") });
    change(&writer, "story:fact:save", &project, args);
    assert_eq!(listed(Some(at("c1"))), std::slice::from_ref(&gauge));
    assert_eq!(listed(Some(at("c2"))).len(), 2);
    let with_her = format!("{END}\n“Late,” said Edda Pike. Edda Pike took the pen.\n");
    analyze(&writer, &project, &[FERRY, LEDGER, &with_her]);
    let named = entity(&list(&writer, &project), "Edda Pike");
    assert_eq!((&named["entityId"], &named["standing"]), (&edda, &json!("accepted")));
    assert_eq!(listed(None), [gauge]);
}

#[test]
fn without_the_past_passages_cards_are_listed_edited_and_in_prompts() {
    let writer = Writer::new();
    let (project, venn, _) = with_canon(&writer);
    let episodes = writer.data_dir().join("episodes.db");
    let writer = writer.restarted_after(|| {
        for end in ["-wal", "-shm"] {
            let _gone = fs::remove_file(episodes.with_extension(format!("db{end}")));
        }
        fs::remove_file(&episodes).unwrap();
        fs::create_dir(&episodes).unwrap();
    });
    let list = list(&writer, &project);
    assert_eq!((&list["degraded"], list["unnamed"].as_array().unwrap().len()), (&json!(true), 2));
    let now = card(&writer, &project, &venn);
    assert_eq!((&now["degraded"], &now["facts"][0]["value"]), (&json!(true), &json!("says it is early")));
    let args = json!({ "entityId": venn, "attribute": "age", "value": "fifty" });
    change(&writer, "story:fact:save", &project, args);
    assert_eq!(card(&writer, &project, &venn)["facts"].as_array().unwrap().len(), 2);
}

#[test]
fn a_clearing_leaves_nothing_of_the_story_and_other_books_keep_theirs() {
    let writer = Writer::new();
    let (project, venn, _) = with_canon(&writer);
    let args = json!({ "entityId": venn, "attribute": "secret", "value": "quasiquartz" });
    change(&writer, "story:fact:save", &project, args);
    let other = analyzed(&writer, "en", &[FERRY]);
    let theirs = accepted(&writer, &other, "Mara Venn");
    let args = json!({ "entityId": theirs, "attribute": "secret", "value": "zirconium" });
    change(&writer, "story:fact:save", &other, args);
    writer.ask("memory:clear:project", json!({ "projectId": project, "confirmed": true }));
    assert_eq!(card(&writer, &other, &theirs)["facts"][0]["value"], "zirconium");
    let get = json!({ "projectId": project, "entityId": venn });
    assert_eq!(writer.refused("story:entity:get", get).0, "MEMORY_NOT_FOUND");
    let history = json!({ "projectId": project, "entityId": venn });
    assert_eq!(writer.ask("story:history", history)["changes"], json!([]));
    let data = writer.data_dir();
    let writer = writer.restarted();
    for file in fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let bytes = fs::read(&file).unwrap();
        let found = bytes.windows(b"quasiquartz".len()).any(|window| window == b"quasiquartz");
        assert!(!found, "{}", file.display());
    }
    drop(writer);
}

#[test]
fn the_story_goes_into_an_export_and_comes_back_whole_and_what_was_deleted_stays_deleted() {
    let writer = Writer::new();
    let (project, venn, _) = with_canon(&writer);
    let file = writer.path_beside("story.jsonl");
    let path = file.to_string_lossy();
    let exported = writer.ask("memory:export", json!({ "projectId": project, "path": path }));
    let kinds: Vec<&str> =
        exported["kinds"].as_array().unwrap().iter().map(|kind| kind["kind"].as_str().unwrap()).collect();
    for kind in ["fact", "knower", "citation"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let before = card(&writer, &project, &venn)["facts"].clone();
    // Deleted here: the file does not bring it back.
    let args = json!({ "factId": before[0]["factId"], "version": before[0]["version"] });
    let deleted = change(&writer, "story:fact:delete", &project, args);
    writer.ask("memory:import", json!({ "path": path, "dryRun": false }));
    assert_eq!(card(&writer, &project, &venn)["facts"], json!([]));
    undo(&writer, &project, &deleted);
    writer.ask("memory:clear:project", json!({ "projectId": project, "confirmed": true }));
    writer.ask("memory:import", json!({ "path": path, "dryRun": false }));
    let after = card(&writer, &project, &venn)["facts"].clone();
    assert_eq!(after, before);
    let again = writer.ask("memory:import", json!({ "path": path, "dryRun": false }));
    let changed = again["kinds"].as_array().unwrap().iter().any(|kind| kind["new"].as_u64() > Some(0));
    assert!(!changed, "{again}");
}

#[test]
fn a_fact_of_another_book_is_neither_changed_nor_shown() {
    let writer = Writer::new();
    let (project, venn, _) = with_canon(&writer);
    let other = analyzed(&writer, "en", &[FERRY]);
    let fact = card(&writer, &project, &venn)["facts"][0].clone();
    let args = json!({ "projectId": other, "factId": fact["factId"], "version": fact["version"] });
    assert_eq!(writer.refused("story:fact:delete", args.clone()), ("MEMORY_NOT_FOUND".into(), "factId".into()));
    assert_eq!(writer.refused("story:fact:confirm", args).0, "MEMORY_NOT_FOUND");
    let asked = json!({ "projectId": other, "chapterId": "c1", "skill": "continue", "before": FERRY });
    assert!(!sent(&writer.ask("memory:context:assemble", asked)).contains("<story>"));
}

#[test]
fn a_chinese_name_written_by_hand_is_found_even_where_the_same_words_always_follow_it() {
    for tagger in [None, palimpsest_api::bundled_tagger()] {
        let writer = Writer::with(|options| options.tagger = tagger);
        let lines = ["赵潮沙站在码头上，一句话也没有说，看着水一点一点涨上来。"; 12];
        let project = analyzed(&writer, "zh", &[&lines.join("\n\n")]);
        let saved = change(&writer, "story:entity:save", &project, json!({ "kind": "character", "name": "赵潮沙" }));
        let named = entity(&list(&writer, &project), "赵潮沙");
        assert_eq!((&named["entityId"], &named["mentions"]), (&saved["entityIds"][0], &json!(12)));
    }
}

#[test]
fn without_the_rules_cards_are_read_from_the_last_good_backup_and_in_prompts_which_say_so() {
    let writer = Writer::new();
    let (project, venn, tobias) = with_canon(&writer);
    writer.ask("memory:backup:create", json!({}));
    let rules = writer.data_dir().join("rules.db");
    let writer = writer.restarted_after(|| {
        for end in ["-wal", "-shm"] {
            let _gone = fs::remove_file(rules.with_extension(format!("db{end}")));
        }
        fs::write(&rules, "no database any more ".repeat(500)).unwrap();
    });
    assert_eq!(card(&writer, &project, &venn)["facts"][0]["value"], "says it is early");
    assert_eq!(entity(&list(&writer, &project), "Mara Venn")["firstFact"], "says it is early");
    let asked = json!({ "projectId": project, "chapterId": "c1", "skill": "continue", "before": FERRY });
    let context = writer.ask("memory:context:assemble", asked);
    assert!(sent(&context).contains("says it is early"), "{}", sent(&context));
    let codes = context["degradedReasons"].as_array().unwrap();
    assert!(codes.iter().any(|one| one["code"] == "storyFromBackup"), "{codes:?}");
    let fact = json!({ "projectId": project, "entityId": tobias, "attribute": "age", "value": "twelve" });
    assert_eq!(writer.refused("story:fact:save", fact).0, "MEMORY_STORE_UNAVAILABLE");
}
