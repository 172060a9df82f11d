//! The sample book: a short story written for this project, in two languages. Unpacked once, then a book like any
//! other.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use palimpsest_memory::model::Language;

struct Sample {
    folder: &'static str,
    title: &'static str,
    chapters: [(&'static str, &'static str); 3],
}

const ZH: Sample = Sample {
    folder: "sample-zh",
    title: "验潮屋",
    chapters: [
        ("01-交接.md", include_str!("../sample-book/zh/01-交接.md")),
        ("02-铅笔.md", include_str!("../sample-book/zh/02-铅笔.md")),
        ("03-墙上的线.md", include_str!("../sample-book/zh/03-墙上的线.md")),
    ],
};

const EN: Sample = Sample {
    folder: "sample-en",
    title: "The Tide-Gauge House",
    chapters: [
        ("01-handover.md", include_str!("../sample-book/en/01-handover.md")),
        ("02-pencil.md", include_str!("../sample-book/en/02-pencil.md")),
        ("03-the-line-on-the-wall.md", include_str!("../sample-book/en/03-the-line-on-the-wall.md")),
    ],
};

/// The folder in which sample books are unpacked.
pub(crate) fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("books")
}

/// The folder and the title of the sample book of a language. Unpacked if missing; chapters that the writer changed or
/// deleted stay so.
pub(crate) fn unpack(data_dir: &Path, language: Language) -> io::Result<(PathBuf, &'static str)> {
    let sample = match language {
        Language::Zh => ZH,
        Language::En => EN,
    };
    let folder = folder(data_dir).join(sample.folder);
    if !folder.exists() {
        // Completely or not at all: a crash in between leaves only the other folder behind.
        let unfinished = folder.with_extension("unfinished");
        fs::create_dir_all(&unfinished)?;
        for (name, text) in sample.chapters {
            fs::write(unfinished.join(name), text)?;
        }
        fs::rename(&unfinished, &folder)?;
    }
    Ok((folder, sample.title))
}
