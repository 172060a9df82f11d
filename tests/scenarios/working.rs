//! Working memory of a session: eviction, archiving at the end of the session, and its absence from the disk.

use std::{fs, path::Path};

use palimpsest_tests::{Host, Writer, text};
use serde_json::{Value, json};

use crate::{passage, sent, with_field};

fn item(project: &str, kind: &str, words: &str) -> Value {
    json!({ "projectId": project, "kind": kind, "text": words })
}

fn signal(project: &str, words: &str, weight: f64) -> Value {
    with_field(item(project, "signal", words), "weight", json!(weight))
}

fn list(writer: &Writer, project: &str) -> Value {
    writer.ask("memory:working:list", json!({ "projectId": project }))
}

fn kept_words(writer: &Writer, project: &str) -> Vec<String> {
    let items = list(writer, project)["items"].as_array().unwrap().clone();
    items.iter().map(|item| text(item, "text").split('：').next().unwrap().to_owned()).collect()
}

fn end_session(writer: &Writer, project: &str) -> Value {
    writer.ask("memory:working:end-session", json!({ "projectId": project }))
}

fn episodes(writer: &Writer, project: &str) -> Vec<Value> {
    let found = writer.ask("memory:episode:query", json!({ "projectId": project, "limit": 50 }));
    found["episodes"].as_array().unwrap().iter().map(|found| found["episode"].clone()).collect()
}

/// 工作记忆容量超限时的淘汰
#[test]
fn when_working_memory_is_full_intents_of_an_older_focus_go_first_and_then_the_least_important() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let long = |words: &str| format!("{words}：{}", "风一直吹。".repeat(400));
    let put = |kind: &str, words: &str, importance: f64| {
        writer
            .ask("memory:working:put", with_field(item(&project, kind, &long(words)), "importance", json!(importance)))
    };
    writer.ask("memory:working:put", item(&project, "focus", "码头上，老周等那条渡船"));
    put("intent", "让老周上船", 1.0);
    writer.ask("memory:working:put", item(&project, "focus", "雪线以上的山路"));
    put("undo", "撤销了一段", 0.2);
    put("exchange", "刚才续写", 0.6);
    let full = list(&writer, &project);
    assert!(full["tokens"].as_u64().unwrap() > 4_000, "{}", full["tokens"]);

    let mut gone = Vec::new();
    for n in 0..4 {
        let before = kept_words(&writer, &project);
        put("exchange", &format!("又续写了第{n}次"), 0.9);
        let now = list(&writer, &project);
        assert!(now["tokens"].as_u64().unwrap() <= 8_000);
        let left = kept_words(&writer, &project);
        gone.extend(before.into_iter().filter(|words| !left.contains(words)));
    }
    assert_eq!(gone[..2], ["让老周上船", "撤销了一段"], "{gone:?}");

    // The editor's work continues: a prompt is assembled from the remaining items.
    let prompt = sent(&writer.ask("memory:context:assemble", passage(&project, "风停了。")));
    assert!(!prompt.contains("让老周上船"));
}

/// 会话结束时工作记忆归档
#[test]
fn at_the_end_of_a_session_strong_signals_are_recorded_and_the_rest_is_dropped() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let here = |words: &str, weight: f64| {
        let of_skill = with_field(signal(&project, words, weight), "skillUsed", json!("continue"));
        with_field(of_skill, "sceneType", json!("action"))
    };
    writer.ask("memory:working:put", item(&project, "focus", "雪线以上的山路"));
    writer.ask("memory:working:put", item(&project, "intent", "写到山口"));
    writer.ask("memory:working:put", here("把长句断成短句", 0.6));
    writer.ask("memory:working:put", here("删掉了形容词", 0.5));
    writer.ask("memory:working:put", signal(&project, "换了一个标点", 0.9));
    assert_eq!(end_session(&writer, &project), json!({ "archived": 2, "dropped": 1 }));

    assert_eq!(list(&writer, &project)["items"], json!([]));
    let kept = episodes(&writer, &project);
    assert_eq!(kept.len(), 1);
    assert_eq!((&kept[0]["skillUsed"], &kept[0]["sceneType"]), (&json!("continue"), &json!("action")));
    assert_eq!(kept[0]["explicit"], "把长句断成短句\n删掉了形容词");
    assert_eq!((&kept[0]["implicit"], &kept[0]["implicitWeight"]), (&json!("strongPositive"), &json!(1.0)));
    assert_eq!((&kept[0]["candidates"], &kept[0]["finalText"]), (&json!([]), &json!("")), "no prose to learn from");
    assert_eq!(end_session(&writer, &project), json!({ "archived": 0, "dropped": 0 }), "a second end finds nothing");

    // The archived episode is on disk, is found by its words, and is in the next session's prompt.
    let writer = writer.restarted();
    let found = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "短句和形容词" }));
    assert_eq!(found["episodes"][0]["episode"]["id"], kept[0]["id"]);
    assert!(found["episodes"][0]["matchedBy"].as_array().unwrap().contains(&json!("words")), "{found}");
    let request = with_field(passage(&project, "短句，形容词。"), "sceneType", json!("action"));
    let prompt = sent(&writer.ask("memory:context:assemble", request));
    assert!(prompt.contains("一次写作中反复认可：“把长句断成短句 删掉了形容词”"), "{prompt}");
}

#[test]
fn signals_against_something_are_recorded_as_such_and_cancelling_signals_are_not() {
    let writer = Writer::new();
    let project = writer.book("High Water", "en");
    writer.ask("memory:working:put", signal(&project, "took an exclamation mark out", -0.7));
    writer.ask("memory:working:put", signal(&project, "took another one out", -0.7));
    let polish = |words: &str, weight: f64| with_field(signal(&project, words, weight), "skillUsed", json!("polish"));
    writer.ask("memory:working:put", polish("made it longer", 1.0));
    writer.ask("memory:working:put", polish("made it shorter", -1.0));
    assert_eq!(end_session(&writer, &project), json!({ "archived": 2, "dropped": 2 }));
    let kept = episodes(&writer, &project);
    assert_eq!((&kept[0]["skillUsed"], &kept[0]["implicit"]), (&json!("ask"), &json!("strongNegative")));
    assert_eq!(kept.len(), 1);
}

#[test]
fn the_session_of_a_book_ends_when_another_one_is_opened_and_not_when_it_is_opened_again() {
    let writer = Writer::new();
    let at = |name: &str| {
        let path = writer.path_beside(name);
        fs::create_dir_all(&path).unwrap();
        path.to_string_lossy().into_owned()
    };
    let (one, other) = (at("one"), at("other"));
    let open = |path: &str| text(&writer.ask("project:open", json!({ "path": path }))["book"]["project"], "projectId");
    let first = open(&one);
    let elsewhere = writer.book("在别的编辑器里", "zh");
    writer.ask("memory:working:put", item(&elsewhere, "intent", "别人的事"));
    writer.ask("memory:working:put", signal(&first, "把长句断成短句", 1.0));
    assert_eq!(open(&one), first);
    assert_eq!(list(&writer, &first)["items"].as_array().unwrap().len(), 1);
    open(&other);
    assert_eq!(list(&writer, &first)["items"], json!([]));
    assert_eq!(episodes(&writer, &first).len(), 1);
    assert_eq!(list(&writer, &elsewhere)["items"].as_array().unwrap().len(), 1, "another editor ends its own session");
}

#[test]
fn the_session_ends_with_the_program() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:working:put", signal(&project, "把长句断成短句", 1.0));
    let elsewhere = with_field(signal(&project, "换了一个标点", 0.4), "skillUsed", json!("polish"));
    writer.ask("memory:working:put", elsewhere);
    let writer = writer.restarted();
    assert_eq!(list(&writer, &project)["items"], json!([]));
    let kept: Vec<Value> = episodes(&writer, &project).iter().map(|episode| episode["explicit"].clone()).collect();
    assert_eq!(kept, ["把长句断成短句"]);

    let folder = tempfile::TempDir::new().unwrap();
    let host = Host::start(folder.path(), &[]);
    let book = text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId");
    host.ask("memory:working:put", signal(&book, "把长句断成短句", 1.0));
    assert!(host.end());
    let host = Host::start(folder.path(), &[]);
    assert_eq!(host.ask("memory:semantic:list", json!({ "projectId": book }))["episodesRecorded"], 1);
    assert!(host.end());
}

fn files(folder: &Path, all: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, all),
            false => all.push((path.display().to_string(), fs::read(&path).unwrap())),
        }
    }
}

fn files_with(folder: &Path, words: &str) -> Vec<String> {
    let utf16: Vec<u8> = words.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let has = |bytes: &[u8], sought: &[u8]| bytes.windows(sought.len()).any(|window| window == sought);
    let mut all = Vec::new();
    files(folder, &mut all);
    all.retain(|(_, bytes)| has(bytes, words.as_bytes()) || has(bytes, &utf16));
    all.into_iter().map(|(name, _)| name).collect()
}

#[test]
fn nothing_of_working_memory_is_in_any_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let host = Host::start(folder.path(), &[]);
    let project = text(&host.ask("project:create", json!({ "title": "Markers", "language": "en" })), "projectId");
    for kind in ["focus", "intent", "undo", "signal", "exchange"] {
        host.ask("memory:working:put", item(&project, kind, &format!("zzquince{kind} 黑暗里的暗号")));
    }
    let enough = with_field(signal(&project, "zzquincekept", 1.0), "skillUsed", json!("polish"));
    host.ask("memory:working:put", enough);
    let assembled = host.ask("memory:context:assemble", passage(&project, "The tide turned."));
    assert!(sent(&assembled).contains("zzquincefocus"), "a preview reads it");
    for words in ["zzquince", "黑暗里的暗号"] {
        assert_eq!(files_with(folder.path(), words), [""; 0], "while the session runs");
    }
    assert!(host.end());
    assert_eq!(files_with(folder.path(), "黑暗里的暗号"), [""; 0], "and afterwards");
    for kind in ["focus", "intent", "undo", "signal", "exchange"] {
        assert_eq!(files_with(folder.path(), &format!("zzquince{kind}")), [""; 0]);
    }
    // The search itself works: it finds the archived signals.
    assert_ne!(files_with(folder.path(), "zzquincekept"), [""; 0]);
}

#[test]
fn an_invalid_signal_is_refused_by_the_name_of_its_field() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let cases = [
        (signal(&project, "a", 1.6), "weight"),
        (signal(&project, "a", -2.0), "weight"),
        (with_field(item(&project, "intent", "a"), "weight", json!(0.5)), "weight"),
        (with_field(item(&project, "focus", "a"), "skillUsed", json!("ask")), "skillUsed"),
        (with_field(item(&project, "undo", "a"), "sceneType", json!("action")), "sceneType"),
        (with_field(signal(&project, "a", 0.5), "sceneType", json!("")), "sceneType"),
    ];
    for (args, field) in cases {
        assert_eq!(writer.refused("memory:working:put", args), ("MEMORY_INVALID_ARGUMENT".into(), field.into()));
    }
    let unknown = writer.refused("memory:working:end-session", json!({ "projectId": "no-such" }));
    assert_eq!(unknown, ("MEMORY_NOT_FOUND".into(), "projectId".into()));
    assert_eq!(list(&writer, &project)["items"], json!([]));
}
