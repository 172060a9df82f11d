//! Whatever is recorded, recalled and confirmed in whatever order: capacities hold, and nothing protected is touched.

use std::collections::HashMap;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{
    episodic::record,
    model::EpisodeDraft,
    storage::{Database, Schema, episodes},
};

const DAY: i64 = 86_400_000;
const SMALL: Limits = Limits { soft_active: 3, hard_active: 5, soft_compressed: 3, hard_compressed: 4 };

struct Book {
    db: Database,
    now: Time,
    recorded: u32,
    cited: HashSet<EpisodeId>,
    _folder: TempDir,
}

fn draft(text: &str) -> EpisodeDraft {
    EpisodeDraft {
        project_id: "p".into(),
        chapter_id: "c".into(),
        skill_used: "continue".into(),
        scene_type: None,
        input_context: "雨夜。".into(),
        candidates: vec![text.to_owned()],
        selected_index: 0,
        selected_text: None,
        final_text: text.to_owned(),
        explicit: None,
        generation_id: None,
        occurred_at: None,
    }
}

impl Book {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let db = Database::open(&folder.path().join("episodes.db"), Schema::Episodes).unwrap();
        Self { db, now: Time::from_millis(DAY), recorded: 0, cited: HashSet::new(), _folder: folder }
    }

    fn record(&mut self) -> Result<EpisodeId> {
        self.recorded += 1;
        self.now = self.now.plus_millis(1);
        let id = EpisodeId::from(format!("e{:04}", self.recorded));
        let episode = record::choice_episode(draft("他合上手稿。"), id.clone(), self.now);
        let cited = Some(self.cited.clone());
        self.db.write_derived("test", |tx| {
            make_room(tx, &"p".into(), Language::Zh, &SMALL, &cited, self.now)?;
            episodes::insert(tx, &episode)
        })?;
        Ok(id)
    }

    fn compress(&self, ids: &[EpisodeId]) {
        for id in ids {
            let (episode, _) = episodes::get(&self.db.reader().unwrap(), id).unwrap().unwrap();
            let prepared = prepare(&self.db.reader().unwrap(), &episode, Language::Zh).unwrap();
            self.db.write_derived("test", |tx| compress(tx, &episode, &prepared, self.now)).unwrap();
        }
    }

    fn to_compress(&self, limit: usize) -> Vec<EpisodeId> {
        to_compress(&self.db.reader().unwrap(), &"p".into(), &SMALL, self.now, limit).unwrap()
    }

    fn to_delete(&self, limit: usize) -> Vec<EpisodeId> {
        to_delete(&self.db.reader().unwrap(), &"p".into(), &SMALL, &self.cited, self.now, limit).unwrap()
    }

    fn set(&self, id: &EpisodeId, change: impl Fn(&mut Episode)) {
        let (mut episode, _) = episodes::get(&self.db.reader().unwrap(), id).unwrap().unwrap();
        change(&mut episode);
        self.db.write_derived("test", |tx| episodes::store_feedback(tx, &episode)).unwrap();
    }

    fn recall(&self, id: &EpisodeId) {
        self.db
            .write_derived("test", |tx| episodes::mark_recalled(tx, &"p".into(), std::slice::from_ref(id), self.now))
            .unwrap();
    }

    /// Every episode by identity: whether it is compressed, whether it is confirmed.
    fn all(&self) -> HashMap<EpisodeId, (bool, bool)> {
        let reader = self.db.reader().unwrap();
        let mut statement = reader.prepare("SELECT id, compressed, user_confirmed FROM episodes").unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?)))).unwrap();
        rows.map(|row| row.unwrap()).collect()
    }

    fn is_compressed(&self, id: &EpisodeId) -> Option<bool> {
        self.all().get(id).map(|(compressed, _)| *compressed)
    }
}

#[test]
fn an_episode_that_has_faded_is_compressed_and_one_that_was_used_is_not() {
    let mut book = Book::new();
    let (old, used) = (book.record().unwrap(), book.record().unwrap());
    book.now = book.now.plus_millis(14 * DAY);
    book.recall(&used);
    assert_eq!(book.to_compress(10), [old]);
}

#[test]
fn half_a_year_unused_is_long_enough_however_often_it_was_used_before() {
    let mut book = Book::new();
    let id = book.record().unwrap();
    // A thousand recalls keep the score up for long, but not for ever.
    for _ in 0..1_000 {
        book.recall(&id);
    }
    book.now = book.now.plus_millis(40 * DAY);
    assert!(book.to_compress(10).is_empty());
    book.now = book.now.plus_millis(141 * DAY);
    assert_eq!(book.to_compress(10), [id]);
}

#[test]
fn above_the_soft_capacity_the_least_recently_used_are_compressed_though_they_are_fresh() {
    let mut book = Book::new();
    let ids: Vec<EpisodeId> = (0..5).map(|_| book.record().unwrap()).collect();
    book.now = book.now.plus_millis(DAY);
    book.recall(&ids[0]);
    assert_eq!(book.to_compress(10), ids[1..3]);
    assert_eq!(book.to_compress(1), ids[1..2]);
    book.compress(&book.to_compress(10));
    assert!(book.to_compress(10).is_empty());
}

#[test]
fn a_summary_is_deleted_365_days_after_compression_and_not_after_it_was_recorded() {
    let mut book = Book::new();
    let ids = [book.record().unwrap(), book.record().unwrap()];
    book.now = book.now.plus_millis(300 * DAY);
    book.compress(&ids);
    book.now = book.now.plus_millis(365 * DAY);
    assert!(book.to_delete(10).is_empty());
    book.now = book.now.plus_millis(1);
    book.cited = HashSet::from([ids[1].clone()]);
    assert_eq!(book.to_delete(10), ids[..1]);
    book.set(&ids[0], |episode| episode.user_confirmed = true);
    assert!(book.to_delete(10).is_empty());
}

#[test]
fn when_everything_is_protected_a_write_is_refused_and_changes_nothing() {
    let mut book = Book::new();
    for _ in 0..SMALL.hard_active {
        let id = book.record().unwrap();
        book.set(&id, |episode| episode.user_confirmed = true);
    }
    let before = book.all();
    assert_eq!(book.record().unwrap_err().code, Code::CapacityExceeded);
    assert_eq!(book.all(), before);
}

#[test]
fn a_book_whose_summaries_are_all_cited_can_be_full() {
    let mut book = Book::new();
    for _ in 0..SMALL.hard_active + SMALL.hard_compressed {
        book.record().unwrap();
    }
    book.cited = book.all().into_keys().collect();
    let before = book.all();
    assert_eq!(book.record().unwrap_err().code, Code::CapacityExceeded);
    assert_eq!(book.all(), before);
}

#[test]
fn while_citations_are_unknown_nothing_is_deleted_and_writing_continues() {
    let mut book = Book::new();
    for _ in 0..SMALL.hard_active + SMALL.hard_compressed {
        book.record().unwrap();
    }
    let episode = record::choice_episode(draft("灯灭了。"), "new".into(), book.now);
    book.db
        .write_derived("test", |tx| {
            make_room(tx, &"p".into(), Language::Zh, &SMALL, &None, book.now)?;
            episodes::insert(tx, &episode)
        })
        .unwrap();
    assert_eq!(book.all().len(), 10);
    // And is made up for afterwards.
    book.record().unwrap();
    assert_eq!(
        episode_counts::counts(&book.db.reader().unwrap(), &"p".into()).unwrap().compressed,
        SMALL.hard_compressed
    );
}

#[derive(Debug, Clone)]
enum Step {
    Record,
    Recall(usize),
    Confirm(usize),
    Cite(usize),
    Wait(i64),
    Maintain,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Record),
        2 => (0usize..40).prop_map(Step::Recall),
        1 => (0usize..40).prop_map(Step::Confirm),
        1 => (0usize..40).prop_map(Step::Cite),
        2 => (1i64..400).prop_map(Step::Wait),
        1 => Just(Step::Maintain),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn capacities_hold_and_the_protected_are_never_touched(steps in prop::collection::vec(step(), 1..60)) {
        let mut book = Book::new();
        let protected = |book: &Book, all: &HashMap<EpisodeId, (bool, bool)>| {
            all.iter().filter(|(id, one)| one.0 && (one.1 || book.cited.contains(*id))).count()
        };
        // Protected episodes may exceed the hard capacity; the next maintenance deletes them once they are not
        // protected any more.
        let mut excused = 0;
        for step in steps {
            let mut before = book.all();
            excused = excused.max(protected(&book, &before));
            let is_maintained = matches!(step, Step::Maintain);
            let mut ids: Vec<&EpisodeId> = before.keys().collect();
            ids.sort();
            let ids: Vec<EpisodeId> = ids.into_iter().cloned().collect();
            let picked = |n: usize| ids.get(n % ids.len().max(1)).cloned();
            match step {
                Step::Record => match book.record() {
                    Ok(id) => prop_assert_eq!(book.is_compressed(&id), Some(false)),
                    Err(error) => {
                        prop_assert_eq!(error.code, Code::CapacityExceeded);
                        prop_assert_eq!(&book.all(), &before);
                    }
                },
                Step::Recall(n) => if let Some(id) = picked(n) { book.recall(&id) },
                Step::Confirm(n) => if let Some(id) = picked(n) {
                    book.set(&id, |episode| episode.user_confirmed = !episode.user_confirmed);
                    continue;
                },
                Step::Cite(n) => if let Some(id) = picked(n) { book.cited.insert(id); },
                Step::Wait(days) => book.now = book.now.plus_millis(days * DAY),
                Step::Maintain => {
                    let confirmed = |book: &Book| {
                        let all = book.all().into_iter().filter(|(_, (_, confirmed))| *confirmed);
                        all.collect::<HashMap<_, _>>()
                    };
                    let kept = confirmed(&book);
                    book.compress(&book.to_compress(usize::MAX));
                    prop_assert_eq!(confirmed(&book), kept);
                    before = book.all();
                    for id in book.to_delete(usize::MAX) {
                        book.db.write_derived("test", |tx| eviction::evict(tx, &"p".into(), &id)).unwrap();
                    }
                    prop_assert!(book.to_compress(usize::MAX).is_empty(), "maintaining twice is maintaining once");
                    prop_assert!(book.to_delete(usize::MAX).is_empty());
                }
            }
            let after = book.all();
            for (id, (compressed, confirmed)) in &before {
                match after.get(id) {
                    None => prop_assert!(*compressed && !confirmed && !book.cited.contains(id), "{} is gone", id),
                    Some((now, _)) => prop_assert!(!confirmed || now == compressed, "{} was confirmed", id),
                }
            }
            let counts = episode_counts::counts(&book.db.reader().unwrap(), &"p".into()).unwrap();
            let counted = |compressed| after.values().filter(|one| one.0 == compressed).count();
            prop_assert_eq!((counts.active as usize, counts.compressed as usize), (counted(false), counted(true)));
            prop_assert!(counts.active <= SMALL.hard_active);
            let now = protected(&book, &after);
            excused = if is_maintained { now } else { excused.max(now) };
            prop_assert!(counts.compressed as usize <= (SMALL.hard_compressed as usize).max(excused));
        }
    }
}
