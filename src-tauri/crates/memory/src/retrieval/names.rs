//! The names of every book that no model reads, as last read from the store: they stay hidden while it cannot be read.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use palimpsest_text::names::{Mask, Pair};

use crate::model::HiddenName;

/// A book's names, and what hides them from an encoder. Texts that only become vectors are never put back.
struct Known {
    names: Vec<HiddenName>,
    mask: Option<Mask>,
}

/// All books' names. Unknown until they could be read once.
#[derive(Default)]
pub struct HiddenNames(RwLock<Option<HashMap<String, Known>>>);

/// The pairs of a book's names.
#[must_use]
pub fn pairs(names: &[HiddenName]) -> Vec<Pair> {
    names.iter().map(|hidden| Pair { name: hidden.name.clone(), alias: hidden.alias.clone() }).collect()
}

impl HiddenNames {
    /// What was read, of all books that have any.
    pub fn learn(&self, all: HashMap<String, Vec<HiddenName>>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut was = known.take().unwrap_or_default();
        let learned = all.into_iter().map(|(book, names)| match was.remove(&book) {
            Some(same) if same.names == names => (book, same),
            _ => {
                let mask = Mask::over(&pairs(&names), &[]);
                (book, Known { names, mask })
            }
        });
        *known = Some(learned.collect());
    }

    /// Whether they could be read once.
    #[must_use]
    pub fn are_known(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The names of a book; `None` while they are not known.
    #[must_use]
    pub fn of(&self, project_id: &str) -> Option<Vec<HiddenName>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Some(known.as_ref()?.get(project_id).map(|book| book.names.clone()).unwrap_or_default())
    }

    /// The names of every book that has any; `None` while they are not known.
    #[must_use]
    pub fn all(&self) -> Option<HashMap<String, Vec<HiddenName>>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Some(known.as_ref()?.iter().map(|(book, known)| (book.clone(), known.names.clone())).collect())
    }

    /// A text of a book as it may go to an encoder; `None` when it must not: its names are not known.
    #[must_use]
    pub fn hide(&self, project_id: &str, text: &str) -> Option<String> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        match known.as_ref()?.get(project_id) {
            None => Some(text.to_owned()),
            Some(book) => Some(book.mask.as_ref()?.hide(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_may_go_out_before_the_names_are_known_and_one_books_names_are_no_others() {
        let names = HiddenNames::default();
        assert_eq!((names.hide("book", "老周"), names.of("book")), (None, None));
        let hidden = HiddenName { name: "老周".into(), alias: "甲".into() };
        names.learn(HashMap::from([("book".to_owned(), vec![hidden.clone()])]));
        assert_eq!(names.hide("book", "老周走了").as_deref(), Some("甲走了"));
        assert_eq!(names.hide("other", "老周走了").as_deref(), Some("老周走了"));
        assert_eq!((names.of("book"), names.of("other")), (Some(vec![hidden]), Some(Vec::new())));
        names.learn(HashMap::new());
        assert_eq!(names.hide("book", "老周走了").as_deref(), Some("老周走了"));
    }
}
