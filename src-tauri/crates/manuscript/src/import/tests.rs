use std::io::{Cursor, Write};

use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

fn read(name: &str, text: &str) -> Imported {
    import(name, text.as_bytes(), true).unwrap()
}

fn titles(imported: &Imported) -> Vec<&str> {
    imported.chapters.iter().map(|chapter| chapter.title.as_str()).collect()
}

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const RELATIONS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;

/// As a Chinese Word names them: ids without a meaning, built-in names in English.
const STYLES: &str = r#"<?xml version="1.0"?><w:styles xmlns:w="w">
<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/><w:basedOn w:val="a"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="a3"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="x"><w:name w:val="章名"/><w:basedOn w:val="1"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="character" w:styleId="a5"><w:name w:val="Emphasis"/><w:rPr><w:i/></w:rPr></w:style>
</w:styles>"#;

fn docx_with(styles: Option<&str>, body: &str) -> Vec<u8> {
    let document =
        format!(r#"<?xml version="1.0"?><w:document xmlns:w="w"><w:body>{body}<w:sectPr/></w:body></w:document>"#);
    let mut parts = vec![("_rels/.rels", RELATIONS), ("word/document.xml", document.as_str())];
    parts.extend(styles.map(|styles| ("word/styles.xml", styles)));
    package(&parts)
}

fn docx(body: &str) -> Imported {
    import("稿子.docx", &docx_with(Some(STYLES), body), true).unwrap()
}

fn paragraph(style: &str, words: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"#)
}

#[test]
fn a_plain_text_is_parted_at_its_headings() {
    let imported = read(
        "雨.txt",
        "《雨》\n作者：某人\n\n楔子\n　　很久以前。\n\n第一章 渡船\n　　渡船靠岸。\n　　灯亮了。\n第二章 簿子\n　　簿子摊着。\n",
    );
    assert_eq!(titles(&imported), ["雨", "楔子", "第一章 渡船", "第二章 簿子"]);
    assert_eq!(imported.chapters[0].text, "《雨》\n\n作者：某人");
    assert_eq!(imported.chapters[2].text, "渡船靠岸。\n\n灯亮了。");
    assert_eq!(imported.encoding, Some("UTF-8"));
}

#[test]
fn a_table_of_contents_makes_no_chapters() {
    let story = "第一章 渡船\n渡船靠岸。\n第二章 簿子\n簿子摊着。\n第三章 水尺\n水退了。\n";
    for contents in [
        "目录\n第一章 渡船\n第二章 簿子\n第三章 水尺\n\n",
        "目录\n\n第一章 渡船\n第二章 簿子\n第三章 水尺\n\n",
        "第一章 渡船\n\n第二章 簿子\n\n第三章 水尺\n\n献给父亲。\n\n",
    ] {
        let imported = read("雨.txt", &format!("{contents}{story}"));
        assert_eq!(titles(&imported), ["雨", "第一章 渡船", "第二章 簿子", "第三章 水尺"], "{contents}");
    }
}

#[test]
fn parts_of_a_book_stand_before_their_chapters() {
    let imported =
        read("雨.txt", "第一卷 岛\n\n第一章 渡船\n渡船靠岸。\n\n第二卷 海\n\n第二章 簿子\n第一节\n簿子摊着。\n");
    assert_eq!(titles(&imported), ["第一卷 岛", "第一章 渡船", "第二卷 海", "第二章 簿子"]);
    assert_eq!(imported.chapters[3].text, "第一节\n\n簿子摊着。");
    let imported = read("x.md", "# Part One\n\n## Rain\n\nIt rained.\n\n# Part Two\n\n## Storm\n\nIt blew.\n");
    assert_eq!(titles(&imported), ["Part One", "Rain", "Part Two", "Storm"]);
}

#[test]
fn lines_that_end_where_the_page_did_stay_one_paragraph() {
    let english = "Chapter 1\n\nHe had read all of what stood in\nChapter 3 and knew that the ferry would be\nlate again. He waited.\n\nThen it came.\n\nChapter 2\n\nIt left.\n";
    let imported = import("Ferry.txt", english.as_bytes(), false).unwrap();
    assert_eq!(titles(&imported), ["Chapter 1", "Chapter 2"]);
    assert_eq!(
        imported.chapters[0].text,
        "He had read all of what stood in\nChapter 3 and knew that the ferry would be\nlate again. He waited.\n\nThen it came."
    );
}

#[test]
fn a_file_without_headings_is_one_chapter_named_after_it() {
    let imported = read("雨夜.txt", "第一章讲的是他如何离开家乡。\n后来他回来了。\n");
    assert_eq!(titles(&imported), ["雨夜"]);
    assert_eq!(imported.chapters[0].text, "第一章讲的是他如何离开家乡。\n\n后来他回来了。");
}

#[test]
fn markdown_is_parted_at_the_headings_of_its_chapters_and_not_in_code() {
    let imported = read("x.md", "# 渡船\n\n文。\n\n## 夜\n\n夜文。\n\n```\n# no heading\n```\n\n# 簿子\n\n文。\n");
    assert_eq!(titles(&imported), ["渡船", "簿子"]);
    assert_eq!(imported.chapters[0].text, "文。\n\n## 夜\n\n夜文。\n\n```\n# no heading\n```");
    let imported = read("x.md", "# 验潮屋\n\n## 渡船\n\n文。\n\n## 簿子\n\n文。\n");
    assert_eq!((imported.title.as_deref(), titles(&imported)), (Some("验潮屋"), vec!["渡船", "簿子"]));
    let imported = read("x.md", "---\ntitle: \"验潮屋\"\nauthor: 某人\n---\n\n# 渡船\n\n文。\n");
    assert_eq!((imported.title.as_deref(), titles(&imported)), (Some("验潮屋"), vec!["渡船"]));
}

#[test]
fn a_word_document_keeps_its_headings_emphasis_and_breaks() {
    let body = [
        paragraph("a3", "验潮屋"),
        paragraph("TOC1", "渡船 1"),
        paragraph("1", "渡船"),
        r#"<w:p><w:r><w:t xml:space="preserve">雨 &amp; </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>很大</w:t></w:r><w:r><w:rPr><w:b w:val="0"/><w:i/></w:rPr><w:t>，真的</w:t></w:r><w:r><w:t>。</w:t><w:br/><w:t>又一行</w:t><w:br w:type="page"/></w:r></w:p>"#.to_owned(),
        paragraph("x", "簿子"),
        r#"<w:p><w:r><w:rPr><w:rStyle w:val="a5"/></w:rPr><w:t>斜的</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r><w:del><w:r><w:delText>删了</w:delText></w:r></w:del><w:ins><w:r><w:t>加的</w:t></w:r></w:ins></w:p>"#.to_owned(),
        r#"<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>水尺</w:t></w:r></w:p>"#.to_owned(),
        paragraph("a", "水退了。"),
    ];
    let imported = docx(&body.concat());
    assert_eq!((imported.title.as_deref(), titles(&imported)), (Some("验潮屋"), vec!["渡船", "簿子", "水尺"]));
    assert_eq!(imported.chapters[0].text, "雨 & **很大***，真的*。\n又一行");
    assert_eq!(imported.chapters[1].text, "*斜的*加的");
    assert_eq!((imported.notes, imported.pictures, imported.encoding), (1, 0, None));
}

#[test]
fn text_boxes_and_tables_are_text_too_and_no_word_comes_twice() {
    let imported = docx(
        r#"<w:p><w:r><w:t>前</w:t></w:r><w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice><w:drawing><w:txbxContent><w:p><w:r><w:t>框里</w:t></w:r></w:p></w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:p><w:r><w:t>框里</w:t></w:r></w:p></w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>后</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>格子</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p><w:r><w:ruby><w:rt><w:r><w:t>yu</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>雨</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>"#,
    );
    assert_eq!(imported.chapters[0].text, "框里\n\n前后\n\n格子\n\n雨");
}

#[test]
fn a_word_document_without_styles_is_split_by_its_heading_lines() {
    let body: String = ["第一章 渡船", "渡船靠岸。", "第二章 簿子", "第二章里没有雨。"]
        .iter()
        .map(|line| paragraph("a", line))
        .collect();
    let imported = docx(&body);
    assert_eq!(titles(&imported), ["第一章 渡船", "第二章 簿子"]);
    assert_eq!(imported.chapters[1].text, "第二章里没有雨。");
}

#[test]
fn a_file_that_is_no_manuscript_is_refused_with_its_reason() {
    let check =
        |name: &str, bytes: &[u8], expected: Unreadable| assert_eq!(import(name, bytes, true), Err(expected), "{name}");
    let ole = |more: &str| {
        let mut bytes = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
        bytes.extend(more.encode_utf16().flat_map(u16::to_le_bytes));
        bytes
    };
    check("old.doc", &ole("WordDocument"), Unreadable::OldWord);
    check("locked.docx", &ole("EncryptedPackage"), Unreadable::Encrypted);
    check("sheet.docx", &package(&[("xl/workbook.xml", "<workbook/>")]), Unreadable::UnknownFormat);
    check("odd.docx", &package(&[("word/document.xml", "<w:html/>")]), Unreadable::UnknownFormat);
    check("cut.docx", &docx_with(None, &paragraph("a", "雨"))[..200], Unreadable::Damaged);
    check("broken.docx", &package(&[("word/document.xml", "<w:document><w:body><w:p>")]), Unreadable::Damaged);
    check("text.docx", "第一章".as_bytes(), Unreadable::Damaged);
    check("book.pdf", b"%PDF-1.7", Unreadable::UnknownFormat);
    check("book.rtf", b"{\\rtf1 x}", Unreadable::UnknownFormat);
    check("page.html", b"<p>x</p>", Unreadable::UnknownFormat);
    check("empty.txt", b"", Unreadable::Empty);
    check("blank.txt", " \n　\n".as_bytes(), Unreadable::Empty);
    check("empty.docx", &docx_with(None, "<w:p/>"), Unreadable::Empty);
}

#[test]
fn an_entity_that_unfolds_is_not_unfolded() {
    let document = |words: &str| {
        format!(
            r#"<!DOCTYPE x [<!ENTITY a "雨雨雨"><!ENTITY b "&a;&a;&a;">]><w:document><w:body><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:body></w:document>"#
        )
    };
    for words in ["&b;", "雨"] {
        let bomb = package(&[("word/document.xml", &document(words))]);
        assert_eq!(import("bomb.docx", &bomb, true), Err(Unreadable::Damaged), "{words}");
    }
}

#[test]
fn a_small_file_that_unpacks_to_a_large_one_is_refused_before_it_is_large() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    let spaces = vec![b' '; 1024 * 1024];
    for _ in 0..130 {
        zip.write_all(&spaces).unwrap();
    }
    let bomb = zip.finish().unwrap().into_inner();
    assert!(bomb.len() < 1024 * 1024);
    assert_eq!(import("bomb.docx", &bomb, true), Err(Unreadable::TooLarge));
}

#[test]
fn elements_without_end_in_each_other_are_refused() {
    let nested = |depth: usize| {
        let body = format!("{}<w:r><w:t>雨</w:t></w:r>{}", "<w:p>".repeat(depth), "</w:p>".repeat(depth));
        package(&[("word/document.xml", &format!("<w:document><w:body>{body}</w:body></w:document>"))])
    };
    assert_eq!(import("deep.docx", &nested(50), true).map(|read| read.chapters.len()), Ok(1));
    assert_eq!(import("deep.docx", &nested(100_000), true), Err(Unreadable::Damaged));
}

#[test]
fn ten_thousand_headings_are_refused_quickly() {
    let many: String = (1..=10_000).map(|n| format!("第{n}章\n雨。\n")).collect();
    assert_eq!(import("many.txt", many.as_bytes(), true), Err(Unreadable::TooManyChapters));
}

/// All that is no white space, in its order.
fn words(imported: &Imported) -> String {
    let mut all = imported.title.clone().unwrap_or_default();
    for chapter in &imported.chapters {
        all.push_str(&chapter.title);
        all.push_str(&chapter.text);
    }
    bare(&all)
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

const LINES: &str = "(第[一二三]章( 雨夜)?|第一卷|楔子|Chapter [1-3]|Part One|[雨水a ]{0,6}[。，]?|　　“[雨a]{1,4}。”|他翻到\n第二章|目录)";

proptest! {
    #[test]
    fn every_word_of_a_plain_text_comes_back(lines in prop::collection::vec(LINES, 1..25)) {
        let text = lines.join("\n");
        prop_assume!(!bare(&text).is_empty());
        let imported = import("~.txt", text.as_bytes(), true).unwrap();
        // The text before the first heading is named after the file.
        prop_assert_eq!(words(&imported).replace('~', ""), bare(&text));
    }

    #[test]
    fn every_word_of_a_markdown_file_comes_back(lines in prop::collection::vec("(#{1,3} [雨a]{1,4}|[雨a。*]{0,6}|```)", 1..25)) {
        let text = lines.join("\n");
        prop_assume!(!bare(&text).is_empty());
        let imported = import("~.md", text.as_bytes(), true).unwrap();
        let unmarked = |text: &str| text.replace(['#', '~'], "");
        prop_assert_eq!(unmarked(&words(&imported)), unmarked(&bare(&text)));
    }

    #[test]
    fn every_word_of_a_word_document_comes_back(paragraphs in prop::collection::vec(("(1|a|a3|x)", "[雨a*_#。 ]{0,8}"), 1..20)) {
        let body: String = paragraphs.iter().map(|(style, words)| paragraph(style, words)).collect();
        let all: String = paragraphs.iter().map(|(_, words)| bare(words)).collect();
        prop_assume!(!all.is_empty());
        let imported = import("~.docx", &docx_with(Some(STYLES), &body), true).unwrap();
        let plain = |text: &str| text.replace(['\\', '~', '#'], "");
        prop_assert_eq!(plain(&words(&imported)), plain(&all));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), name in "[a雨]?\\.?(txt|md|docx|x)?", zip in any::<bool>()) {
        let bytes = if zip { [b"PK\x03\x04".as_slice(), &bytes].concat() } else { bytes };
        drop(import(&name, &bytes, true));
    }

    #[test]
    fn a_damaged_document_does_not_make_it_panic(at in 0usize..2000, byte in any::<u8>()) {
        let mut bytes = docx_with(Some(STYLES), &paragraph("1", "渡船"));
        let at = at % bytes.len();
        bytes[at] = byte;
        drop(import("x.docx", &bytes, true));
    }
}
