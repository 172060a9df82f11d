//! The kind of scene that a chapter's passages are, where the writer has said one.

use super::Book;
use crate::error::Result;
use crate::identity;

impl Book {
    /// What the writer has said of a chapter; `None` where passages speak for themselves.
    pub fn scene_of(&self, chapter_id: &str) -> Option<&str> {
        self.ids.chapters.iter().find(|entry| entry.chapter_id == chapter_id)?.scene_type.as_deref()
    }

    /// Says it of a chapter, or nothing more.
    ///
    /// # Errors
    /// [`UnknownChapter`](crate::Error::UnknownChapter), [`ChapterGone`](crate::Error::ChapterGone);
    /// [`Io`](crate::Error::Io) when it cannot be written: it is then as it was.
    pub fn set_scene(&mut self, chapter_id: &str, scene_type: Option<&str>) -> Result<()> {
        self.chapter(chapter_id)?;
        let mut ids = self.ids.clone();
        for entry in ids.chapters.iter_mut().filter(|entry| entry.chapter_id == chapter_id) {
            entry.scene_type = scene_type.map(str::to_owned);
        }
        identity::save(&self.root, &ids)?;
        self.ids = ids;
        Ok(())
    }
}
