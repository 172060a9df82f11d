//! Guarantees for manuscripts: import from another program, export to one, and reordering of chapters.

use std::{fs, path::PathBuf};

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

fn book_in_folder(writer: &Writer) -> (PathBuf, String) {
    let path = writer.path_beside("book");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("01-渡船.md"), "# 渡船\n\n渡船靠岸时，灯已经亮了。\n").unwrap();
    fs::write(path.join("02-簿子.md"), "# 簿子\n\n簿子摊在桌上。\n").unwrap();
    let answer = writer.ask("project:open", json!({ "path": path }));
    (path, text(&answer["book"]["project"], "projectId"))
}

fn chapters(writer: &Writer, project: &str) -> Vec<Value> {
    writer.ask("chapter:list", json!({ "projectId": project }))["chapters"].as_array().unwrap().clone()
}

fn titles(chapters: &[Value]) -> Vec<String> {
    chapters.iter().map(|chapter| text(chapter, "title")).collect()
}

fn write_file(writer: &Writer, name: &str, bytes: &[u8]) -> PathBuf {
    let path = writer.path_beside(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn names(folder: &PathBuf) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// 第一章 雨夜 / 　　渡船靠岸时，灯已经亮了。 / 第二章 簿子 / 　　簿子摊在桌上，没有人看。 – as Notepad on a Chinese Windows saved it for
/// twenty years.
const GB18030: &[u8] = b"\xb5\xda\xd2\xbb\xd5\xc2 \xd3\xea\xd2\xb9\r\n\xa1\xa1\xa1\xa1\xb6\xc9\xb4\xac\xbf\xbf\xb0\xb6\xca\xb1\xa3\xac\xb5\xc6\xd2\xd1\xbe\xad\xc1\xc1\xc1\xcb\xa1\xa3\r\n\r\n\xb5\xda\xb6\xfe\xd5\xc2 \xb2\xbe\xd7\xd3\r\n\xa1\xa1\xa1\xa1\xb2\xbe\xd7\xd3\xcc\xaf\xd4\xda\xd7\xc0\xc9\xcf\xa3\xac\xc3\xbb\xd3\xd0\xc8\xcb\xbf\xb4\xa1\xa3\r\n";

#[test]
fn an_old_chinese_text_file_is_read_shown_first_and_then_put_behind_the_last_chapter() {
    let writer = Writer::new();
    let (folder, project) = book_in_folder(&writer);
    let path = write_file(&writer, "旧稿.txt", GB18030);
    let before = names(&folder);
    let shown = writer.ask("project:import", json!({ "projectId": project, "path": path, "dryRun": true }));
    assert_eq!(shown["encoding"], "GB18030");
    assert_eq!(titles(shown["chapters"].as_array().unwrap()), ["第一章 雨夜", "第二章 簿子"]);
    assert_eq!((&shown["chapters"][0]["characters"], &shown["chapters"][0]["words"]), (&json!(12), &json!(10)));
    assert_eq!(shown["chapters"][0]["chapterId"], Value::Null);
    assert_eq!(names(&folder), before, "a dry run writes nothing");

    let done = writer.ask("project:import", json!({ "projectId": project, "path": path }));
    let now = chapters(&writer, &project);
    assert_eq!(titles(&now), ["渡船", "簿子", "第一章 雨夜", "第二章 簿子"]);
    assert_eq!(done["chapters"][1]["chapterId"], now[3]["chapterId"]);
    let read = writer.ask("chapter:read", json!({ "projectId": project, "chapterId": now[2]["chapterId"] }));
    assert_eq!(read["text"], "# 第一章 雨夜\n\n渡船靠岸时，灯已经亮了。\n");
    assert_eq!(read["origins"], json!([]));

    // The second import meets file names that are taken.
    writer.ask("project:import", json!({ "projectId": project, "path": path }));
    assert_eq!(chapters(&writer, &project).len(), 6);
    let writer = writer.restarted();
    assert_eq!(titles(&chapters(&writer, &project))[2..], ["第一章 雨夜", "第二章 簿子", "第一章 雨夜", "第二章 簿子"]);
}

#[test]
fn a_file_that_cannot_be_taken_says_why_and_leaves_the_book_alone() {
    let writer = Writer::new();
    let (folder, project) = book_in_folder(&writer);
    let before = names(&folder);
    let old_word = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on";
    for (name, bytes, reason) in [
        ("old.doc", old_word.as_slice(), "oldWord"),
        ("cut.docx", b"PK\x03\x04 cut off".as_slice(), "damagedDocument"),
        ("page.pdf", b"%PDF-1.7".as_slice(), "unknownFormat"),
        ("empty.txt", b"".as_slice(), "emptyFile"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01".as_slice(), "notText"),
    ] {
        let path = write_file(&writer, name, bytes);
        let refused = writer.error("project:import", json!({ "projectId": project, "path": path }));
        assert_eq!(json!(refused.code), "MEMORY_INVALID_ARGUMENT", "{name}");
        assert_eq!(
            refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
            Some(reason),
            "{name}"
        );
    }
    let refused =
        writer.error("project:import", json!({ "projectId": project, "path": writer.path_beside("nowhere.txt") }));
    assert_eq!(
        refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
        Some("fileUnreadable")
    );
    assert_eq!(writer.refused("project:import", json!({ "projectId": project, "path": "x.txt" })).1, "path");
    assert_eq!(names(&folder), before);
}

/// A page of a novel as Project Gutenberg wraps it, between the publisher's notices.
const WRAPPED_NOVEL: &str = "The Project Gutenberg Etext of Persuasion\n\nPlease take a look at this header.\n\n\nChapter 1\n\n\nSir Walter Elliot, of Kellynch Hall, in Somersetshire, was a man who,\nfor his own amusement, never took up any book but the Baronetage;\nthere he found occupation for an idle hour, and consolation in a\ndistressed one.\n\nVanity was the beginning and the end of Sir Walter Elliot's character;\nvanity of person and of situation.\n\nChapter 2\n\nMr Shepherd, a civil, cautious lawyer, who, whatever might be his hold\nor his views on Sir Walter, would rather have the disagreeable prompted\nby anybody else.\n\n\nEnd of the Project Gutenberg Etext of Persuasion\n";

#[test]
fn a_wrapped_novel_comes_in_with_its_paragraphs_and_without_the_publishers_notices() {
    let writer = Writer::new();
    let (_folder, project) = book_in_folder(&writer);
    let path = write_file(&writer, "persuasion.txt", WRAPPED_NOVEL.as_bytes());
    let shown = writer.ask("project:import", json!({ "projectId": project, "path": path, "dryRun": true }));
    assert_eq!(shown["wrappedLines"], 6);
    assert_eq!(titles(shown["chapters"].as_array().unwrap()), ["Chapter 1", "Chapter 2"]);
    let uses: Vec<_> = shown["sections"].as_array().unwrap().iter().map(|section| text(section, "use")).collect();
    assert_eq!((uses[0].as_str(), uses[uses.len() - 1].as_str()), ("omit", "omit"));
    let as_they_are = json!({ "projectId": project, "path": path, "joinLines": false });
    let kept = writer.ask("project:import", as_they_are)["chapters"][0]["chapterId"].clone();
    let joined =
        writer.ask("project:import", json!({ "projectId": project, "path": path }))["chapters"][0]["chapterId"].clone();
    let read = |id: &Value| text(&writer.ask("chapter:read", json!({ "projectId": project, "chapterId": id })), "text");
    assert!(read(&kept).contains("was a man who,\nfor his own"));
    assert_eq!(
        read(&joined),
        "# Chapter 1\n\nSir Walter Elliot, of Kellynch Hall, in Somersetshire, was a man who, for his own amusement, never took up any book but the Baronetage; there he found occupation for an idle hour, and consolation in a distressed one.\n\nVanity was the beginning and the end of Sir Walter Elliot's character; vanity of person and of situation.\n"
    );
}

#[test]
fn a_folder_of_wrapped_chapters_has_the_style_of_the_unwrapped_ones() {
    let writer = Writer::new();
    let whole = "He had read all of what stood in the book and knew that the ferry would be late once more, as it had been on every day of that long wet autumn. He waited. “Nobody comes,” she said, and went out to the quay with the lamp. ".repeat(6);
    let page = |text: &str| format!("# The Ferry\n\n{}\n", [text.trim(); 3].join("\n\n"));
    let mut wrapped = String::new();
    let mut column = 0;
    for word in whole.split_whitespace() {
        let gap = if column == 0 {
            ""
        } else if column + word.len() > 72 {
            "\n"
        } else {
            " "
        };
        column = if gap == "\n" { 0 } else { column + 1 } + word.len();
        wrapped.push_str(gap);
        wrapped.push_str(word);
    }
    let style = |name: &str, page: &str| {
        let path = writer.path_beside(name);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("01.md"), page).unwrap();
        let opened = writer.ask("project:open", json!({ "path": path }));
        let project = text(&opened["book"]["project"], "projectId");
        let style = writer.ask("project:style", json!({ "projectId": project }));
        assert_eq!(fs::read_to_string(path.join("01.md")).unwrap(), page, "the file stays as it is");
        style
    };
    let (wrapped, whole) = (style("wrapped", &page(&wrapped)), style("whole", &page(&whole)));
    assert!(whole["passages"].as_u64().unwrap() > 0);
    assert_eq!(wrapped, whole);
}

#[test]
fn the_writer_decides_which_lines_begin_chapters_before_anything_is_written() {
    let writer = Writer::new();
    let (folder, project) = book_in_folder(&writer);
    let body = "渡船靠岸的时候，水已经退得很远了。\n\n“谁？”\n\n“我。”他说。\n\n灯亮着。\n\n";
    let stories = format!("鸭的喜剧\n\n{body}白光\n\n{body}三\n\n{body}□注释\n\n⑴从略。\n");
    let path = write_file(&writer, "呐喊.txt", stories.as_bytes());
    let before = names(&folder);
    let shown = writer.ask("project:import", json!({ "projectId": project, "path": path, "dryRun": true }));
    let found: Vec<_> =
        shown["sections"].as_array().unwrap().iter().map(|one| (text(one, "kind"), text(one, "title"))).collect();
    let expected = [("start", "呐喊"), ("shortLine", "白光"), ("numeral", "三"), ("shortLine", "□注释")];
    assert_eq!(found, expected.map(|(kind, title)| (kind.to_owned(), title.to_owned())));
    let ask = |sections: Value, hash: &Value| json!({ "projectId": project, "path": path, "sections": sections, "contentHash": hash });
    let choices = json!([{ "use": "chapter", "title": "鸭的喜剧" }, { "use": "chapter" }, { "use": "continue" }, { "use": "omit" }]);
    for (sections, field) in [
        (json!([{ "use": "chapter" }]), "sections"),
        (
            json!([{ "use": "chapter", "title": " " }, { "use": "omit" }, { "use": "omit" }, { "use": "omit" }]),
            "sections",
        ),
    ] {
        assert_eq!(writer.refused("project:import", ask(sections, &shown["contentHash"])).1, field);
    }
    assert_eq!(
        json!(writer.error("project:import", ask(choices.clone(), &json!("another"))).code),
        "MEMORY_STALE_VERSION"
    );
    assert_eq!(names(&folder), before, "what is refused writes nothing");
    let done = writer.ask("project:import", ask(choices, &shown["contentHash"]));
    assert_eq!(titles(&chapters(&writer, &project)), ["渡船", "簿子", "鸭的喜剧", "白光"]);
    let read =
        writer.ask("chapter:read", json!({ "projectId": project, "chapterId": done["chapters"][1]["chapterId"] }));
    let read = text(&read, "text");
    assert!(read.contains("\n\n三\n\n") && !read.contains("注释"), "{read}");
}

#[test]
fn a_chapter_begins_at_any_paragraph_that_the_writer_chooses() {
    for (name, manuscript, containing, title, before) in [
        (
            "雨.txt",
            "渡船靠岸的时候，水已经退得很远了。\n\n“谁？”\n\n第二天没有人来。\n\n灯亮着。\n",
            "没有人",
            "第二天",
            "“谁？”",
        ),
        ("rain.txt", "The ferry was late.\n\n“Who?”\n\nNobody came.\n\nIt rained.\n", "NOBODY", "Two", "“Who?”"),
    ] {
        let writer = Writer::new();
        let (folder, project) = book_in_folder(&writer);
        let path = write_file(&writer, name, manuscript.as_bytes());
        let before_import = names(&folder);
        let args = |more: Value| {
            let mut args = json!({ "projectId": project, "path": path });
            args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            args
        };
        let shown = writer.ask("project:import", args(json!({ "dryRun": true })));
        assert_eq!(shown["sections"].as_array().unwrap().len(), 1);
        let hash = shown["contentHash"].clone();
        let all = writer.ask("project:import:paragraphs", args(json!({ "section": 0, "contentHash": hash })));
        assert_eq!((all["paragraphs"].as_array().unwrap().len(), &all["next"]), (3, &Value::Null));
        let asked = args(json!({ "section": 0, "contentHash": hash, "containing": containing }));
        let found = writer.ask("project:import:paragraphs", asked)["paragraphs"].clone();
        assert_eq!(found, json!([all["paragraphs"][1]]));
        let at = found[0]["at"].clone();
        let split = writer.ask("project:import", args(json!({ "dryRun": true, "splits": [at] })));
        let second = &split["sections"][1];
        assert_eq!((&second["kind"], &second["use"]), (&json!("paragraph"), &json!("chapter")));
        assert_eq!(
            second["opening"].as_str().unwrap().split(' ').next().unwrap(),
            text(&found[0], "opening").split(' ').next().unwrap()
        );
        // What does not fit writes nothing.
        for (more, field) in [
            (json!({ "splits": [1] }), "splits"),
            (json!({ "splits": [at], "sections": [{ "use": "chapter" }] }), "sections"),
        ] {
            assert_eq!(writer.refused("project:import", args(more)).1, field);
        }
        assert_eq!(writer.refused("project:import:paragraphs", args(json!({ "section": 1 }))).1, "section");
        let other = args(json!({ "section": 0, "contentHash": "another" }));
        assert_eq!(json!(writer.error("project:import:paragraphs", other).code), "MEMORY_STALE_VERSION");
        assert_eq!(names(&folder), before_import);
        let choices = json!([{ "use": "chapter" }, { "use": "chapter", "title": title }]);
        let done =
            writer.ask("project:import", args(json!({ "splits": [at], "sections": choices, "contentHash": hash })));
        assert_eq!(titles(done["chapters"].as_array().unwrap())[1], title);
        let read = |n: usize| {
            let at = json!({ "projectId": project, "chapterId": done["chapters"][n]["chapterId"] });
            text(&writer.ask("chapter:read", at), "text")
        };
        assert!(read(0).trim_end().ends_with(before), "{}", read(0));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let bodies = [read(0), read(1)].map(|text| text.split_once('\n').unwrap().1.to_owned()).concat();
        assert_eq!(words(&bodies), words(manuscript));
    }
}

#[test]
fn an_import_is_undone_as_a_whole_until_a_chapter_of_it_is_changed() {
    let writer = Writer::new();
    let (folder, project) = book_in_folder(&writer);
    let last = |writer: &Writer| writer.ask("project:import:last", json!({ "projectId": project }))["last"].clone();
    assert_eq!(last(&writer), Value::Null);
    let before = names(&folder);
    let path = write_file(&writer, "旧稿.txt", GB18030);
    let first = writer.ask("project:import", json!({ "projectId": project, "path": path }));
    let also = json!({ "projectId": project, "path": path, "continuedImportId": first["importId"] });
    writer.ask("project:import", also);
    let writer = writer.restarted();
    assert_eq!(last(&writer), json!({ "importId": first["importId"], "chapters": 4 }));
    let undo = json!({ "projectId": project, "importId": first["importId"] });
    let at = json!({ "projectId": project, "chapterId": first["chapters"][1]["chapterId"] });
    let read = writer.ask("chapter:read", at.clone());
    let write = |text: &str, base: &Value| {
        let mut args = at.clone();
        args["text"] = json!(text);
        args["baseHash"] = base.clone();
        args["origins"] = json!([]);
        writer.ask("chapter:write", args)["contentHash"].clone()
    };
    let changed = write("# 第二章 簿子\n\n改过。\n", &read["contentHash"]);
    assert_eq!(last(&writer), Value::Null);
    let refused = writer.error("project:import:undo", undo.clone());
    assert_eq!(
        refused.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
        Some("importChanged")
    );
    assert_eq!(chapters(&writer, &project).len(), 6);
    write(&text(&read, "text"), &changed);
    let left = writer.ask("project:import:undo", undo);
    assert_eq!(titles(left["chapters"].as_array().unwrap()), ["渡船", "簿子"]);
    assert_eq!(names(&folder), before);
    assert_eq!(last(&writer), Value::Null);
}

#[test]
fn a_whole_book_is_exported_as_it_is_and_imported_into_another_one() {
    let writer = Writer::new();
    let (_folder, project) = book_in_folder(&writer);
    let list = chapters(&writer, &project);
    writer.ask(
        "chapter:move",
        json!({ "projectId": project, "chapterId": list[1]["chapterId"], "before": list[0]["chapterId"] }),
    );
    let other = text(
        &writer
            .ask("project:create", json!({ "title": "另一本", "language": "zh", "path": writer.path_beside("other") })),
        "projectId",
    );
    for (name, format) in [("验潮屋.docx", "docx"), ("验潮屋.md", "markdown")] {
        let path = writer.path_beside(name);
        let done = writer.ask("project:export", json!({ "projectId": project, "path": path, "format": format }));
        assert_eq!(done["chapters"], 2);
        writer.ask("project:import", json!({ "projectId": other, "path": path }));
    }
    let there = chapters(&writer, &other);
    assert_eq!(titles(&there), ["簿子", "渡船", "簿子", "渡船"]);
    for at in [0, 2] {
        let read = writer.ask("chapter:read", json!({ "projectId": other, "chapterId": there[at]["chapterId"] }));
        assert_eq!(read["text"], "# 簿子\n\n簿子摊在桌上。\n");
    }
}

#[test]
fn an_exported_book_contains_nothing_of_the_memory() {
    let writer = Writer::new();
    let (_folder, project) = book_in_folder(&writer);
    let chapter = chapters(&writer, &project)[0].clone();
    writer.ask(
        "memory:semantic:add",
        json!({ "rule": "紫藤花架下的密语要短", "category": "style", "scope": "project", "projectId": project }),
    );
    let (started, _) = writer.run(crate::passage(&project, "渡船。"));
    let at = json!({ "projectId": project, "chapterId": chapter["chapterId"] });
    let read = writer.ask("chapter:read", at.clone());
    let old = text(&read, "text");
    let (from, passage) = (old.encode_utf16().count(), "水退下去，留下一道白线。");
    let mut args = at;
    args["text"] = json!(format!("{old}{passage}\n"));
    args["baseHash"] = read["contentHash"].clone();
    args["origins"] =
        json!([{ "generationId": started["generationId"], "from": from, "to": from + passage.encode_utf16().count() }]);
    writer.ask("chapter:write", args);
    let path = writer.path_beside("out.md");
    writer.ask("project:export", json!({ "projectId": project, "path": path, "format": "markdown" }));
    let out = fs::read_to_string(path).unwrap();
    assert_eq!(out, "# 渡船\n\n渡船靠岸时，灯已经亮了。\n水退下去，留下一道白线。\n\n# 簿子\n\n簿子摊在桌上。\n");
}

#[test]
fn an_export_among_the_chapters_and_one_to_nowhere_are_refused() {
    let writer = Writer::new();
    let (folder, project) = book_in_folder(&writer);
    let inside = writer.error(
        "project:export",
        json!({ "projectId": project, "path": folder.join("01-渡船.md"), "format": "markdown" }),
    );
    assert_eq!(
        inside.details.unwrap().reason.map(palimpsest_api::model::Reason::name).as_deref(),
        Some("insideTheBook")
    );
    assert_eq!(fs::read_to_string(folder.join("01-渡船.md")).unwrap(), "# 渡船\n\n渡船靠岸时，灯已经亮了。\n");
    let nowhere = json!({ "projectId": project, "path": writer.path_beside("no/such/book.docx"), "format": "docx" });
    assert_eq!(writer.refused("project:export", nowhere).1, "path");
}

#[test]
fn chapters_stay_in_the_order_the_writer_gave_them() {
    let writer = Writer::new();
    let (folder, project) = book_in_folder(&writer);
    let list = chapters(&writer, &project);
    let moved = writer.ask("chapter:move", json!({ "projectId": project, "chapterId": list[0]["chapterId"] }));
    assert_eq!(titles(moved["chapters"].as_array().unwrap()), ["簿子", "渡船"]);
    let writer = writer.restarted();
    assert_eq!(titles(&chapters(&writer, &project)), ["簿子", "渡船"]);
    assert!(names(&folder).contains(&"01-渡船.md".to_owned()), "no file was renamed");
    let nobody = json!({ "projectId": project, "chapterId": list[0]["chapterId"], "before": "nobody" });
    assert_eq!(json!(writer.error("chapter:move", nobody).code), "MEMORY_NOT_FOUND");
}

#[test]
fn scene_types_set_by_the_writer_stay_with_the_chapter() {
    let writer = Writer::new();
    let (folder, project) = book_in_folder(&writer);
    let list = chapters(&writer, &project);
    assert_eq!(list[0]["sceneType"], json!(null), "nobody has said anything yet");
    let of = |chapter: usize, scene: Value| json!({ "projectId": project, "chapterId": list[chapter]["chapterId"], "sceneType": scene });
    assert_eq!(writer.ask("chapter:scene", of(0, json!(" 梦境 ")))["sceneType"], "梦境");
    assert_eq!(writer.ask("chapter:scene", of(1, json!("dialogue")))["sceneType"], "dialogue");
    let writer = writer.restarted();
    // The scene type belongs to the chapter, not to the file, so it survives a rename outside the program.
    fs::rename(folder.join("01-渡船.md"), folder.join("03-渡船.md")).unwrap();
    let said = |writer: &Writer| {
        let mut said: Vec<_> = (chapters(writer, &project).iter())
            .map(|chapter| (text(chapter, "title"), chapter["sceneType"].clone()))
            .collect();
        said.sort_by(|a, b| a.0.cmp(&b.0));
        said
    };
    assert_eq!(said(&writer), [("渡船".to_owned(), json!("梦境")), ("簿子".to_owned(), json!("dialogue"))]);
    writer.ask("chapter:scene", of(0, json!(null)));
    assert_eq!(said(&writer)[0].1, json!(null));
    for bad in ["", "  ", "一\n二", &"长".repeat(41)] {
        assert_eq!(writer.refused("chapter:scene", of(1, json!(bad))).1, "sceneType");
    }
    assert_eq!(said(&writer)[1].1, "dialogue", "what was refused changed nothing");
    let nobody = json!({ "projectId": project, "chapterId": "nobody", "sceneType": "action" });
    assert_eq!(json!(writer.error("chapter:scene", nobody).code), "MEMORY_NOT_FOUND");
}
