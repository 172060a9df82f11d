//! Guarantees for the facts of a story: known from their sentence on, in prompts only while it holds, never ahead of
//! the reader, and the writer's word alone.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    island::{END, FERRY, LEDGER, accepted, analyze, analyzed, at, change, entity, list},
    sent,
    study_stage::{Script, Study},
};

/// The book, and the id of one of its people, accepted.
fn with_accepted(writer: &Writer, name: &str) -> (String, Value) {
    let project = analyzed(writer, "en", &[FERRY, LEDGER, END]);
    let id = accepted(writer, &project, name);
    (project, id)
}

/// Writes a fact about an entity, citing a sentence of a chapter.
fn cited(writer: &Writer, project: &str, id: &Value, chapter: (&str, &str), fact: (&str, &str), quote: &str) -> Value {
    let (chapter_id, chapter_text) = chapter;
    let from = chapter_text[..chapter_text.find(quote).unwrap()].encode_utf16().count();
    let (attribute, value) = fact;
    let citation = json!({ "chapterId": chapter_id, "from": from, "quote": quote });
    let args = json!({ "entityId": id, "attribute": attribute, "value": value, "citation": citation });
    change(writer, "story:fact:save", project, args)["fact"].clone()
}

fn card(writer: &Writer, project: &str, id: &Value, at: Option<Value>) -> Value {
    let mut args = json!({ "entityId": id });
    if let Some(at) = at {
        args["at"] = at;
    }
    change(writer, "story:entity:get", project, args)
}

/// The values of the facts on a card.
fn values(card: &Value) -> Vec<String> {
    card["facts"].as_array().unwrap().iter().map(|fact| text(fact, "value")).collect()
}

/// The prompt for a passage at the end of a chapter.
fn prompt_at(writer: &Writer, project: &str, chapter_id: &str, before: &str) -> String {
    let args = json!({ "projectId": project, "chapterId": chapter_id, "skill": "continue", "before": before });
    sent(&writer.ask("memory:context:assemble", args))
}

/// The lines of the section with cards.
fn story_of(prompt: &str) -> Vec<String> {
    let Some((_, rest)) = prompt.split_once("<story>\n") else { return Vec::new() };
    let (section, _) = rest.split_once("\n</story>").unwrap();
    section.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn a_fact_is_on_the_card_and_in_prompts_from_its_sentence_on_and_not_before() {
    let writer = Writer::new();
    let (project, pike) = with_accepted(&writer, "Aldous Pike");
    let fact =
        cited(&writer, &project, &pike, ("c2", LEDGER), ("did", "made them sign"), "“Sign it,” said Aldous Pike.");
    assert_eq!(fact["citations"][0]["status"], "holds");
    assert_eq!(fact["citations"][0]["quote"], "“Sign it,” said Aldous Pike.");
    let after = LEDGER.find("So that was").unwrap();
    let position = |offset: usize| json!({ "chapterId": "c2", "offset": LEDGER[..offset].encode_utf16().count() });
    assert_eq!(values(&card(&writer, &project, &pike, Some(position(after)))), ["made them sign"]);
    let early = position(LEDGER.find("Sign it").unwrap());
    let early = json!({ "projectId": project, "entityId": pike, "at": early });
    assert_eq!(writer.refused("story:entity:get", early).0, "MEMORY_NOT_FOUND", "the reader has not met him");
    assert_eq!(entity(&list(&writer, &project), "Aldous Pike")["firstFact"], "made them sign");

    let knows = |chapter: &str, before: &str| story_of(&prompt_at(&writer, &project, chapter, before));
    assert_eq!(knows("c2", LEDGER), ["- Aldous Pike: did made them sign"]);
    // The same sentence before the caret of an earlier chapter: the reader does not know it there.
    assert_eq!(knows("c1", &format!("{FERRY} Aldous Pike came.")), Vec::<String>::new());
    assert_eq!(knows("c2", "Aldous Pike, he thought"), Vec::<String>::new(), "the caret is before the sentence");
}

#[test]
fn the_story_in_a_prompt_is_the_same_when_the_chapters_after_it_are_removed() {
    let writer = Writer::new();
    let (project, pike) = with_accepted(&writer, "Aldous Pike");
    let venn = accepted(&writer, &project, "Mara Venn");
    let heron = accepted(&writer, &project, "Grey Heron");
    cited(&writer, &project, &venn, ("c1", FERRY), ("first words", "too early"), "“You are early,” said Mara Venn.");
    cited(&writer, &project, &pike, ("c2", LEDGER), ("did", "made them sign"), "“Sign it,” said Aldous Pike.");
    cited(&writer, &project, &heron, ("c3", END), ("is", "Aldous Pike"), "the Grey Heron was Aldous Pike");
    change(&writer, "story:entity:merge", &project, json!({ "entityId": pike, "otherId": heron, "at": at("c3") }));
    let story = || {
        let places = [("c1", FERRY), ("c2", LEDGER), ("c2", &LEDGER[..200])];
        places.map(|(chapter, before)| {
            let before = format!("{before} Aldous Pike and the Grey Heron looked at Mara Venn.");
            let args = json!({ "projectId": project, "chapterId": chapter, "skill": "continue", "before": before,
                "offset": before.encode_utf16().count() - 58 });
            story_of(&sent(&writer.ask("memory:context:assemble", args)))
        })
    };
    let whole = story();
    assert!(whole[1].iter().any(|line| line.contains("made them sign")), "{whole:?}");
    assert!(!whole.iter().flatten().any(|line| line.contains("is Aldous Pike")), "{whole:?}");
    assert!(!whole[0].iter().any(|line| line.contains("Grey Heron, ") || line.contains("also")), "{whole:?}");
    analyze(&writer, &project, &[FERRY, LEDGER]);
    assert_eq!(story(), whole);
    analyze(&writer, &project, &[FERRY]);
    assert_eq!(story()[0], whole[0]);
}

#[test]
fn an_edited_sentence_makes_its_fact_stale_and_a_moved_one_is_followed() {
    let writer = Writer::new();
    let (project, pike) = with_accepted(&writer, "Aldous Pike");
    let quote = "“Sign it,” said Aldous Pike.";
    let fact = cited(&writer, &project, &pike, ("c2", LEDGER), ("did", "made them sign"), quote);
    let on_card = || card(&writer, &project, &pike, None)["facts"][0].clone();
    let moved = LEDGER.replace("Three days later", "It rained for three days, and after that");
    analyze(&writer, &project, &[FERRY, &moved, END]);
    let now = on_card();
    assert_eq!((&now["citations"][0]["status"], &now["isStale"]), (&json!("moved"), &json!(false)));
    let from = moved[..moved.find(quote).unwrap()].encode_utf16().count();
    assert_eq!(now["citations"][0]["from"], from);
    assert_eq!(now["version"], fact["version"], "the writer has not changed it");
    assert_eq!(story_of(&prompt_at(&writer, &project, "c2", &moved)).len(), 1);

    let edited = LEDGER.replace("“Sign it,” said", "“Do not sign it,” said");
    analyze(&writer, &project, &[FERRY, &edited, END]);
    let now = on_card();
    assert_eq!((&now["citations"][0]["status"], &now["isStale"]), (&json!("changed"), &json!(true)));
    assert_eq!(now["citations"][0]["quote"], quote, "the card has the sentence as it was");
    assert_eq!(story_of(&prompt_at(&writer, &project, "c2", &edited)), Vec::<String>::new());
    // The sentence comes back: it holds again.
    analyze(&writer, &project, &[FERRY, LEDGER, END]);
    assert_eq!(on_card()["isStale"], false);
}

#[test]
fn a_sentence_that_moves_to_another_chapter_is_followed_and_one_of_a_deleted_chapter_is_gone() {
    let writer = Writer::new();
    let (project, pike) = with_accepted(&writer, "Aldous Pike");
    let quote = "“Sign it,” said Aldous Pike.";
    cited(&writer, &project, &pike, ("c2", LEDGER), ("did", "made them sign"), quote);
    let citation = || card(&writer, &project, &pike, None)["facts"][0]["citations"][0].clone();
    let (left, taken) = LEDGER.split_at(LEDGER.find(quote).unwrap());
    let merged = format!("{END}\n{taken}");
    analyze(&writer, &project, &[FERRY, left, &merged]);
    let now = citation();
    assert_eq!((&now["chapterId"], &now["status"]), (&json!("c3"), &json!("moved")));
    assert_eq!(now["from"], merged[..merged.find(quote).unwrap()].encode_utf16().count());
    analyze(&writer, &project, &[FERRY, left]);
    assert_eq!(citation()["status"], "gone");
    assert_eq!(card(&writer, &project, &pike, None)["facts"][0]["isStale"], true);
    // The deleted chapter comes back.
    analyze(&writer, &project, &[FERRY, left, &merged]);
    assert_eq!(
        (&citation()["chapterId"], card(&writer, &project, &pike, None)["facts"][0]["isStale"].clone()),
        (&json!("c3"), json!(false))
    );
    // The sentence is cut, and put into another chapter later.
    analyze(&writer, &project, &[FERRY, left, END]);
    assert_eq!(citation()["status"], "changed");
    let pasted = format!("{FERRY}\n{quote}\n");
    analyze(&writer, &project, &[&pasted, left, END]);
    assert_eq!((&citation()["chapterId"], &citation()["status"]), (&json!("c1"), &json!("moved")));
}

#[test]
fn the_writer_confirms_a_stale_fact_as_it_was_or_with_its_new_sentence() {
    let writer = Writer::new();
    let (project, pike) = with_accepted(&writer, "Aldous Pike");
    let quote = "“Sign it,” said Aldous Pike.";
    cited(&writer, &project, &pike, ("c2", LEDGER), ("did", "made them sign"), quote);
    let edited = LEDGER.replace("“Sign it,” said", "“Sign here,” said");
    analyze(&writer, &project, &[FERRY, &edited, END]);
    let stale = card(&writer, &project, &pike, None)["facts"][0].clone();
    let confirm = |fact: &Value, more: Value| {
        let mut args = more;
        args["factId"] = fact["factId"].clone();
        args["version"] = fact["version"].clone();
        change(&writer, "story:fact:confirm", &project, args)
    };
    let kept = confirm(&stale, json!({}));
    assert_eq!((&kept["fact"]["citations"], &kept["fact"]["toldAt"]["chapterId"]), (&json!([]), &json!("c2")));
    assert_eq!(story_of(&prompt_at(&writer, &project, "c2", &edited)).len(), 1);
    assert_eq!(story_of(&prompt_at(&writer, &project, "c1", "Aldous Pike.")), Vec::<String>::new());
    let new = json!({ "chapterId": "c2", "from": 0, "quote": "\"Sign here,\" said Aldous Pike" });
    let again = confirm(&kept["fact"], json!({ "citation": new }));
    assert_eq!(again["fact"]["citations"][0]["quote"], "“Sign here,” said Aldous Pike");
    let old = json!({ "projectId": project, "factId": stale["factId"], "version": stale["version"] });
    assert_eq!(writer.refused("story:fact:confirm", old).0, "MEMORY_STALE_VERSION");
}

#[test]
fn a_fact_holds_until_the_one_that_replaces_it_and_again_once_that_one_is_deleted() {
    let writer = Writer::new();
    let (project, tobias) = with_accepted(&writer, "Tobias");
    let first = cited(&writer, &project, &tobias, ("c1", FERRY), ("mood", "merry"), "Tobias laughed");
    let args = json!({ "entityId": tobias, "attribute": "mood", "value": "uneasy", "supersedes": first["factId"],
        "toldAt": { "chapterId": "c2", "offset": 40 } });
    let second = change(&writer, "story:fact:save", &project, args)["fact"].clone();
    let as_of = |chapter: &str| values(&card(&writer, &project, &tobias, Some(at(chapter))));
    assert_eq!((as_of("c1"), as_of("c2")), (vec!["merry".to_owned()], vec!["uneasy".to_owned()]));
    let folded = card(&writer, &project, &tobias, None)["facts"][0]["earlier"][0].clone();
    assert_eq!(folded["value"], "merry");
    let story = |chapter: &str, before: &str| story_of(&prompt_at(&writer, &project, chapter, before)).join("\n");
    assert!(story("c1", FERRY).contains("merry") && story("c2", LEDGER).contains("uneasy"));
    let args = json!({ "factId": second["factId"], "version": second["version"] });
    change(&writer, "story:fact:delete", &project, args);
    assert_eq!(as_of("c2"), ["merry"]);
    // A fact cannot replace one that replaces it.
    let third = json!({ "projectId": project, "entityId": tobias, "attribute": "mood", "value": "merry",
        "factId": first["factId"], "version": 3, "supersedes": first["factId"] });
    assert_eq!(writer.refused("story:fact:save", third).1, "supersedes");
}

#[test]
fn a_secret_is_marked_for_the_reader_only_where_none_who_knows_it_is_present() {
    let writer = Writer::new();
    let (project, pike) = with_accepted(&writer, "Aldous Pike");
    let venn = accepted(&writer, &project, "Mara Venn");
    let fact = cited(&writer, &project, &pike, ("c2", LEDGER), ("secret", "the pen"), "gave the pen to Aldous Pike");
    let know = json!({ "factId": fact["factId"], "version": fact["version"], "entityId": venn,
        "since": { "chapterId": "c3", "offset": 0 } });
    let known = change(&writer, "story:fact:known-by", &project, know)["fact"].clone();
    assert_eq!(known["knownBy"][0]["since"]["chapterId"], "c3");
    let line = |chapter: &str, before: &str| story_of(&prompt_at(&writer, &project, chapter, before)).join("\n");
    assert!(line("c2", LEDGER).contains("the pen (reader only)"), "{}", line("c2", LEDGER));
    let with_her = format!("{END} Mara Venn looked at Aldous Pike.");
    assert!(line("c3", &with_her).contains("the pen"), "{}", line("c3", &with_her));
    assert!(!line("c3", &with_her).contains("reader only"), "{}", line("c3", &with_her));
    let early = card(&writer, &project, &pike, Some(at("c2")))["facts"][0]["knownBy"].clone();
    assert_eq!(early, json!([]), "who learns it later is not shown yet");
    let forget = json!({ "factId": fact["factId"], "version": known["version"], "entityId": venn });
    assert_eq!(change(&writer, "story:fact:known-by", &project, forget)["fact"]["knownBy"], json!([]));
}

#[test]
fn a_card_says_why_it_is_in_the_prompt_and_not_here_keeps_it_out() {
    let writer = Writer::new();
    let (project, venn) = with_accepted(&writer, "Mara Venn");
    let pike = accepted(&writer, &project, "Aldous Pike");
    let relation = json!({ "entityId": venn, "attribute": "works for", "value": "Aldous Pike", "objectId": pike });
    change(&writer, "story:fact:save", &project, relation);
    let rule = json!({ "kind": "worldRule", "name": "The gauge", "aliases": [] });
    let rule = change(&writer, "story:entity:save", &project, rule)["entityIds"][0].clone();
    let args = json!({ "entityId": rule, "attribute": "is read", "value": "four times a day" });
    change(&writer, "story:fact:save", &project, args);
    let before = format!("{END} Then Mara Venn came back.");
    let asked = json!({ "projectId": project, "chapterId": "c3", "skill": "continue", "before": before });
    let context = writer.ask("memory:context:assemble", asked.clone());
    let why: Vec<(String, Value)> = context["memoryReferences"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["kind"] == "entity")
        .map(|one| (text(one, "text"), one["matchedBy"][0].clone()))
        .collect();
    // He is named too, but of him there is nothing to say.
    assert_eq!(why.len(), 2, "{why:?}");
    assert_eq!((why[0].0.as_str(), &why[0].1), ("- Mara Venn: works for Aldous Pike", &json!("named")));
    assert_eq!((why[1].0.as_str(), &why[1].1), ("- The gauge: is read four times a day", &json!("pinned")));

    let (started, _) = writer.run(asked.clone());
    let judged = json!({ "projectId": project, "generationId": started["generationId"],
        "referenceId": format!("entity:{}", rule.as_str().unwrap()), "verdict": "notHere" });
    writer.ask("memory:trace:feedback", judged);
    let context = writer.ask("memory:context:assemble", asked);
    assert!(!sent(&context).contains("The gauge"));
    let cut = context["cut"].as_array().unwrap();
    assert!(cut.iter().any(|one| one["kind"] == "entity" && one["reason"] == "notHere"), "{cut:?}");
}

#[test]
fn a_hidden_entity_is_in_no_prompt_and_a_hidden_name_in_none_as_it_is() {
    let writer = Writer::new();
    let (project, venn) = with_accepted(&writer, "Mara Venn");
    cited(&writer, &project, &venn, ("c1", FERRY), ("greeted", "Tobias"), "“You are early,” said Mara Venn.");
    let names = json!({ "projectId": project, "names": [{ "name": "Tobias", "alias": "Jonas" }] });
    writer.ask("memory:names:set", names);
    let story = || story_of(&prompt_at(&writer, &project, "c1", FERRY)).join("\n");
    assert!(story().contains("greeted Jonas"), "{}", story());
    let save =
        json!({ "entityId": venn, "version": 1, "kind": "character", "name": "Mara Venn", "visibility": "hidden" });
    change(&writer, "story:entity:save", &project, save);
    assert_eq!(story(), "");
    assert_eq!(values(&card(&writer, &project, &venn, None)), ["Tobias"], "the card is the writer's");
}

#[test]
fn a_planned_fact_is_on_the_card_and_in_no_prompt() {
    let writer = Writer::new();
    let (project, venn) = with_accepted(&writer, "Mara Venn");
    let args =
        json!({ "entityId": venn, "attribute": "end", "value": "leaves", "certainty": "planned", "at": at("c1") });
    let fact = change(&writer, "story:fact:save", &project, args)["fact"].clone();
    assert_eq!(fact["toldAt"]["chapterId"], "c1", "known from where the writer looked");
    assert_eq!(values(&card(&writer, &project, &venn, Some(at("c2")))), ["leaves"]);
    assert_eq!(story_of(&prompt_at(&writer, &project, "c2", &format!("{LEDGER} Mara Venn"))), Vec::<String>::new());
}

#[test]
fn words_that_the_text_does_not_have_are_not_cited_and_nothing_is_stored() {
    let writer = Writer::new();
    let (project, venn) = with_accepted(&writer, "Mara Venn");
    let save = |citation: Value| json!({ "projectId": project, "entityId": venn, "attribute": "a", "value": "b", "citation": citation });
    let quote = |quote: &str| json!({ "chapterId": "c1", "from": 0, "quote": quote });
    let refused = |citation: Value| writer.refused("story:fact:save", save(citation));
    let not_found = ("MEMORY_CITATION_NOT_FOUND".to_owned(), "citation.quote".to_owned());
    assert_eq!(refused(quote("You are late, said Mara Venn")), not_found);
    assert_eq!(refused(json!({ "chapterId": "c2", "from": 0, "quote": "You are early" })), not_found);
    assert_eq!(refused(json!({ "chapterId": "c9", "from": 0, "quote": "x" })).1, "citation.chapterId");
    assert_eq!(refused(quote("")).1, "citation.quote");
    assert_eq!(refused(quote(&"x".repeat(501))).1, "citation.quote");
    assert_eq!(values(&card(&writer, &project, &venn, None)), Vec::<String>::new());
}

#[test]
fn bad_facts_are_refused_with_the_field() {
    let writer = Writer::new();
    let (project, venn) = with_accepted(&writer, "Mara Venn");
    let good = json!({ "projectId": project, "entityId": venn, "attribute": "a", "value": "b" });
    let saved = writer.ask("story:fact:save", good.clone())["fact"].clone();
    let position = json!({ "chapterId": "c9", "offset": 0 });
    for (field, value, named, code) in [
        ("attribute", json!(""), "attribute", "MEMORY_INVALID_ARGUMENT"),
        ("attribute", json!("a\nb"), "attribute", "MEMORY_INVALID_ARGUMENT"),
        ("attribute", json!("x".repeat(61)), "attribute", "MEMORY_INVALID_ARGUMENT"),
        ("value", json!("x".repeat(501)), "value", "MEMORY_INVALID_ARGUMENT"),
        ("value", json!("a\u{0}b"), "value", "MEMORY_INVALID_ARGUMENT"),
        ("value", json!("a\u{202e}b"), "value", "MEMORY_INVALID_ARGUMENT"),
        ("validFrom", json!(" "), "validFrom", "MEMORY_INVALID_ARGUMENT"),
        ("toldAt", position, "toldAt.chapterId", "MEMORY_INVALID_ARGUMENT"),
        ("objectId", venn.clone(), "objectId", "MEMORY_INVALID_ARGUMENT"),
        ("objectId", json!("none"), "objectId", "MEMORY_NOT_FOUND"),
        ("entityId", json!("none"), "entityId", "MEMORY_NOT_FOUND"),
        ("factId", json!("none"), "factId", "MEMORY_NOT_FOUND"),
        ("supersedes", json!("none"), "supersedes", "MEMORY_NOT_FOUND"),
        ("certainty", json!("sure"), "certainty", "MEMORY_INVALID_ARGUMENT"),
    ] {
        let mut args = good.clone();
        args[field] = value;
        let refused = writer.refused("story:fact:save", args);
        assert_eq!((refused.0.as_str(), refused.1.as_str()), (code, named), "{field}");
    }
    let stale = json!({ "projectId": project, "factId": saved["factId"], "version": 9 });
    assert_eq!(writer.refused("story:fact:delete", stale).0, "MEMORY_STALE_VERSION");
    assert_eq!(values(&card(&writer, &project, &venn, None)), ["b"]);
}

#[test]
fn a_proposed_fact_is_taken_in_and_taken_back_and_one_that_the_writer_deleted_is_not_proposed_again() {
    let study = Study::agreed(Script::dutiful());
    let (writer, project) = (&study.writer, study.project.as_str());
    study.run();
    let proposed = study.proposed_facts()[0].clone();
    let facts = || card(writer, project, &proposed["entityId"], None)["facts"].as_array().unwrap().clone();
    assert!(facts().is_empty(), "a proposal is on no card");
    let record = study.records()[0].clone();
    let verdict = json!({ "answerId": record["answerId"], "version": record["version"], "verdict": "keep" });
    let kept = change(writer, "knowledge:record:judge", project, verdict);
    let fact = facts()[0].clone();
    assert_eq!((&fact["factId"], &fact["origin"]), (&proposed["factId"], &json!("confirmed")));
    assert_eq!(fact["citations"][0]["quote"], "when Tobias was twelve");

    let deleted = change(writer, "story:fact:delete", project, json!({ "factId": fact["factId"], "version": 1 }));
    assert!(facts().is_empty());
    study.study("Who was Tobias twelve years old with?");
    assert_eq!((study.records().len(), study.proposed_facts()), (2, vec![]), "the writer has deleted it");
    change(writer, "story:undo", project, json!({ "changeId": deleted["changeId"] }));
    assert_eq!(facts()[0]["value"], "twelve");
    study.study("How old was Tobias when they met in Harwick?");
    assert_eq!((study.records().len(), study.proposed_facts()), (3, vec![]), "the writer has it");

    let refused = writer.refused("story:undo", json!({ "projectId": project, "changeId": kept["changeId"] }));
    assert_eq!(refused.0, "MEMORY_STALE_VERSION", "it was changed since");
}
