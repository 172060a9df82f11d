//! The style profile of a book's chapters: shown to the writer, never used for learning.

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

fn side(profile: &Value, feature: &str) -> Value {
    let sides = profile["sides"].as_array().unwrap();
    sides.iter().find(|side| side["feature"] == feature).unwrap_or_else(|| panic!("{profile}")).clone()
}

#[test]
fn the_style_profile_works_in_both_languages_and_nothing_is_learned_from_it() {
    for (language, longest) in [("zh", 40.0), ("en", 30.0)] {
        let writer = Writer::new();
        let book = writer.ask("project:sample", json!({ "language": language }));
        let project = text(&book["project"], "projectId");
        let profile = writer.ask("project:style", json!({ "projectId": project }));
        assert!(profile["passages"].as_u64() > Some(3), "{profile}");
        assert_eq!((&profile["chapters"], &profile["byAssistant"]), (&json!(3), &json!(0)));
        let sentence = side(&profile, "sentenceLength");
        let [low, mean, high] = ["low", "mean", "high"].map(|name| sentence[name].as_f64().unwrap());
        assert!(3.0 < low && low <= high && high < longest && 3.0 < mean && mean < longest, "{sentence}");
        let share = side(&profile, "dialogueShare")["mean"].as_f64().unwrap();
        assert!(0.0 < share && share < 0.9, "{share}");
        let rules = writer.ask("memory:semantic:list", json!({ "projectId": project }));
        assert_eq!((&rules["rules"], &rules["episodesRecorded"]), (&json!([]), &json!(0)));
    }
}

#[test]
fn text_of_the_assistant_does_not_count_as_the_writers_style() {
    let writer = Writer::new();
    let book = writer.ask("project:sample", json!({ "language": "zh" }));
    let project = text(&book["project"], "projectId");
    let chapter = text(&book["chapters"][0], "chapterId");
    let style = || writer.ask("project:style", json!({ "projectId": project }));
    let before = side(&style(), "exclamations")["mean"].as_f64().unwrap();
    let read = writer.ask("chapter:read", json!({ "projectId": project, "chapterId": chapter }));
    let own = text(&read, "text");
    let shouted = "快走！快走！别回头！\n\n".repeat(80);
    let from = own.encode_utf16().count() + 1;
    let mut write = json!({
        "projectId": project, "chapterId": chapter, "text": format!("{own}\n{shouted}"), "baseHash": read["contentHash"],
        "origins": [{ "generationId": "g1", "from": from, "to": from + shouted.trim_end().encode_utf16().count() }],
    });
    let written = writer.ask("chapter:write", write.clone());
    let after = style();
    assert_eq!(after["byAssistant"], json!(560));
    assert!((side(&after, "exclamations")["mean"].as_f64().unwrap() - before).abs() < 0.05, "{after}");
    // The same text as the writer's own.
    write["baseHash"] = written["contentHash"].clone();
    write["origins"] = json!([]);
    writer.ask("chapter:write", write);
    let own = style();
    assert_eq!(own["byAssistant"], json!(0));
    assert!(side(&own, "exclamations")["mean"].as_f64().unwrap() > before + 0.1, "{own}");
}

#[test]
fn a_book_without_a_page_of_prose_has_no_style_yet() {
    let writer = Writer::new();
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("01.md"), "# 一\n\n雨停了。\n").unwrap();
    let opened = writer.ask("project:open", json!({ "path": folder.path() }));
    let project = text(&opened["book"]["project"], "projectId");
    let profile = writer.ask("project:style", json!({ "projectId": project }));
    assert_eq!((&profile["passages"], &profile["sides"]), (&json!(0), &json!([])));
}
