use proptest::prelude::*;

use super::*;
use crate::import::{ImportOptions, import};

fn leaves(chapters: &[(&str, &str)]) -> Vec<ExportChapter> {
    chapters
        .iter()
        .map(|(title, text)| ExportChapter { title: (*title).to_owned(), text: (*text).to_owned() })
        .collect()
}

fn round(chapters: &[(&str, &str)], format: ExportFormat) -> Vec<(String, String)> {
    let leaves = leaves(chapters);
    let (name, bytes) = match format {
        ExportFormat::Markdown => ("book.md", markdown(&leaves).into_bytes()),
        ExportFormat::Docx => ("book.docx", docx::build_package("验潮屋", true, &leaves).unwrap()),
    };
    let imported = import(name, &bytes, ImportOptions { chinese: true, join_lines: true }).unwrap();
    if format == ExportFormat::Docx {
        assert_eq!(imported.title.as_deref(), Some("验潮屋"));
    }
    imported.chapters(None).unwrap().into_iter().map(|chapter| (chapter.title, chapter.text)).collect()
}

#[test]
fn an_exported_book_can_be_imported_unchanged() {
    let chapters = [
        (
            "第一章 渡船",
            "渡船靠岸时，*灯*已经**亮了**。\n\n“你来晚了。”她说 & <笑>。\n又一行\n\n***\n\n> 信上写着：\n> 别来。\n\n## 夜\n\n***真的***，5 * 3 * 2 = 30。",
        ),
        ("空的一章", ""),
        ("*星*", "snake_case，\\*不斜\\*。"),
    ];
    let expected: Vec<(String, String)> =
        chapters.iter().map(|(title, text)| ((*title).to_owned(), (*text).to_owned())).collect();
    assert_eq!(round(&chapters, ExportFormat::Markdown), expected);
    assert_eq!(round(&chapters, ExportFormat::Docx), expected);
}

#[test]
fn front_matter_and_the_title_are_written_once() {
    assert_eq!(without_title("---\nstatus: draft\n---\n\n# 渡船\n\n文。\n"), "文。");
    assert_eq!(without_title("没有标题。\n"), "没有标题。");
    assert_eq!(without_title("题记\n\n# 渡船\n\n文。\n"), "题记\n\n\n\n文。");
}

#[test]
fn the_same_book_is_the_same_file() {
    let of = || docx::build_package("x", false, &leaves(&[("a", "b")])).unwrap();
    assert_eq!(of(), of());
}

proptest! {
    #[test]
    fn titles_and_texts_come_back_from_both_formats(
        chapters in prop::collection::vec(("[雨水a*_&<]{1,6}", prop::collection::vec("[雨a，。<&\"]{1,5}(\\*[雨a]{1,3}\\*|\\*\\*[雨a]{1,3}\\*\\*)?[。a雨]{1,3}", 0..4)), 1..5),
    ) {
        let chapters: Vec<(String, String)> = chapters.into_iter().map(|(title, text)| (title, text.join("\n\n"))).collect();
        let given: Vec<(&str, &str)> = chapters.iter().map(|(title, text)| (title.as_str(), text.as_str())).collect();
        prop_assert_eq!(&round(&given, ExportFormat::Markdown), &chapters);
        prop_assert_eq!(&round(&given, ExportFormat::Docx), &chapters);
    }
}
