//! Guarantees for the people, places and things of a book: detected as of a position, accepted or refused by the
//! writer, and never ahead of the reader.

use std::path::Path;

use palimpsest_api::bundled_tagger;
use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::island::{END, FERRY, LEDGER, analyze, analyzed, at, change, entity, list, list_at, names_of, undo};

const ZH: [&str; 2] = [
    "# 渡船\n\n“你来早了。”周明说。他看着林晓燕，林晓燕笑了。\n\n周明把绳子扔给林晓燕，说：“冷。”林晓燕没有说话，望着\
     青石镇的灯。周明说：“青石镇到了。”\n",
    "# 簿子\n\n三天后，赵国栋来了。“签字。”赵国栋对周明说。周明看着赵国栋，把笔放下。赵国栋走了。\n",
];

fn mentions(writer: &Writer, project: &str, entity_id: &Value, more: Value) -> Value {
    let mut args = more;
    args["entityId"] = entity_id.clone();
    change(writer, "story:mentions", project, args)
}

#[test]
fn people_and_places_are_listed_with_their_chapters_and_what_may_be_one_is_asked() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let list = list(&writer, &project);
    assert_eq!((&list["method"], &list["chapters"]), (&json!("text"), &json!(["c1", "c2", "c3"])));
    let tobias = entity(&list, "Tobias");
    assert_eq!((&tobias["kind"], &tobias["standing"]), (&json!("character"), &json!("detected")));
    assert_eq!(tobias["mentions"], 6);
    assert_eq!(tobias["presence"], json!([{ "chapter": 0, "mentions": 4 }, { "chapter": 1, "mentions": 2 }]));
    assert_eq!(tobias["sentence"], "She looked at Tobias, and Tobias laughed.");
    assert_eq!((&tobias["first"]["chapterId"], &tobias["last"]["chapterId"]), (&json!("c1"), &json!("c2")));
    assert_eq!(entity(&list, "Harwick")["kind"], "place");
    // Venn may be Mara Venn, or a relative.
    let asked = json!([{ "entityId": entity(&list, "Venn")["entityId"],
        "otherId": entity(&list, "Mara Venn")["entityId"] }]);
    assert_eq!(list["possibleMerges"], asked);
}

#[test]
fn nothing_after_a_position_shows_in_the_list_as_of_it() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let before: Vec<Value> = [at("c1"), at("c2"), json!({ "chapterId": "c2", "offset": 60 })]
        .map(|at| list_at(&writer, &project, Some(at)))
        .into();
    assert!(
        !names_of(&before[0]).iter().any(|name| name.contains("Pike") || name == "Venn"),
        "{:?}",
        names_of(&before[0])
    );
    assert!(names_of(&before[1]).contains(&"Aldous Pike".to_owned()));
    assert!(!names_of(&before[2]).contains(&"Aldous Pike".to_owned()), "{:?}", names_of(&before[2]));
    // The same without the later chapters.
    analyze(&writer, &project, &[FERRY, LEDGER]);
    assert_eq!(list_at(&writer, &project, Some(at("c2"))), before[1]);
    analyze(&writer, &project, &[FERRY]);
    assert_eq!(list_at(&writer, &project, Some(at("c1"))), before[0]);
    // One tagged speech of hers and one of his in the chapter of the position.
    assert_eq!(entity(&before[0], "Mara Venn")["taggedSpeeches"], 1);
    assert_eq!(entity(&before[0], "Tobias")["taggedSpeeches"], 1);
}

#[test]
fn chinese_names_are_found_with_the_tagger_and_without_it_by_surnames_which_is_said() {
    let writer = Writer::with(|options| options.tagger = bundled_tagger());
    let project = analyzed(&writer, "zh", &ZH);
    let with_tagger = list(&writer, &project);
    assert_eq!(with_tagger["method"], "tagger");
    for name in ["周明", "林晓燕", "赵国栋"] {
        assert_eq!(entity(&with_tagger, name)["kind"], "character", "{name}");
    }
    assert_eq!(entity(&with_tagger, "青石镇")["kind"], "place");
    let first_chapter = list_at(&writer, &project, Some(at("c1")));
    assert_eq!(entity(&first_chapter, "周明")["taggedSpeeches"], 3);
    let status = writer.ask("story:status", json!({ "projectId": project }));
    assert_eq!((&status["untagged"], &status["isTaggerMissing"]), (&json!(0), &json!(false)));

    for tagger in [None, Some(Path::new("no-such-folder").to_owned())] {
        let writer = Writer::with(|options| options.tagger = tagger);
        let project = analyzed(&writer, "zh", &ZH);
        let by_surnames = list(&writer, &project);
        assert_eq!(by_surnames["method"], "surnames");
        assert_eq!(entity(&by_surnames, "周明")["kind"], "character");
        let status = writer.ask("story:status", json!({ "projectId": project }));
        assert_eq!((&status["untagged"], &status["isTaggerMissing"]), (&json!(2), &json!(true)));
        // With the tagger installed, its words are added to the passages that are there.
        let writer = writer.restarted_with(|options| options.tagger = bundled_tagger());
        analyze(&writer, &project, &ZH);
        let now = list(&writer, &project);
        assert_eq!((&now["method"], names_of(&now)), (&json!("tagger"), names_of(&with_tagger)));
    }
}

#[test]
fn names_as_of_a_position_do_not_depend_on_which_positions_were_asked_for_before() {
    let third =
        "# 码头\n\n赵国栋站在码头上。“上船。”赵国栋说。老周说：“不急。”林晓燕看着老周，老周笑了。林晓燕走了。\n";
    let texts = [ZH[0], ZH[1], third];
    let edited = [ZH[0].replace("周明", "周亮"), ZH[1].to_owned(), third.to_owned()];
    let edited = [edited[0].as_str(), &edited[1], &edited[2]];
    let writer = Writer::with(|options| options.tagger = bundled_tagger());
    let project = analyzed(&writer, "zh", &texts);
    let positions: Vec<Value> = (0..60)
        .map(|number| json!({ "chapterId": format!("c{}", number % 3 + 1), "offset": number * 7 % 90 }))
        .collect();
    let listed = |writer: &Writer| -> Vec<Value> {
        positions.iter().map(|at| list_at(writer, &project, Some(at.clone()))).collect()
    };
    let before = listed(&writer);
    // An edited chapter is read again, and the others are not.
    analyze(&writer, &project, &edited);
    let with_edit = listed(&writer);
    assert_ne!(with_edit, before);
    let in_reverse: Vec<Value> =
        positions.iter().rev().map(|at| list_at(&writer, &project, Some(at.clone()))).collect();
    assert!(in_reverse.iter().rev().eq(&with_edit));
    analyze(&writer, &project, &texts);
    assert_eq!(listed(&writer), before);
    // With nothing in memory, each position is asked for alone.
    let mut writer = writer;
    for (at, expected) in positions.iter().zip(&before).step_by(13) {
        writer = writer.restarted_with(|options| options.tagger = bundled_tagger());
        assert_eq!(list_at(&writer, &project, Some(at.clone())), *expected, "{at}");
    }
}

#[test]
fn an_accepted_name_keeps_its_id_and_the_writers_kind_and_a_stale_change_is_refused() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let heron = entity(&list(&writer, &project), "Grey Heron");
    let id = heron["entityId"].clone();
    let accept = |more: Value| {
        let mut args = more;
        args["entityIds"] = json!([id]);
        change(&writer, "story:entity:accept", &project, args)
    };
    let accepted = accept(json!({ "kind": "character", "name": "The Grey Heron" }));
    assert_eq!(accepted["entityIds"], json!([id]));
    let now = entity(&list(&writer, &project), "The Grey Heron");
    assert_eq!((&now["entityId"], &now["kind"], &now["version"]), (&id, &json!("character"), &json!(1)));
    assert_eq!((&now["standing"], &now["aliases"]), (&json!("accepted"), &json!(["Grey Heron"])));
    let stale = json!({ "projectId": project, "entityIds": [id], "kind": "place" });
    assert_eq!(writer.refused("story:entity:accept", stale).0, "MEMORY_STALE_VERSION");
    accept(json!({ "kind": "thing", "version": 1 }));
    assert_eq!(entity(&list(&writer, &project), "The Grey Heron")["kind"], "thing");
    assert_eq!(
        writer.refused("story:undo", json!({ "projectId": project, "changeId": accepted["changeId"] })).0,
        "MEMORY_STALE_VERSION",
        "it was changed since"
    );
    // It is the writer's word: a restart and a new analysis keep it.
    let writer = writer.restarted();
    analyze(&writer, &project, &[FERRY, LEDGER, END]);
    assert_eq!(entity(&list(&writer, &project), "The Grey Heron")["version"], 2);
}

#[test]
fn several_names_are_accepted_at_once_and_all_of_it_is_undone() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let before = list(&writer, &project);
    let ids = ["Tobias", "Harwick"].map(|name| entity(&before, name)["entityId"].clone());
    let accepted = change(&writer, "story:entity:accept", &project, json!({ "entityIds": ids }));
    let standings = |list: &Value| ["Tobias", "Harwick", "Venn"].map(|name| text(&entity(list, name), "standing"));
    assert_eq!(standings(&list(&writer, &project)), ["accepted", "accepted", "detected"]);
    undo(&writer, &project, &accepted);
    assert_eq!(list(&writer, &project), before);
    let again = json!({ "projectId": project, "changeId": accepted["changeId"] });
    assert_eq!(writer.refused("story:undo", again), ("MEMORY_NOT_FOUND".into(), "changeId".into()));
}

#[test]
fn a_dismissed_name_is_not_proposed_again_until_it_is_undone() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let before = list(&writer, &project);
    let heron = entity(&before, "Grey Heron")["entityId"].clone();
    let dismissed = change(&writer, "story:entity:dismiss", &project, json!({ "entityId": heron }));
    assert_eq!(dismissed["entityIds"], json!([]));
    let is_gone = || !names_of(&list(&writer, &project)).contains(&"Grey Heron".to_owned());
    assert!(is_gone());
    analyze(&writer, &project, &[FERRY, LEDGER, END, END]);
    assert!(is_gone());
    analyze(&writer, &project, &[FERRY, LEDGER, END]);
    undo(&writer, &project, &dismissed);
    assert_eq!(list(&writer, &project), before);
    // An accepted one is deleted, and stays deleted.
    change(&writer, "story:entity:accept", &project, json!({ "entityIds": [heron] }));
    change(&writer, "story:entity:dismiss", &project, json!({ "entityId": heron }));
    assert!(is_gone());
}

#[test]
fn two_entities_become_one_from_where_the_writer_says_so_and_are_two_before() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let before = list(&writer, &project);
    let early = list_at(&writer, &project, Some(at("c2")));
    let id = |name: &str| entity(&before, name)["entityId"].clone();
    let merged = change(
        &writer,
        "story:entity:merge",
        &project,
        json!({ "entityId": id("Aldous Pike"), "otherId": id("Grey Heron"), "at": at("c3") }),
    );
    let now = entity(&list(&writer, &project), "Aldous Pike");
    assert_eq!((&now["mentions"], &now["aliases"]), (&json!(7), &json!(["Grey Heron"])));
    assert_eq!(now["entityId"], id("Aldous Pike"));
    // As of chapter 2 nothing shows of it but that the writer accepted the name.
    let earlier = list_at(&writer, &project, Some(at("c2")));
    assert_eq!(names_of(&earlier), names_of(&early));
    assert_eq!(entity(&earlier, "Aldous Pike")["aliases"], json!([]));
    undo(&writer, &project, &merged);
    assert_eq!(list(&writer, &project), before);
    let itself = json!({ "projectId": project, "entityId": id("Tobias"), "otherId": id("Tobias") });
    assert_eq!(writer.refused("story:entity:merge", itself).1, "otherId");
}

#[test]
fn forms_of_an_entity_are_split_off_and_stay_apart() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let before = list(&writer, &project);
    let id = |name: &str| entity(&before, name)["entityId"].clone();
    let merge = json!({ "entityId": id("Mara Venn"), "otherId": id("Venn") });
    change(&writer, "story:entity:merge", &project, merge);
    let merged = list(&writer, &project);
    assert_eq!((&entity(&merged, "Mara Venn")["mentions"], &merged["possibleMerges"]), (&json!(6), &json!([])));
    let split = json!({ "entityId": id("Mara Venn"), "names": ["Venn"] });
    let changed = change(&writer, "story:entity:split", &project, split.clone());
    assert_eq!(changed["entityIds"].as_array().unwrap().len(), 2);
    let now = list(&writer, &project);
    assert_eq!((&entity(&now, "Mara Venn")["mentions"], &entity(&now, "Venn")["mentions"]), (&json!(2), &json!(4)));
    assert_eq!(now["possibleMerges"], json!([]), "the writer has accepted both");
    undo(&writer, &project, &changed);
    assert_eq!(entity(&list(&writer, &project), "Mara Venn")["mentions"], 6);
    for wrong in [json!(["Venn", "Mara Venn"]), json!(["Nobody"]), json!([])] {
        let args = json!({ "projectId": project, "entityId": id("Mara Venn"), "names": wrong });
        assert_eq!(writer.refused("story:entity:split", args).1, "names");
    }
}

#[test]
fn a_question_that_the_writer_answered_with_no_is_not_asked_again() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let before = list(&writer, &project);
    let question = before["possibleMerges"][0].clone();
    let dismissed = change(&writer, "story:entity:dismiss", &project, question);
    let now = list(&writer, &project);
    assert_eq!((&now["possibleMerges"], &now["entities"]), (&json!([]), &before["entities"]));
    undo(&writer, &project, &dismissed);
    assert_eq!(list(&writer, &project), before);
}

#[test]
fn the_mentions_of_a_name_are_read_page_by_page_with_their_sentences() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let tobias = entity(&list(&writer, &project), "Tobias")["entityId"].clone();
    let first = mentions(&writer, &project, &tobias, json!({ "limit": 2 }));
    assert_eq!((&first["total"], first["mentions"].as_array().unwrap().len()), (&json!(6), 2));
    let second = &first["mentions"][1];
    assert_eq!(
        (&second["before"], &second["text"], &second["after"]),
        (&json!("She looked at Tobias, and "), &json!("Tobias"), &json!(" laughed."))
    );
    // The range is one of the chapter as it was sent.
    let units: Vec<u16> = FERRY.encode_utf16().collect();
    let offset = |key: &str| usize::try_from(second["range"][key].as_u64().unwrap()).unwrap();
    assert_eq!(String::from_utf16(&units[offset("from")..offset("to")]).unwrap(), "Tobias");
    let rest = mentions(&writer, &project, &tobias, json!({ "skip": 2 }));
    assert_eq!(rest["mentions"].as_array().unwrap().len(), 4);
    let early = mentions(&writer, &project, &tobias, json!({ "at": at("c1") }));
    assert_eq!(early["total"], 4);
    let unknown = json!({ "projectId": project, "entityId": tobias, "at": { "chapterId": "c1", "offset": 20 } });
    assert_eq!(writer.refused("story:mentions", unknown), ("MEMORY_NOT_FOUND".into(), "entityId".into()));
}

#[test]
fn who_is_named_around_a_position_is_told_with_the_name_that_it_is_in() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let all = list(&writer, &project);
    let id = |name: &str| entity(&all, name)["entityId"].clone();
    let offset = LEDGER.find("Aldous").unwrap() + 3;
    let units = LEDGER[..offset].encode_utf16().count();
    let around = |offset: usize, chapter: &str| {
        change(&writer, "story:at", &project, json!({ "at": { "chapterId": chapter, "offset": offset } }))
    };
    let pike = around(units, "c2");
    assert_eq!(pike["named"], id("Aldous Pike"));
    assert!(pike["nearby"].as_array().unwrap().contains(&id("Tobias")));
    assert!(text(&pike["passage"], "text").contains("Aldous Pike"));
    let start = around(units - 40, "c2");
    assert_ne!(start["named"], id("Aldous Pike"));
    assert_eq!(around(3, "c3")["inChapter"], json!([]), "the chapter begins");
}

#[test]
fn times_are_listed_in_the_order_of_the_text_with_the_dates_they_lead_to() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let all = change(&writer, "story:timeline", &project, json!({}));
    let values: Vec<&Value> = all["times"].as_array().unwrap().iter().map(|time| &time["value"]).collect();
    let date = json!({ "kind": "date", "year": 1983, "month": 5, "day": 15, "weekday": 7 });
    assert_eq!(values[0], &date);
    assert!(values.contains(&&json!({ "kind": "after", "amount": 3, "unit": "day", "date": null })));
    let early = change(&writer, "story:timeline", &project, json!({ "at": at("c1") }));
    assert!(early["total"].as_u64() < all["total"].as_u64());
    let second = change(&writer, "story:timeline", &project, json!({ "skip": 1, "limit": 1 }));
    assert_eq!((&second["times"][0], second["times"].as_array().unwrap().len()), (&all["times"][1], 1));
}

#[test]
fn a_hidden_name_is_a_name_whatever_the_text_suggests() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &["# One\n\nThe warden came. Nobody liked the warden.\n"]);
    assert!(names_of(&list(&writer, &project)).is_empty());
    let hidden = json!({ "projectId": project, "names": [{ "name": "the warden", "alias": "Person A" }] });
    writer.ask("memory:names:set", hidden);
    assert_eq!(entity(&list(&writer, &project), "the warden")["mentions"], 1);
}

#[test]
fn the_writers_names_are_of_one_book_and_go_with_an_export_and_with_a_clearing() {
    let writer = Writer::new();
    let (mine, other) =
        (analyzed(&writer, "en", &[FERRY, LEDGER, END]), analyzed(&writer, "en", &[FERRY, LEDGER, END]));
    let before = list(&writer, &other);
    let id = |name: &str| entity(&list(&writer, &mine), name)["entityId"].clone();
    let accepted = change(
        &writer,
        "story:entity:accept",
        &mine,
        json!({ "entityIds": [id("Grey Heron")], "kind": "character", "name": "Heronshade" }),
    );
    change(&writer, "story:entity:dismiss", &mine, json!({ "entityId": id("Harwick") }));
    assert_eq!(list(&writer, &other), before);
    let foreign = json!({ "projectId": other, "entityId": id("Tobias") });
    assert_eq!(writer.refused("story:entity:dismiss", foreign).0, "MEMORY_NOT_FOUND");
    let foreign = json!({ "projectId": other, "changeId": accepted["changeId"] });
    assert_eq!(writer.refused("story:undo", foreign).0, "MEMORY_NOT_FOUND");

    let export = writer.path_beside("all.jsonl");
    writer.ask("memory:export", json!({ "path": export }));
    let elsewhere = Writer::new();
    let imported = elsewhere.ask("memory:import", json!({ "path": export, "dryRun": false }));
    assert!(imported["kinds"].as_array().unwrap().iter().any(|kind| kind["kind"] == "entityName"), "{imported}");
    analyze(&elsewhere, &mine, &[FERRY, LEDGER, END]);
    assert_eq!(list(&elsewhere, &mine), list(&writer, &mine));
    let again = elsewhere.ask("memory:import", json!({ "path": export, "dryRun": false }));
    for kind in again["kinds"].as_array().unwrap() {
        assert_eq!((&kind["new"], &kind["newer"]), (&json!(0), &json!(0)), "{kind}");
    }

    writer.ask("memory:clear:project", json!({ "projectId": mine, "confirmed": true }));
    analyze(&writer, &mine, &[FERRY, LEDGER, END]);
    let cleared = list(&writer, &mine);
    assert_eq!((names_of(&cleared), &entity(&cleared, "Harwick")["version"]), (names_of(&before), &Value::Null));
    for file in ["rules.db", "rules.db-wal"] {
        let bytes = std::fs::read(writer.data_dir().join(file)).unwrap_or_default();
        let found = bytes.windows(10).any(|window| window == b"Heronshade");
        assert!(!found, "a name of a cleared book is in {file}");
    }
}

#[test]
fn without_the_file_of_rules_the_names_are_listed_with_the_writers_word_as_it_was_read_last() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let heron = entity(&list(&writer, &project), "Grey Heron")["entityId"].clone();
    change(&writer, "story:entity:accept", &project, json!({ "entityIds": [heron] }));
    let before = list(&writer, &project);
    std::fs::remove_file(writer.data_dir().join("rules.db")).unwrap();
    let accept = json!({ "projectId": project, "entityIds": [heron], "version": 1 });
    assert_ne!(writer.refused("story:entity:accept", accept).0, "MEMORY_NOT_FOUND");
    let during = list_at(&writer, &project, Some(at("c3")));
    assert_eq!(names_of(&during), names_of(&before));
    assert_eq!(entity(&during, "Grey Heron")["standing"], "accepted");
}

#[test]
fn bad_requests_about_names_are_refused_with_their_field_and_change_nothing() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY]);
    let before = list(&writer, &project);
    let tobias = entity(&before, "Tobias")["entityId"].clone();
    let nowhere = json!({ "chapterId": "c9", "offset": 0 });
    for (command, more, code, field) in [
        ("story:entity:list", json!({ "at": nowhere }), "MEMORY_NOT_FOUND", "at.chapterId"),
        ("story:at", json!({ "at": nowhere }), "MEMORY_NOT_FOUND", "at.chapterId"),
        ("story:mentions", json!({ "entityId": "x" }), "MEMORY_NOT_FOUND", "entityId"),
        ("story:mentions", json!({ "entityId": tobias, "limit": 0 }), "MEMORY_INVALID_ARGUMENT", "limit"),
        ("story:timeline", json!({ "limit": 501 }), "MEMORY_INVALID_ARGUMENT", "limit"),
        ("story:entity:accept", json!({ "entityIds": [] }), "MEMORY_INVALID_ARGUMENT", "entityIds"),
        ("story:entity:accept", json!({ "entityIds": ["x"] }), "MEMORY_NOT_FOUND", "entityIds"),
        (
            "story:entity:accept",
            json!({ "entityIds": [tobias, tobias], "kind": "place" }),
            "MEMORY_INVALID_ARGUMENT",
            "entityIds",
        ),
        ("story:entity:accept", json!({ "entityIds": [tobias], "name": "a\nb" }), "MEMORY_INVALID_ARGUMENT", "name"),
        (
            "story:entity:accept",
            json!({ "entityIds": [tobias], "name": "x".repeat(101) }),
            "MEMORY_INVALID_ARGUMENT",
            "name",
        ),
        ("story:entity:accept", json!({ "entityIds": [tobias], "name": " " }), "MEMORY_INVALID_ARGUMENT", "name"),
        ("story:entity:dismiss", json!({ "entityId": "x" }), "MEMORY_NOT_FOUND", "entityId"),
        ("story:entity:dismiss", json!({ "entityId": tobias, "otherId": "x" }), "MEMORY_NOT_FOUND", "otherId"),
        ("story:entity:merge", json!({ "entityId": tobias, "otherId": "x" }), "MEMORY_NOT_FOUND", "otherId"),
        ("story:undo", json!({ "changeId": "x" }), "MEMORY_NOT_FOUND", "changeId"),
    ] {
        let mut args = json!({ "projectId": project });
        for (key, value) in more.as_object().unwrap() {
            args[key] = value.clone();
        }
        assert_eq!(writer.refused(command, args.clone()), (code.into(), field.into()), "{command} {args}");
    }
    assert_eq!(list(&writer, &project), before);
}
