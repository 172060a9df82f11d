//! Manuscripts in and out: importing files of other programs as chapters, exporting the whole book as one file, the
//! order of chapters, and their scene types.

use std::path::{Path, PathBuf};

use palimpsest_files::check_destination;
use palimpsest_manuscript::{
    Error as ManuscriptError, ExportFormat as Format, Imported, NewChapter, Unreadable, import_file,
};
use palimpsest_memory::{
    Code, Details, check_scene_type,
    model::{ChapterId, ProjectId, Reason},
};
use palimpsest_text::count;
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{
    Api, books,
    dto::{ChapterInfo, ChapterList, saturating_u32},
    error::{ApiError, manuscript, origin_of},
};

/// Imports a file into a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ImportBook {
    pub project_id: ProjectId,
    /// The file, absolute: text in any usual encoding, Markdown, or Word since 2007.
    pub path: String,
    /// Only return its contents. Default `false`: its chapters are added behind the last one, all or none.
    #[specta(optional)]
    pub dry_run: Option<bool>,
}

/// A chapter found in a file.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundChapter {
    /// Its heading, or the name of the file.
    pub title: String,
    /// Number of characters other than white space.
    pub characters: u32,
    /// Han characters and words of other scripts.
    pub words: u32,
    /// The chapter it became; `null` after a dry run.
    pub chapter_id: Option<ChapterId>,
}

/// The contents of an imported file.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportedBook {
    /// The title above all chapters, where there is one: it is not used, because the book has its own.
    pub title: Option<String>,
    /// In their order.
    pub chapters: Vec<FoundChapter>,
    /// The detected encoding of a text file, by its usual name; `null` for Word.
    pub encoding: Option<String>,
    /// Number of places in a text file that could not be decoded.
    pub unreadable: u32,
    /// Number of footnotes and endnotes that are not imported.
    pub notes: u32,
    /// Number of pictures that are not imported.
    pub pictures: u32,
}

/// Exports a book as one file.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ExportBook {
    pub project_id: ProjectId,
    /// The file, absolute; an existing file is replaced.
    pub path: String,
    pub format: ExportFormat,
}

/// The format of an exported book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ExportFormat {
    /// One Markdown file.
    Markdown,
    /// A Word document.
    Docx,
}

#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedBook {
    /// Number of chapters.
    pub chapters: u32,
    /// Size of the file in bytes.
    pub bytes: u32,
}

/// Sets the scene type of a chapter's passages.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SetScene {
    pub project_id: ProjectId,
    pub chapter_id: ChapterId,
    /// One of the six or a name of the writer's, 1 to 40 characters in one line; without one it is detected for each
    /// passage.
    #[specta(optional)]
    pub scene_type: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MoveChapter {
    pub project_id: ProjectId,
    pub chapter_id: ChapterId,
    /// The chapter it is placed before; without one, at the end.
    #[specta(optional)]
    pub before: Option<ChapterId>,
}

impl Api {
    pub(crate) fn project_import(&self, args: ImportBook) -> Result<ImportedBook, ApiError> {
        let open = self.book(&args.project_id)?;
        let path = absolute_file(&args.path)?;
        let chinese = open.lock().language() == "zh";
        // The book is not locked while a large file is read.
        let read = import_file(&path, chinese).map_err(import_error)?;
        if args.dry_run == Some(true) {
            return Ok(imported_book(&read, None));
        }
        let mut book = open.lock();
        book.refresh(&mut || self.engine.new_id()).map_err(manuscript)?;
        let added = book.add_chapters(&read.chapters, &mut || self.engine.new_id()).map_err(manuscript)?;
        let ids = added.into_iter().map(|chapter| books::from_book(&chapter.chapter_id)).collect();
        Ok(imported_book(&read, Some(ids)))
    }

    pub(crate) fn project_export(&self, args: ExportBook) -> Result<ExportedBook, ApiError> {
        let open = self.book(&args.project_id)?;
        // Refused before a long book is read; the folder stays open, so that the checked destination cannot change.
        let place = check_destination(&absolute_file(&args.path)?, &self.engine.protected()).map_err(export_error)?;
        let format = match args.format {
            ExportFormat::Markdown => Format::Markdown,
            ExportFormat::Docx => Format::Docx,
        };
        // The lock ends when all chapters are read: writing a long book takes a while, and a chapter can be saved
        // meanwhile.
        let export = {
            let mut book = open.lock();
            book.refresh(&mut || self.engine.new_id()).map_err(manuscript)?;
            book.read_for_export().map_err(manuscript)?
        };
        let exported = export.write(&place, format).map_err(export_error)?;
        Ok(ExportedBook { chapters: saturating_u32(exported.chapters), bytes: saturating_u32(exported.bytes) })
    }

    pub(crate) fn chapter_scene(&self, args: SetScene) -> Result<ChapterInfo, ApiError> {
        let open = self.book(&args.project_id)?;
        let scene_type = args.scene_type.as_deref().map(str::trim);
        scene_type.map_or(Ok(()), check_scene_type)?;
        let mut book = open.lock();
        let chapter_id = books::in_book(&args.chapter_id);
        book.set_scene_type(&chapter_id, scene_type).map_err(manuscript)?;
        books::chapter_info(&book, &chapter_id)
    }

    pub(crate) fn chapter_move(&self, args: MoveChapter) -> Result<ChapterList, ApiError> {
        let open = self.book(&args.project_id)?;
        let mut book = open.lock();
        book.refresh(&mut || self.engine.new_id()).map_err(manuscript)?;
        let before = args.before.as_ref().map(books::in_book);
        book.move_chapter(&books::in_book(&args.chapter_id), before.as_ref()).map_err(manuscript)?;
        Ok(ChapterList { chapters: books::list_chapters(&book) })
    }
}

fn imported_book(read: &Imported, ids: Option<Vec<ChapterId>>) -> ImportedBook {
    let mut ids = ids.unwrap_or_default().into_iter();
    let found = |chapter: &NewChapter| FoundChapter {
        title: chapter.title.clone(),
        characters: saturating_u32(chapter.text.chars().filter(|c| !c.is_whitespace()).count()),
        words: count::words(&chapter.text),
        chapter_id: ids.next(),
    };
    ImportedBook {
        title: read.title.clone(),
        chapters: read.chapters.iter().map(found).collect(),
        encoding: read.encoding.map(str::to_owned),
        unreadable: read.unreadable,
        notes: read.notes,
        pictures: read.pictures,
    }
}

fn absolute_file(path: &str) -> Result<PathBuf, ApiError> {
    if Path::new(path).is_absolute() { Ok(path.into()) } else { Err(ApiError::invalid("path", "not an absolute path")) }
}

fn path_error(code: Code, reason: Reason, message: String) -> ApiError {
    let details = Details { field: Some("path".into()), reason: Some(reason), ..Details::default() };
    ApiError::with_details(code, message, details)
}

fn import_error(error: ManuscriptError) -> ApiError {
    let reason = match &error {
        ManuscriptError::Unreadable(why) => match why {
            Unreadable::TooLarge => Reason::ImportTooLarge,
            Unreadable::TooManyChapters => Reason::TooManyChapters,
            Unreadable::OldWord => Reason::OldWord,
            Unreadable::Encrypted => Reason::Encrypted,
            Unreadable::Damaged => Reason::DamagedDocument,
            Unreadable::NotText => Reason::NotText,
            Unreadable::Empty => Reason::EmptyFile,
            _ => Reason::UnknownFormat,
        },
        // The message contains no file name.
        ManuscriptError::Io { kind, .. } => {
            let message = format!("the file cannot be read: {kind}");
            return origin_of(&error)(path_error(Code::InvalidArgument, Reason::FileUnreadable, message));
        }
        _ => return manuscript(error),
    };
    path_error(Code::InvalidArgument, reason, error.to_string())
}

fn export_error(error: palimpsest_files::Error) -> ApiError {
    ApiError::not_written(&error)
}
