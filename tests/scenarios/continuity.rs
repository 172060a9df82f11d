//! Guarantees for continuity issues: two places of a book that do not agree are shown side by side, and the writer's
//! verdict holds until one of them changes.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::island::{accepted, analyze, analyzed, change};

const FERRY: &str = "# The Ferry\n\n\
    “You are early,” said Mara Venn. Mara Venn took the rope, and Tobias laughed. “It is cold,” said Tobias.\n\n\
    In 1900 Mara Venn was thirty years old. Tobias knew who had forged the ledger, and said nothing.\n\n\
    The market opened on a Monday. Three days later, on Saturday, it closed.\n\n\
    “Sign it,” said Aldous Pike. Tobias looked at Aldous Pike.\n";
const LEDGER: &str = "# The Ledger\n\n\
    It was Tuesday, the 3rd of May 1912. Mara Venn waited for Tobias.\n\n\
    Aldous Pike died in the night, and they carried him to the hill.\n\n\
    It was 1910, and Mara Venn was just forty-four.\n";
const END: &str = "# The End\n\n\
    Only now did Tobias learn who had forged the ledger. Mara Venn said nothing.\n\n\
    Aldous Pike opened the door and laughed. “Good morning,” said Tobias.\n";
const SHORE: &str = "# The Shore\n\n“It rains,” said Tobias. Mara Venn went home.\n";

const DUKOU: &str = "# 渡口\n\n\
    “你来早了。”周明远说。周明远解开缆绳，李秋水笑了。“真冷。”李秋水说。\n\n\
    一九○○年，周明远三十岁。李秋水早就知道账本是谁伪造的，只是不说。\n\n\
    集市星期一开张。三天之后，到了星期六，就散了。\n\n\
    “签字吧。”陈德厚说。李秋水看了看陈德厚。\n";
const ZHANGBEN: &str = "# 账本\n\n\
    那天是一九一二年五月三日，星期二。周明远等着李秋水。\n\n\
    陈德厚当夜就死了，大家把他抬上了山。\n\n\
    那是一九一○年，周明远刚满四十四岁。\n";
const JIEWEI: &str = "# 结尾\n\n\
    直到这时，李秋水才知道账本是谁伪造的。周明远没有说话。\n\n\
    陈德厚推门进来，笑了。“早啊。”李秋水说。\n";

fn issues(writer: &Writer, project: &str) -> Vec<Value> {
    writer.ask("story:continuity:list", json!({ "projectId": project }))["issues"].as_array().unwrap().clone()
}

#[track_caller]
fn issue(writer: &Writer, project: &str, kind: &str) -> Value {
    let all = issues(writer, project);
    let found = all.iter().find(|issue| issue["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind} among {all:?}")).clone()
}

fn resolve(writer: &Writer, project: &str, issue: &Value, verdict: Value) -> Value {
    change(writer, "story:continuity:resolve", project, json!({ "issueId": issue["issueId"], "verdict": verdict }))
}

fn quotes(issue: &Value) -> [String; 2] {
    ["first", "second"].map(|place| text(&issue[place], "quote"))
}

/// The words of a place that differ, as its range says.
fn differs(place: &Value) -> String {
    let units: Vec<u16> = text(place, "quote").encode_utf16().collect();
    let at = |end: &str| place["differs"][end].as_u64().unwrap() as usize;
    String::from_utf16(&units[at("from")..at("to")]).unwrap()
}

/// The text of a chapter at the range of a place.
fn at_range(chapters: &[&str], place: &Value) -> String {
    let number: usize = text(place, "chapterId")[1..].parse().unwrap();
    let units: Vec<u16> = chapters[number - 1].encode_utf16().collect();
    let at = |end: &str| place[end].as_u64().unwrap() as usize;
    String::from_utf16(&units[at("from")..at("to")]).unwrap()
}

#[track_caller]
fn every_kind_is_found(writer: &Writer, language: &str, chapters: &[&str]) {
    let project = analyzed(writer, language, chapters);
    let all = issues(writer, &project);
    for kind in ["age", "date", "weekday", "deadActs", "knowsTooEarly"] {
        let of_kind: Vec<&Value> = all.iter().filter(|issue| issue["kind"] == kind).collect();
        assert_eq!(of_kind.len(), 1, "{kind} in {all:?}");
        let issue = of_kind[0];
        assert_eq!((&issue["foundBy"], &issue["verdict"]), (&json!("computed"), &Value::Null));
        for place in [&issue["first"], &issue["second"]] {
            assert_eq!(at_range(chapters, place), text(place, "quote"));
            assert!(text(place, "quote").contains(&differs(place)) && !differs(place).is_empty());
        }
        assert_eq!(issue["entityId"].is_null(), matches!(kind, "date" | "weekday"), "{issue}");
    }
    assert_eq!(all.len(), 5, "{all:?}");
}

#[test]
fn a_name_that_is_misspelt_once_is_an_issue_with_both_spellings() {
    let writer = Writer::new();
    let often = "“Sign it,” said Aldous Winter. Winter took the pen, and Aldous Winter laughed. ".repeat(4);
    let project = analyzed(&writer, "en", &[&format!("# One\n\n{often}\n"), "# Two\n\n“Go,” said Aldous Wintre.\n"]);
    let drift = issue(&writer, &project, "nameDrift");
    assert_eq!((differs(&drift["first"]), differs(&drift["second"])), ("Winter".to_owned(), "Wintre".to_owned()));
}

#[test]
fn each_kind_is_found_in_an_english_book_with_its_two_places() {
    let writer = Writer::new();
    let chapters = [FERRY, LEDGER, END];
    every_kind_is_found(&writer, "en", &chapters);
    let project = analyzed(&writer, "en", &chapters);
    let age = issue(&writer, &project, "age");
    assert_eq!(age["entityName"], "Mara Venn");
    assert_eq!(age["values"], json!(["1900: 30", "1910: 44"]));
    assert_eq!(quotes(&age)[1], "It was 1910, and Mara Venn was just forty-four.");
    let dead = issue(&writer, &project, "deadActs");
    assert_eq!((&dead["entityName"], &dead["second"]["chapterId"]), (&json!("Aldous Pike"), &json!("c3")));
}

#[test]
fn each_kind_is_found_in_a_chinese_book_with_its_two_places() {
    let writer = Writer::new();
    every_kind_is_found(&writer, "zh", &[DUKOU, ZHANGBEN, JIEWEI]);
}

#[test]
fn a_month_beside_another_season_is_an_issue_in_both_languages() {
    for (language, out_of_season, fits) in [
        ("en", "It was a winter evening in July.", "It was a winter evening in December."),
        ("zh", "七月三日，正是冬天。", "十二月三日，正是冬天。"),
    ] {
        let writer = Writer::new();
        let project = analyzed(&writer, language, &[out_of_season]);
        assert_eq!(text(&issue(&writer, &project, "season"), "kind"), "season", "{language}");
        let project = analyzed(&writer, language, &[fits]);
        assert_eq!(issues(&writer, &project), Vec::<Value>::new(), "{language}");
    }
}

#[test]
fn a_verdict_holds_after_a_restart_and_a_change_elsewhere_and_until_one_of_its_places_changes() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let age = issue(&writer, &project, "age");
    let resolved = resolve(&writer, &project, &age, json!("intended"));
    assert_eq!((&resolved["verdict"], &resolved["issueId"]), (&json!("intended"), &age["issueId"]));
    assert_eq!(resolved["resolvedAt"], issue(&writer, &project, "age")["resolvedAt"]);
    assert_eq!(issues(&writer, &project).last().unwrap()["kind"], "age", "resolved issues come last");

    let writer = writer.restarted();
    assert_eq!(issue(&writer, &project, "age")["verdict"], "intended");
    let other = END.replace("Good morning", "Good evening");
    analyze(&writer, &project, &[FERRY, LEDGER, &other]);
    assert_eq!(issue(&writer, &project, "age")["verdict"], "intended");
    // The place moves, and its words stay.
    let moved = LEDGER.replace("Mara Venn waited", "It rained until noon. Mara Venn waited");
    analyze(&writer, &project, &[FERRY, &moved, &other]);
    assert_eq!(issue(&writer, &project, "age")["verdict"], "intended");

    let changed = LEDGER.replace("just forty-four", "just forty-five");
    analyze(&writer, &project, &[FERRY, &changed, END]);
    let age = issue(&writer, &project, "age");
    assert_eq!((&age["verdict"], &age["values"][1]), (&Value::Null, &json!("1910: 45")));
    analyze(&writer, &project, &[FERRY, LEDGER, END]);
    assert_eq!(issue(&writer, &project, "age")["verdict"], "intended", "the words came back");
    let right = LEDGER.replace("just forty-four", "just forty");
    analyze(&writer, &project, &[FERRY, &right, END]);
    assert!(issues(&writer, &project).iter().all(|issue| issue["kind"] != "age"));
}

#[test]
fn a_verdict_is_taken_back_and_tells_the_window() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let date = issue(&writer, &project, "date");
    for verdict in ["intended", "mistake", "first", "second"] {
        writer.arrived_events();
        assert_eq!(resolve(&writer, &project, &date, json!(verdict))["verdict"], verdict);
        let events = writer.arrived_events();
        let is_story = |event: &(String, Value)| event.0 == "memory:changed" && event.1["what"] == json!(["story"]);
        assert!(events.iter().any(is_story), "{events:?}");
        assert_eq!(issue(&writer, &project, "date")["verdict"], verdict);
    }
    let open = resolve(&writer, &project, &date, Value::Null);
    assert_eq!((&open["verdict"], &open["resolvedAt"]), (&Value::Null, &Value::Null));
    assert_eq!(issue(&writer, &project, "date")["verdict"], Value::Null);
}

#[test]
fn bad_verdicts_and_unknown_issues_are_refused() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let id = issue(&writer, &project, "date")["issueId"].clone();
    let refused = |project: &str, id: &Value, verdict: Value| {
        let args = json!({ "projectId": project, "issueId": id, "verdict": verdict });
        writer.refused("story:continuity:resolve", args).0
    };
    assert_eq!(refused(&project, &json!("0".repeat(64)), json!("intended")), "MEMORY_NOT_FOUND");
    assert_eq!(refused("nothing", &id, json!("intended")), "MEMORY_NOT_FOUND");
    for bad in [json!("right"), json!(1), json!({})] {
        assert_eq!(refused(&project, &id, bad), "MEMORY_INVALID_ARGUMENT");
    }
    for bad in [json!(""), json!("x".repeat(64)), json!("0".repeat(10_000))] {
        assert_eq!(refused(&project, &bad, json!("first")), "MEMORY_INVALID_ARGUMENT");
    }
    assert_eq!(writer.refused("story:continuity:list", json!({ "projectId": "nothing" })).0, "MEMORY_NOT_FOUND");
}

#[test]
fn two_facts_of_the_writer_that_exclude_each_other_are_an_issue_with_their_quotes() {
    let writer = Writer::new();
    let first = format!("{FERRY}\nTobias saw the blue eyes of Mara Venn in the lamp light.\n");
    let second = format!("{SHORE}\nThe brown eyes of Mara Venn were wide open that evening.\n");
    let project = analyzed(&writer, "en", &[&first, &second]);
    let venn = accepted(&writer, &project, "Mara Venn");
    let says = |chapter: (&str, &str), value: &str, quote: &str, certainty: &str| {
        let from = chapter.1[..chapter.1.find(quote).unwrap()].encode_utf16().count();
        let citation = json!({ "chapterId": chapter.0, "from": from, "quote": quote });
        let args = json!({ "entityId": venn, "attribute": "eyes", "value": value, "certainty": certainty,
            "citation": citation });
        change(&writer, "story:fact:save", &project, args)["fact"].clone()
    };
    says(("c1", &first), "blue", "the blue eyes of Mara Venn", "told");
    let brown = says(("c2", &second), "brown", "The brown eyes of Mara Venn", "told");
    let attribute = issue(&writer, &project, "attribute");
    assert_eq!((&attribute["foundBy"], &attribute["values"]), (&json!("facts"), &json!(["blue", "brown"])));
    assert_eq!(attribute["entityId"], venn);
    assert_eq!(differs(&attribute["second"]), "brown");
    // What somebody says may be wrong: the narration contradicts nothing.
    let said = json!({ "factId": brown["factId"], "version": brown["version"], "entityId": venn, "attribute": "eyes",
        "value": "brown", "certainty": "said" });
    change(&writer, "story:fact:save", &project, said);
    assert!(issues(&writer, &project).iter().all(|issue| issue["kind"] != "attribute"));
}

#[test]
fn facts_with_a_story_time_are_an_issue_only_if_they_hold_at_one_time() {
    for times in [["1971", "1975", "spring 1983"], ["一九七一年", "一九七五年", "一九八三年春天"]] {
        let writer = Writer::new();
        let first = format!("{FERRY}\nTobias saw the blue eyes of Mara Venn in the lamp light.\n");
        let second = format!("{SHORE}\nThe brown eyes of Mara Venn were wide open that evening.\n");
        let project = analyzed(&writer, "en", &[&first, &second]);
        let mara = accepted(&writer, &project, "Mara Venn");
        let save = |chapter: (&str, &str), value: &str, from: &str, until: Option<&str>| {
            let quote = chapter.1.lines().find(|line| line.contains(value)).unwrap();
            let at = chapter.1[..chapter.1.find(quote).unwrap()].encode_utf16().count();
            let citation = json!({ "chapterId": chapter.0, "from": at, "quote": quote });
            let args = json!({ "entityId": mara, "attribute": "eyes", "value": value, "citation": citation,
                "validFrom": from, "validUntil": until });
            change(&writer, "story:fact:save", &project, args)["fact"].clone()
        };
        let count = || issues(&writer, &project).iter().filter(|issue| issue["kind"] == "attribute").count();
        save(("c1", &first), "blue", times[0], None);
        let brown = save(("c2", &second), "brown", times[2], None);
        assert_eq!(count(), 0, "{times:?}: the second one follows the first one");
        let early = json!({ "factId": brown["factId"], "version": brown["version"], "entityId": mara,
            "attribute": "eyes", "value": "brown", "validFrom": times[0], "validUntil": times[1] });
        change(&writer, "story:fact:save", &project, early);
        assert_eq!(count(), 1, "{times:?}: both begin in one year");
    }
}

#[test]
fn verdicts_belong_to_one_book_and_go_with_it() {
    let writer = Writer::new();
    let [one, other] = [0, 1].map(|_| analyzed(&writer, "en", &[FERRY, LEDGER, END]));
    let ids =
        |project: &str| -> Vec<String> { issues(&writer, project).iter().map(|one| text(one, "issueId")).collect() };
    assert_eq!(ids(&one).len(), 5);
    let date = issue(&writer, &one, "date");
    resolve(&writer, &one, &date, json!("intended"));
    assert_eq!(issue(&writer, &other, "date")["verdict"], Value::Null);

    let count = || {
        let db = rusqlite::Connection::open(writer.data_dir().join("rules.db")).unwrap();
        db.query_row("SELECT count(*) FROM continuity_resolutions", [], |row| row.get::<_, u32>(0)).unwrap()
    };
    assert_eq!(count(), 1);
    writer.ask("memory:clear:project", json!({ "projectId": one, "confirmed": true }));
    assert_eq!(count(), 0);
    assert_eq!(issues(&writer, &other).len(), 5);
}

#[test]
fn without_the_file_of_rules_the_issues_are_listed_and_the_list_says_that_it_is_incomplete() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let list = |writer: &Writer| writer.ask("story:continuity:list", json!({ "projectId": project }));
    let whole = list(&writer);
    assert_eq!(whole["isIncomplete"], false);
    for file in ["rules.db", "rules.db-wal", "rules.db-shm"] {
        std::fs::remove_file(writer.data_dir().join(file)).ok();
    }
    let without = list(&writer);
    assert_eq!((&without["isIncomplete"], &without["issues"]), (&json!(true), &whole["issues"]));
    let args = json!({ "projectId": project, "issueId": whole["issues"][0]["issueId"], "verdict": "intended" });
    assert_eq!(writer.refused("story:continuity:resolve", args).0, "MEMORY_STORE_UNAVAILABLE");
}
