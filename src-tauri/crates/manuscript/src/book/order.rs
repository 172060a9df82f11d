//! The order of the chapters.
//!
//! The file names give the order until the writer moves a chapter; from then on the id file stores the order. Files
//! keep their names even if these are numbered: the writer chose them, other programs and version histories refer to
//! them, and one move would rename every file after it.

use std::collections::{HashMap, HashSet};

use super::{Book, Chapter};
use crate::chapter_files;
use crate::error::{Result, log_failure};
use crate::id::ChapterId;
use crate::identity;

/// Sorts chapters into reading order: those in `order` as listed; a new file after the one that its name follows; one
/// whose name follows all others at the end.
pub(super) fn arrange(chapters: &mut Vec<Chapter>, order: &[ChapterId]) {
    chapters.sort_by(|a, b| chapter_files::reading_order(&a.file, &b.file));
    if order.is_empty() {
        return;
    }
    let position: HashMap<&ChapterId, usize> = order.iter().enumerate().map(|(at, id)| (id, at)).collect();
    let by_name = std::mem::take(chapters);
    let last_known = by_name.iter().rposition(|chapter| position.contains_key(&chapter.chapter_id));
    // New chapters get the key of the one they follow and so come after it, in the order of their names.
    let mut keyed: Vec<(usize, Chapter)> = Vec::with_capacity(by_name.len());
    let mut previous = None;
    for (at, chapter) in by_name.into_iter().enumerate() {
        let index = position.get(&chapter.chapter_id).copied();
        let key = match index {
            Some(position) => 2 * position + 2,
            None if last_known.is_none_or(|last| at > last) => usize::MAX,
            None => previous.map_or(1, |position: usize| 2 * position + 3),
        };
        previous = index.or(previous);
        keyed.push((key, chapter));
    }
    keyed.sort_by_key(|(key, _)| *key);
    chapters.extend(keyed.into_iter().map(|(_, chapter)| chapter));
}

impl Book {
    /// Moves a chapter before another one, or to the end. The files are not moved or renamed.
    ///
    /// # Errors
    /// [`UnknownChapter`](crate::Error::UnknownChapter) and [`ChapterGone`](crate::Error::ChapterGone) for either of
    /// them; [`Io`](crate::Error::Io) if the order cannot be written: it is then unchanged.
    pub fn move_chapter(&mut self, chapter_id: &ChapterId, before: Option<&ChapterId>) -> Result<()> {
        self.chapter(chapter_id)?;
        if let Some(before) = before {
            self.chapter(before)?;
        }
        if before == Some(chapter_id) {
            return Ok(());
        }
        let mut wanted: Vec<ChapterId> =
            (self.chapters.iter()).map(|chapter| chapter.chapter_id.clone()).filter(|id| id != chapter_id).collect();
        let at = before.and_then(|before| wanted.iter().position(|id| id == before)).unwrap_or(wanted.len());
        wanted.insert(at, chapter_id.clone());
        let old = self.set_order(&wanted);
        if let Err(error) = identity::save(&self.root, &self.ids) {
            self.ids.order = old;
            arrange(&mut self.chapters, &self.ids.order);
            return Err(error);
        }
        Ok(())
    }

    /// Moves chapters to the end, in this order, regardless of their names.
    pub(super) fn move_to_end(&mut self, ids: &[ChapterId]) {
        let mut wanted: Vec<ChapterId> =
            (self.chapters.iter()).map(|chapter| chapter.chapter_id.clone()).filter(|id| !ids.contains(id)).collect();
        wanted.extend_from_slice(ids);
        let old = self.set_order(&wanted);
        if old != self.ids.order {
            log_failure("save ids", identity::save(&self.root, &self.ids));
        }
    }

    /// Lists a chapter right behind another one in an order that the writer set. Does not save the id file.
    pub(super) fn list_behind(&mut self, chapter_id: &ChapterId, before: &ChapterId) {
        if !self.ids.order.contains(chapter_id)
            && let Some(at) = self.ids.order.iter().position(|id| id == before)
        {
            self.ids.order.insert(at + 1, chapter_id.clone());
        }
        arrange(&mut self.chapters, &self.ids.order);
    }

    /// Moves a chapter right behind another one, and saves the id file, best effort.
    pub(super) fn move_behind(&mut self, chapter_id: &ChapterId, before: &ChapterId) {
        let mut wanted: Vec<ChapterId> =
            (self.chapters.iter()).map(|chapter| chapter.chapter_id.clone()).filter(|id| id != chapter_id).collect();
        let at = wanted.iter().position(|id| id == before).map_or(wanted.len(), |at| at + 1);
        wanted.insert(at, chapter_id.clone());
        let old = self.set_order(&wanted);
        if old != self.ids.order {
            log_failure("save ids", identity::save(&self.root, &self.ids));
        }
    }

    /// Arranges the chapters as wanted and sets the order in the id file; an order equal to that of the names is stored
    /// empty. Returns the previous order.
    fn set_order(&mut self, wanted: &[ChapterId]) -> Vec<ChapterId> {
        let listed: HashSet<&ChapterId> = wanted.iter().collect();
        arrange(&mut self.chapters, &[]);
        let by_name = self.chapters.iter().map(|chapter| &chapter.chapter_id).eq(wanted);
        let mut order = if by_name { Vec::new() } else { wanted.to_vec() };
        // A chapter whose file is missing keeps its position for when it returns.
        let is_missing =
            |id: &ChapterId| !listed.contains(id) && self.ids.chapters.iter().any(|entry| entry.chapter_id == *id);
        for (at, id) in self.ids.order.iter().enumerate().filter(|(_, id)| is_missing(id)) {
            let above = at.checked_sub(1).and_then(|above| self.ids.order.get(above));
            let position = above.and_then(|above| order.iter().position(|id| id == above)).map_or(0, |above| above + 1);
            if !by_name {
                order.insert(position.min(order.len()), id.clone());
            }
        }
        let old = std::mem::replace(&mut self.ids.order, order);
        arrange(&mut self.chapters, &self.ids.order);
        old
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::build_chapter;

    /// Files are named after their ids.
    fn check(files: &[&str], order: &[&str], expected: &[&str]) {
        let order: Vec<ChapterId> = order.iter().map(|id| ChapterId::from(*id)).collect();
        let mut chapters: Vec<Chapter> = files
            .iter()
            .map(|file| build_chapter(&ChapterId::from(*file), &format!("{file}.md"), None, None))
            .collect();
        arrange(&mut chapters, &order);
        let listed: Vec<&str> = chapters.iter().map(|chapter| chapter.chapter_id.as_str()).collect();
        assert_eq!(listed, expected);
    }

    #[test]
    fn a_new_file_stands_behind_the_one_that_its_name_follows() {
        check(&["1", "2", "3"], &[], &["1", "2", "3"]);
        check(&["1", "2", "3"], &["3", "1", "2"], &["3", "1", "2"]);
        check(&["1", "1b", "2", "3"], &["3", "1", "2"], &["3", "1", "1b", "2"]);
        check(&["0", "1", "2"], &["2", "1"], &["0", "2", "1"]);
        check(&["1", "2", "3", "4", "5"], &["3", "1", "2"], &["3", "1", "2", "4", "5"]);
        check(&["1", "3"], &["3", "2", "1"], &["3", "1"]);
    }
}
