//! Answers in the database: found, recorded, and their standing moved by the decisions of the crate `answers`.

pub(crate) mod record;
pub(crate) mod search;
mod stored;

use std::collections::BTreeSet;

use palimpsest_text::terms;

/// Maximum number of terms of a text that are indexed: the first ones.
const MAX_TERMS: usize = 4_096;

/// Terms of a project as they are stored: the number of the project above the hash of the term.
fn codes<'t>(project: i32, terms: impl IntoIterator<Item = &'t str>) -> Vec<i64> {
    let code = |term: &str| (i64::from(project) << 32) | i64::from(terms::hash_term(term));
    let distinct: BTreeSet<i64> = terms.into_iter().map(code).collect();
    distinct.into_iter().collect()
}

/// The index terms of a text of a project.
fn text_codes(project: i32, text: &str) -> Vec<i64> {
    let terms = terms::index_terms(text);
    codes(project, terms.iter().take(MAX_TERMS).map(String::as_str))
}
