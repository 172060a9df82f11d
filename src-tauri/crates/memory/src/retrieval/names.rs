//! The hidden names of every project, as last read from the store: they stay hidden while it cannot be read.

use std::collections::{BTreeMap, HashMap};

use palimpsest_text::names::{Mask, Pair, Search, is_everyday};

use crate::{
    lock::RwLock,
    model::{HiddenName, LowerCase, ProjectId},
};

/// A project's names and their mask for an encoder. Masked texts only become vectors and are never unmasked.
struct ProjectNames {
    names: Vec<HiddenName>,
    mask: Option<Mask>,
}

/// The names of all projects.
struct All {
    books: BTreeMap<ProjectId, ProjectNames>,
    /// A search for the names of all projects in any text.
    search: Search,
    /// The searched forms, each with its project.
    pairs: Vec<(ProjectId, Pair)>,
}

/// All projects' names. Unknown until the first successful read.
#[derive(Default)]
pub(crate) struct HiddenNames(RwLock<Option<All>>);

/// Whether a name is hidden in lower case too.
#[must_use]
pub(crate) fn in_lower_case(hidden: &HiddenName) -> bool {
    match hidden.lower_case {
        Some(LowerCase::Hidden) => true,
        Some(LowerCase::Kept) => false,
        None => !is_everyday(&hidden.name),
    }
}

/// The name-alias pairs of a project.
#[must_use]
pub(crate) fn pairs(names: &[HiddenName]) -> Vec<Pair> {
    let pair = |hidden: &HiddenName| Pair {
        name: hidden.name.clone(),
        alias: hidden.alias.clone(),
        in_lower_case: in_lower_case(hidden),
    };
    names.iter().map(pair).collect()
}

impl HiddenNames {
    /// Sets the names of all projects, as read from the store.
    pub(crate) fn set_all(&self, all: HashMap<ProjectId, Vec<HiddenName>>) {
        let mut known = self.0.write();
        let is_same = |was: &All| {
            was.books.len() == all.len() && was.books.iter().all(|(book, was)| all.get(book) == Some(&was.names))
        };
        if known.as_ref().is_some_and(is_same) {
            return;
        }
        let mut was = known.take().map(|was| was.books).unwrap_or_default();
        let books: BTreeMap<ProjectId, ProjectNames> = all
            .into_iter()
            .map(|(book, names)| match was.remove(&book) {
                Some(same) if same.names == names => (book, same),
                _ => {
                    let mask = Mask::for_texts(&pairs(&names), &[]);
                    (book, ProjectNames { names, mask })
                }
            })
            .collect();
        let pairs: Vec<(ProjectId, Pair)> = books
            .iter()
            .flat_map(|(book, known)| pairs(&known.names).into_iter().map(|pair| (book.clone(), pair)))
            .collect();
        let search = Search::new(&pairs.iter().map(|(_, pair)| pair.clone()).collect::<Vec<_>>());
        *known = Some(All { books, search, pairs });
    }

    /// Whether the names were read successfully at least once.
    #[must_use]
    pub(crate) fn are_known(&self) -> bool {
        self.0.read().is_some()
    }

    /// The names of a project; `None` while they are unknown.
    #[must_use]
    pub(crate) fn for_project(&self, project_id: &ProjectId) -> Option<Vec<HiddenName>> {
        let known = self.0.read();
        Some(known.as_ref()?.books.get(project_id).map(|book| book.names.clone()).unwrap_or_default())
    }

    /// The names of other projects that occur in these texts; `None` while the names are unknown.
    #[must_use]
    pub(crate) fn of_others_in(&self, project_id: &ProjectId, texts: &[&str]) -> Option<Vec<Pair>> {
        let known = self.0.read();
        let All { search, pairs, .. } = known.as_ref()?;
        let mut found: Vec<usize> = texts.iter().flat_map(|text| search.pairs_in(text)).collect();
        found.sort_unstable();
        found.dedup();
        let others = found.into_iter().filter_map(|number| pairs.get(number)).filter(|(book, _)| book != project_id);
        Some(others.map(|(_, pair)| pair.clone()).collect())
    }

    /// Number of names of all projects that occur in a text; `None` while the names are unknown.
    #[must_use]
    pub(crate) fn count_in(&self, text: &str) -> Option<usize> {
        let known = self.0.read();
        Some(known.as_ref()?.search.pairs_in(text).len())
    }

    /// The names of every project that has any; `None` while they are unknown.
    #[must_use]
    pub(crate) fn by_project(&self) -> Option<HashMap<ProjectId, Vec<HiddenName>>> {
        let known = self.0.read();
        Some(known.as_ref()?.books.iter().map(|(book, known)| (book.clone(), known.names.clone())).collect())
    }

    /// A text of a project with the names of all projects masked, for an encoder: a remark may quote a global rule.
    /// `None` while its names are unknown: it must not be sent then.
    #[must_use]
    pub(crate) fn hide(&self, project_id: &ProjectId, text: &str) -> Option<String> {
        let known = self.0.read();
        let All { books, search, .. } = known.as_ref()?;
        Some(match books.get(project_id) {
            None => search.hide(text),
            Some(book) => search.hide(&book.mask.as_ref()?.hide(text)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sent_before_the_names_are_known_and_then_no_name_of_any_book() {
        let names = HiddenNames::default();
        assert_eq!((names.hide(&"book".into(), "老周"), names.for_project(&"book".into())), (None, None));
        let hidden = HiddenName { name: "老周".into(), alias: "甲".into(), lower_case: None };
        names.set_all(HashMap::from([("book".into(), vec![hidden.clone()])]));
        assert_eq!(names.hide(&"book".into(), "老周走了").as_deref(), Some("甲走了"));
        assert_eq!(names.hide(&"other".into(), "老周走了").as_deref(), Some("甲走了"));
        let others = |book| names.of_others_in(book, &["让老周开口"]).unwrap().len();
        assert_eq!((others(&"book".into()), others(&"other".into()), names.count_in("老周")), (0, 1, Some(1)));
        assert_eq!(
            (names.for_project(&"book".into()), names.for_project(&"other".into())),
            (Some(vec![hidden]), Some(Vec::new()))
        );
        names.set_all(HashMap::new());
        assert_eq!(names.hide(&"book".into(), "老周走了").as_deref(), Some("老周走了"));
    }
}
