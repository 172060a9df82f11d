//! Hidden names, and the forms of them that remain in the book.

use palimpsest_manuscript::ChapterId;
use palimpsest_memory::{Code, asks_for_lower_case, model::HiddenName};

use crate::{
    Api,
    dto::{NameForms, NameList, ProjectArguments, saturating_u32},
    error::{ApiError, OrLog, manuscript},
};

impl NameList {
    pub(crate) fn from_names(names: Vec<HiddenName>) -> Self {
        let asked = names.iter().filter(|hidden| asks_for_lower_case(hidden));
        let ask_lower_case = asked.map(|hidden| hidden.name.clone()).collect();
        Self { names, ask_lower_case }
    }
}

impl Api {
    /// Texts with the hidden names of all projects replaced by their aliases, for a host whose client gives the texts
    /// of a project to a model.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` when no suitable aliases can be found, those of the store when the names could never
    /// be read: then nothing may be sent.
    pub fn hide_names(&self, project_id: &str, texts: &[&str]) -> Result<Vec<String>, ApiError> {
        self.engine.hide_names(&project_id.into(), texts)
    }

    /// Texts with the aliases of a project replaced by its hidden names, for a host whose client was given texts with
    /// hidden names.
    ///
    /// # Errors
    /// As [`Api::hide_names`].
    pub fn restore_names(&self, project_id: &str, texts: &[&str]) -> Result<Vec<String>, ApiError> {
        self.engine.restore_names(&project_id.into(), texts)
    }

    /// Reads the chapters on disk. The book is locked for one chapter at a time.
    pub(crate) fn names_suggest(&self, args: ProjectArguments) -> Result<NameForms, ApiError> {
        self.engine.names(&args.project_id)?;
        // A book of another editor has no folder here.
        let open = match self.book(&args.project_id) {
            Err(error) if error.code == Code::InvalidArgument => None,
            open => open.or_log("open a book"),
        };
        let Some(open) = open else { return Ok(NameForms { forms: Vec::new(), chapters: 0 }) };
        let chapters: Vec<ChapterId> = {
            let book = self.lock_refreshed(&args.project_id, &open)?;
            book.chapters().iter().map(|chapter| chapter.chapter_id.clone()).collect()
        };
        // A chapter that cannot be read now is skipped; opening it reports the reason.
        let read = |chapter_id: &ChapterId| {
            let read = open.lock().read(chapter_id).map_err(manuscript);
            read.or_log("read a chapter").map(|read| read.text)
        };
        let texts: Vec<String> = chapters.iter().filter_map(read).collect();
        let forms = self.engine.name_forms(&args.project_id, texts.iter().map(String::as_str))?;
        Ok(NameForms { forms, chapters: saturating_u32(texts.len()) })
    }
}
