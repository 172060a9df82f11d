use std::{cell::Cell, sync::mpsc::sync_channel, thread, time::Duration};

use palimpsest_vectors::quantize;
use proptest::prelude::*;

use super::*;
use crate::ports::EmbedderError;

struct Plane;

impl Embedder for Plane {
    fn model(&self) -> &str {
        "plane"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&self, _: &str) -> Result<Vec<f32>, EmbedderError> {
        Ok(vec![1.0, 0.0])
    }
}

const KIND: OwnerKind = OwnerKind::Episode;

/// A set with the whole-text vectors of these rows.
fn resident(rows: impl Iterator<Item = i64>) -> Resident {
    let mut resident = Resident::new(&Plane, KIND, 0);
    let vector = quantize(&[1.0, 0.0]);
    for row in rows {
        resident.push(row, 0, &vector.bytes, vector.scale);
    }
    resident.put_in_order();
    resident
}

/// Bytes of a set of `vectors` vectors.
fn size(vectors: i64) -> usize {
    resident(0..vectors).bytes()
}

fn book(n: u8) -> ProjectId {
    format!("book-{n}").into()
}

impl Residents {
    /// Reads the set of a book as a recall does: from memory, or by loading `vectors` vectors. Returns the rows.
    fn recall(&self, project_id: &ProjectId, kind: OwnerKind, vectors: i64) -> Vec<i64> {
        if let Some(rows) = self.rows(project_id, kind) {
            return rows;
        }
        let used = self.sets.lock().next_use();
        self.fill(project_id, kind, used, "plane", || Ok(resident(1..=vectors))).unwrap();
        self.rows(project_id, kind).unwrap_or_default()
    }

    fn rows(&self, project_id: &ProjectId, kind: OwnerKind) -> Option<Vec<i64>> {
        let query = quantize(&[1.0, 0.0]);
        self.read(project_id, kind, "plane", |resident| {
            resident.compare(std::slice::from_ref(&query)).into_iter().map(|similar| similar.row).collect()
        })
    }

    /// The sets in the list with their sizes, the least recently used first.
    fn list(&self) -> Vec<(ProjectId, OwnerKind, usize)> {
        let sets = self.sets.lock();
        let mut all: Vec<(u64, ProjectId, OwnerKind, usize)> = Vec::new();
        for (project_id, kinds) in &sets.by_project {
            for &kind in OwnerKind::ALL {
                all.extend(kinds[kind].as_ref().map(|entry| (entry.used, project_id.clone(), kind, entry.bytes)));
            }
        }
        assert_eq!(sets.bytes, all.iter().map(|(.., bytes)| bytes).sum::<usize>());
        all.sort_by_key(|(used, ..)| *used);
        all.into_iter().map(|(_, project_id, kind, bytes)| (project_id, kind, bytes)).collect()
    }
}

#[derive(Debug, Clone)]
enum Act {
    Recall(u8, bool, i64),
    Add(u8, bool, i64),
    Remove(i64),
    Drop(u8),
    DropAll,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => (0_u8..6, any::<bool>(), 0_i64..60).prop_map(|(book, summary, n)| Act::Recall(book, summary, n)),
        3 => (0_u8..6, any::<bool>(), 1_i64..20).prop_map(|(book, summary, n)| Act::Add(book, summary, n)),
        1 => (1_i64..60).prop_map(Act::Remove),
        1 => (0_u8..6).prop_map(Act::Drop),
        1 => Just(Act::DropAll),
    ];
    proptest::collection::vec(act, 1..60)
}

proptest! {
    #[test]
    fn the_sets_used_last_stay_within_the_budget_and_what_was_dropped_never_returns(
        acts in acts(),
        budget in 0_i64..200,
    ) {
        let budget = size(budget);
        let residents = Residents::with_budget(budget);
        // The same list, kept by the rule.
        let mut model: Vec<(ProjectId, OwnerKind, usize)> = Vec::new();
        let mut next_row = 1_000;
        for act in acts {
            match act {
                Act::Recall(n, summary, vectors) => {
                    let (project, kind) = (book(n), OwnerKind::from_compressed(summary));
                    residents.recall(&project, kind, vectors);
                    let at = model.iter().position(|(of, is, _)| (of, *is) == (&project, kind));
                    let bytes = at.map_or(size(vectors), |at| model.remove(at).2);
                    model.push((project, kind, bytes));
                }
                Act::Add(n, summary, vectors) => {
                    let (project, kind) = (book(n), OwnerKind::from_compressed(summary));
                    let vector = quantize(&[1.0, 0.0]);
                    let computed: Vec<Computed<'_>> = (next_row..next_row + vectors)
                        .map(|row| Computed { project_id: &project, kind, row, part: 0, vector: &vector })
                        .collect();
                    next_row += vectors;
                    residents.add("plane", &computed, residents.forgotten());
                    if let Some((.., bytes)) = model.iter_mut().find(|(of, is, _)| (of, *is) == (&project, kind)) {
                        *bytes += size(vectors) - size(0);
                    }
                }
                Act::Remove(row) => {
                    residents.remove_rows(&[row]);
                    for (project, kind, _) in residents.list() {
                        let sets = residents.sets.lock().entry(&project, kind).map(|entry| Arc::clone(&entry.set));
                        // Few enough are left that it is loaded again.
                        if sets.unwrap().read().is_none() {
                            model.iter_mut().find(|(of, is, _)| (of, *is) == (&project, kind)).unwrap().2 = 0;
                        }
                    }
                    // The next recall loads what is left of it.
                    model.retain(|(.., bytes)| *bytes > 0);
                    let empty: Vec<_> = residents.list().into_iter().filter(|(.., bytes)| *bytes == 0).collect();
                    for (project, kind, _) in empty {
                        residents.sets.lock().remove_set(&project, kind);
                    }
                }
                Act::Drop(n) => {
                    let before = residents.forgotten();
                    residents.drop_vectors(Some(&book(n)));
                    model.retain(|(of, ..)| *of != book(n));
                    // A vector that was computed before arrives late.
                    let (project, vector) = (book(n), quantize(&[1.0, 0.0]));
                    let late = Computed { project_id: &project, kind: KIND, row: 999, part: 0, vector: &vector };
                    residents.add("plane", &[late], before);
                    prop_assert_eq!(residents.rows(&book(n), KIND), None);
                }
                Act::DropAll => {
                    residents.drop_vectors(None);
                    model.clear();
                }
            }
            while model.iter().map(|(.., bytes)| bytes).sum::<usize>() > budget {
                let latest = model.last().unwrap().0.clone();
                let Some(at) = model.iter().position(|(of, ..)| *of != latest) else { break };
                model.remove(at);
            }
            prop_assert_eq!(&residents.list(), &model);
        }
    }
}

#[test]
fn books_in_turn_are_read_once_while_they_fit_and_one_that_is_larger_than_the_budget_stays_until_the_next() {
    let residents = Residents::with_budget(12 * size(10));
    let loads = Cell::new(0);
    let recall = |n: u8, vectors: i64| {
        let used = residents.sets.lock().next_use();
        let load = || {
            loads.set(loads.get() + 1);
            Ok(resident(1..=vectors))
        };
        if residents.rows(&book(n), KIND).is_none() {
            residents.fill(&book(n), KIND, used, "plane", load).unwrap();
        }
        residents.rows(&book(n), KIND).unwrap().len()
    };
    for _ in 0..5 {
        for n in 0..12 {
            assert_eq!(recall(n, 10), 10);
        }
    }
    assert_eq!(loads.get(), 12);
    assert_eq!((recall(12, 1_000), recall(12, 1_000), loads.get()), (1_000, 1_000, 13));
    assert_eq!(residents.list().len(), 1, "it alone is above the budget");
    assert_eq!((recall(0, 10), residents.list().len()), (10, 1));
}

/// A set of texts with a whole and four windows each.
fn with_windows(texts: i64) -> Resident {
    let mut resident = Resident::new(&Plane, KIND, 0);
    let vector = quantize(&[1.0, 0.0]);
    for row in 1..=texts {
        (0..5).for_each(|part| resident.push(row, part, &vector.bytes, vector.scale));
    }
    resident.put_in_order();
    resident
}

#[test]
fn large_books_in_turn_are_read_once_and_answer_without_windows_until_one_is_used_more_than_others() {
    let (whole, all) = (with_windows(100).bytes_without_windows(), with_windows(100).bytes());
    let residents = Residents::with_budget(12 * whole + 3 * (all - whole));
    let loads = Cell::new(0);
    let recall = |n: u8| {
        let used = residents.sets.lock().next_use();
        if residents.rows(&book(n), KIND).is_none() {
            loads.set(loads.get() + 1);
            residents.fill(&book(n), KIND, used, "plane", || Ok(with_windows(100))).unwrap();
        }
        assert_eq!(residents.rows(&book(n), KIND).unwrap().len(), 100);
    };
    let has_windows = |n: u8| {
        let set = residents.sets.lock().entry(&book(n), KIND).map(|entry| Arc::clone(&entry.set)).unwrap();
        set.read().as_ref().is_some_and(|resident| !resident.is_without_windows())
    };
    for _ in 0..4 {
        (0..12).for_each(recall);
    }
    assert_eq!((loads.get(), residents.is_any_wanted()), (12, false), "nothing is read again");
    assert_eq!((0..12).filter(|n| has_windows(*n)).count(), 3);
    assert!(residents.list().iter().map(|(.., bytes)| bytes).sum::<usize>() <= 12 * whole + 3 * (all - whole));

    // The writer stays in one book.
    assert!(!has_windows(0));
    (0..MIN_USES_AHEAD).for_each(|_| recall(0));
    let wanted = residents.next_wanted().unwrap();
    assert_eq!(wanted.project_id, book(0));
    residents.fill(&book(0), KIND, wanted.used, "plane", || Ok(with_windows(100))).unwrap();
    assert!(has_windows(0));
    assert_eq!((0..12).filter(|n| has_windows(*n)).count(), 3, "another one made room");
    recall(0);
    assert!(!residents.is_any_wanted());
}

#[test]
fn a_recall_does_not_wait_while_the_vectors_of_another_book_are_loaded() {
    let residents = Residents::with_budget(size(1_000));
    residents.recall(&book(0), KIND, 3);
    let (begin, begun) = sync_channel(0);
    let (go_on, waits) = sync_channel::<()>(0);
    thread::scope(|scope| {
        let residents = &residents;
        scope.spawn(move || {
            residents.fill(&book(1), KIND, 0, "plane", || {
                begin.send(()).unwrap();
                // Ends only when the other book was read.
                waits.recv_timeout(Duration::from_secs(20)).expect("the other book is readable");
                Ok(resident(1..=2))
            })
        });
        begun.recv().unwrap();
        assert_eq!(residents.rows(&book(0), KIND), Some(vec![1, 2, 3]));
        go_on.send(()).unwrap();
    });
    assert_eq!(residents.rows(&book(1), KIND), Some(vec![1, 2]));
}

#[test]
fn a_book_that_is_cleared_while_its_vectors_are_loaded_has_none_in_memory_afterwards() {
    let residents = Residents::with_budget(size(1_000));
    let (begin, begun) = sync_channel(0);
    let (go_on, waits) = sync_channel::<()>(0);
    thread::scope(|scope| {
        let residents = &residents;
        scope.spawn(move || {
            residents.fill(&book(0), KIND, 0, "plane", || {
                begin.send(()).unwrap();
                waits.recv().unwrap();
                Ok(resident(1..=2))
            })
        });
        begun.recv().unwrap();
        residents.drop_vectors(Some(&book(0)));
        go_on.send(()).unwrap();
    });
    assert_eq!((residents.rows(&book(0), KIND), residents.list()), (None, Vec::new()));
}

#[test]
fn the_latest_request_is_loaded_first_and_a_late_load_counts_from_its_request() {
    let residents = Residents::with_budget(size(20));
    for n in 0..6 {
        residents.want(&book(n), KIND);
    }
    residents.want(&book(3), KIND);
    let wanted: Vec<Wanted> = std::iter::from_fn(|| residents.next_wanted()).collect();
    let projects: Vec<ProjectId> = wanted.iter().map(|wanted| wanted.project_id.clone()).collect();
    assert_eq!(projects, [book(3), book(5), book(4), book(2)]);
    assert!(!residents.is_any_wanted());
    for Wanted { project_id, used, .. } in wanted {
        residents.fill(&project_id, KIND, used, "plane", || Ok(resident(1..=15))).unwrap();
    }
    assert_eq!(residents.rows(&book(3), KIND).unwrap().len(), 15, "the latest one stays");
    assert_eq!(residents.list().len(), 1);
}

#[test]
fn a_set_of_another_model_is_replaced() {
    let residents = Residents::default();
    residents.recall(&book(0), KIND, 3);
    assert_eq!(residents.read(&book(0), KIND, "other", |_| ()), None);
    let mut other = resident(1..=2);
    other.model = "other".into();
    residents.fill(&book(0), KIND, 9, "other", || Ok(other)).unwrap();
    assert_eq!(residents.rows(&book(0), KIND), None);
    assert_eq!(residents.read(&book(0), KIND, "other", Resident::bytes), Some(size(2)));
}

#[test]
fn a_vector_that_was_computed_before_its_book_was_cleared_is_not_added_to_the_set_loaded_since() {
    let residents = Residents::default();
    residents.recall(&book(0), KIND, 3);
    let before = residents.forgotten();
    residents.drop_vectors(Some(&book(0)));
    assert!(residents.recall(&book(0), KIND, 0).is_empty());
    let (project, vector) = (book(0), quantize(&[1.0, 0.0]));
    let late = || [Computed { project_id: &project, kind: KIND, row: 999, part: 0, vector: &vector }];
    residents.add("plane", &late(), before);
    assert!(residents.recall(&book(0), KIND, 0).is_empty());
    residents.add("plane", &late(), residents.forgotten());
    assert_eq!(residents.rows(&book(0), KIND), Some(vec![999]));
}
