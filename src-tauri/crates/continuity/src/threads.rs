//! Threads that the story has not touched for long.

use crate::{Book, Clash, FoundBy, Kind, sentences::Sentences};

/// Least number of chapters behind the last step of a thread.
const MIN_CHAPTERS: usize = 3;

/// A thread of the writer that the story has not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Index of the entity.
    pub entity: usize,
    /// The places where the story opens it, and reminds of it: number of the chapter, and byte of its text.
    pub steps: Vec<(usize, usize)>,
}

/// The threads behind whose last step a quarter of the chapters lie, three at the least: the first place and the last.
pub(crate) fn open_threads(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Clash> {
    let min = book.chapters.len().div_ceil(4).max(MIN_CHAPTERS);
    let clash = |thread: &Thread| {
        let (first, last) = (thread.steps.iter().min()?, thread.steps.iter().max()?);
        let behind = book.chapters.len().saturating_sub(last.0 + 1);
        let place = |(chapter, byte): (usize, usize)| Some(sentences.at_or_after(chapter, byte)?.place(None));
        (behind >= min).then_some(())?;
        Some(Clash {
            kind: Kind::OpenThread,
            found_by: FoundBy::Facts,
            entity: Some(thread.entity),
            places: [place(*first)?, place(*last)?],
            values: Vec::new(),
        })
    };
    book.threads.iter().filter_map(clash).collect()
}

#[cfg(test)]
mod tests {
    use palimpsest_reader::names::EntityKind;
    use palimpsest_text::Language;

    use super::*;
    use crate::{Entity, find};

    const PLANTED: &str = "The lamp burned. The drawer was locked. Nobody asked.";
    const TOUCHED: &str = "\n\nThe locked drawer rattled.";

    /// The quotes of the issues of a book whose first two chapters have a step each, with so many chapters behind them.
    fn quotes(steps: &[(usize, usize)], later: usize) -> Vec<(String, String)> {
        let mut chapters = vec![PLANTED, TOUCHED];
        chapters.extend(std::iter::repeat_n("It rained.", later));
        let entities = [Entity { kind: EntityKind::Thing, name: "the drawer".into(), forms: Vec::new() }];
        let threads = [Thread { entity: 0, steps: steps.to_vec() }];
        let book = Book { threads: &threads, ..Book::new(Language::En, &chapters, &entities) };
        let quote = |place: &crate::Place| chapters[place.chapter][place.range.clone()].trim().to_owned();
        let issues = find(&book).into_iter();
        issues
            .filter(|issue| issue.kind == Kind::OpenThread)
            .map(|one| (quote(&one.first), quote(&one.second)))
            .collect()
    }

    #[test]
    fn a_thread_is_an_issue_once_a_quarter_of_the_book_and_three_chapters_lie_behind_its_last_step() {
        let planted = (0, PLANTED.find("The drawer").unwrap());
        let both = ("The drawer was locked.".to_owned(), "The locked drawer rattled.".to_owned());
        assert_eq!(quotes(&[(1, 0), planted], 3), [both]);
        assert_eq!(quotes(&[planted, (1, 0)], 2), []);
        let alone = ("The drawer was locked.".to_owned(), "The drawer was locked.".to_owned());
        assert_eq!(quotes(&[planted], 2), [alone], "planted, and never touched");
        let late = quotes(&[planted, (1, 0), (30, 0)], 30);
        assert_eq!(late, [], "of 32 chapters one lies behind it");
        assert_eq!(quotes(&[planted, (1, 0), (23, 0)], 30).len(), 1, "of 32 chapters eight lie behind it");
        assert_eq!(quotes(&[planted, (1, 0), (24, 0)], 30), []);
    }

    #[test]
    fn a_thread_without_a_place_in_the_book_is_none() {
        for steps in [&[] as &[(usize, usize)], &[(99, 0)], &[(0, 9_999)]] {
            let found = quotes(steps, 8);
            assert!(found.len() <= 1, "{steps:?}: {found:?}");
        }
        assert_eq!(quotes(&[], 8), []);
        assert_eq!(quotes(&[(99, 0)], 8), []);
    }
}
