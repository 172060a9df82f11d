//! Searches by words, in both languages.

use serde_json::{Value, json};

use crate::{ANSWER, QUESTION, Team, find_answers, of_ferry, record, validate};

fn questions_of(found: &[Value]) -> Vec<&str> {
    found.iter().map(|one| one["question"].as_str().unwrap()).collect()
}

#[test]
fn the_same_question_comes_first_and_others_by_their_relevance() {
    let Some(team) = Team::new() else { return };
    let mut client = team.member();
    record(&mut client, "When can the old boat leave the harbour?", "When the boat can leave the harbour at all.");
    record(&mut client, QUESTION, ANSWER);
    record(&mut client, "Who is the smith?", "Ida.");
    let found = find_answers(&mut client, "when CAN the boat leave the harbour");
    assert_eq!(questions_of(&found), [QUESTION, "When can the old boat leave the harbour?"]);
    let matches: Vec<&Value> = found.iter().map(|one| &one["metadata"]["question_match"]).collect();
    assert_eq!(matches, ["exact", "related"]);
    assert_eq!(found[0]["score"], 1.0);
    let score = found[1]["score"].as_f64().unwrap();
    assert!((0.2..1.0).contains(&score), "{score}");
    let none = of_ferry(json!({ "query": QUESTION, "min_score": 1, "limit": 1 }));
    assert_eq!(client.post("search", &none).body.as_array().unwrap().len(), 1);
}

#[test]
fn chinese_is_found_by_pairs_of_characters() {
    let Some(team) = Team::new() else { return };
    let mut client = team.member();
    record(&mut client, "船什么时候能离开港口？", "涨潮的时候船能离开港口，每天晚五十分钟。");
    record(&mut client, "铁匠叫什么名字？", "铁匠叫艾达。");
    assert_eq!(questions_of(&find_answers(&mut client, "船什么时候能离开港口")), ["船什么时候能离开港口？"]);
    assert_eq!(questions_of(&find_answers(&mut client, "铁匠叫艾达吗？")), ["铁匠叫什么名字？"]);
    assert!(find_answers(&mut client, "灯塔在哪里？").is_empty());
}

#[test]
fn an_answer_is_sent_with_everything_it_was_recorded_with() {
    let Some(team) = Team::new() else { return };
    let mut client = team.member();
    let candidate = of_ferry(json!({
        "question": QUESTION, "answer": ANSWER, "tags": ["tide", "潮"], "confidence": 0.7, "summary": "Tides.",
        "source": "palimpsest", "author": "Ida", "metadata": { "answer_id": "a-1", "other": [1] }, "unknown": true,
    }));
    let id = client.post("candidates", &candidate).body["qa_id"].clone();
    validate(&mut client, id.as_str().unwrap(), "pass");
    let found = find_answers(&mut client, QUESTION).remove(0);
    let freshness = found["freshness"].as_f64().unwrap();
    assert!(freshness > 0.99, "{freshness}");
    let expected = json!({
        "qa_id": id, "question": QUESTION, "answer": ANSWER, "tags": ["tide", "潮"], "score": 1.0, "relevance": 1.0,
        "validation_level": 1, "trust": 0.55, "freshness": freshness, "confidence": 0.7, "status": "verified",
        "metadata": { "consecutive_fail": 0.0, "hit_count": 0, "use_count": 0, "question_match": "exact" },
        "summary": "Tides.", "source": "palimpsest",
    });
    assert_eq!(found, expected);
}

#[test]
fn a_response_has_as_many_answers_as_a_client_reads() {
    let Some(team) = Team::new() else { return };
    let mut client = team.member();
    for n in 0..20 {
        record(&mut client, QUESTION, &format!("{n} {}", "water ".repeat(16_000)));
    }
    let found = client.post("search", &of_ferry(json!({ "query": QUESTION, "limit": 50 }))).body;
    let count = found.as_array().unwrap().len();
    assert!((10..20).contains(&count), "{count}");
    assert!(found.to_string().len() < 2 << 20);
}
