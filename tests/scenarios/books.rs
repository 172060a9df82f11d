//! Guarantees for books and chapters on disk when files move, change or are copied.

use std::{fs, path::Path};

use palimpsest_tests::{Writer, copy_folder, text};
use serde_json::{Value, json};

use crate::passage;

fn folder(writer: &Writer, name: &str) -> String {
    let path = writer.path_beside(name);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("01-渡船.md"), "# 渡船\n\n渡船靠岸时，灯已经亮了。\n").unwrap();
    fs::write(path.join("02-簿子.md"), "# 簿子\n\n簿子摊在桌上。\n").unwrap();
    path.to_string_lossy().into_owned()
}

fn open_book(writer: &Writer, path: &str) -> Value {
    let answer = writer.ask("project:open", json!({ "path": path }));
    assert_eq!(answer["status"], "opened", "{answer}");
    answer["book"].clone()
}

fn read_chapter(writer: &Writer, book: &Value, chapter: usize) -> Value {
    writer.ask("chapter:read", chapter_args(book, chapter))
}

fn chapter_args(book: &Value, chapter: usize) -> Value {
    json!({ "projectId": book["project"]["projectId"], "chapterId": book["chapters"][chapter]["chapterId"] })
}

/// Writes a chapter that ends with a passage of a generation. Returns the identity of the generation.
fn write_with_passage(writer: &Writer, book: &Value, passage_text: &str) -> String {
    let before = read_chapter(writer, book, 0);
    let (started, _) = writer.run(passage(&text(&book["project"], "projectId"), "渡船。"));
    let old = text(&before, "text");
    let from = old.encode_utf16().count();
    let to = from + passage_text.encode_utf16().count();
    let mut args = chapter_args(book, 0);
    args["text"] = json!(format!("{old}{passage_text}\n"));
    args["baseHash"] = before["contentHash"].clone();
    args["origins"] = json!([{ "generationId": started["generationId"], "from": from, "to": to }]);
    let saved = writer.ask("chapter:write", args);
    assert_eq!(saved["originsSaved"], true);
    text(&started, "generationId")
}

#[test]
fn any_folder_of_markdown_opens_as_a_book_and_stays_plain_markdown() {
    let writer = Writer::new();
    let path = folder(&writer, "book");
    let book = open_book(&writer, &path);
    assert_eq!(book["project"]["language"], "zh");
    let titles: Vec<&str> =
        book["chapters"].as_array().unwrap().iter().map(|chapter| chapter["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["渡船", "簿子"]);
    let file = Path::new(&path).join("01-渡船.md");
    let untouched = fs::read(&file).unwrap();
    read_chapter(&writer, &book, 0);
    assert_eq!(fs::read(&file).unwrap(), untouched);
}

#[test]
fn a_chapter_changed_outside_is_never_overwritten_in_silence() {
    let writer = Writer::new();
    let path = folder(&writer, "book");
    let book = open_book(&writer, &path);
    let before = read_chapter(&writer, &book, 0);
    let file = Path::new(&path).join("01-渡船.md");
    fs::write(&file, "# 渡船\n\n别的程序写的。\n").unwrap();
    let event = writer.wait_for_event("chapter:changed");
    assert_eq!(event["chapterId"], before["chapterId"]);
    let mut args = chapter_args(&book, 0);
    args["text"] = json!("我写的。");
    args["baseHash"] = before["contentHash"].clone();
    args["origins"] = json!([]);
    let refused = writer.error("chapter:write", args);
    assert_eq!(json!(refused.code), "MEMORY_STALE_VERSION");
    let now = read_chapter(&writer, &book, 0);
    assert_eq!(json!(refused.details.unwrap().current_hash.unwrap()), now["contentHash"]);
    assert_eq!(now["text"], "# 渡船\n\n别的程序写的。\n");
}

#[test]
fn a_passage_keeps_its_mark_through_a_restart_and_through_changes_made_outside() {
    let writer = Writer::new();
    let path = folder(&writer, "book");
    let book = open_book(&writer, &path);
    let generation = write_with_passage(&writer, &book, "水退下去，留下一道白线。");
    let writer = writer.restarted();
    assert_eq!(read_chapter(&writer, &book, 0)["origins"][0]["generationId"], json!(generation));

    let file = Path::new(&path).join("01-渡船.md");
    let saved = fs::read_to_string(&file).unwrap();
    fs::write(&file, saved.replace("# 渡船\n", "# 渡船\n\n外面加的一整段。\n")).unwrap();
    let moved = read_chapter(&writer, &book, 0);
    let mark = &moved["origins"][0];
    let units: Vec<u16> = text(&moved, "text").encode_utf16().collect();
    let range = usize::try_from(mark["from"].as_u64().unwrap()).unwrap()
        ..usize::try_from(mark["to"].as_u64().unwrap()).unwrap();
    assert_eq!(String::from_utf16(&units[range]).unwrap(), "水退下去，留下一道白线。");
    assert_eq!(mark["skill"], "continue");

    // A missing passage is listed as unanchored, and no position is guessed. Its origin returns when its words return.
    fs::write(&file, "# 渡船\n\n全删了。\n").unwrap();
    let lost = read_chapter(&writer, &book, 0);
    assert_eq!((&lost["origins"], &lost["unanchored"][0]["generationId"]), (&json!([]), &json!(generation)));
    let mut args = chapter_args(&book, 0);
    args["text"] = json!("# 渡船\n\n重新写。\n");
    args["baseHash"] = lost["contentHash"].clone();
    args["origins"] = json!([]);
    writer.ask("chapter:write", args);
    fs::write(&file, &saved).unwrap();
    assert_eq!(read_chapter(&writer, &book, 0)["origins"][0]["generationId"], json!(generation));
}

#[test]
fn a_renamed_file_keeps_its_history() {
    let writer = Writer::new();
    let path = folder(&writer, "book");
    let book = open_book(&writer, &path);
    let generation = write_with_passage(&writer, &book, "水退下去，留下一道白线。");
    fs::rename(Path::new(&path).join("01-渡船.md"), Path::new(&path).join("09-新名字.md")).unwrap();
    let project = text(&book["project"], "projectId");
    let chapters = writer.ask("chapter:list", json!({ "projectId": project }))["chapters"].clone();
    let renamed = chapters.as_array().unwrap().iter().find(|chapter| chapter["file"] == "09-新名字.md").unwrap();
    assert_eq!(renamed["chapterId"], book["chapters"][0]["chapterId"]);
    assert_eq!(read_chapter(&writer, &book, 0)["origins"][0]["generationId"], json!(generation));
}

#[test]
fn a_copied_folder_is_asked_about_and_a_moved_one_is_not() {
    let writer = Writer::new();
    let path = folder(&writer, "book");
    let book = open_book(&writer, &path);
    let project = &book["project"]["projectId"];
    let copied = writer.path_beside("copy");
    copy_folder(Path::new(&path), &copied);
    let asked = writer.ask("project:open", json!({ "path": copied }));
    assert_eq!((&asked["status"], asked["copiedFrom"].as_str().is_some()), (&json!("copied"), true));
    let own = writer.ask("project:open", json!({ "path": copied, "copiedAs": "newBook" }))["book"].clone();
    assert_ne!(&own["project"]["projectId"], project);
    assert_ne!(own["chapters"][0]["chapterId"], book["chapters"][0]["chapterId"]);

    let moved = writer.path_beside("moved");
    fs::rename(&path, &moved).unwrap();
    assert_eq!(&open_book(&writer, &moved.to_string_lossy())["project"]["projectId"], project);
}

#[test]
fn the_sample_book_opens_in_both_languages_and_is_the_same_book_next_time() {
    let writer = Writer::new();
    for language in ["zh", "en"] {
        let book = writer.ask("project:sample", json!({ "language": language }));
        assert_eq!((&book["project"]["language"], book["chapters"].as_array().unwrap().len()), (&json!(language), 3));
        let again = writer.ask("project:sample", json!({ "language": language }));
        assert_eq!(again["project"]["projectId"], book["project"]["projectId"]);
    }
}

#[test]
fn a_new_chapter_comes_last_and_a_new_title_is_its_heading() {
    let writer = Writer::new();
    let path = folder(&writer, "book");
    let book = open_book(&writer, &path);
    let project = text(&book["project"], "projectId");
    let chapter = writer.ask("chapter:create", json!({ "projectId": project, "title": "大潮" }));
    let renamed = writer
        .ask("chapter:rename", json!({ "projectId": project, "chapterId": chapter["chapterId"], "title": "小潮" }));
    assert_eq!((&renamed["title"], &renamed["file"]), (&json!("小潮"), &chapter["file"]));
    let chapters = writer.ask("chapter:list", json!({ "projectId": project }))["chapters"].clone();
    assert_eq!(chapters[2]["title"], "小潮");
}
