//! Guarantees for threads and events: where the story opens and answers a question, and what happens when, as of a
//! position.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::island::{END, FERRY, LEDGER, analyzed, at, change, entity, list};

fn plot(writer: &Writer, project: &str, command: &str, at: Option<Value>) -> Value {
    let mut args = json!({ "projectId": project });
    if let Some(at) = at {
        args["at"] = at;
    }
    writer.ask(command, args)
}

fn threads(writer: &Writer, project: &str, at: Option<Value>) -> Vec<(String, String, Value)> {
    let list = plot(writer, project, "story:threads", at);
    let threads = list["threads"].as_array().unwrap().iter();
    threads.map(|one| (text(one, "name"), text(one, "status"), one["untouchedFor"].clone())).collect()
}

fn written(writer: &Writer, project: &str, kind: &str, name: &str) -> Value {
    let args = json!({ "kind": kind, "name": name });
    change(writer, "story:entity:save", project, args)["entityIds"][0].clone()
}

fn says(
    writer: &Writer,
    project: &str,
    id: &Value,
    fact: (&str, &str),
    place: (&str, &str, &str),
    more: Value,
) -> Value {
    let (chapter_id, chapter_text, quote) = place;
    let from = chapter_text[..chapter_text.find(quote).unwrap()].encode_utf16().count();
    let citation = json!({ "chapterId": chapter_id, "from": from, "quote": quote });
    let mut args = json!({ "entityId": id, "attribute": fact.0, "value": fact.1, "citation": citation });
    for (key, value) in more.as_object().unwrap() {
        args[key] = value.clone();
    }
    change(writer, "story:fact:save", project, args)["fact"].clone()
}

#[test]
fn a_thread_is_open_from_where_it_is_planted_until_it_is_paid_and_not_listed_before() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let words = plot(&writer, &project, "story:threads", None)["attributes"].clone();
    let (planted, paid) = (text(&words, "planted"), text(&words, "paid"));
    let who = written(&writer, &project, "thread", "Who signs the ledger");
    says(&writer, &project, &who, (&planted, "Nobody signed"), ("c2", LEDGER, "Nobody signed it"), json!({}));
    let step = says(&writer, &project, &who, (&paid, "The Heron"), ("c3", END, "I signed it"), json!({}));
    let rope = written(&writer, &project, "thread", "Mara's rope");
    says(&writer, &project, &rope, ("Planted", "she takes it"), ("c1", FERRY, "Mara Venn took the rope."), json!({}));

    let (rope, who) = ("Mara's rope".to_owned(), "Who signs the ledger".to_owned());
    let open = |name: &String, chapters: u32| (name.clone(), "open".to_owned(), json!(chapters));
    assert_eq!(threads(&writer, &project, Some(at("c1"))), [open(&rope, 0)]);
    assert_eq!(threads(&writer, &project, Some(at("c2"))), [open(&rope, 1), open(&who, 0)]);
    let paid = (who.clone(), "paid".to_owned(), Value::Null);
    assert_eq!(threads(&writer, &project, Some(at("c3"))), [open(&rope, 2), paid.clone()]);
    assert_eq!(threads(&writer, &project, None), [open(&rope, 2), paid]);
    let steps = plot(&writer, &project, "story:threads", None)["threads"][1]["steps"].clone();
    assert_eq!([&steps[0]["kind"], &steps[1]["kind"]], ["planted", "paid"]);
    assert_eq!(steps[1]["position"]["chapterId"], "c3");

    // A step whose sentence is gone pays nothing.
    let edited = END.replace("“I signed it,” said", "“It was me,” said");
    crate::island::analyze(&writer, &project, &[FERRY, LEDGER, &edited]);
    assert_eq!(threads(&writer, &project, None)[1].1, "open");
    let args = json!({ "factId": step["factId"], "version": step["version"] });
    change(&writer, "story:fact:confirm", &project, args);
    assert_eq!(threads(&writer, &project, None)[1].1, "paid");
}

#[test]
fn a_thread_that_is_left_open_on_purpose_is_not_counted_as_untouched() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let words = plot(&writer, &project, "story:threads", None)["attributes"].clone();
    let rope = written(&writer, &project, "thread", "Mara's rope");
    says(&writer, &project, &rope, ("planted", "rope"), ("c1", FERRY, "Mara Venn took the rope."), json!({}));
    let args = json!({ "entityId": rope, "attribute": words["leftOpen"], "value": "on purpose", "toldAt": at("c2") });
    change(&writer, "story:fact:save", &project, args);
    assert_eq!(threads(&writer, &project, Some(at("c1")))[0].1, "open");
    let expected = ("Mara's rope".to_owned(), "leftOpen".to_owned(), Value::Null);
    assert_eq!(threads(&writer, &project, Some(at("c2"))), [expected]);
}

#[test]
fn events_are_listed_as_they_happened_and_not_before_they_are_told() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let tobias = entity(&list(&writer, &project), "Tobias")["entityId"].clone();
    change(&writer, "story:entity:accept", &project, json!({ "entityIds": [tobias] }));
    let meeting = written(&writer, &project, "event", "They meet");
    let first = json!({ "validFrom": "15 May 1983" });
    let quote = ("c1", FERRY, "They had met in Harwick on 15 May 1983");
    says(&writer, &project, &meeting, ("when", "a meeting"), quote, first);
    let signing = written(&writer, &project, "event", "The signature");
    let day = json!({ "validFrom": "three days after the ferry" });
    says(&writer, &project, &signing, ("when", "it is signed"), ("c3", END, "I signed it"), day);
    let born = json!({ "validFrom": "spring 1971" });
    says(&writer, &project, &tobias, ("born", "in Harwick"), ("c2", LEDGER, "Tobias looked at Venn"), born);

    let names = |at: Option<Value>| -> Vec<(String, bool)> {
        let events = plot(&writer, &project, "story:events", at)["events"].clone();
        let events = events.as_array().unwrap().iter();
        events.map(|one| (text(one, "name"), one["isDated"] == true)).collect()
    };
    let row = |name: &str, is_dated: bool| (name.to_owned(), is_dated);
    assert_eq!(names(Some(at("c1"))), [row("They meet", true)]);
    assert_eq!(names(Some(at("c2"))), [row("Tobias", true), row("They meet", true)]);
    assert_eq!(names(None), [row("Tobias", true), row("They meet", true), row("The signature", false)]);
    let positions = plot(&writer, &project, "story:events", None)["events"][1]["positions"].clone();
    assert_eq!(positions[0]["chapterId"], "c1");
}

#[test]
fn a_name_that_the_reader_does_not_know_yet_heads_no_event_and_no_row() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let all = list(&writer, &project);
    let (pike, heron) = (entity(&all, "Aldous Pike"), entity(&all, "Grey Heron"));
    // In the third chapter the reader learns that they are one, and the writer lists him by that name.
    let merge = json!({ "entityId": pike["entityId"], "otherId": heron["entityId"], "at": at("c3") });
    change(&writer, "story:entity:merge", &project, merge);
    let pike = list(&writer, &project);
    let pike = pike["entities"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["entityId"] == heron["entityId"] || one["entityId"] == entity(&all, "Aldous Pike")["entityId"])
        .unwrap()
        .clone();
    let named = json!({ "entityIds": [pike["entityId"]], "name": "Grey Heron", "version": pike["version"] });
    change(&writer, "story:entity:accept", &project, named);
    let early = json!({ "entityId": pike["entityId"], "attribute": "born", "value": "at sea", "toldAt": at("c1"),
        "validFrom": "1931" });
    change(&writer, "story:fact:save", &project, early);

    let events = plot(&writer, &project, "story:events", Some(at("c1")))["events"].clone();
    assert_eq!(text(&events[0], "name"), "Aldous Pike");
    let unnamed = change(&writer, "story:entity:list", &project, json!({ "at": at("c1") }))["unnamed"].clone();
    assert_eq!(text(&unnamed[0], "name"), "Aldous Pike");
    assert_eq!(unnamed[0]["firstFact"], "at sea");
    let later = plot(&writer, &project, "story:events", Some(at("c3")))["events"].clone();
    assert_eq!(text(&later[0], "name"), "Grey Heron");
}

#[test]
fn a_thread_or_a_person_that_is_written_down_is_listed_from_there_on_and_not_before() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let write = |kind: &str, name: &str, from: Option<Value>| {
        let mut args = json!({ "kind": kind, "name": name });
        if let Some(from) = from {
            args["at"] = from;
        }
        change(&writer, "story:entity:save", &project, args)
    };
    write("thread", "Who lit the lamps", Some(at("c2")));
    write("character", "The lamplighter", Some(at("c2")));
    write("thread", "For later", None);
    // The text names her from the first chapter on: she is accepted everywhere.
    write("character", "Mara Venn", Some(at("c3")));
    let names = |place: Option<Value>| -> Vec<String> {
        threads(&writer, &project, place).into_iter().map(|(name, ..)| name).collect()
    };
    assert_eq!(names(Some(at("c1"))), Vec::<String>::new());
    assert_eq!(names(Some(at("c2"))), ["Who lit the lamps"]);
    assert_eq!(names(None), ["Who lit the lamps", "For later"]);
    let unnamed = |chapter: &str| -> Vec<String> {
        let list = crate::island::list_at(&writer, &project, Some(at(chapter)));
        list["unnamed"].as_array().unwrap().iter().map(|one| text(one, "name")).collect()
    };
    assert_eq!(unnamed("c1"), Vec::<String>::new());
    assert_eq!(unnamed("c2"), ["Who lit the lamps", "The lamplighter"]);
    let list = crate::island::list_at(&writer, &project, Some(at("c1")));
    let venn = entity(&list, "Mara Venn");
    assert_eq!(venn["standing"], "accepted");
    // A name of the text that is a thread is listed from where the text has it.
    let kind = json!({ "entityIds": [venn["entityId"]], "kind": "thread", "version": venn["version"] });
    change(&writer, "story:entity:accept", &project, kind);
    assert_eq!(names(Some(at("c1"))), ["Mara Venn"]);
}
