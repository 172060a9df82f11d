//! The order of the chapters.
//!
//! A folder of files has an order already: their names. It holds until the writer moves a chapter; from then on the order
//! stands in the id file. The files keep their names even where these are numbered: they are the writer's own, other
//! programs and a version history know them, and one move would rename every file behind it.

use std::collections::{HashMap, HashSet};

use super::{Book, Chapter};
use crate::error::Result;
use crate::identity;
use crate::names;

/// Puts chapters into reading order: those in `order` as it says; a new file behind the one that its name follows; one
/// whose name follows all others, at the end.
pub(super) fn arrange(chapters: &mut Vec<Chapter>, order: &[String]) {
    chapters.sort_by(|a, b| names::reading_order(&a.file, &b.file));
    if order.is_empty() {
        return;
    }
    let place: HashMap<&str, usize> = order.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let by_name = std::mem::take(chapters);
    let last_known = by_name.iter().rposition(|chapter| place.contains_key(chapter.chapter_id.as_str()));
    // Sorted by the place of the one they follow, new ones stay behind it in the order of their names.
    let mut placed: Vec<(usize, Chapter)> = Vec::with_capacity(by_name.len());
    let mut behind = None;
    for (at, chapter) in by_name.into_iter().enumerate() {
        let known = place.get(chapter.chapter_id.as_str()).copied();
        let key = match known {
            Some(place) => 2 * place + 2,
            None if last_known.is_none_or(|last| at > last) => usize::MAX,
            None => behind.map_or(1, |place: usize| 2 * place + 3),
        };
        behind = known.or(behind);
        placed.push((key, chapter));
    }
    placed.sort_by_key(|(key, _)| *key);
    chapters.extend(placed.into_iter().map(|(_, chapter)| chapter));
}

impl Book {
    /// Puts a chapter before another one, or at the end. The files stay where they are and keep their names.
    ///
    /// # Errors
    /// [`UnknownChapter`](crate::Error::UnknownChapter) and [`ChapterGone`](crate::Error::ChapterGone) for either of them;
    /// [`Io`](crate::Error::Io) when the order cannot be
    /// written: it is then as it was.
    pub fn move_chapter(&mut self, chapter_id: &str, before: Option<&str>) -> Result<()> {
        self.chapter(chapter_id)?;
        if let Some(before) = before {
            self.chapter(before)?;
        }
        if before == Some(chapter_id) {
            return Ok(());
        }
        let mut wanted: Vec<String> =
            (self.chapters.iter()).map(|chapter| chapter.chapter_id.clone()).filter(|id| id != chapter_id).collect();
        let at = before.and_then(|before| wanted.iter().position(|id| id == before)).unwrap_or(wanted.len());
        wanted.insert(at, chapter_id.to_owned());
        let old = self.order_of(&wanted);
        if let Err(error) = identity::save(&self.root, &self.ids) {
            self.ids.order = old;
            arrange(&mut self.chapters, &self.ids.order);
            return Err(error);
        }
        Ok(())
    }

    /// Makes chapters of the list the last ones, in this order, whatever their names say.
    pub(super) fn put_last(&mut self, ids: &[String]) {
        let mut wanted: Vec<String> =
            (self.chapters.iter()).map(|chapter| chapter.chapter_id.clone()).filter(|id| !ids.contains(id)).collect();
        wanted.extend_from_slice(ids);
        let old = self.order_of(&wanted);
        if old != self.ids.order {
            let _ = identity::save(&self.root, &self.ids);
        }
    }

    /// Arranges the chapters as wanted and keeps what has to be kept for that: nothing, where the names say the same.
    /// Answers what was kept before.
    fn order_of(&mut self, wanted: &[String]) -> Vec<String> {
        let shown: HashSet<&str> = wanted.iter().map(String::as_str).collect();
        arrange(&mut self.chapters, &[]);
        let by_name = self.chapters.iter().map(|chapter| &chapter.chapter_id).eq(wanted);
        let mut order = if by_name { Vec::new() } else { wanted.to_vec() };
        // A chapter whose file is gone for now has its place when it comes back.
        let gone =
            |id: &String| !shown.contains(id.as_str()) && self.ids.chapters.iter().any(|entry| entry.chapter_id == *id);
        for (at, id) in self.ids.order.iter().enumerate().filter(|(_, id)| gone(id)) {
            let above = at.checked_sub(1).and_then(|above| self.ids.order.get(above));
            let place = above.and_then(|above| order.iter().position(|id| id == above)).map_or(0, |above| above + 1);
            if !by_name {
                order.insert(place.min(order.len()), id.clone());
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
    use crate::book::chapter_of;

    /// Files are named after their ids.
    fn check(files: &[&str], order: &[&str], expected: &[&str]) {
        let order: Vec<String> = order.iter().map(|id| (*id).to_owned()).collect();
        let mut chapters: Vec<Chapter> =
            files.iter().map(|file| chapter_of(file, &format!("{file}.md"), None, None)).collect();
        arrange(&mut chapters, &order);
        let shown: Vec<&str> = chapters.iter().map(|chapter| chapter.chapter_id.as_str()).collect();
        assert_eq!(shown, expected);
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
