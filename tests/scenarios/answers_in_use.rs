//! Answers while the book is written: kept although their sentences changed, doubted when the book comes to say what
//! they did not find, and promoted to all books.

use std::fs;

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    answers::{DAY_MILLIS, LONG, folder_book, get, listed, of_book, prepare, record, run, validate, why_left_out},
    exchange,
};

/// The id of the book of answers for all books.
const EVERY_BOOK: &str = "00000000-0000-0000-0000-000000000000";
const FERRY: &str = "When did the ferry sink?";

/// An answer that rests on a sentence of the first chapter.
fn cited(writer: &Writer, project: &str, chapter: &str, (question, quote): (&str, &str)) -> String {
    let citations = json!([{ "chapterId": chapter, "quote": quote, "from": 0 }]);
    let asked = json!({ "question": question, "answer": "In the autumn.", "citations": citations });
    text(&writer.ask("answer:record", of_book(project, asked))["answer"], "answerId")
}

fn recheck(writer: &Writer, project: &str) -> Value {
    writer.ask("answer:recheck", of_book(project, json!({})))
}

/// The writer says that an answer is still right.
fn reaffirm(writer: &Writer, project: &str, id: &str) -> Value {
    let version = get(writer, project, id)["version"].clone();
    writer.ask("answer:reaffirm", of_book(project, json!({ "answerId": id, "version": version })))
}

fn undo_change(writer: &Writer, project: &str, change: &Value) -> Value {
    writer.ask("answer:undo", of_book(project, json!({ "eventId": change["eventId"] })))["answer"].clone()
}

#[test]
fn an_answer_on_changed_text_that_is_still_right_rests_on_the_new_sentence_until_that_is_undone() {
    for (chapter, quote, changed, now) in [
        (
            "# One\n\nIt was late. The ferry sank in the autumn. No one swam.\n",
            "The ferry sank in the autumn.",
            "# One\n\nIt was late, and cold. The ferry went down in the autumn. No one swam.\n",
            "The ferry went down in the autumn.",
        ),
        (
            "# 一\n\n夜深了。那年秋天渡船沉在了河口。没有人游水。\n",
            "那年秋天渡船沉在了河口。",
            "# 一\n\n夜很深了。渡船沉在河口，是那年深秋。没有人游水。\n",
            "渡船沉在河口，是那年深秋。",
        ),
    ] {
        let writer = Writer::new();
        let (project, chapter_id, file) = folder_book(&writer, chapter);
        let id = cited(&writer, &project, &chapter_id, (FERRY, quote));
        validate(&writer, &project, &id, "pass");
        fs::write(&file, changed).unwrap();
        recheck(&writer, &project);
        let stale = get(&writer, &project, &id);
        assert_eq!(stale["staleness"], "stale");
        let capacities = writer.ask("memory:status", json!({}))["capacities"].clone();
        let full = capacities.as_array().unwrap().iter().find(|one| one["projectId"] == *project).unwrap();
        assert_eq!((&full["answers"]["count"], &full["staleAnswers"]), (&json!(1), &json!(1)));
        let replacements = writer.ask("answer:replacements", of_book(&project, json!({ "answerId": id })));
        assert_eq!(replacements["replacements"][0]["citation"]["quote"], *now);
        assert_eq!(replacements["replacements"][0]["ordinal"], 0);

        let kept = reaffirm(&writer, &project, &id);
        let answer = &kept["answer"];
        assert_eq!((&answer["staleness"], &answer["passes"]), (&json!("current"), &json!(2)));
        assert_eq!(
            (&answer["citations"][0]["quote"], &answer["citations"][0]["status"]),
            (&json!(now), &json!("holds"))
        );
        assert_eq!(recheck(&writer, &project), json!({ "checked": 1, "moved": 0, "changed": 0, "gone": 0 }));
        assert_eq!(prepare(&writer, &project, FERRY)["injected"][0]["answerId"], *id);
        let history = writer.ask("answer:history", of_book(&project, json!({ "answerId": id })));
        let event = &history["events"][0];
        assert_eq!((&event["source"], &event["signalStrength"]), (&json!("writer"), &json!("strong")));
        assert_eq!(event["citations"]["before"][0]["quote"], *quote);

        let undone = undo_change(&writer, &project, &kept);
        let same = ["citations", "staleness", "validationLevel", "trust", "passes", "posterior"];
        assert!(same.iter().all(|field| undone[*field] == stale[*field]), "{undone}");
        recheck(&writer, &project);
        assert_eq!(get(&writer, &project, &id)["staleness"], "stale");
        // The old sentence comes back.
        fs::write(&file, chapter).unwrap();
        recheck(&writer, &project);
        assert_eq!(get(&writer, &project, &id)["staleness"], "current");
    }
}

#[test]
fn a_verdict_on_changed_text_is_refused_for_an_old_version_and_for_a_chapter_that_is_gone() {
    let writer = Writer::new();
    let (project, chapter, file) = folder_book(&writer, "# One\n\nThe ferry sank in the autumn.\n");
    fs::write(file.with_file_name("02.md"), "# Two\n\nThe sea was calm.\n").unwrap();
    let id = cited(&writer, &project, &chapter, (FERRY, "The ferry sank in the autumn."));
    let old = json!({ "answerId": id, "version": 1 });
    validate(&writer, &project, &id, "pass");
    assert_eq!(writer.refused("answer:reaffirm", of_book(&project, old)).0, "MEMORY_STALE_VERSION");
    let unchanged = reaffirm(&writer, &project, &id);
    assert!(unchanged["eventId"].is_null(), "nothing has changed: {unchanged}");
    fs::remove_file(&file).unwrap();
    recheck(&writer, &project);
    let gone = get(&writer, &project, &id);
    assert_eq!(gone["staleness"], "stale");
    let replacements = writer.ask("answer:replacements", of_book(&project, json!({ "answerId": id })));
    assert!(replacements["replacements"][0]["citation"].is_null(), "{replacements}");
    let args = json!({ "answerId": id, "version": gone["version"] });
    assert_eq!(writer.refused("answer:reaffirm", of_book(&project, args)).0, "MEMORY_CITATION_NOT_FOUND");
    assert_eq!(get(&writer, &project, &id), gone);
}

#[test]
fn a_confirmed_answer_that_failed_since_is_kept_by_the_writer_and_challenged_again_once_that_is_undone() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    let recorded = record(&writer, &project, FERRY, LONG);
    let id = text(&recorded, "answerId");
    let confirm = json!({ "answerId": id, "version": recorded["version"], "userConfirmed": true });
    writer.ask("answer:confirm", of_book(&project, confirm));
    for _ in 0..2 {
        run(&writer, &project, FERRY, 1);
    }
    assert_eq!(get(&writer, &project, &id)["isChallenged"], true);
    let kept = reaffirm(&writer, &project, &id);
    assert_eq!((&kept["answer"]["isChallenged"], &kept["answer"]["userConfirmed"]), (&json!(false), &json!(true)));
    let undone = undo_change(&writer, &project, &kept);
    assert_eq!((&undone["isChallenged"], &undone["userConfirmed"]), (&json!(true), &json!(true)));
}

fn found(writer: &Writer, project: &str, query: &str) -> Vec<Value> {
    let answer = writer.ask("answer:search", of_book(project, json!({ "query": query, "minScore": 0 })));
    answer["matches"].as_array().unwrap().clone()
}

fn promote(writer: &Writer, project: &str, id: &str) -> Value {
    let version = get(writer, project, id)["version"].clone();
    writer.ask("answer:promote", of_book(project, json!({ "answerId": id, "version": version })))
}

#[test]
fn no_answer_of_a_book_reaches_another_but_a_promoted_one_which_leaves_its_sentences_behind() {
    let writer = Writer::new();
    let (project, chapter, _) = folder_book(&writer, "# One\n\nThe ferry sank in the autumn.\n");
    let other = writer.book("Day Ferry", "en");
    let citations = json!([{ "chapterId": chapter, "quote": "The ferry sank in the autumn.", "from": 0 }]);
    let asked = json!({ "question": "How long does a body float?", "answer": LONG, "kind": "research",
        "citations": citations, "details": { "tags": ["water"], "sourceFiles": ["notes/ferry.md"] } });
    let id = text(&writer.ask("answer:record", of_book(&project, asked))["answer"], "answerId");
    record(&writer, &project, "How long is the ferry?", "Forty feet.");
    for _ in 0..3 {
        validate(&writer, &project, &id, "pass");
    }
    assert!(found(&writer, &other, "How long does a body float?").is_empty(), "nothing reaches the other book");
    assert_eq!(listed(&writer, &other)["total"], 0);
    assert!(prepare(&writer, &other, "How long does a body float?")["injected"].as_array().unwrap().is_empty());

    let promoted = promote(&writer, &project, &id);
    assert_eq!(promoted["answer"]["isPromoted"], true);
    let matches = found(&writer, &other, "How long does a body float?");
    assert_eq!(matches.len(), 1, "{matches:?}");
    let copy = &matches[0]["answer"];
    assert_eq!((&copy["scope"], &copy["citations"]), (&json!("global"), &json!([])));
    assert_eq!((&copy["details"]["tags"], &copy["details"]["sourceFiles"]), (&json!([]), &json!([])));
    let standing = ["validationLevel", "trust", "passes", "status"];
    assert!(standing.iter().all(|field| copy[*field] == promoted["answer"][*field]), "{copy}");
    assert!(!copy.to_string().contains(&project), "the book is not named: {copy}");
    assert_eq!(prepare(&writer, &other, "How long does a body float?")["injected"][0]["answerId"], copy["answerId"]);
    assert_eq!(writer.refused("answer:get", of_book(&other, json!({ "answerId": id }))).0, "MEMORY_SCOPE_DENIED");
    // The book has its own answer, and the copy not beside it.
    let own: Vec<Value> = found(&writer, &project, "How long does a body float?")
        .iter()
        .map(|one| one["answer"]["answerId"].clone())
        .collect();
    assert!(own.contains(&json!(id)) && !own.contains(&copy["answerId"]), "{own:?}");
    assert_eq!((&listed(&writer, &project)["total"], &listed(&writer, &other)["total"]), (&json!(2), &json!(1)));
    // Promoted again, it is the same copy.
    let again = promote(&writer, &project, &id);
    assert_eq!((&again["promoted"]["answerId"], &again["eventId"]), (&copy["answerId"], &Value::Null));

    let undone = writer.ask("answer:undo", of_book(&project, json!({ "eventId": promoted["eventId"] })));
    assert_eq!(undone["answer"]["isPromoted"], false);
    assert!(found(&writer, &other, "How long does a body float?").is_empty());
    assert_eq!(listed(&writer, &other)["total"], 0);
}

#[test]
fn an_answer_about_the_book_or_with_a_hidden_name_is_not_promoted() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let other = writer.book("早航", "zh");
    let names = json!([{ "name": "阿满", "alias": "小丁" }]);
    writer.ask("memory:names:set", of_book(&other, json!({ "names": names })));
    let decision = json!({ "question": "岛叫什么？", "answer": "不起名字。", "kind": "decision" });
    let decision = writer.ask("answer:record", of_book(&project, decision))["answer"].clone();
    let named = record(&writer, &project, "落水的人多久会浮上来？", "阿满查过，要两三个星期。");
    for (answer, reason) in [(&decision, Value::Null), (&named, json!("hiddenNames"))] {
        let args = json!({ "answerId": answer["answerId"], "version": answer["version"] });
        let error = writer.error("answer:promote", of_book(&project, args));
        assert_eq!(json!(error.code), "MEMORY_INVALID_ARGUMENT");
        assert_eq!(json!(error.details.unwrap().reason), reason);
    }
    assert_eq!(listed(&writer, &other)["total"], 0);
}

#[test]
fn a_promoted_answer_outlives_the_clearing_of_its_book_like_a_promoted_rule() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    let other = writer.book("Day Ferry", "en");
    let id = text(&record(&writer, &project, "How long does a body float?", LONG), "answerId");
    let copy = text(&promote(&writer, &project, &id)["promoted"], "answerId");
    writer.ask("memory:clear:project", of_book(&project, json!({ "confirmed": true })));
    assert_eq!(listed(&writer, &other)["answers"][0]["answerId"], *copy);
    assert_eq!(found(&writer, &other, "How long does a body float?")[0]["answer"]["answerId"], *copy);
    // It is in the file of everything, and in no file of one book.
    let elsewhere = Writer::new();
    exchange::import(&elsewhere, &exchange::export(&writer, None));
    assert_eq!(get(&elsewhere, &other, &copy), get(&writer, &other, &copy));
    let third = Writer::new();
    exchange::import(&third, &exchange::export(&writer, Some(&other)));
    assert_eq!(listed(&third, &other)["total"], 0);
    let version = get(&writer, &other, &copy)["version"].clone();
    let delete = json!({ "answerId": copy, "version": version, "confirmed": true });
    writer.ask("answer:delete", of_book(&other, delete));
    assert_eq!(listed(&writer, &other)["total"], 0);
    writer.ask("memory:clear:all", json!({ "confirmed": true }));
}

#[test]
fn an_answer_that_found_nothing_in_the_book_is_doubted_once_a_sentence_says_it_wherever_it_is_written() {
    for (before, question, answer, other, says) in [
        (
            "# One\n\nMei came home with the tide. No one asked for her family name at the door.\n",
            "What was the family name of Mei?",
            "The book does not say.",
            "The boat was late, and the lamp was out.",
            "Mei wrote her family name into the log: Zhou.",
        ),
        (
            "# 一\n\n阿满跟着潮水回来了。门口没有人问她姓什么。\n",
            "阿满姓什么？",
            "书里没有写到。",
            "船来晚了，灯也灭了。",
            "阿满姓周，周家渡的周。",
        ),
    ] {
        let writer = Writer::new();
        let (project, _, file) = folder_book(&writer, before);
        let asked = json!({ "question": question, "answer": answer, "notInBook": true });
        let id = text(&writer.ask("answer:record", of_book(&project, asked))["answer"], "answerId");
        validate(&writer, &project, &id, "pass");
        recheck(&writer, &project);
        assert_eq!(get(&writer, &project, &id)["staleness"], "current", "it was looked at: {question}");
        fs::write(&file, format!("{before}\n{other}\n")).unwrap();
        recheck(&writer, &project);
        assert_eq!(get(&writer, &project, &id)["staleness"], "current", "{other}");
        // In a new chapter, which was not looked at.
        fs::write(file.with_file_name("02.md"), format!("# Two\n\n{other} {says}\n")).unwrap();
        writer.ask("chapter:list", of_book(&project, json!({})));
        recheck(&writer, &project);
        let doubted = get(&writer, &project, &id);
        assert_eq!(doubted["staleness"], "maybe", "{says}");
        let nearby = &doubted["nearby"];
        let length = nearby["to"].as_u64().unwrap() - nearby["from"].as_u64().unwrap();
        assert_eq!(length, says.encode_utf16().count() as u64);
        let prepared = prepare(&writer, &project, question);
        assert_eq!((why_left_out(&prepared, &id), &prepared["injected"]), ("changed".into(), &json!([])));
        // It says nothing of the kind, the writer says, until that is undone.
        let kept = reaffirm(&writer, &project, &id);
        assert_eq!((&kept["answer"]["staleness"], &kept["answer"]["nearby"]), (&json!("current"), &Value::Null));
        recheck(&writer, &project);
        assert_eq!(get(&writer, &project, &id)["staleness"], "current");
        let undone = undo_change(&writer, &project, &kept);
        assert_eq!((&undone["staleness"], &undone["nearby"]), (&json!("maybe"), nearby));
    }
}

#[test]
fn chapters_that_the_book_does_not_have_are_no_basis_of_an_answer() {
    let writer = Writer::new();
    let (project, chapter, _) = folder_book(&writer, "# One\n\nThe ferry sank in the autumn.\n");
    let asked = |basis: Value| json!({ "question": "Who swam?", "answer": "It is not said.", "basis": basis });
    let unknown = asked(json!(["00000000-0000-4000-8000-000000000000"]));
    assert_eq!(
        writer.refused("answer:record", of_book(&project, unknown)),
        ("MEMORY_NOT_FOUND".into(), "basis".into())
    );
    assert_eq!(listed(&writer, &project)["total"], 0);
    writer.ask("answer:record", of_book(&project, asked(json!([chapter]))));
    assert_eq!(listed(&writer, &project)["total"], 1);
}

/// The validations of an answer that came of its use, latest first: source, result, strength, whether it counts.
fn uses(writer: &Writer, project: &str, id: &str) -> Vec<(String, String, String, bool)> {
    let history = writer.ask("answer:history", of_book(project, json!({ "answerId": id })));
    let validated = history["events"].as_array().unwrap().iter().filter(|event| event["kind"] == "validated");
    let use_of = |event: &Value| {
        let fields = ["source", "result", "signalStrength"].map(|field| text(event, field));
        let [source, result, strength] = fields;
        (source, result, strength, event["isApplied"] == true)
    };
    validated.map(use_of).collect()
}

/// As [`uses`], once there are `count` of them: a changed file may also be checked in the background.
fn uses_once(writer: &Writer, project: &str, id: &str, count: usize) -> Vec<(String, String, String, bool)> {
    writer.ask_until("answer:history", of_book(project, json!({ "answerId": id })), |history| {
        let events = history["events"].as_array().unwrap();
        events.iter().filter(|event| event["kind"] == "validated").count() == count
    });
    uses(writer, project, id)
}

fn use_signal(source: &str, result: &str, strength: &str, counts: bool) -> (String, String, String, bool) {
    (source.into(), result.into(), strength.into(), counts)
}

#[test]
fn an_answer_in_a_chapter_counts_a_day_later_and_against_it_once_it_is_taken_out() {
    for (chapter, answer) in [
        ("# One\n\nThe quay was empty.\n", LONG),
        ("# 一\n\n码头上没有人。\n", "潮位每天推迟约五十分钟，周一黎明出港的船，到周五黎明就出不去了，要等到下午。"),
    ] {
        let writer = Writer::new();
        let (project, _, file) = folder_book(&writer, chapter);
        let id = text(&record(&writer, &project, "When can the boat leave?", answer), "answerId");
        let quoted = text(&record(&writer, &project, "Who is on the quay?", chapter), "answerId");
        recheck(&writer, &project);
        fs::write(&file, format!("{chapter}\n{answer}\n")).unwrap();
        recheck(&writer, &project);
        assert!(uses(&writer, &project, &id).is_empty(), "not yet");
        writer.clock.advance_millis(DAY_MILLIS);
        recheck(&writer, &project);
        assert_eq!(uses_once(&writer, &project, &id, 1), [use_signal("inserted", "pass", "strong", true)]);
        assert_eq!(get(&writer, &project, &id)["trust"], 0.55);
        recheck(&writer, &project);
        assert_eq!(uses(&writer, &project, &id).len(), 1, "once");
        fs::write(&file, chapter).unwrap();
        recheck(&writer, &project);
        assert_eq!(uses_once(&writer, &project, &id, 2)[0], use_signal("inserted", "fail", "medium", true));
        let history = writer.ask("answer:history", of_book(&project, json!({ "answerId": id })));
        undo_change(&writer, &project, &history["events"][0]);
        assert_eq!(get(&writer, &project, &id)["trust"], 0.55);
        assert!(uses(&writer, &project, &quoted).is_empty(), "the chapter had its words before");
    }
}

#[test]
fn an_answer_that_the_window_put_in_is_not_counted_again_when_the_chapter_is_read() {
    let chapter = "# One\n\nThe quay was empty.\n";
    let writer = Writer::new();
    let (project, _, file) = folder_book(&writer, chapter);
    let id = text(&record(&writer, &project, "When can the boat leave?", LONG), "answerId");
    recheck(&writer, &project);
    let put_in = || {
        let verdict = json!({ "answerId": id, "result": "pass", "source": "inserted" });
        writer.ask("answer:validate", of_book(&project, verdict))
    };
    let counted = put_in();
    assert_eq!(counted["answer"]["trust"], 0.55);
    fs::write(&file, format!("{chapter}\n{LONG}\n")).unwrap();
    recheck(&writer, &project);
    writer.clock.advance_millis(DAY_MILLIS);
    recheck(&writer, &project);
    assert_eq!(uses_once(&writer, &project, &id, 1), [use_signal("inserted", "pass", "strong", true)]);
    let again = put_in();
    assert_eq!((&again["eventId"], &again["answer"]["trust"]), (&Value::Null, &json!(0.55)));
    // Taken out and put in again, it is another use.
    fs::write(&file, chapter).unwrap();
    recheck(&writer, &project);
    assert_eq!(uses_once(&writer, &project, &id, 2)[0], use_signal("inserted", "fail", "medium", true));
    assert!(put_in()["eventId"].is_string());
    assert_eq!(uses(&writer, &project, &id).len(), 3);
}

#[test]
fn an_answer_whose_insertion_the_writer_undid_is_not_counted_by_the_chapter_either() {
    let chapter = "# One\n\nThe quay was empty.\n";
    let writer = Writer::new();
    let (project, _, file) = folder_book(&writer, chapter);
    let id = text(&record(&writer, &project, "When can the boat leave?", LONG), "answerId");
    recheck(&writer, &project);
    let verdict = json!({ "answerId": id, "result": "pass", "source": "inserted" });
    let counted = writer.ask("answer:validate", of_book(&project, verdict.clone()));
    fs::write(&file, format!("{chapter}\n{LONG}\n")).unwrap();
    recheck(&writer, &project);
    undo_change(&writer, &project, &counted);
    writer.clock.advance_millis(DAY_MILLIS);
    recheck(&writer, &project);
    assert_eq!(get(&writer, &project, &id)["trust"], 0.5);
    // The writer puts it in again.
    assert!(writer.ask("answer:validate", of_book(&project, verdict))["eventId"].is_string());
}

#[test]
fn copying_an_answer_counts_once_a_day_and_asking_again_within_ten_minutes_is_told_only() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    let question = "When can the boat leave the harbour?";
    let id = text(&record(&writer, &project, question, LONG), "answerId");
    let copy = || writer.ask("answer:copied", of_book(&project, json!({ "answerId": id })));
    let copied = copy();
    assert_eq!(copied["answer"]["trust"], 0.55);
    writer.clock.advance_millis(DAY_MILLIS / 2);
    assert!(copy()["eventId"].is_null(), "once a day");
    undo_change(&writer, &project, &copied);
    assert_eq!(get(&writer, &project, &id)["trust"], 0.5);
    writer.clock.advance_millis(DAY_MILLIS);
    copy();
    assert_eq!(uses(&writer, &project, &id)[0], use_signal("copied", "pass", "medium", true));

    let before = get(&writer, &project, &id);
    run(&writer, &project, question, 0);
    let trust = get(&writer, &project, &id)["trust"].clone();
    assert_ne!(trust, before["trust"]);
    writer.clock.advance_millis(10 * 60 * 1_000 + 1);
    prepare(&writer, &project, question);
    assert_eq!(uses(&writer, &project, &id)[0].0, "run", "later than ten minutes");
    run(&writer, &project, question, 0);
    let trust = get(&writer, &project, &id)["trust"].clone();
    writer.clock.advance_millis(60 * 1_000);
    prepare(&writer, &project, "  when can the boat leave the harbour ");
    assert_eq!(uses(&writer, &project, &id)[0], use_signal("reasked", "fail", "weak", false));
    assert_eq!(get(&writer, &project, &id)["trust"], trust);
    let refused = json!({ "answerId": id, "result": "fail", "source": "reasked" });
    assert_eq!(writer.refused("answer:validate", of_book(&project, refused)).1, "source");
}

#[test]
fn two_answers_to_one_question_that_say_something_else_name_each_other_until_the_writer_decides() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    let first = record(&writer, &project, "How many boats a day?", "Two, morning and afternoon.");
    assert_eq!(first["disagreesWith"], json!([]));
    let second = record(&writer, &project, "How many boats a day", "One.");
    record(&writer, &project, "How many boats a night?", "None.");
    let [first, second] = [&first, &second].map(|answer| text(answer, "answerId"));
    assert_eq!(get(&writer, &project, &first)["disagreesWith"], json!([second]));
    let page = listed(&writer, &project);
    let disagreeing = page["answers"].as_array().unwrap().iter().filter(|one| one["disagreesWith"] != json!([]));
    assert_eq!(disagreeing.count(), 2);
    let version = |id: &str| get(&writer, &project, id)["version"].clone();
    let block = json!({ "answerId": first, "version": version(&first) });
    writer.ask("answer:block", of_book(&project, block));
    assert_eq!(get(&writer, &project, &second)["disagreesWith"], json!([]));
    let unblock = json!({ "answerId": first, "version": version(&first) });
    writer.ask("answer:unblock", of_book(&project, unblock));
    for id in [&first, &second] {
        let confirm = json!({ "answerId": id, "version": version(id), "userConfirmed": true });
        writer.ask("answer:confirm", of_book(&project, confirm));
    }
    assert_eq!(get(&writer, &project, &first)["disagreesWith"], json!([]), "both are right");
}

/// Adds copies of an answer to the file, `count` in all, as if they had been recorded a day before.
fn fill_up(writer: &Writer, project: &str, count: u32) {
    let db = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    let columns: Vec<String> = db
        .prepare("SELECT name FROM pragma_table_info('answers') WHERE name NOT IN ('row', 'answer_id', 'question_key')")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let columns = columns.join(", ");
    db.execute(
        &format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?2) \
             INSERT INTO answers (answer_id, question_key, {columns}) \
             SELECT printf('%08x-0000-4000-8000-', n) || lower(hex(randomblob(6))), randomblob(16), {columns} FROM n, \
             (SELECT * FROM answers WHERE project_id = ?1 AND level = 0 AND NOT user_confirmed \
             AND status = 'active' AND promoted_to IS NULL LIMIT 1)"
        ),
        rusqlite::params![project, count],
    )
    .unwrap();
}

#[test]
fn maintenance_makes_room_in_a_full_book_and_keeps_what_was_settled_and_what_a_run_was_given() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    let settled = record(&writer, &project, "When did the ferry sink?", "In the autumn.");
    let confirm = json!({ "answerId": settled["answerId"], "version": 1, "userConfirmed": true });
    writer.ask("answer:confirm", of_book(&project, confirm));
    let question = "When can the boat leave the harbour?";
    let checked = text(&record(&writer, &project, question, LONG), "answerId");
    validate(&writer, &project, &checked, "pass");
    let blocked = record(&writer, &project, "Who rang the bell?", "The verger.");
    let block = json!({ "answerId": blocked["answerId"], "version": 1 });
    writer.ask("answer:block", of_book(&project, block));
    let shared = text(&record(&writer, &project, "How long does a body float?", LONG), "answerId");
    promote(&writer, &project, &shared);
    let candidate = text(&record(&writer, &project, "Where is the lighthouse?", "On the northern rock."), "answerId");
    let prepared = prepare(&writer, &project, "Where is the lighthouse?");
    assert_eq!(prepared["injected"][0]["answerId"], *candidate);
    writer.wait_until_idle();
    fill_up(&writer, &project, 5_010);
    writer.clock.advance_millis(1_000);
    writer.ask("memory:maintenance:run", json!({ "job": "daily" }));
    let page = listed(&writer, &project);
    assert_eq!(page["total"], 5_000);
    for id in [&text(&settled, "answerId"), &checked, &text(&blocked, "answerId"), &shared] {
        assert_eq!(get(&writer, &project, id)["answerId"], **id);
    }
    // Copies for all books stay, however many there are.
    fill_up(&writer, EVERY_BOOK, 5_010);
    writer.clock.advance_millis(1_000);
    writer.ask("memory:maintenance:run", json!({ "job": "daily" }));
    assert_eq!(listed(&writer, &project)["total"], 5_000 + 5_010);
    // The run goes on although its answer had to go.
    assert_eq!(writer.refused("answer:get", of_book(&project, json!({ "answerId": candidate }))).0, "MEMORY_NOT_FOUND");
    let outcome = json!({ "exitCode": 0, "answer": LONG });
    let completed =
        writer.ask("answer:complete", of_book(&project, json!({ "runId": prepared["runId"], "outcome": outcome })));
    assert!(completed["candidateId"].is_string(), "{completed}");
}

#[test]
fn an_edit_that_puts_a_key_into_an_answer_is_refused_and_leaves_it_as_it_is() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let recorded = record(&writer, &project, "何时？", "天亮。");
    for field in ["question", "answer"] {
        let mut edit = json!({ "answerId": recorded["answerId"], "version": recorded["version"] });
        edit[field] = json!("密钥sk-abcdefghij0123456789在这里");
        let refused = writer.refused("answer:update", of_book(&project, edit));
        assert_eq!(refused, ("MEMORY_INVALID_ARGUMENT".into(), field.into()));
    }
    assert_eq!(get(&writer, &project, &text(&recorded, "answerId")), recorded);
}
