//! Manuscripts in and out: importing files of other programs as chapters, exporting the whole book as one file, the
//! order of chapters, and their scene types.

use std::path::{Path, PathBuf};

use palimpsest_files::check_destination;
use palimpsest_manuscript::{
    Error as ManuscriptError, ExportFormat as Format, ImportOptions, Imported, MisfitChoices, NewChapter, Section,
    SectionChoice, SectionKind as ManuscriptKind, SectionUse as ManuscriptUse, SplitPoint, Unreadable, import_file,
};
use palimpsest_memory::{
    Code, Details, check_scene_type,
    model::{ChapterId, ProjectId, Reason},
};
use palimpsest_text::{count, excerpt};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{
    Api,
    books::{self, OpenBook},
    dto::{ChapterInfo, ChapterList, ProjectArguments, saturating_u32},
    error::{ApiError, manuscript, origin_of},
};

/// The most characters of the first words of a section or paragraph.
const MAX_OPENING_CHARS: usize = 80;
/// The most paragraphs of one answer.
const MAX_PARAGRAPHS: usize = 200;

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
    /// Joins wrapped lines into paragraphs. Default `true`.
    #[specta(optional)]
    pub join_lines: Option<bool>,
    /// Paragraphs at which sections are split, as [`ImportParagraph`] tells them: each begins a section of its own.
    #[specta(optional)]
    pub splits: Option<Vec<u32>>,
    /// The choices of the writer, one for each section of the dry run. By default the recognized headings begin
    /// chapters.
    #[specta(optional)]
    pub sections: Option<Vec<ImportSection>>,
    /// The content hash of the dry run; refused with `importFileChanged` if the file is another one now.
    #[specta(optional)]
    pub content_hash: Option<String>,
    /// The import that is undone together with this one: the import of the file before.
    #[specta(optional)]
    pub continued_import_id: Option<String>,
}

/// The writer's choice for a section of a file.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ImportSection {
    /// The use of the section.
    #[serde(rename = "use")]
    pub usage: SectionUse,
    /// Another title of the chapter that begins here, one line of at most 200 characters.
    #[specta(optional)]
    pub title: Option<String>,
}

/// The use of a section in an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SectionUse {
    /// It begins a chapter.
    Chapter,
    /// It continues the chapter before it.
    Continue,
    /// It is left out.
    Omit,
}

/// The beginning of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SectionKind {
    /// The start of the file.
    Start,
    /// A line that names a chapter, such as "Chapter 1".
    Heading,
    /// A number alone in a line.
    Numeral,
    /// A line of capitals.
    Capitals,
    /// A centred line.
    Centred,
    /// A short line between blank lines.
    ShortLine,
    /// Signs that separate scenes.
    Ornament,
    /// A paragraph at which the writer split a section.
    Paragraph,
    /// The line that ends the text, before a licence.
    Licence,
}

/// A stretch of a file from one heading, or line that may be one, to the next.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundSection {
    /// The title of the chapter that would begin here.
    pub title: String,
    pub kind: SectionKind,
    /// The use without a choice of the writer.
    #[serde(rename = "use")]
    pub usage: SectionUse,
    /// Han characters and words of other scripts below its heading.
    pub words: u32,
    /// The first words below its heading, at most 80 characters.
    pub opening: String,
}

/// Lists the paragraphs of a section at which it can be split.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ImportSectionArguments {
    pub project_id: ProjectId,
    /// The file, absolute.
    pub path: String,
    /// As in [`ImportBook`].
    #[specta(optional)]
    pub join_lines: Option<bool>,
    /// As in [`ImportBook`]: the splits that the sections have already.
    #[specta(optional)]
    pub splits: Option<Vec<u32>>,
    /// As in [`ImportBook`].
    #[specta(optional)]
    pub content_hash: Option<String>,
    /// Index of the section, from 0.
    pub section: u32,
    /// Only the paragraphs that contain this text, in capitals or small letters.
    #[specta(optional)]
    pub containing: Option<String>,
    /// Only the paragraphs from this position on. Default: all.
    #[specta(optional)]
    pub from: Option<u32>,
}

/// A paragraph of a file at which a section can be split.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportParagraph {
    /// Its position, to split there: bytes of the text that was read.
    pub at: u32,
    /// Its first words, at most 80 characters.
    pub opening: String,
}

/// Paragraphs of a section, without its first one.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportParagraphs {
    /// In their order, at most 200.
    pub paragraphs: Vec<ImportParagraph>,
    /// The position of the next paragraph; `null` if there are no more.
    pub next: Option<u32>,
}

/// The last import into a book, while it can be undone.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UndoableImport {
    pub import_id: String,
    /// Number of its chapters.
    pub chapters: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LastImport {
    /// `null` if a chapter of it was changed, or nothing was imported.
    pub last: Option<UndoableImport>,
}

#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct UndoImport {
    pub project_id: ProjectId,
    /// Of [`UndoableImport`].
    pub import_id: String,
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
    /// The sections that chapters can be made of, in their order.
    pub sections: Vec<FoundSection>,
    /// Number of line ends inside wrapped paragraphs, which are joined by default.
    pub wrapped_lines: u32,
    /// BLAKE3 of the file in hexadecimal.
    pub content_hash: String,
    /// The import, to undo it; `null` after a dry run.
    pub import_id: Option<String>,
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
        let splits = args.splits.unwrap_or_default();
        let read = read_for_import(&open, &args.path, args.join_lines, &splits, args.content_hash.as_deref())?;
        let choices: Option<Vec<SectionChoice>> = args.sections.map(|sections| {
            let choice = |section: ImportSection| SectionChoice { usage: section.usage.into(), title: section.title };
            sections.into_iter().map(choice).collect()
        });
        let chapters = read.chapters(choices.as_deref()).map_err(|misfit| misfit_error("sections", misfit))?;
        if args.dry_run == Some(true) {
            return Ok(imported_book(&read, &chapters, None));
        }
        let pending = {
            let mut book = self.lock_refreshed(&args.project_id, &open)?;
            book.begin_import(&chapters, &mut || self.engine.new_id()).map_err(manuscript)?
        };
        // Nor while many files are written.
        let written = pending.write();
        let mut book = open.lock();
        let added = book.finish_import(pending, written, args.continued_import_id.as_deref()).map_err(manuscript)?;
        let import_id = book.last_import().map(|last| last.import_id);
        drop(book);
        self.analyzer.submit(&args.project_id, &open);
        let ids = added.into_iter().map(|chapter| books::from_book(&chapter.chapter_id)).collect();
        Ok(ImportedBook { import_id, ..imported_book(&read, &chapters, Some(ids)) })
    }

    pub(crate) fn project_import_paragraphs(&self, args: ImportSectionArguments) -> Result<ImportParagraphs, ApiError> {
        let open = self.book(&args.project_id)?;
        let splits = args.splits.unwrap_or_default();
        let read = read_for_import(&open, &args.path, args.join_lines, &splits, args.content_hash.as_deref())?;
        let section = usize::try_from(args.section).unwrap_or(usize::MAX);
        if section >= read.sections.len() {
            return Err(ApiError::invalid("section", "no such section"));
        }
        let from = args.from.map_or(0, in_memory);
        let containing = args.containing.unwrap_or_default();
        let mut found = read.split_points(section, from, containing.trim(), MAX_PARAGRAPHS + 1, MAX_OPENING_CHARS);
        let next = found.get(MAX_PARAGRAPHS).map(|point| saturating_u32(point.at));
        found.truncate(MAX_PARAGRAPHS);
        let paragraph = |point: SplitPoint| ImportParagraph { at: saturating_u32(point.at), opening: point.text };
        Ok(ImportParagraphs { paragraphs: found.into_iter().map(paragraph).collect(), next })
    }

    pub(crate) fn project_import_last(&self, args: ProjectArguments) -> Result<LastImport, ApiError> {
        let open = self.book(&args.project_id)?;
        let last = open.lock().last_import();
        let undoable = |last: palimpsest_manuscript::LastImport| UndoableImport {
            import_id: last.import_id,
            chapters: saturating_u32(last.chapters),
        };
        Ok(LastImport { last: last.map(undoable) })
    }

    pub(crate) fn project_import_undo(&self, args: UndoImport) -> Result<ChapterList, ApiError> {
        let open = self.book(&args.project_id)?;
        let mut book = self.lock_refreshed(&args.project_id, &open)?;
        book.undo_import(&args.import_id).map_err(manuscript)?;
        self.analyzer.submit(&args.project_id, &open);
        Ok(ChapterList { chapters: books::list_chapters(&book) })
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
            let book = self.lock_refreshed(&args.project_id, &open)?;
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
        let mut book = self.lock_refreshed(&args.project_id, &open)?;
        let before = args.before.as_ref().map(books::in_book);
        book.move_chapter(&books::in_book(&args.chapter_id), before.as_ref()).map_err(manuscript)?;
        Ok(ChapterList { chapters: books::list_chapters(&book) })
    }
}

/// Reads a file and splits its sections. The book is not locked while a large file is read.
fn read_for_import(
    open: &OpenBook,
    path: &str,
    join_lines: Option<bool>,
    splits: &[u32],
    content_hash: Option<&str>,
) -> Result<Imported, ApiError> {
    let path = absolute_file(path)?;
    let chinese = open.lock().language() == "zh";
    let options = ImportOptions { chinese, join_lines: join_lines != Some(false) };
    let mut read = import_file(&path, options).map_err(import_error)?;
    if content_hash.is_some_and(|hash| hash != read.content_hash) {
        let message = "the file was changed after its contents were shown".to_owned();
        return Err(path_error(Code::StaleVersion, Reason::ImportFileChanged, message));
    }
    let splits: Vec<usize> = splits.iter().copied().map(in_memory).collect();
    read.split_at(&splits).map_err(|misfit| misfit_error("splits", misfit))?;
    Ok(read)
}

fn misfit_error(field: &str, misfit: MisfitChoices) -> ApiError {
    let details = Details { field: Some(field.into()), reason: Some(Reason::ImportChoices), ..Details::default() };
    ApiError::with_details(Code::InvalidArgument, misfit.to_string(), details)
}

/// A position as the program counts it.
fn in_memory(position: u32) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

fn imported_book(read: &Imported, chapters: &[NewChapter], ids: Option<Vec<ChapterId>>) -> ImportedBook {
    let mut ids = ids.unwrap_or_default().into_iter();
    let found = |chapter: &NewChapter| FoundChapter {
        title: chapter.title.clone(),
        characters: saturating_u32(chapter.text.chars().filter(|c| !c.is_whitespace()).count()),
        words: count::words(&chapter.text),
        chapter_id: ids.next(),
    };
    let section = |section: &Section| {
        let text = read.text_of(section);
        FoundSection {
            title: section.title.clone(),
            kind: section.kind.into(),
            usage: section.usage.into(),
            words: count::words(text),
            opening: excerpt(text, MAX_OPENING_CHARS),
        }
    };
    ImportedBook {
        title: read.title.clone(),
        chapters: chapters.iter().map(found).collect(),
        sections: read.sections.iter().map(section).collect(),
        wrapped_lines: read.wrapped_lines,
        content_hash: read.content_hash.clone(),
        import_id: None,
        encoding: read.encoding.map(str::to_owned),
        unreadable: read.unreadable,
        notes: read.notes,
        pictures: read.pictures,
    }
}

impl From<ManuscriptUse> for SectionUse {
    fn from(usage: ManuscriptUse) -> Self {
        match usage {
            ManuscriptUse::Chapter => Self::Chapter,
            ManuscriptUse::Continue => Self::Continue,
            ManuscriptUse::Omit => Self::Omit,
        }
    }
}

impl From<SectionUse> for ManuscriptUse {
    fn from(usage: SectionUse) -> Self {
        match usage {
            SectionUse::Chapter => Self::Chapter,
            SectionUse::Continue => Self::Continue,
            SectionUse::Omit => Self::Omit,
        }
    }
}

impl From<ManuscriptKind> for SectionKind {
    fn from(kind: ManuscriptKind) -> Self {
        match kind {
            ManuscriptKind::Start => Self::Start,
            ManuscriptKind::Heading => Self::Heading,
            ManuscriptKind::Numeral => Self::Numeral,
            ManuscriptKind::Capitals => Self::Capitals,
            ManuscriptKind::Centred => Self::Centred,
            ManuscriptKind::ShortLine => Self::ShortLine,
            ManuscriptKind::Ornament => Self::Ornament,
            ManuscriptKind::Paragraph => Self::Paragraph,
            ManuscriptKind::Licence => Self::Licence,
        }
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
