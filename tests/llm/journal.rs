//! Entries of the journal worded by a real model, eight in one request, in both languages. What the model may get wrong
//! is refused, so that every entry is true: this test prints who worded each, and checks what is left.

use std::env;

use palimpsest_tests::text;
use serde_json::{Value, json};

use super::{PATIENCE, is_in, study};

/// A decision: the text of the drafts, the index of the one that was taken, and the final text.
type Decision = (&'static str, &'static str, usize, i32, &'static str);

const ZH: [Decision; 8] = [
    ("continue", "dialogue", 3, 1, "纪伯把手电筒从枕头底下摸出来，递给她，说后半夜不会再来电了。"),
    ("polish", "description", 1, -1, "窗外一盏灯也没有，只有海面上那点磷光，一明一暗。"),
    ("continue", "action", 1, 0, "老周把验潮所的门锁上，钥匙挂在水尺旁边的钉子上，往码头走去。"),
    ("continue", "action", 3, -1, ""),
    ("continue", "dialogue", 4, 0, "“船明天不开。”阿满没有回头，“你要走，就趁今晚的潮。”"),
    ("polish", "action", 2, 1, "林远把缆绳解开，阿满在船头数着灯塔的闪光，数到七就停了。"),
    ("continue", "description", 1, 0, "船离岸的时候，雨停了。"),
    ("continue", "description", 2, 1, "沈先生把信纸翻过来，背面还有一行铅笔字，已经被水洇开了。"),
];

const EN: [Decision; 8] = [
    ("continue", "dialogue", 3, 1, "Jib drew the torch from under the pillow and said there would be no light."),
    ("polish", "description", 1, -1, "Not one lamp in the street; only the glow on the water, on and off."),
    ("continue", "action", 1, 0, "Mrs Hale locked the tide house and went down to the quay at Harwick."),
    ("continue", "action", 3, -1, ""),
    ("continue", "dialogue", 4, 0, "“There is no boat tomorrow.” Mara did not turn round."),
    ("polish", "action", 2, 1, "Tobias untied the rope, and Mara counted the flashes and stopped at seven."),
    ("continue", "description", 1, 0, "When the boat left the shore, the rain had stopped."),
    ("continue", "description", 2, 1, "Mr Shen turned the letter over; on the back was a line in pencil."),
];

#[test]
#[ignore = "needs a model: PALIMPSEST_LLM_URL=http://… npm run test:llm"]
fn eight_entries_in_a_real_models_words_in_both_languages_are_true() {
    let url = env::var("PALIMPSEST_LLM_URL").expect("PALIMPSEST_LLM_URL names an OpenAI-compatible server");
    for (language, decisions) in [("zh", ZH), ("en", EN)] {
        let study = study(&url);
        let models = study.writer.ask("ai:provider:list", json!({}));
        let writing = models["purposes"].as_array().unwrap().iter().find(|one| one["purpose"] == "writing").unwrap();
        let choice = json!({ "purpose": "journal", "providerId": writing["providerId"], "model": writing["model"] });
        study.writer.ask("ai:purpose:set", choice);
        let project = study.writer.book("夜航", language);
        for (skill, scene, candidates, selected, written) in decisions {
            let candidates: Vec<String> = (0..candidates).map(|n| format!("{written}{n}")).collect();
            study.writer.ask(
                "memory:episode:record",
                json!({ "projectId": project, "chapterId": "one", "skillUsed": skill, "sceneType": scene,
                    "inputContext": "", "candidates": candidates, "selectedIndex": selected, "finalText": written }),
            );
            study.writer.clock.advance_millis(1);
        }
        study.writer.ask("memory:editor:activity", json!({ "projectId": project }));
        let list = json!({ "projectId": project });
        let mut entries: Vec<Value> = Vec::new();
        while entries.len() < decisions.len() {
            study.events.recv_timeout(PATIENCE).expect("an entry");
            entries = study.writer.ask("journal:list", list.clone())["entries"].as_array().unwrap().clone();
        }
        println!("\n── entries of the journal, {language}");
        for (entry, (.., selected, written)) in entries.iter().rev().zip(decisions) {
            let content = text(entry, "content");
            println!("{}: {content}", text(entry, "wordedBy"));
            assert!(is_in(language, &content) && content.chars().count() <= 1_200, "{content}");
            let says_rejected = ["没要", "拒", "不要", "reject", "Reject"].iter().any(|word| content.contains(word));
            assert_eq!(says_rejected, selected < 0, "{content}: {written}");
        }
        assert_eq!(study.writer.ask("journal:verify", list)["isWhole"], true);
    }
}
