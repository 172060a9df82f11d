//! Guarantees for the kinds of continuity issues about introductions, places, rules of the world and threads: all but
//! the threads are pairs of sentences until a model calls them a conflict.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    island::{END, FERRY, LEDGER, analyze, analyzed, change},
    study_stage::{Asked, Script, Study, comparison, follow},
};

const WHY: &str = "Both sentences cannot be true of one person and time.";

/// A study of a book with a model that calls each pair a conflict.
fn study_of(chapters: &[&str]) -> Study {
    let study = Study::of(chapters, |_| {});
    follow(&study.server, Script { comparisons: vec![comparison("conflict", WHY)], ..Script::dutiful() });
    study.agree();
    study
}

fn issues(writer: &Writer, project: &str) -> Vec<Value> {
    change(writer, "story:continuity:list", project, json!({}))["issues"].as_array().unwrap().clone()
}

/// The issues of a book after all its pairs were compared.
fn compared(study: &Study) -> Vec<Value> {
    study.ask_of_book("memory:editor:activity", json!({}));
    study.ask_of_book("story:continuity:compare", json!({}));
    study.wait_until_over();
    issues(&study.writer, &study.project)
}

/// The kind, the entity and the two quotes of an issue.
fn summary_of(issue: &Value) -> [String; 4] {
    [text(issue, "kind"), text(issue, "entityName"), text(&issue["first"], "quote"), text(&issue["second"], "quote")]
}

/// Writes a fact of an entity with the sentence that says so.
fn write_fact(
    (writer, project): (&Writer, &str),
    (entity, attribute, value): (&Value, &str, &str),
    (chapter, chapter_text, quote): (&str, &str, &str),
) -> Value {
    let from = chapter_text[..chapter_text.find(quote).unwrap()].encode_utf16().count();
    let citation = json!({ "chapterId": chapter, "from": from, "quote": quote });
    let fact = json!({ "entityId": entity, "attribute": attribute, "value": value, "citation": citation });
    change(writer, "story:fact:save", project, fact)["fact"].clone()
}

fn entity_of_kind(writer: &Writer, project: &str, kind: &str, name: &str) -> Value {
    let entity = json!({ "kind": kind, "name": name });
    change(writer, "story:entity:save", project, entity)["entityIds"][0].clone()
}

#[test]
fn people_who_are_introduced_too_late_or_twice_are_issues_by_the_word_of_a_model_alone() {
    let pilot = "A pilot named Tobias brought the boat in.";
    let bishop = "On the quay a bishop named Tobias blessed the boats.";
    let (second, third) = (format!("{LEDGER}\n{pilot}\n"), format!("{END}\n{bishop}\n"));
    let study = study_of(&[FERRY, &second, &third]);
    assert_eq!(issues(&study.writer, &study.project), [] as [Value; 0], "nothing without a model");
    let found = compared(&study);
    assert_eq!(study.count(Asked::Comparison), 2);
    let [late, twice] = &found[..] else { panic!("not two: {found:?}") };
    let [kind, name, first, second] = summary_of(late);
    assert_eq!((kind.as_str(), name.as_str(), second.as_str()), ("beforeIntroduced", "Tobias", pilot));
    assert!(FERRY.contains(&first) && first.contains("Tobias laughed"), "{first}");
    assert_eq!(summary_of(twice), ["twoForOne", "Tobias", pilot, bishop]);
    assert!(found.iter().all(|issue| issue["foundBy"] == "model" && issue["why"] == WHY));
    let prompts = study.sent_prompts().join("\n");
    assert!(prompts.contains("whom both sentences introduce") && prompts.contains("first meeting"), "{prompts}");

    let verdict = json!({ "issueId": twice["issueId"], "verdict": "intended" });
    change(&study.writer, "story:continuity:resolve", &study.project, verdict);
    assert_eq!(issues(&study.writer, &study.project)[1]["verdict"], "intended");
}

#[test]
fn a_character_that_is_in_two_places_within_one_scene_is_an_issue_and_one_that_moves_is_none() {
    let (here, there) =
        ("Tobias sat in Harwick with his hat on his knees.", "Tobias stood in Dunmere and said nothing.");
    let of_places = "The boats to Dunmere were late. In Dunmere it rained, and people from Dunmere stayed at home.";
    let chapter = |between: &str| format!("{LEDGER}\n{of_places}\n\n{here} {between} {there}\n");
    let study = study_of(&[FERRY, &chapter("The clock ticked."), END]);
    let found = compared(&study);
    assert_eq!(found.iter().map(summary_of).collect::<Vec<_>>(), [["where", "Tobias", here, there].map(str::to_owned)]);
    analyze(&study.writer, &study.project, &[FERRY, &chapter("The next day he took the boat."), END]);
    assert_eq!(issues(&study.writer, &study.project), [] as [Value; 0]);
}

#[test]
fn a_sentence_that_breaks_a_rule_of_the_world_is_an_issue_with_the_sentence_of_the_rule() {
    let (rule, breach) = ("No boat may leave the harbour after dark.", "After dark the boat left the harbour.");
    let (first, third) = (format!("{FERRY}\n{rule}\n"), format!("{END}\n{breach}\n"));
    let study = study_of(&[&first, LEDGER, &third]);
    assert_eq!(compared(&study), [] as [Value; 0], "the writer has said no rule");
    assert_eq!(study.count(Asked::Comparison), 0);

    let harbour = entity_of_kind(&study.writer, &study.project, "worldRule", "the harbour at night");
    let value = "nobody sails at night";
    let fact = write_fact((&study.writer, &study.project), (&harbour, "rule", value), ("c1", &first, rule));
    let found = compared(&study);
    assert_eq!(found.iter().map(summary_of).collect::<Vec<_>>(), [["worldRule", "the harbour at night", rule, breach]]);
    let prompt = &study.sent_prompts()[0];
    assert!(prompt.contains("the harbour at night") && prompt.contains(rule) && !prompt.contains(value), "{prompt}");

    let deleted = json!({ "factId": fact["factId"], "version": fact["version"] });
    change(&study.writer, "story:fact:delete", &study.project, deleted);
    assert_eq!(issues(&study.writer, &study.project), [] as [Value; 0]);
}

#[test]
fn a_rule_that_is_never_shown_is_sent_to_no_model() {
    let (rule, breach) = ("No boat may leave the harbour after dark.", "After dark the boat left the harbour.");
    let (first, third) = (format!("{FERRY}\n{rule}\n"), format!("{END}\n{breach}\n"));
    let study = study_of(&[&first, LEDGER, &third]);
    let entity = json!({ "kind": "worldRule", "name": "the harbour at night", "visibility": "hidden" });
    let id = change(&study.writer, "story:entity:save", &study.project, entity)["entityIds"][0].clone();
    let fact = (&id, "rule", "no boat leaves after dark");
    write_fact((&study.writer, &study.project), fact, ("c1", &first, rule));
    assert_eq!((compared(&study), study.requests().len()), (vec![], 0));
}

#[test]
fn a_thread_that_nothing_touches_for_long_is_an_issue_until_it_is_touched_paid_or_left_open() {
    let writer = Writer::new();
    let quiet = ["# Four\n\nIt rained.\n", "# Five\n\nIt rained on.\n", "# Six\n\nIt rained still.\n"];
    let chapters = [FERRY, LEDGER, quiet[0], quiet[1], quiet[2]];
    let project = analyzed(&writer, "en", &chapters);
    let attributes = change(&writer, "story:threads", &project, json!({}))["attributes"].clone();
    let step = |kind: &str| text(&attributes, kind);
    let thread = entity_of_kind(&writer, &project, "thread", "Who signs the ledger");
    let (planted, touched) = ("“It is cold,” said Tobias.", "“Nobody signed it,” said Venn.");
    write_fact((&writer, &project), (&thread, &step("planted"), "it is cold"), ("c1", FERRY, planted));
    write_fact((&writer, &project), (&thread, &step("touched"), "nobody signed"), ("c2", LEDGER, touched));
    let open = [["openThread", "Who signs the ledger", planted, touched].map(str::to_owned)];
    let found = || issues(&writer, &project);
    assert_eq!(found().iter().map(summary_of).collect::<Vec<_>>(), open);
    assert_eq!((&found()[0]["foundBy"], &found()[0]["why"]), (&json!("facts"), &Value::Null));

    for (kind, sentence) in [("touched", "It rained on."), ("paid", "It rained on."), ("leftOpen", "It rained on.")] {
        let place = ("c4", quiet[1], sentence);
        let fact = write_fact((&writer, &project), (&thread, &step(kind), "so it is"), place);
        assert_eq!(found(), [] as [Value; 0], "{kind}");
        let deleted = json!({ "factId": fact["factId"], "version": fact["version"] });
        change(&writer, "story:fact:delete", &project, deleted);
    }
    let verdict = json!({ "issueId": found()[0]["issueId"], "verdict": "intended" });
    change(&writer, "story:continuity:resolve", &project, verdict);
    assert_eq!(found()[0]["verdict"], "intended");
    analyze(&writer, &project, &chapters[..4]);
    assert_eq!(found(), [] as [Value; 0], "two chapters behind it are not long");
}

#[test]
fn the_kinds_are_found_in_a_chinese_book_too() {
    let writer = Writer::new();
    let first = "# 渡口\n\n“你来早了。”周明远说。周明远解开缆绳，李秋水笑了。“真冷。”李秋水说。\n\n\
        周明远对李秋水点点头。天黑以后谁也不许开船。\n";
    let second = "# 账本\n\n店里来了个司机，名叫周明远。李秋水从没见过周明远。“坐吧。”李秋水说。\n";
    let third = "# 结尾\n\n台上坐着一位名叫周明远的律师。天黑以后，李秋水开船走了。“走吧。”周明远说。\n";
    let project = analyzed(&writer, "zh", &[first, second, third]);
    let rule = entity_of_kind(&writer, &project, "worldRule", "夜里不开船");
    let fact = (&rule, "规矩", "天黑以后谁也不许开船");
    write_fact((&writer, &project), fact, ("c1", first, "天黑以后谁也不许开船。"));
    let list = change(&writer, "story:continuity:list", &project, json!({}));
    assert_eq!(list["pairs"]["waiting"], 4, "late, first meeting, one name for two, the rule: {list}");
}
