//! Evidence compared with a model that is too simple to be wrong: the evidence of an episode, computed from scratch
//! over all earlier evidence; with interruption, loss and restore in between.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use palimpsest_text::detect;
use proptest::{prelude::*, test_runner::Config};
use tempfile::TempDir;

use super::*;
use crate::{
    Options,
    model::{
        BackupReason, EpisodeDraft, EpisodeFeedback, EvidenceRow, FeedbackSignal, Language as BookLanguage, StoreFile,
    },
    testing::{FixedClock, SequentialIds, prose},
};

const DAY: i64 = 86_400_000;

/// Two projects, and the engine over them.
struct Desk {
    engine: Option<Engine>,
    clock: Arc<FixedClock>,
    ids: Arc<SequentialIds>,
    books: Vec<(ProjectId, BookLanguage)>,
    folder: TempDir,
}

fn open(folder: &Path, clock: &Arc<FixedClock>, ids: &Arc<SequentialIds>) -> Engine {
    let (clock, ids) = (Arc::clone(clock) as _, Arc::clone(ids) as _);
    Engine::open(Options { data_dir: folder.to_owned(), clock, ids, config_file: None }).unwrap()
}

impl Desk {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let clock = Arc::new(FixedClock::at("2026-03-15T21:00:00Z".parse().unwrap()));
        let ids = Arc::new(SequentialIds::default());
        let engine = open(folder.path(), &clock, &ids);
        let books = [("one", BookLanguage::Zh), ("two", BookLanguage::En)]
            .map(|(id, language)| {
                let _known = engine.open_project(&id.into(), id, language, None).unwrap();
                (id.into(), language)
            })
            .to_vec();
        Self { engine: Some(engine), clock, ids, books, folder }
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    fn restart(&mut self) {
        self.engine = None;
        self.engine = Some(open(self.folder.path(), &self.clock, &self.ids));
    }

    /// A passage by its number, in the language of a book.
    fn passage(&self, book: usize, n: usize) -> String {
        let texts = prose(style::language_of(self.books[book].1));
        texts[n % texts.len()].to_owned()
    }

    fn record(&self, book: usize, texts: [usize; 3], selected_index: i32, own: Option<usize>) -> Episode {
        self.clock.advance_millis(1_000);
        let candidates: Vec<String> = texts.map(|n| self.passage(book, n)).to_vec();
        let own = own.map(|n| self.passage(book, n));
        let taken = usize::try_from(selected_index).ok().map(|at| candidates[at].clone());
        let draft = EpisodeDraft {
            project_id: self.books[book].0.clone(),
            chapter_id: "chapter".into(),
            skill_used: "continue".into(),
            scene_type: Some("action".into()),
            input_context: "雨夜。".into(),
            candidates,
            selected_index,
            selected_text: None,
            final_text: own.or(taken).unwrap_or_default(),
            explicit: None,
            generation_id: None,
            occurred_at: None,
        };
        self.engine().record(draft).unwrap().value
    }

    fn undo(&self, episode_id: &EpisodeId) {
        let feedback = EpisodeFeedback {
            episode_id: episode_id.clone(),
            project_id: None,
            signal: FeedbackSignal::Undo,
            text: None,
        };
        let _undone = self.engine().feedback(&feedback).unwrap();
    }

    fn learn(&self) {
        while self.engine().evidence_step(3).unwrap().more {}
    }

    fn evidence(&self, book: usize) -> Vec<EvidenceRow> {
        let db = self.engine().stores.rules.open().unwrap();
        let mut rows = evidence::of_project(&db.reader().unwrap(), &self.books[book].0).unwrap();
        rows.sort_by(|one, other| one.episode_id.cmp(&other.episode_id));
        rows
    }

    fn exists(&self, episode_id: &EpisodeId) -> bool {
        let db = self.engine().stores.episodes.open().unwrap();
        let reader = db.reader().unwrap();
        episodes::get(&reader, episode_id).unwrap().is_some()
    }

    fn state(&self) -> PartState {
        self.engine().health_of_evidence().state
    }
}

#[derive(Debug, Clone)]
enum Act {
    Record {
        book: usize,
        texts: [usize; 3],
        selected: i32,
        own: Option<usize>,
    },
    Undo(usize),
    Delete(usize),
    /// Sixty days pass, and faded episodes are compressed.
    Compress,
    /// Two years pass, and episodes compressed before are deleted.
    Evict,
    Learn,
    Restart,
    /// Rows are on disk, and all due episodes are still due.
    Crash,
    Pause,
    Resume(bool),
    BackUp,
    Restore,
}

fn act() -> impl Strategy<Value = Act> {
    let texts = [0..60_usize, 0..60, 0..60];
    let record = (0..2_usize, texts, -1..3_i32, proptest::option::of(0..60_usize));
    prop_oneof![
        14 => record.prop_map(|(book, texts, selected, own)| Act::Record { book, texts, selected, own }),
        5 => any::<usize>().prop_map(Act::Undo),
        4 => any::<usize>().prop_map(Act::Delete),
        2 => Just(Act::Compress),
        1 => Just(Act::Evict),
        8 => Just(Act::Learn),
        2 => Just(Act::Restart),
        2 => Just(Act::Crash),
        2 => Just(Act::Pause),
        2 => any::<bool>().prop_map(Act::Resume),
        2 => Just(Act::BackUp),
        3 => Just(Act::Restore),
    ]
}

/// An episode in its final state.
#[derive(Clone)]
struct ExpectedEpisode {
    book: usize,
    episode: Episode,
    undone: bool,
    /// The pause it was recorded in, by its number.
    pause: Option<usize>,
}

/// Rows by episode, each with its book and the pause it belongs to.
type Rows = BTreeMap<EpisodeId, (usize, EvidenceRow, Option<usize>)>;

/// The expected evidence.
#[derive(Default)]
struct Model {
    episodes: BTreeMap<EpisodeId, ExpectedEpisode>,
    rows: Rows,
    /// Of each pause, whether it is used.
    pauses: Vec<bool>,
    paused: bool,
    backup: Option<Rows>,
    deleted: Vec<EpisodeId>,
}

impl Model {
    fn counts(&self, pause: Option<usize>) -> bool {
        pause.is_none_or(|pause| self.pauses[pause])
    }

    /// Computed from scratch over all earlier evidence.
    fn spread(&self, book: usize, language: Language) -> Spread {
        let mut spread = Spread::new(Feature::COUNT);
        for (of, row, pause) in self.rows.values() {
            if *of == book && row.language == language && self.counts(*pause) {
                semantic::observe(&mut spread, row);
            }
        }
        spread
    }

    fn learn(&mut self, desk: &Desk) {
        let waiting: Vec<ExpectedEpisode> =
            self.episodes.values().filter(|one| desk.exists(&one.episode.id)).cloned().collect();
        for known in waiting {
            if let Some((_, row, _)) = self.rows.get_mut(&known.episode.id) {
                row.undone = known.undone;
                continue;
            }
            let measured = style::measure(&known.episode, desk.books[known.book].1);
            let language = measured.first().map_or(Language::En, |one| one.language);
            let row =
                semantic::evidence_of(&known.episode, &measured, &[], &self.spread(known.book, language)).unwrap();
            let row = EvidenceRow { undone: known.undone, ..row };
            self.rows.insert(known.episode.id.clone(), (known.book, row, known.pause));
        }
    }

    fn of(&self, book: usize) -> Vec<EvidenceRow> {
        let rows = self.rows.values().filter(|(of, _, _)| *of == book);
        rows.map(|(_, row, pause)| EvidenceRow { paused: !self.counts(*pause), ..row.clone() }).collect()
    }

    fn pick(&self, desk: &Desk, n: usize, taken: bool) -> Option<EpisodeId> {
        let can = |known: &&ExpectedEpisode| {
            desk.exists(&known.episode.id) && (!taken || known.episode.selected_index.taken().is_some())
        };
        let there: Vec<&ExpectedEpisode> = self.episodes.values().filter(can).collect();
        (!there.is_empty()).then(|| there[n % there.len()].episode.id.clone())
    }
}

fn run(acts: &[Act]) {
    let mut desk = Desk::new();
    let mut model = Model::default();
    for act in acts {
        match act {
            Act::Record { book, texts, selected, own } => {
                let episode = desk.record(*book, *texts, *selected, *own);
                let pause = model.paused.then(|| model.pauses.len() - 1);
                model
                    .episodes
                    .insert(episode.id.clone(), ExpectedEpisode { book: *book, episode, undone: false, pause });
            }
            Act::Undo(n) => {
                if let Some(id) = model.pick(&desk, *n, true) {
                    desk.undo(&id);
                    model.episodes.get_mut(&id).unwrap().undone = true;
                }
            }
            Act::Delete(n) => {
                if let Some(id) = model.pick(&desk, *n, false) {
                    let known = model.episodes.remove(&id).unwrap();
                    let _gone = desk.engine().delete_episode(&known.episode.project_id, &id).unwrap();
                    model.rows.remove(&id);
                    model.deleted.push(id);
                }
            }
            Act::Compress => {
                desk.clock.advance_millis(60 * DAY);
                desk.engine().compress_due(None, 1_000).unwrap();
            }
            Act::Evict => {
                desk.clock.advance_millis(730 * DAY);
                desk.engine().delete_expired(1_000).unwrap();
            }
            Act::Learn => {
                desk.learn();
                model.learn(&desk);
            }
            Act::Restart => desk.restart(),
            Act::Crash => {
                desk.engine().stores.episodes.open().unwrap().write("test", |tx| evidence::all_due(tx, false)).unwrap();
            }
            Act::Pause => {
                let _paused = desk.engine().pause_learning().unwrap();
                if !model.paused {
                    model.pauses.push(false);
                }
                model.paused = true;
            }
            Act::Resume(used) => {
                let _resumed = desk.engine().resume_learning(*used).unwrap();
                if model.paused
                    && let Some(last) = model.pauses.last_mut()
                {
                    *last = *used;
                }
                model.paused = false;
            }
            Act::BackUp => {
                desk.clock.advance_millis(1);
                let _made = desk.engine().make_backups(BackupReason::Manual).unwrap();
                model.backup = Some(model.rows.clone());
            }
            Act::Restore => {
                let backups = desk.engine().backups();
                let manual =
                    |file| backups.iter().find(|one| one.file == file && one.reason == BackupReason::Manual).cloned();
                if let (Some(backup), Some(rows)) = (manual(StoreFile::Rules), model.backup.clone()) {
                    let _restored = desk.engine().restore_backup(&backup.backup_id).unwrap();
                    model.rows = rows;
                    model.rows.retain(|id, _| !model.deleted.contains(id));
                }
            }
        }
        assert_eq!(desk.engine().is_learning_paused(), model.paused);
    }
    desk.learn();
    model.learn(&desk);
    for book in 0..2 {
        assert_eq!(desk.evidence(book), model.of(book));
    }
    assert_eq!(desk.state(), PartState::Ok);
}

proptest! {
    #![proptest_config(Config { cases: 24, ..Config::default() })]
    #[test]
    fn evidence_is_what_it_would_be_from_scratch_whatever_came_in_between(acts in prop::collection::vec(act(), 1..40)) {
        run(&acts);
    }
}

#[test]
fn evidence_missing_in_a_backup_is_made_again_but_not_of_episodes_deleted_since() {
    let record = |n: usize| Act::Record { book: 0, texts: [n, n + 1, n + 2], selected: 1, own: None };
    let acts = [record(0), record(3), Act::Learn, Act::BackUp, record(6), Act::Pause, record(9), Act::Learn];
    run(&[acts.as_slice(), &[Act::Delete(0), Act::Undo(0), Act::Restore, Act::Resume(true), record(12)]].concat());
}

#[test]
fn a_crash_between_the_two_files_changes_nothing() {
    let desk = Desk::new();
    for n in 0..5 {
        desk.record(0, [n, n + 1, n + 2], 1, None);
    }
    desk.learn();
    let rows = desk.evidence(0);
    assert_eq!(rows.len(), 5);
    let spread = |desk: &Desk| {
        let db = desk.engine().stores.rules.open().unwrap();
        evidence::spread(&db.reader().unwrap(), &"one".into(), detect(&desk.passage(0, 0)), features::VERSION).unwrap()
    };
    let before = spread(&desk);
    assert_eq!(before.as_ref().map(Spread::count), Some(15));
    // In `rules.db` all is on disk, and no episode left the list.
    desk.engine().stores.episodes.open().unwrap().write("test", |tx| evidence::all_due(tx, false)).unwrap();
    assert_eq!(desk.state(), PartState::CatchingUp);
    desk.learn();
    assert_eq!((desk.evidence(0), spread(&desk), desk.state()), (rows, before, PartState::Ok));
}

#[test]
fn new_features_are_measured_on_episodes_with_texts_and_the_others_stay_as_they_were() {
    let mut desk = Desk::new();
    let old = desk.record(0, [1, 2, 3], 0, None);
    desk.clock.advance_millis(60 * DAY);
    desk.engine().compress_due(None, 9).unwrap();
    let new = desk.record(0, [4, 5, 6], 2, Some(7));
    desk.learn();
    let now = desk.evidence(0);
    // The state that an earlier version of the program would have left.
    let (episodes, rules) = (desk.engine().stores.episodes.open().unwrap(), desk.engine().stores.rules.open().unwrap());
    episodes
        .write("test", |tx| {
            tx.execute("UPDATE episode_features SET version = 0", [])?;
            evidence::set_watermark(tx, evidence::FEATURES, 0)
        })
        .unwrap();
    rules
        .write("test", |tx| {
            tx.execute("UPDATE evidence SET feature_version = 0", [])?;
            tx.execute("UPDATE spreads SET feature_version = 0", [])?;
            Ok(())
        })
        .unwrap();
    drop((episodes, rules));
    desk.restart();
    assert_eq!(desk.state(), PartState::CatchingUp);
    desk.learn();
    let rows = desk.evidence(0);
    assert_eq!(rows[0], EvidenceRow { feature_version: 0, ..now[0].clone() }, "{} has no texts any more", old.id);
    assert_eq!((rows[1].feature_version, &rows[1].texts), (features::VERSION, &now[1].texts));
    assert_ne!(rows[1].choice, now[1].choice, "against the spread of what was measured alike");
    let db = desk.engine().stores.episodes.open().unwrap();
    let kept = crate::storage::style_vectors::of_episode(&db.reader().unwrap(), &"one".into(), &new.id).unwrap();
    assert!(kept.iter().all(|one| one.version == features::VERSION));
    assert_eq!(desk.state(), PartState::Ok);
}

#[test]
fn while_the_rules_are_locked_episodes_stay_due_and_the_other_indexes_go_on() {
    let desk = Desk::new();
    let gone = desk.record(0, [1, 2, 3], 0, None);
    desk.learn();
    desk.record(0, [4, 5, 6], 1, None);
    let lock = Connection::open(desk.folder.path().join("rules.db")).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let _deleted = desk.engine().delete_episode(&"one".into(), &gone.id).unwrap();
    while desk.engine().index_step(4).unwrap().more {}
    assert!(desk.engine().learning.has_failed());
    let words = desk.engine().status().parts.into_iter().find(|part| part.part == Part::Words).unwrap();
    assert_eq!((words.state, desk.state()), (PartState::Ok, PartState::CatchingUp));
    assert_eq!(desk.evidence(0).len(), 1, "the deleted one, still");
    lock.execute_batch("COMMIT").unwrap();
    while desk.engine().index_step(4).unwrap().more {}
    assert!(!desk.engine().learning.has_failed());
    let left: Vec<EpisodeId> = desk.evidence(0).into_iter().map(|row| row.episode_id).collect();
    assert_eq!((left.len(), left.contains(&gone.id)), (1, false));
}

#[test]
fn an_episode_deleted_while_its_evidence_is_written_is_no_evidence() {
    let desk = Desk::new();
    let (gone, kept) = (desk.record(0, [1, 2, 3], 0, None), desk.record(0, [2, 3, 4], 0, None));
    // The step has read the episode; then the deletion is written; then the step writes.
    desk.engine().note_deletion(deletions::EPISODE, gone.id.as_str(), Some(&"one".into())).unwrap();
    desk.learn();
    let left: Vec<EpisodeId> = desk.evidence(0).into_iter().map(|row| row.episode_id).collect();
    assert_eq!(left, [kept.id]);
}

#[test]
fn evidence_of_an_unknown_book_waits_without_blocking_other_books() {
    let desk = Desk::new();
    let stranger = desk.record(0, [1, 2, 3], 0, None);
    desk.record(1, [1, 2, 3], 0, None);
    desk.engine()
        .stores
        .episodes
        .open()
        .unwrap()
        .write("test", |tx| {
            tx.execute("UPDATE episodes SET project_id = 'a stranger' WHERE id = ?1", [&stranger.id])?;
            tx.execute("UPDATE evidence_due SET project_id = 'a stranger' WHERE episode_id = ?1", [&stranger.id])?;
            Ok(())
        })
        .unwrap();
    desk.learn();
    assert_eq!((desk.evidence(0).len(), desk.evidence(1).len()), (0, 1));
    let _known = desk.engine().open_project(&"a stranger".into(), "夜航", BookLanguage::Zh, None).unwrap();
    desk.learn();
    let db = desk.engine().stores.rules.open().unwrap();
    assert_eq!(evidence::count(&db.reader().unwrap(), &"a stranger".into()).unwrap(), 1);
}
