//! Documents of real word processors, and ours in one of them. `fixtures/docx/make.py` made the documents.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use palimpsest_manuscript::{ImportOptions, import_file};

#[test]
fn documents_of_libreoffice_and_python_docx_come_in_with_headings_italics_breaks_quotes_and_counted_notes() {
    for name in ["libreoffice.docx", "python-docx.docx"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/docx").join(name);
        let read = import_file(&path, ImportOptions { chinese: true, join_lines: true }).unwrap();
        let found = read.chapters(None).unwrap();
        let chapters: Vec<(&str, &str)> =
            found.iter().map(|chapter| (chapter.title.as_str(), chapter.text.trim())).collect();
        let expected = [
            ("Chapter 1", "“Where have you been?” she asked. *Nowhere*, he said.\n\n* * *\n\nThe ferry left at six."),
            ("第二章 簿子", "“你去哪儿了？”她问。「*哪儿也没去*。」他说。\n\n＊＊＊\n\n『水尺』还在原处。"),
        ];
        assert_eq!(chapters, expected, "{name}");
        assert_eq!((read.notes, read.pictures), (3, 0), "{name}");
    }
}
