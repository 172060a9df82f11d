//! The options of a search for answers, each with its effect, and the codes of bad ones.

use palimpsest_api::{EncoderSource, bundled_encoder};
use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::answers::{LONG, get, of_book, record, validate};

const QUERY: &str = "When can the boat leave the harbour?";

struct Scene {
    writer: Writer,
    project: String,
}

impl Scene {
    fn record_id(&self, question: &str, answer: &str, kind: &str) -> String {
        let asked = json!({ "question": question, "answer": answer, "kind": kind });
        text(&self.writer.ask("answer:record", of_book(&self.project, asked))["answer"], "answerId")
    }

    /// The answers that a search finds with these options, best first.
    fn ids_found(&self, options: Value) -> Vec<String> {
        let mut asked = of_book(&self.project, json!({ "query": QUERY, "minScore": 0, "limit": 50 }));
        asked.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        let found = self.writer.ask("answer:search", asked);
        found["matches"].as_array().unwrap().iter().map(|one| text(&one["answer"], "answerId")).collect()
    }

    fn version(&self, id: &str) -> Value {
        get(&self.writer, &self.project, id)["version"].clone()
    }
}

#[test]
fn kinds_level_blocked_score_and_limit_each_decide_what_a_search_finds() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    let scene = Scene { writer, project };
    let research = scene.record_id(QUERY, LONG, "research");
    let craft = scene.record_id("How long can the boat wait outside the harbour?", "A tide, no longer.", "craft");
    let task = scene.record_id("Which boat is in the harbour?", "List every boat of the harbour.", "task");
    let blocked = scene.record_id("When can the boat leave the harbour in fog?", "Not before it lifts.", "research");
    (0..3).for_each(|_| drop(validate(&scene.writer, &scene.project, &research, "pass")));
    validate(&scene.writer, &scene.project, &craft, "pass");
    let blocking = json!({ "answerId": blocked, "version": scene.version(&blocked) });
    scene.writer.ask("answer:block", of_book(&scene.project, blocking));
    scene.writer.wait_until_idle();

    let all = scene.ids_found(json!({}));
    assert_eq!((all.len(), &all[0]), (3, &research), "{all:?}");
    assert!(!all.contains(&blocked), "what is blocked is left out by default");
    assert_eq!(scene.ids_found(json!({ "kinds": ["craft"] })), std::slice::from_ref(&craft));
    let two = scene.ids_found(json!({ "kinds": ["craft", "task"] }));
    assert!(two.len() == 2 && two.contains(&craft) && two.contains(&task), "{two:?}");
    assert_eq!(scene.ids_found(json!({ "kinds": [] })), all, "no kind is all kinds");
    assert_eq!(scene.ids_found(json!({ "kinds": ["canon"] })), Vec::<String>::new());

    assert_eq!(scene.ids_found(json!({ "minLevel": 0 })), all);
    let of_level_one = scene.ids_found(json!({ "minLevel": 1 }));
    assert!(of_level_one.len() == 2 && !of_level_one.contains(&task), "{of_level_one:?}");
    assert_eq!(scene.ids_found(json!({ "minLevel": 2 })), std::slice::from_ref(&research));
    assert_eq!(scene.ids_found(json!({ "minLevel": 3 })), Vec::<String>::new());

    let with_blocked = scene.ids_found(json!({ "includeBlocked": true }));
    assert!(with_blocked.len() == 4 && with_blocked.contains(&blocked), "{with_blocked:?}");
    assert_eq!(scene.ids_found(json!({ "includeBlocked": false })), all);

    assert_eq!(scene.ids_found(json!({ "limit": 1 })), all[..1]);
    assert_eq!(scene.ids_found(json!({ "limit": 2 })), all[..2]);

    let asked = of_book(&scene.project, json!({ "query": QUERY, "minScore": 0, "limit": 50 }));
    let matches = scene.writer.ask("answer:search", asked)["matches"].clone();
    let scores: Vec<f64> = matches.as_array().unwrap().iter().map(|one| one["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    for (number, score) in scores.iter().enumerate() {
        let expected = scores.iter().filter(|other| *other >= score).count();
        assert_eq!(scene.ids_found(json!({ "minScore": score })).len(), expected, "from {score} on, answer {number}");
    }
    // The defaults are those of the settings.
    let by_default = scene.writer.ask("answer:search", of_book(&scene.project, json!({ "query": QUERY })));
    let from_the_default: Vec<&f64> = scores.iter().filter(|score| **score >= 0.2).collect();
    assert_eq!(by_default["matches"].as_array().unwrap().len(), from_the_default.len());
    let values = json!({ "values": { "memory.search_limit": 1, "memory.min_score": 0.0 } });
    scene.writer.ask("answer:config:set", values);
    let by_setting = scene.writer.ask("answer:search", of_book(&scene.project, json!({ "query": QUERY })));
    assert_eq!(by_setting["matches"].as_array().unwrap().len(), 1);
    assert_eq!(scene.ids_found(json!({})), all, "the options of the request go before the settings");
}

/// Questions in one language with their answers in the other, none of which shares a word with another.
const IN_TWO_LANGUAGES: [(&str, &str, &str); 4] = [
    ("When can the ferry leave the harbour?", "渡船什么时候能离开港口？", "潮水满的时候。"),
    ("Who lit the lamp in the lighthouse?", "灯塔里的灯是谁点的？", "领航员。"),
    ("他的妹妹住在哪个城市？", "In which city does his sister live?", "In Lisbon, above the bakery."),
    ("面包师为什么卖掉了他的房子？", "Why did the baker sell his house?", "To pay for the ship."),
];

#[test]
fn a_question_in_the_other_language_finds_the_answer_by_meaning_alone() {
    let Some(folder) = bundled_encoder() else {
        eprintln!("NOT RUN: the encoder's files are not there; `npm run setup` fetches them");
        return;
    };
    let writer = Writer::with(|options| options.encoder = EncoderSource::Folder(folder));
    let project = writer.book("夜航", "zh");
    for (_, question, answer) in IN_TWO_LANGUAGES {
        record(&writer, &project, question, answer);
    }
    writer.wait_until_idle();
    for (query, question, _) in IN_TWO_LANGUAGES {
        let found = writer.ask("answer:search", of_book(&project, json!({ "query": query })))["matches"].clone();
        let questions: Vec<&Value> = found.as_array().unwrap().iter().map(|one| &one["answer"]["question"]).collect();
        assert_eq!(questions, [question], "{query}: {found}");
    }
}

#[test]
fn bad_options_of_a_search_are_refused_with_their_field() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    record(&writer, &project, "船什么时候能走？", "潮水满的时候。");
    for (option, value, field) in [
        ("query", json!(""), "query"),
        ("query", json!("？！"), "query"),
        ("query", json!("a\u{0}b"), "query"),
        ("query", json!("长".repeat(4_000)), "query"),
        ("limit", json!(0), "limit"),
        ("limit", json!(51), "limit"),
        ("limit", json!(-1), "limit"),
        ("limit", json!(1.5), "limit"),
        ("minScore", json!(-0.1), "minScore"),
        ("minScore", json!(1.1), "minScore"),
        ("minScore", json!("high"), "minScore"),
        ("minLevel", json!(4), "minLevel"),
        ("minLevel", json!(-1), "minLevel"),
        ("kinds", json!(["gossip"]), "kinds[0]"),
        ("kinds", json!("craft"), "kinds"),
        ("includeBlocked", json!(1), "includeBlocked"),
        ("filter", json!("all"), "filter"),
    ] {
        let mut asked = of_book(&project, json!({ "query": "船" }));
        asked[option] = value;
        let refused = writer.refused("answer:search", asked.clone());
        assert_eq!(refused, ("MEMORY_INVALID_ARGUMENT".into(), field.into()), "{asked}");
    }
}
