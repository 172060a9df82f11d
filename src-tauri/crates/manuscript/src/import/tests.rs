use std::io::{Cursor, Write};

use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

const ZH: ImportOptions = ImportOptions { chinese: true, join_lines: true };
const EN: ImportOptions = ImportOptions { chinese: false, join_lines: true };

fn read(name: &str, text: &str) -> Imported {
    import(name, text.as_bytes(), ZH).unwrap()
}

fn chapters(imported: &Imported) -> Vec<NewChapter> {
    imported.chapters(None).unwrap()
}

fn titles(imported: &Imported) -> Vec<String> {
    chapters(imported).into_iter().map(|chapter| chapter.title).collect()
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
    import("稿子.docx", &docx_with(Some(STYLES), body), ZH).unwrap()
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
    assert_eq!(chapters(&imported)[0].text, "《雨》\n\n作者：某人");
    assert_eq!(chapters(&imported)[2].text, "渡船靠岸。\n\n灯亮了。");
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
    assert_eq!(chapters(&imported)[3].text, "第一节\n\n簿子摊着。");
    let imported = read("x.md", "# Part One\n\n## Rain\n\nIt rained.\n\n# Part Two\n\n## Storm\n\nIt blew.\n");
    assert_eq!(titles(&imported), ["Part One", "Rain", "Part Two", "Storm"]);
}

#[test]
fn lines_that_end_where_the_page_did_stay_one_paragraph() {
    let english = "Chapter 1\n\nHe had read all of what stood in\nChapter 3 and knew that the ferry would be\nlate again. He waited.\n\nThen it came.\n\nChapter 2\n\nIt left.\n";
    let imported = import("Ferry.txt", english.as_bytes(), EN).unwrap();
    assert_eq!(titles(&imported), ["Chapter 1", "Chapter 2"]);
    assert_eq!(
        chapters(&imported)[0].text,
        "He had read all of what stood in\nChapter 3 and knew that the ferry would be\nlate again. He waited.\n\nThen it came."
    );
}

/// Enough wrapped lines to show that a text is wrapped.
const WRAPPED: &str =
    "He had read all of what stood in the book\nand knew that the ferry would be late once\nmore. He waited.\n";

#[test]
fn wrapped_lines_are_joined_and_counted_unless_that_is_switched_off() {
    let text = format!(
        "Chapter 1\n\n{WRAPPED}\nThe tide comes in,\nThe tide goes out,\nAnd what it leaves\nIs doubt.\n\nChapter 2\n\nIt left.\n"
    );
    let imported = import("Ferry.txt", text.as_bytes(), EN).unwrap();
    let joined =
        "He had read all of what stood in the book and knew that the ferry would be late once more. He waited.";
    let verse = "The tide comes in,  \nThe tide goes out,  \nAnd what it leaves  \nIs doubt.";
    assert_eq!(chapters(&imported)[0].text, format!("{joined}\n\n{verse}"));
    assert_eq!(imported.wrapped_lines, 2);
    let off = ImportOptions { join_lines: false, ..EN };
    let as_it_was = import("Ferry.txt", text.as_bytes(), off).unwrap();
    assert_eq!(chapters(&as_it_was)[0].text, text["Chapter 1\n\n".len()..text.find("\n\nChapter 2").unwrap()]);
    assert_eq!(as_it_was.wrapped_lines, 2);
    // An indented first line begins a paragraph; Chinese lines are joined without a space.
    let text = "第一章\n\n　　渡船靠岸的时候，水已经退得很远了，他在棚子\n下面等到天黑，听见对岸有人在喊他的名字，喊\n了很久。\n　　“谁？”\n　　“我。”\n";
    let imported = read("x.txt", text);
    assert_eq!(
        chapters(&imported)[0].text,
        "渡船靠岸的时候，水已经退得很远了，他在棚子下面等到天黑，听见对岸有人在喊他的名字，喊了很久。\n\n“谁？”\n\n“我。”"
    );
    let markdown = format!("# Rain\n\n{WRAPPED}\n12 Quay  \nWhitby\n");
    let imported = import("x.md", markdown.as_bytes(), EN).unwrap();
    assert_eq!(chapters(&imported)[0].text, format!("{joined}\n\n12 Quay  \nWhitby"));
    let imported = import("x.md", markdown.as_bytes(), off).unwrap();
    assert_eq!(chapters(&imported)[0].text, markdown["# Rain\n\n".len()..].trim_end());
}

#[test]
fn a_section_is_split_at_any_of_its_paragraphs_but_the_first_and_no_word_is_lost() {
    let text = "第一章 渡船\n\n渡船靠岸。\n\n“谁？”\n\n灯亮了。\n\n第二章 簿子\n\n簿子摊着。\n";
    let mut imported = read("雨.txt", text);
    let whole = chapters(&imported);
    let points = imported.split_points(0, 0, "", 9, 80);
    assert_eq!(points.iter().map(|point| point.text.as_str()).collect::<Vec<_>>(), ["“谁？”", "灯亮了。"]);
    assert_eq!(imported.split_points(0, points[1].at, "", 9, 80), points[1..]);
    assert_eq!(imported.split_points(0, 0, "灯", 9, 80), points[1..]);
    assert_eq!(imported.split_points(1, 0, "", 9, 80), []);
    assert_eq!(imported.split_points(9, 0, "", 9, 80), []);
    imported.split_at(&[points[1].at]).unwrap();
    assert_eq!(titles(&imported), ["第一章 渡船", "灯亮了。", "第二章 簿子"]);
    assert_eq!(chapters(&imported)[1].text, "灯亮了。");
    // The same paragraph of the shortened section is no place to split any more.
    assert_eq!(imported.split_points(0, 0, "", 9, 80), points[..1]);
    let choice = |usage| SectionChoice { usage, title: None };
    let joined = [SectionUse::Chapter, SectionUse::Continue, SectionUse::Chapter].map(choice);
    assert!(imported.chapters(Some(&joined)) == Ok(whole));
}

#[test]
fn a_split_where_no_paragraph_begins_is_refused_and_changes_nothing() {
    let text = "第一章 渡船\n\n渡船靠岸。\n\n“谁？”\n";
    let imported = read("雨.txt", text);
    let at = imported.split_points(0, 0, "", 9, 80)[0].at;
    for splits in [vec![0], vec![at + 3], vec![text.len() + 9], vec![at, at], vec![at; MAX_CHAPTERS + 1]] {
        let mut copy = imported.clone();
        assert_eq!(copy.split_at(&splits), Err(MisfitChoices::Split), "{}", splits.len());
    }
    // The heading of a section begins it already.
    let mut second = read("雨.txt", "第一章\n\n一。\n\n第二章\n\n二。\n");
    let heading = "第一章\n\n一。\n\n".len();
    assert_eq!(second.split_at(&[heading]), Err(MisfitChoices::Split));
}

#[test]
fn wrapped_lines_that_are_kept_are_no_places_to_split() {
    let text = format!("Chapter 1\n\nIt rained.\n\n{WRAPPED}\nIt left.\n\nChapter 2\n\n{WRAPPED}");
    for join_lines in [true, false] {
        let imported = import("Ferry.txt", text.as_bytes(), ImportOptions { join_lines, ..EN }).unwrap();
        let points = imported.split_points(0, 0, "", 9, 12);
        let found: Vec<&str> = points.iter().map(|point| point.text.as_str()).collect();
        assert_eq!(found, ["He had read…", "It left."], "{join_lines}");
    }
}

fn sections(imported: &Imported) -> Vec<(SectionKind, SectionUse, &str)> {
    imported.sections.iter().map(|section| (section.kind, section.usage, section.title.as_str())).collect()
}

#[test]
fn lines_that_may_be_headings_are_proposed_with_their_kind() {
    use SectionKind::{Capitals, Heading, Numeral, Ornament, ShortLine, Start};
    use SectionUse::{Chapter, Continue};
    let body = "渡船靠岸的时候，水已经退得很远了。\n\n“谁？”\n\n“我。”他说。\n\n灯亮着。\n\n";
    let imported = read("雨.txt", &format!("{body}第一章 渡船\n\n{body}三\n\n{body}* * *\n\n{body}旧灯塔⑴\n\n{body}"));
    assert_eq!(
        sections(&imported),
        [
            (Start, Chapter, "雨"),
            (Heading, Chapter, "第一章 渡船"),
            (Numeral, Continue, "三"),
            (Ornament, Continue, "渡船靠岸的时候，水已经退得很远了。 “谁？”…"),
            (ShortLine, Continue, "旧灯塔⑴"),
        ]
    );
    let body = "The ferry came in.\n\n\"Who?\"\n\nHe went out again.\n\nIt rained.\n\n";
    let imported =
        import("a.txt", format!("{body}THE FERRY\n\n{body}The Old Lamp\n\n{body}THE LEDGER\n\n{body}").as_bytes(), EN);
    assert_eq!(
        sections(&imported.unwrap()),
        [
            (Start, Chapter, "a"),
            (Capitals, Chapter, "THE FERRY"),
            (ShortLine, Continue, "The Old Lamp"),
            (Capitals, Chapter, "THE LEDGER"),
        ]
    );
}

#[test]
fn stories_under_centred_titles_and_numbers_with_titles_become_chapters() {
    let story = |title: &str| format!("                  {title}\n\n　　渡船靠岸的时候，灯亮着。\n\n　　他等着。\n\n");
    let text: String = ["鸭的喜剧", "头发的故事⑴", "白光", "端午节", "故乡"].map(story).concat();
    let imported = read("呐喊.txt", &format!("{text}第一章　序\n\n文。\n\n第二章　优胜记略\n\n文。\n"));
    assert_eq!(
        titles(&imported),
        ["鸭的喜剧", "头发的故事⑴", "白光", "端午节", "故乡", "第一章 序", "第二章 优胜记略"]
    );
    let story = |number: &str, title: &str| {
        format!("            {number}\n\n\n          {title}\n\n\nTHE rooms of the man lay\nalong the sea.\n\n")
    };
    let text = format!("{}{}", story("ONE", "The Absence of Mr Glass"), story("TWO", "The Paradise of Thieves"));
    let imported = import("x.txt", text.as_bytes(), EN).unwrap();
    assert_eq!(titles(&imported), ["ONE The Absence of Mr Glass", "TWO The Paradise of Thieves"]);
}

#[test]
fn a_publishers_header_and_licence_are_left_out_and_can_be_taken_in() {
    let text = format!(
        "The Project Gutenberg Etext of Rain\n\nPlease take a look at this header.\n\n**Welcome**\n\nChapter 1\n\n{WRAPPED}\nChapter 2\n\nIt left.\n\nFinis\n\nEnd of the Project Gutenberg Etext of Rain\n\nSMALL PRINT\n\nIt is free.\n"
    );
    let imported = import("rain.txt", text.as_bytes(), EN).unwrap();
    assert_eq!(titles(&imported), ["Chapter 1", "Chapter 2"]);
    assert_eq!(chapters(&imported)[1].text, "It left.\n\nFinis");
    let all: Vec<SectionChoice> = (imported.sections.iter().enumerate())
        .map(|(at, _)| if at == 0 { SectionUse::Chapter } else { SectionUse::Continue })
        .map(|usage| SectionChoice { usage, title: None })
        .collect();
    let whole = imported.chapters(Some(&all)).unwrap();
    assert_eq!(whole.len(), 1);
    assert_eq!(bare(&whole[0].text), bare(&text));
}

#[test]
fn the_writers_choices_merge_split_rename_and_leave_out() {
    let imported =
        read("x.txt", "序\n\n序文。\n\n第一章\n\n文一。\n\n三\n\n文三。\n\n第二章\n\n文二。\n\n附录\n\n录。\n");
    let choice = |usage, title: Option<&str>| SectionChoice { usage, title: title.map(str::to_owned) };
    use SectionUse::{Chapter, Continue, Omit};
    let chosen = |choices: [SectionChoice; 5]| {
        let chapters = imported.chapters(Some(&choices))?;
        Ok::<_, MisfitChoices>(chapters.into_iter().map(|chapter| (chapter.title, chapter.text)).collect::<Vec<_>>())
    };
    let expected =
        |chapters: &[(&str, &str)]| Ok(chapters.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect());
    assert_eq!(
        chosen([
            choice(Omit, None),
            choice(Chapter, Some(" 渡船 ")),
            choice(Chapter, None),
            choice(Continue, None),
            choice(Omit, None)
        ]),
        expected(&[("渡船", "文一。"), ("三", "文三。\n\n第二章\n\n文二。")])
    );
    assert_eq!(
        chosen([
            choice(Chapter, None),
            choice(Omit, None),
            choice(Continue, None),
            choice(Omit, None),
            choice(Continue, None)
        ]),
        expected(&[("序", "序文。\n\n三\n\n文三。\n\n附录\n\n录。")])
    );
    let bad = |title: Option<&str>, first| {
        imported.chapters(Some(&[
            choice(first, title),
            choice(Chapter, None),
            choice(Omit, None),
            choice(Omit, None),
            choice(Omit, None),
        ]))
    };
    assert_eq!(bad(Some(" "), Chapter), Err(MisfitChoices::Title));
    assert_eq!(bad(Some(&"长".repeat(201)), Chapter), Err(MisfitChoices::Title));
    assert_eq!(bad(None, Continue), Err(MisfitChoices::NoChapter));
    assert_eq!(imported.chapters(Some(&[])), Err(MisfitChoices::OtherNumber));
    assert_eq!(imported.chapters(Some(&[(); 5].map(|()| choice(Omit, None)))), Err(MisfitChoices::NoChapter));
}

#[test]
fn a_file_without_headings_is_one_chapter_named_after_it() {
    let imported = read("雨夜.txt", "第一章讲的是他如何离开家乡。\n后来他回来了。\n");
    assert_eq!(titles(&imported), ["雨夜"]);
    assert_eq!(chapters(&imported)[0].text, "第一章讲的是他如何离开家乡。\n\n后来他回来了。");
}

#[test]
fn markdown_is_parted_at_the_headings_of_its_chapters_and_not_in_code() {
    let imported = read("x.md", "# 渡船\n\n文。\n\n## 夜\n\n夜文。\n\n```\n# no heading\n```\n\n# 簿子\n\n文。\n");
    assert_eq!(titles(&imported), ["渡船", "簿子"]);
    assert_eq!(chapters(&imported)[0].text, "文。\n\n## 夜\n\n夜文。\n\n```\n# no heading\n```");
    let imported = read("x.md", "# 验潮屋\n\n## 渡船\n\n文。\n\n## 簿子\n\n文。\n");
    assert_eq!(
        (imported.title.as_deref(), titles(&imported)),
        (Some("验潮屋"), vec!["渡船", "簿子"].into_iter().map(str::to_owned).collect::<Vec<_>>())
    );
    let imported = read("x.md", "---\ntitle: \"验潮屋\"\nauthor: 某人\n---\n\n# 渡船\n\n文。\n");
    assert_eq!(
        (imported.title.as_deref(), titles(&imported)),
        (Some("验潮屋"), vec!["渡船"].into_iter().map(str::to_owned).collect::<Vec<_>>())
    );
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
    assert_eq!(
        (imported.title.as_deref(), titles(&imported)),
        (Some("验潮屋"), vec!["渡船", "簿子", "水尺"].into_iter().map(str::to_owned).collect::<Vec<_>>())
    );
    assert_eq!(chapters(&imported)[0].text, "雨 & **很大***，真的*。\n又一行");
    assert_eq!(chapters(&imported)[1].text, "*斜的*加的");
    assert_eq!((imported.notes, imported.pictures, imported.encoding), (1, 0, None));
}

#[test]
fn text_boxes_and_tables_are_text_too_and_no_word_comes_twice() {
    let imported = docx(
        r#"<w:p><w:r><w:t>前</w:t></w:r><w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice><w:drawing><w:txbxContent><w:p><w:r><w:t>框里</w:t></w:r></w:p></w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:p><w:r><w:t>框里</w:t></w:r></w:p></w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>后</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>格子</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p><w:r><w:ruby><w:rt><w:r><w:t>yu</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>雨</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>"#,
    );
    assert_eq!(chapters(&imported)[0].text, "框里\n\n前后\n\n格子\n\n雨");
}

#[test]
fn a_word_document_without_styles_is_split_by_its_heading_lines() {
    let body: String = ["第一章 渡船", "渡船靠岸。", "第二章 簿子", "第二章里没有雨。"]
        .iter()
        .map(|line| paragraph("a", line))
        .collect();
    let imported = docx(&body);
    assert_eq!(titles(&imported), ["第一章 渡船", "第二章 簿子"]);
    assert_eq!(chapters(&imported)[1].text, "第二章里没有雨。");
}

#[test]
fn a_file_that_is_no_manuscript_is_refused_with_its_reason() {
    let check =
        |name: &str, bytes: &[u8], expected: Unreadable| assert_eq!(import(name, bytes, ZH), Err(expected), "{name}");
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
        assert_eq!(import("bomb.docx", &bomb, ZH), Err(Unreadable::Damaged), "{words}");
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
    assert_eq!(import("bomb.docx", &bomb, ZH), Err(Unreadable::TooLarge));
}

#[test]
fn elements_without_end_in_each_other_are_refused() {
    let nested = |depth: usize| {
        let body = format!("{}<w:r><w:t>雨</w:t></w:r>{}", "<w:p>".repeat(depth), "</w:p>".repeat(depth));
        package(&[("word/document.xml", &format!("<w:document><w:body>{body}</w:body></w:document>"))])
    };
    assert_eq!(import("deep.docx", &nested(50), ZH).map(|read| read.sections.len()), Ok(1));
    assert_eq!(import("deep.docx", &nested(100_000), ZH), Err(Unreadable::Damaged));
}

#[test]
fn ten_thousand_headings_are_refused_quickly() {
    let many: String = (1..=10_000).map(|n| format!("第{n}章\n雨。\n")).collect();
    assert_eq!(import("many.txt", many.as_bytes(), ZH), Err(Unreadable::TooManyChapters));
}

/// All that is no white space, in its order.
fn words(imported: &Imported) -> String {
    let mut all = imported.title.clone().unwrap_or_default();
    for chapter in &chapters(imported) {
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
        let imported = import("~.txt", text.as_bytes(), ZH).unwrap();
        // The text before the first heading is named after the file.
        prop_assert_eq!(words(&imported).replace('~', ""), bare(&text));
    }

    #[test]
    fn whatever_the_writer_chooses_no_word_that_is_taken_in_is_lost_or_moved(
        lines in prop::collection::vec(LINES, 1..25),
        uses in prop::collection::vec(0..3usize, 40),
        join_lines in any::<bool>(),
    ) {
        let text = lines.join("\n\n");
        prop_assume!(!bare(&text).is_empty());
        let imported = import("~.txt", text.as_bytes(), ImportOptions { join_lines, ..ZH }).unwrap();
        let choices: Vec<SectionChoice> = (imported.sections.iter().zip(&uses).enumerate())
            .map(|(at, (_, chosen))| if at == 0 { SectionUse::Chapter } else { [SectionUse::Chapter, SectionUse::Continue, SectionUse::Omit][*chosen] })
            .map(|usage| SectionChoice { usage, title: None })
            .collect();
        let mut expected = String::new();
        for (section, choice) in imported.sections.iter().zip(&choices) {
            if choice.usage != SectionUse::Omit {
                let is_ornament = section.kind == SectionKind::Ornament;
                expected.push_str(if is_ornament { "" } else { &section.title });
                expected.push_str(imported.text_of(section));
            }
        }
        let taken: String = imported.chapters(Some(&choices)).unwrap().into_iter().map(|chapter| chapter.title + &chapter.text).collect();
        prop_assert_eq!(bare(&taken), bare(&expected));
    }

    #[test]
    fn every_word_of_a_markdown_file_comes_back(lines in prop::collection::vec("(#{1,3} [雨a]{1,4}|[雨a。*]{0,6}|```)", 1..25)) {
        let text = lines.join("\n");
        prop_assume!(!bare(&text).is_empty());
        let imported = import("~.md", text.as_bytes(), ZH).unwrap();
        let unmarked = |text: &str| text.replace(['#', '~'], "");
        prop_assert_eq!(unmarked(&words(&imported)), unmarked(&bare(&text)));
    }

    #[test]
    fn every_word_of_a_word_document_comes_back(paragraphs in prop::collection::vec(("(1|a|a3|x)", "[雨a*_#。 ]{0,8}"), 1..20)) {
        let body: String = paragraphs.iter().map(|(style, words)| paragraph(style, words)).collect();
        let all: String = paragraphs.iter().map(|(_, words)| bare(words)).collect();
        prop_assume!(!all.is_empty());
        let imported = import("~.docx", &docx_with(Some(STYLES), &body), ZH).unwrap();
        let plain = |text: &str| text.replace(['\\', '~', '#'], "");
        prop_assert_eq!(plain(&words(&imported)), plain(&all));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), name in "[a雨]?\\.?(txt|md|docx|x)?", zip in any::<bool>()) {
        let bytes = if zip { [b"PK\x03\x04".as_slice(), &bytes].concat() } else { bytes };
        drop(import(&name, &bytes, ZH));
    }

    #[test]
    fn a_damaged_document_does_not_make_it_panic(at in 0usize..2000, byte in any::<u8>()) {
        let mut bytes = docx_with(Some(STYLES), &paragraph("1", "渡船"));
        let at = at % bytes.len();
        bytes[at] = byte;
        drop(import("x.docx", &bytes, ZH));
    }
}
