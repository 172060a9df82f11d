//! Scene types that the writer set for chapters.

use super::Book;
use crate::error::Result;
use crate::id::ChapterId;
use crate::identity;

impl Book {
    /// The scene type that the writer set for a chapter; `None` if it is guessed from each passage.
    pub fn scene_type(&self, chapter_id: &ChapterId) -> Option<&str> {
        self.ids.chapters.iter().find(|entry| entry.chapter_id == *chapter_id)?.scene_type.as_deref()
    }

    /// Sets or clears the scene type of a chapter.
    ///
    /// # Errors
    /// [`UnknownChapter`](crate::Error::UnknownChapter), [`ChapterGone`](crate::Error::ChapterGone);
    /// [`Io`](crate::Error::Io) if it cannot be written: it is then unchanged.
    pub fn set_scene_type(&mut self, chapter_id: &ChapterId, scene_type: Option<&str>) -> Result<()> {
        self.chapter(chapter_id)?;
        let mut ids = self.ids.clone();
        for entry in ids.chapters.iter_mut().filter(|entry| entry.chapter_id == *chapter_id) {
            entry.scene_type = scene_type.map(str::to_owned);
        }
        identity::save(&self.root, &ids)?;
        self.ids = ids;
        Ok(())
    }
}
