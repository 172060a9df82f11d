//! The process is killed while an import is undone.

use std::{fs, path::Path};

use palimpsest_tests::{Host, text};
use serde_json::json;
use tempfile::TempDir;

/// The chapters of the imported file: enough for their removal to take a while.
const CHAPTERS: usize = 400;

fn markdown_files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")).count()
}

#[test]
fn kill_9_while_an_import_is_undone_leaves_all_of_its_chapters_or_none_and_the_others_as_they_were() {
    let manuscript: String = (1..=CHAPTERS).map(|n| format!("第{n}章\n\n第{n}页被水泡过，字还在。\n\n")).collect();
    let mut was_interrupted = false;
    // The number of removed files after which the process is killed.
    for removed in [0, 1, CHAPTERS / 4, CHAPTERS / 2, CHAPTERS - 1] {
        let home = TempDir::new().unwrap();
        let folder = home.path().join("book");
        fs::create_dir(&folder).unwrap();
        let own = "# 渡船\n\n渡船靠岸时，灯已经亮了。\n";
        fs::write(folder.join("01.md"), own).unwrap();
        let file = home.path().join("旧稿.txt");
        fs::write(&file, &manuscript).unwrap();
        let data = home.path().join("data");
        let host = Host::start(&data, &[]);
        let opened = host.ask("project:open", json!({ "path": folder }));
        let project = text(&opened["book"]["project"], "projectId");
        let imported = host.ask("project:import", json!({ "projectId": project, "path": file }));
        assert_eq!(imported["chapters"].as_array().unwrap().len(), CHAPTERS);
        let undo = json!({ "projectId": project, "importId": imported["importId"] });
        let answer = host.send("project:import:undo", undo);
        for _ in 0..200_000 {
            if markdown_files(&folder) <= CHAPTERS + 1 - removed {
                break;
            }
        }
        host.kill();
        drop(answer);
        let left = markdown_files(&folder);
        was_interrupted |= 1 < left && left < CHAPTERS + 1;

        let host = Host::start(&data, &[]);
        let listed = host.ask("chapter:list", json!({ "projectId": project }));
        let chapters = listed["chapters"].as_array().unwrap().len();
        assert!([1, CHAPTERS + 1].contains(&chapters), "{removed} removed: {chapters} chapters");
        assert_eq!(markdown_files(&folder), chapters);
        assert_eq!(fs::read_to_string(folder.join("01.md")).unwrap(), own);
        // What is left is all of the import, and can still be undone; what was undone is not offered for it.
        let last = host.ask("project:import:last", json!({ "projectId": project }))["last"].clone();
        assert_eq!(last.is_null(), chapters == 1, "{removed} removed");
        if !last.is_null() {
            host.ask("project:import:undo", json!({ "projectId": project, "importId": last["importId"] }));
            assert_eq!(markdown_files(&folder), 1);
        }
        assert!(host.end());
    }
    assert!(was_interrupted, "no process was killed between the first removed file and the last");
}
