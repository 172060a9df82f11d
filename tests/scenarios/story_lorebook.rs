//! Guarantees for stories as files: a page that people read and write, and lorebooks of other programs.

use std::{fs, path::PathBuf};

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::island::{END, FERRY, LEDGER, accepted, analyzed, at, change, entity, list, undo};

fn fact(writer: &Writer, project: &str, id: &Value, words: (&str, &str), more: Value) -> Value {
    let mut args = json!({ "entityId": id, "attribute": words.0, "value": words.1 });
    for (key, value) in more.as_object().unwrap() {
        args[key] = value.clone();
    }
    change(writer, "story:fact:save", project, args)["fact"].clone()
}

fn quote(chapter: (&str, &str), quote: &str) -> Value {
    let from = chapter.1[..chapter.1.find(quote).unwrap()].encode_utf16().count();
    json!({ "chapterId": chapter.0, "from": from, "quote": quote })
}

fn export(writer: &Writer, project: &str, format: &str, at: Option<Value>) -> (PathBuf, String) {
    let path = writer.path_beside(&format!("story.{format}"));
    let mut args = json!({ "path": path, "format": format });
    if let Some(at) = at {
        args["at"] = at;
    }
    change(writer, "story:export", project, args);
    let file = fs::read_to_string(&path).unwrap();
    (path, file)
}

fn import(writer: &Writer, project: &str, path: &PathBuf) -> Value {
    change(writer, "story:import", project, json!({ "path": path, "dryRun": false }))
}

fn file_beside(writer: &Writer, name: &str, file: impl AsRef<[u8]>) -> PathBuf {
    let path = writer.path_beside(name);
    fs::write(&path, file).unwrap();
    path
}

/// The facts on the cards of a book as of a position, without ids and times.
fn cards(writer: &Writer, project: &str, at: &Value) -> Vec<String> {
    let listed = change(writer, "story:entity:list", project, json!({ "at": at }));
    let mut ids: Vec<(String, Value)> = Vec::new();
    for key in ["entities", "unnamed"] {
        for one in listed[key].as_array().unwrap() {
            ids.push((text(one, "name"), one["entityId"].clone()));
        }
    }
    let name_of = |id: &Value| ids.iter().find(|(_, one)| one == id).map(|(name, _)| name.clone());
    let mut said = Vec::new();
    for (name, id) in &ids {
        let card = change(writer, "story:entity:get", project, json!({ "entityId": id, "at": at }));
        for fact in card["facts"].as_array().unwrap() {
            let quotes: Vec<&Value> = fact["citations"].as_array().unwrap().iter().map(|one| &one["quote"]).collect();
            let knowers: Vec<_> =
                fact["knownBy"].as_array().unwrap().iter().map(|one| name_of(&one["entityId"])).collect();
            said.push(format!(
                "{name} | {} | {} | {} | {} | {quotes:?} | {knowers:?} | {} | {:?}",
                fact["attribute"],
                fact["value"],
                fact["certainty"],
                fact["validFrom"],
                fact["earlier"].as_array().map(Vec::len).unwrap_or_default(),
                name_of(&fact["objectId"]),
            ));
        }
    }
    said.sort();
    said
}

/// A book whose story has a fact of every kind.
fn storied(writer: &Writer) -> String {
    let project = analyzed(writer, "en", &[FERRY, LEDGER, END]);
    let venn = accepted(writer, &project, "Mara Venn");
    let tobias = accepted(writer, &project, "Tobias");
    let pike = accepted(writer, &project, "Aldous Pike");
    let heron = entity(&list(writer, &project), "Grey Heron")["entityId"].clone();
    let merge = json!({ "entityId": pike, "otherId": heron, "at": at("c3") });
    change(writer, "story:entity:merge", &project, merge);
    let took = json!({ "citation": quote(("c1", FERRY), "Mara Venn took the rope."), "validFrom": "15 May 1983" });
    fact(writer, &project, &venn, ("trade", "ferrywoman: of Harwick"), took);
    let early = fact(writer, &project, &tobias, ("is", "a stranger"), json!({ "toldAt": at("c1") }));
    let later = json!({ "citation": quote(("c2", LEDGER), "gave the pen to Aldous Pike"), "objectId": pike,
        "supersedes": early["factId"] });
    let clerk = fact(writer, &project, &tobias, ("is", "his clerk"), later);
    // He was a stranger, and is one again.
    let again = json!({ "toldAt": at("c3"), "supersedes": clerk["factId"] });
    fact(writer, &project, &tobias, ("is", "a stranger"), again);
    let secret = json!({ "citation": quote(("c3", END), "the Grey Heron was Aldous Pike"), "certainty": "believed" });
    let secret = fact(writer, &project, &pike, ("was", "the Grey Heron"), secret);
    let known =
        json!({ "factId": secret["factId"], "version": secret["version"], "entityId": venn, "since": at("c3") });
    change(writer, "story:fact:known-by", &project, known);
    let rule = json!({ "kind": "worldRule", "name": "The ledger" });
    let rule = change(writer, "story:entity:save", &project, rule)["entityIds"][0].clone();
    fact(writer, &project, &rule, ("note", "Who signs it, stays."), json!({}));
    project
}

#[test]
fn a_story_page_reads_back_into_another_copy_of_the_book_with_places_knowers_and_earlier_facts() {
    let writer = Writer::new();
    let first = storied(&writer);
    let (path, page) = export(&writer, &first, "markdown", None);
    for line in ["## Characters", "### Tobias", "  - at first: a stranger", "  > Mara Venn took the rope. (chapter 1)"]
    {
        assert!(page.lines().any(|one| one == line), "{line} is missing in\n{page}");
    }

    let second = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let imported = import(&writer, &second, &path);
    assert_eq!((&imported["newEntities"], &imported["newFacts"]), (&json!(4), &json!(6)), "{imported}");
    assert_eq!((&imported["lostQuotes"], &imported["leftOut"]), (&json!(0), &json!(0)));
    for chapter in ["c1", "c2", "c3"] {
        assert_eq!(cards(&writer, &second, &at(chapter)), cards(&writer, &first, &at(chapter)), "{chapter}");
    }
    assert_eq!(export(&writer, &second, "markdown", None).1, page);

    let again = import(&writer, &second, &path);
    assert_eq!((&again["changeId"], &again["newFacts"]), (&Value::Null, &json!(0)), "{again}");
    assert_eq!((&again["sameEntities"], &again["sameFacts"]), (&json!(4), &json!(6)));
}

#[test]
fn a_dry_run_reports_the_outcome_of_an_import_and_changes_nothing() {
    let writer = Writer::new();
    let project = analyzed(&writer, "zh", &["# 一\n\n沈砚之说：“关上门。”柳娘没有动。\n"]);
    let page = "# 故事设定\n\n## 人物\n\n### 沈砚之\n\n- 身份：游方郎中\n- 怕黑\n";
    let path = file_beside(&writer, "设定.md", page);
    let before = list(&writer, &project);
    let would = change(&writer, "story:import", &project, json!({ "path": path, "dryRun": true }));
    assert_eq!((&would["newEntities"], &would["newFacts"], &would["dryRun"]), (&json!(1), &json!(2), &json!(true)));
    assert_eq!(list(&writer, &project), before);

    let imported = import(&writer, &project, &path);
    assert_eq!((&imported["newEntities"], &imported["newFacts"]), (&would["newEntities"], &would["newFacts"]));
    let shen = entity(&list(&writer, &project), "沈砚之");
    let card = change(&writer, "story:entity:get", &project, json!({ "entityId": shen["entityId"] }));
    assert_eq!(card["facts"].as_array().unwrap().len(), 2);
}

#[test]
fn a_lorebook_goes_to_the_entities_that_the_book_has_and_is_taken_back_as_one_change() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let pike = accepted(&writer, &project, "Aldous Pike");
    fact(&writer, &project, &pike, ("trade", "clerk"), json!({}));
    let story = || {
        let listed = list(&writer, &project);
        let rows = listed["entities"].as_array().unwrap().iter();
        let rows: Vec<String> =
            rows.map(|one| format!("{} {} {}", one["name"], one["aliases"], one["standing"])).collect();
        (rows, listed["unnamed"].clone(), cards(&writer, &project, &at("c3")))
    };
    let before = story();
    let lorebook = json!({ "entries": {
        "0": { "uid": 0, "key": ["Pike", "/pi[ck]e/i"], "comment": "Aldous Pike", "order": 100,
            "content": "Trade: clerk\nEyes: grey\n\nHe never hurries." },
        "1": { "uid": 1, "key": ["Tobias"], "comment": "The boy", "content": "Twelve in 1983.", "disable": true },
        "2": { "uid": 2, "key": [], "comment": "The tide", "content": "It comes twice a day.", "constant": true }
    } });
    let path = file_beside(&writer, "island.json", lorebook.to_string());
    let imported = import(&writer, &project, &path);
    assert_eq!(
        [&imported["newEntities"], &imported["changedEntities"], &imported["newFacts"], &imported["sameFacts"]],
        [&json!(2), &json!(1), &json!(4), &json!(1)],
        "{imported}"
    );
    assert_eq!((&imported["leftOut"], &imported["ignoredFields"]), (&json!(1), &json!(2)), "the pattern; uid, order");
    let card = |name: &str| {
        let now = list(&writer, &project);
        let all = now["entities"].as_array().unwrap().iter().chain(now["unnamed"].as_array().unwrap());
        let id = all.into_iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{now}"))["entityId"].clone();
        change(&writer, "story:entity:get", &project, json!({ "entityId": id }))
    };
    let values = |card: &Value| -> Vec<String> {
        card["facts"].as_array().unwrap().iter().map(|fact| text(fact, "value")).collect()
    };
    assert_eq!(values(&card("Aldous Pike")), ["clerk", "grey", "He never hurries."]);
    assert_eq!(values(&card("The boy")), ["Twelve in 1983."]);
    let sent = |before: &str| {
        let args = json!({ "projectId": project, "chapterId": "c3", "skill": "continue", "before": before });
        crate::sent(&writer.ask("memory:context:assemble", args))
    };
    let prompt = sent(&format!("{END} Tobias met Aldous Pike."));
    assert!(prompt.contains("It comes twice a day."), "a constant entry is in every prompt");
    assert!(prompt.contains("grey") && !prompt.contains("Twelve in 1983."), "a disabled entry is in none");

    undo(&writer, &project, &imported);
    assert_eq!(story(), before);
}

#[test]
fn a_lorebook_of_another_program_reads_back_unchanged() {
    let writer = Writer::new();
    let first = storied(&writer);
    for format in ["sillyTavern", "novelcrafter"] {
        let (path, file) = export(&writer, &first, format, None);
        assert!(file.contains("(someone believes so)"), "a belief does not read as a truth");
        let copy = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
        import(&writer, &copy, &path);
        assert_eq!(export(&writer, &copy, format, None).1, file, "{format}");
        assert_eq!(import(&writer, &copy, &path)["changeId"], Value::Null);
    }
}

#[test]
fn an_export_as_of_a_position_has_nothing_of_what_follows() {
    let writer = Writer::new();
    let project = storied(&writer);
    for format in ["markdown", "sillyTavern", "novelcrafter"] {
        let (_, early) = export(&writer, &project, format, Some(at("c1")));
        assert!(early.contains("a stranger") && early.contains("ferrywoman"), "{early}");
        for later in ["clerk", "Heron", "the pen"] {
            assert!(!early.contains(later), "{later} in\n{early}");
        }
    }
}

#[test]
fn a_file_with_a_mistake_is_refused_with_its_place_and_changes_nothing() {
    let writer = Writer::new();
    let project = storied(&writer);
    let before = (list(&writer, &project), cards(&writer, &project, &at("c3")));
    let page = "## Characters\n\n### Mara Venn\n\n- age: forty\n";
    let cases: [(&[u8], &str, u32); 9] = [
        (b"{\"entries\":\n {\"0\": {\"key\": [\"ashes\"]", "notJson", 2),
        (b"{\"chapters\": [\"ashes\"]}", "otherFormat", 1),
        (b"[{\"name\": \"ashes\"}, {\"description\": \"ashes\"}]", "missingField", 2),
        (b"[{\"name\": [\"ashes\"]}]", "badValue", 1),
        (&[page.as_bytes(), b"## Ashes\n"].concat(), "unknownCategory", 6),
        (&[page.as_bytes(), b"  - colour: ashes\n"].concat(), "brokenLine", 6),
        (&[page.as_bytes(), b"  - known from: chapter 4\n"].concat(), "badValue", 3),
        (b"# Ashes\n\nNothing below it.\n", "otherFormat", 1),
        (b"## Characters\n### Ash\xff\n", "notUtf8", 2),
    ];
    for (file, reason, line) in cases {
        let path = file_beside(&writer, "mistake", file);
        for dry_run in [true, false] {
            let args = json!({ "projectId": project, "path": path, "dryRun": dry_run });
            let error = serde_json::to_value(writer.error("story:import", args)).unwrap();
            assert_eq!(error["code"], "MEMORY_INVALID_ARGUMENT");
            assert_eq!((&error["details"]["reason"], &error["details"]["line"]), (&json!(reason), &json!(line)));
            assert!(!error.to_string().to_lowercase().contains("ashes"), "{error}");
        }
    }
    let nowhere = json!({ "projectId": project, "path": writer.path_beside("nowhere.md"), "dryRun": false });
    assert_eq!(writer.refused("story:import", nowhere).0, "MEMORY_INVALID_ARGUMENT");
    let after = (list(&writer, &project), cards(&writer, &project, &at("c3")));
    assert_eq!(after, before);
}

#[test]
fn more_than_a_book_may_have_is_refused_as_a_whole() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY]);
    let mut page = "## Characters\n\n### Mara Venn\n\n".to_owned();
    for number in 0..20_001 {
        page.push_str(&format!("- fact {number}: {number}\n"));
    }
    let path = file_beside(&writer, "long.md", page);
    let args = json!({ "projectId": project, "path": path, "dryRun": false });
    let error = serde_json::to_value(writer.error("story:import", args)).unwrap();
    assert_eq!((&error["code"], &error["details"]["reason"]), (&json!("MEMORY_INVALID_ARGUMENT"), &json!("tooLarge")));
    assert_eq!(entity(&list(&writer, &project), "Mara Venn")["version"], Value::Null, "not accepted");
}

#[test]
fn a_quote_that_the_text_does_not_have_is_counted_and_its_fact_is_not_known_before_its_chapter() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let page = "## Characters\n\n### Mara Venn\n\n- did: burn the ledger\n  > Venn burned it. (chapter 2)\n";
    let imported = import(&writer, &project, &file_beside(&writer, "lost.md", page));
    assert_eq!((&imported["lostQuotes"], &imported["newFacts"]), (&json!(1), &json!(1)));
    let knows = |chapter: &str| cards(&writer, &project, &at(chapter)).iter().any(|one| one.contains("burn"));
    assert_eq!((knows("c1"), knows("c2")), (false, true));
    // The end of the chapter as its text is, not only the next chapter.
    let offset = LEDGER.trim_end().encode_utf16().count();
    let end = json!({ "chapterId": "c2", "offset": offset });
    assert!(cards(&writer, &project, &end).iter().any(|one| one.contains("burn")));
}
