//! Writes a Word document with named styles, so that the writer can change the look of a book in one place.

use std::io::{self, Cursor, Write as _};

use quick_xml::escape::escape;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::ExportChapter;
use crate::emphasis::{self, Run};
use crate::text;

const XML_DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const WORD_NAMESPACE: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const CONTENT_TYPES_NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const RELATIONSHIPS_NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE_RELATIONSHIP: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const CONTENT_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml";

/// The package of a whole book.
pub(super) fn build_package(title: &str, chinese: bool, chapters: &[ExportChapter]) -> io::Result<Vec<u8>> {
    let parts = [
        ("[Content_Types].xml", content_types()),
        ("_rels/.rels", package_relations()),
        ("docProps/core.xml", properties(title, chinese)),
        ("word/document.xml", document(title, chinese, chapters)),
        ("word/_rels/document.xml.rels", document_relations()),
        ("word/styles.xml", styles(chinese)),
        ("word/settings.xml", settings(chinese)),
    ];
    // The same book gives the same bytes: no time and no author.
    let options = SimpleFileOptions::default();
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = || -> io::Result<()> {
        for (name, text) in &parts {
            zip.start_file(*name, options)?;
            zip.write_all(XML_DECLARATION.as_bytes())?;
            zip.write_all(text.as_bytes())?;
        }
        Ok(())
    };
    put()?;
    Ok(zip.finish()?.into_inner())
}

fn document(title: &str, chinese: bool, chapters: &[ExportChapter]) -> String {
    let mut out = format!("<w:document xmlns:w=\"{WORD_NAMESPACE}\"><w:body>");
    let mut body = BodyWriter { out: &mut out, chinese };
    body.paragraph("Title", &[plain(title)]);
    for chapter in chapters {
        body.paragraph("Heading1", &[plain(&chapter.title)]);
        body.text(&chapter.text);
    }
    // A4 in twentieths of a point, with margins of an inch.
    out.push_str("<w:sectPr><w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1440\" w:right=\"1440\" w:bottom=\"1440\" w:left=\"1440\" w:header=\"720\" w:footer=\"720\" w:gutter=\"0\"/></w:sectPr></w:body></w:document>");
    out
}

fn plain(words: &str) -> Run {
    Run { text: words.to_owned(), ..Run::default() }
}

struct BodyWriter<'a> {
    out: &'a mut String,
    chinese: bool,
}

impl BodyWriter<'_> {
    /// Writes the paragraphs of a chapter, separated by blank lines and headings.
    fn text(&mut self, markdown: &str) {
        let headings: Vec<(usize, usize, u8)> = text::headings(markdown).collect();
        let mut from = 0;
        for (start, end, level) in headings {
            self.blocks(markdown.get(from..start).unwrap_or_default());
            if let Some(title) = markdown.get(start..end).and_then(text::heading_title) {
                self.paragraph(&format!("Heading{level}"), &[plain(title)]);
            }
            from = end;
        }
        self.blocks(markdown.get(from..).unwrap_or_default());
    }

    fn blocks(&mut self, markdown: &str) {
        let mut lines: Vec<&str> = Vec::new();
        for line in markdown.split('\n').chain([""]) {
            if !line.trim().is_empty() {
                lines.push(line);
            } else if !lines.is_empty() {
                self.block(&lines);
                lines.clear();
            }
        }
    }

    fn block(&mut self, lines: &[&str]) {
        let quoted: Option<Vec<&str>> = lines.iter().map(|line| line.trim_start().strip_prefix('>')).collect();
        let words = |lines: &[&str]| {
            // The first line is indented by its style.
            let bare: Vec<&str> = lines.iter().map(|line| line.trim_start_matches(['\t', ' ', '　'])).collect();
            bare.join("\n")
        };
        let all = words(quoted.as_deref().unwrap_or(lines));
        if is_scene_break(&all) {
            self.paragraph("SceneBreak", &[plain(&all)]);
        } else {
            self.paragraph(if quoted.is_some() { "Quote" } else { "BodyText" }, &emphasis::parse(&all));
        }
    }

    fn paragraph(&mut self, style: &str, runs: &[Run]) {
        self.out.push_str(&format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>"));
        for run in runs {
            self.run(run);
        }
        self.out.push_str("</w:p>");
    }

    fn run(&mut self, run: &Run) {
        self.out.push_str("<w:r>");
        if self.chinese || run.bold || run.italic {
            self.out.push_str("<w:rPr>");
            if self.chinese {
                // Without the hint quotation marks use the Latin font, half as wide.
                self.out.push_str("<w:rFonts w:hint=\"eastAsia\"/>");
            }
            if run.bold {
                self.out.push_str("<w:b/><w:bCs/>");
            }
            if run.italic {
                self.out.push_str("<w:i/><w:iCs/>");
            }
            self.out.push_str("</w:rPr>");
        }
        for (at, line) in run.text.split('\n').enumerate() {
            if at > 0 {
                self.out.push_str("<w:br/>");
            }
            for (at, words) in line.split('\t').enumerate() {
                if at > 0 {
                    self.out.push_str("<w:tab/>");
                }
                if !words.is_empty() {
                    self.out.push_str(&format!("<w:t xml:space=\"preserve\">{}</w:t>", escape_text(words)));
                }
            }
        }
        self.out.push_str("</w:r>");
    }
}

/// Whether a block is a scene break: only stars or dashes.
fn is_scene_break(block: &str) -> bool {
    let marks: Vec<char> = block.chars().filter(|c| !c.is_whitespace()).collect();
    marks.len() >= 3
        && !block.contains('\n')
        && marks.iter().all(|c| matches!(c, '*' | '-' | '_' | '＊' | '—' | '·' | '◇' | '◆' | '~'))
}

/// Escapes text for XML and drops characters that XML cannot contain.
fn escape_text(words: &str) -> String {
    let allowed: String = words.chars().filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
    escape(allowed).into_owned()
}

fn language(chinese: bool) -> &'static str {
    if chinese { "zh-CN" } else { "en-US" }
}

fn properties(title: &str, chinese: bool) -> String {
    format!(
        "<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>{}</dc:title><dc:language>{}</dc:language></cp:coreProperties>",
        escape_text(title),
        language(chinese)
    )
}

fn content_types() -> String {
    format!(
        "<Types xmlns=\"{CONTENT_TYPES_NAMESPACE}\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/><Override PartName=\"/word/document.xml\" ContentType=\"{CONTENT_TYPE}.document.main+xml\"/><Override PartName=\"/word/styles.xml\" ContentType=\"{CONTENT_TYPE}.styles+xml\"/><Override PartName=\"/word/settings.xml\" ContentType=\"{CONTENT_TYPE}.settings+xml\"/><Override PartName=\"/docProps/core.xml\" ContentType=\"application/vnd.openxmlformats-package.core-properties+xml\"/></Types>"
    )
}

fn package_relations() -> String {
    format!(
        "<Relationships xmlns=\"{RELATIONSHIPS_NAMESPACE}\"><Relationship Id=\"rId1\" Type=\"{OFFICE_RELATIONSHIP}/officeDocument\" Target=\"word/document.xml\"/><Relationship Id=\"rId2\" Type=\"http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties\" Target=\"docProps/core.xml\"/></Relationships>"
    )
}

fn document_relations() -> String {
    format!(
        "<Relationships xmlns=\"{RELATIONSHIPS_NAMESPACE}\"><Relationship Id=\"rId1\" Type=\"{OFFICE_RELATIONSHIP}/styles\" Target=\"styles.xml\"/><Relationship Id=\"rId2\" Type=\"{OFFICE_RELATIONSHIP}/settings\" Target=\"settings.xml\"/></Relationships>"
    )
}

fn settings(chinese: bool) -> String {
    let east = if chinese { " w:eastAsia=\"zh-CN\"" } else { "" };
    format!(
        "<w:settings xmlns:w=\"{WORD_NAMESPACE}\"><w:characterSpacingControl w:val=\"compressPunctuation\"/><w:compat><w:compatSetting w:name=\"compatibilityMode\" w:uri=\"http://schemas.microsoft.com/office/word\" w:val=\"15\"/></w:compat><w:themeFontLang w:val=\"en-US\"{east}/></w:settings>"
    )
}

/// The styles. Sizes are half points, distances twentieths of a point; the indent of Chinese paragraphs is two
/// characters.
fn styles(chinese: bool) -> String {
    let lang = if chinese { "<w:lang w:val=\"en-US\" w:eastAsia=\"zh-CN\"/>" } else { "<w:lang w:val=\"en-US\"/>" };
    let fonts = "<w:rFonts w:ascii=\"Times New Roman\" w:hAnsi=\"Times New Roman\" w:eastAsia=\"宋体\" w:cs=\"Times New Roman\"/>";
    let heads = "<w:rFonts w:ascii=\"Times New Roman\" w:hAnsi=\"Times New Roman\" w:eastAsia=\"黑体\" w:cs=\"Times New Roman\"/>";
    let (indent, line, align) = if chinese {
        ("<w:ind w:firstLineChars=\"200\" w:firstLine=\"480\"/>", 400, "both")
    } else {
        ("<w:ind w:firstLine=\"360\"/>", 360, "left")
    };
    let mut out = format!(
        "<w:styles xmlns:w=\"{WORD_NAMESPACE}\"><w:docDefaults><w:rPrDefault><w:rPr>{fonts}<w:sz w:val=\"24\"/><w:szCs w:val=\"24\"/>{lang}</w:rPr></w:rPrDefault><w:pPrDefault/></w:docDefaults>"
    );
    let mut style = |id: &str, name: &str, rest: &str| {
        let first = if id == "Normal" { " w:default=\"1\"" } else { "" };
        out += &format!(
            "<w:style w:type=\"paragraph\"{first} w:styleId=\"{id}\"><w:name w:val=\"{name}\"/>{rest}</w:style>"
        );
    };
    let based = "<w:basedOn w:val=\"Normal\"/>";
    style("Normal", "Normal", "<w:qFormat/>");
    style(
        "BodyText",
        "Body Text",
        &format!(
            "{based}<w:qFormat/><w:pPr><w:spacing w:line=\"{line}\" w:lineRule=\"auto\"/>{indent}<w:jc w:val=\"{align}\"/></w:pPr>"
        ),
    );
    style(
        "Title",
        "Title",
        &format!(
            "{based}<w:next w:val=\"BodyText\"/><w:qFormat/><w:pPr><w:spacing w:before=\"2400\" w:after=\"600\"/><w:jc w:val=\"center\"/></w:pPr><w:rPr>{heads}<w:sz w:val=\"44\"/><w:szCs w:val=\"44\"/></w:rPr>"
        ),
    );
    for level in 1..=6u8 {
        let (size, above) = (if level == 1 { 32 } else { 26 }, if level == 1 { 480 } else { 240 });
        // Each chapter on a page of its own.
        let page = if level == 1 { "<w:pageBreakBefore/>" } else { "" };
        let align = if level == 1 { "center" } else { "left" };
        style(
            &format!("Heading{level}"),
            &format!("heading {level}"),
            &format!(
                "{based}<w:next w:val=\"BodyText\"/><w:qFormat/><w:pPr><w:keepNext/><w:keepLines/>{page}<w:spacing w:before=\"{above}\" w:after=\"240\"/><w:jc w:val=\"{align}\"/><w:outlineLvl w:val=\"{}\"/></w:pPr><w:rPr>{heads}<w:b/><w:bCs/><w:sz w:val=\"{size}\"/><w:szCs w:val=\"{size}\"/></w:rPr>",
                level - 1
            ),
        );
    }
    style(
        "Quote",
        "Quote",
        &format!(
            "{based}<w:qFormat/><w:pPr><w:spacing w:line=\"{line}\" w:lineRule=\"auto\"/><w:ind w:left=\"720\" w:right=\"720\"/></w:pPr>"
        ),
    );
    style(
        "SceneBreak",
        "Scene Break",
        &format!(
            "{based}<w:next w:val=\"BodyText\"/><w:qFormat/><w:pPr><w:spacing w:before=\"240\" w:after=\"240\"/><w:jc w:val=\"center\"/></w:pPr>"
        ),
    );
    out.push_str("</w:styles>");
    out
}
