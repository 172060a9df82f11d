//! The thread of the studies: one question at a time, of the books that are open.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    time::Duration,
};

use palimpsest_knowledge::study::{Action, Event, INTERVAL_MILLIS};
use palimpsest_memory::{
    AdvancedStudy, ComparedPair, Engine, Error, StudyAround, StudyHost,
    model::{Changed, ChapterId, ProjectId, Purpose, StudyEstimate, StudyProgress, StudyState, Time, Topic},
    ports::{Ids, Stop},
};
use palimpsest_providers::Network;
use parking_lot::Mutex;

use super::work::{Outcome, QuestionWork};
use crate::{
    Keys, Writing,
    books::{self, OpenBooks},
    error::{ApiError, OrLog, manuscript},
    events::{self, EventSink},
    journal::title_of,
    models::{AskingModel, ModelAccess},
    supervise::{JoinedThread, Supervisor, Task},
};

/// Time between two looks at the books; a look is earlier where the wait of a study ends.
const INTERVAL: Duration = Duration::from_millis(INTERVAL_MILLIS.unsigned_abs());
/// Minimum time between two looks.
const MIN_INTERVAL: Duration = Duration::from_millis(100);
/// Time to the next look after one that failed; it doubles with each further failure, up to the interval.
const FIRST_RETRY: Duration = Duration::from_secs(1);

/// The parts of a program that a study needs.
#[derive(Clone)]
pub(crate) struct StudyParts {
    pub(crate) engine: Arc<Engine>,
    pub(crate) keys: Arc<dyn Keys>,
    pub(crate) network: Arc<Network>,
    pub(crate) events: EventSink,
    pub(crate) writing: Writing,
    pub(crate) books: Arc<OpenBooks>,
    pub(crate) ids: Arc<dyn Ids>,
    /// Start of the program.
    pub(crate) started_at: Time,
    pub(crate) supervisor: Supervisor,
}

/// The thread. Dropping it cancels the request in progress and waits for its end; the state of each study is stored.
pub(crate) struct StudyThread {
    shared: Arc<Shared>,
    wake: SyncSender<()>,
    _thread: JoinedThread,
}

struct Shared {
    parts: StudyParts,
    /// Actions that requests have decided on, to be performed by the thread.
    queue: Mutex<VecDeque<(ProjectId, Action)>>,
    /// The book at work, and how its request is cancelled.
    current: Mutex<Option<(ProjectId, Stop)>>,
    /// Held while the result of an action is applied, so that none comes after its interruption.
    applied: Mutex<()>,
    /// Ends of the waits of studies, in milliseconds since 1970.
    waits: Mutex<HashMap<ProjectId, i64>>,
    /// Books whose stored state was continued since the start, or since it could not be written.
    resumed: Mutex<HashSet<ProjectId>>,
    /// Looks in a row that failed, such as while a file cannot serve.
    failed_looks: Mutex<u32>,
    /// Ends the thread.
    stop: Stop,
}

impl StudyThread {
    /// Starts the thread. It continues what an earlier session has left.
    pub(crate) fn start(parts: StudyParts) -> Self {
        let (wake, woken) = sync_channel(1);
        let shared = Arc::new(Shared {
            parts,
            queue: Mutex::default(),
            current: Mutex::default(),
            applied: Mutex::default(),
            waits: Mutex::default(),
            resumed: Mutex::default(),
            failed_looks: Mutex::default(),
            stop: Stop::new(),
        });
        let (inner, supervisor) = (Arc::clone(&shared), shared.parts.supervisor.clone());
        let thread = supervisor.start(Task::Study, move || inner.run(&woken));
        Self { shared, wake, _thread: JoinedThread::new(thread) }
    }

    /// Applies an event of the writer's, and lets the thread perform what follows.
    pub(crate) fn begin(&self, project_id: &ProjectId, event: &Event) -> Result<StudyState, ApiError> {
        let begun = {
            let _applied = self.shared.applied.lock();
            self.shared.resume(project_id)?;
            self.shared.advance_and_queue(project_id, event)
        };
        self.wake.try_send(()).ok();
        begun
    }

    /// Cancels the request of a book, if there is one, and applies an event; its late result is dropped.
    pub(crate) fn interrupt(&self, project_id: &ProjectId, event: &Event) -> Result<StudyState, ApiError> {
        let _applied = self.shared.applied.lock();
        self.shared.queue.lock().retain(|(queued, _)| queued != project_id);
        if let Some((_, stop)) = self.shared.current.lock().as_ref().filter(|(current, _)| current == project_id) {
            stop.set();
        }
        let interrupted = self.shared.advance_and_queue(project_id, event);
        self.wake.try_send(()).ok();
        interrupted
    }

    /// Lets the studies go on that a missing model or a refused key has stopped.
    pub(crate) fn model_changed(&self) {
        for project in self.shared.parts.engine.projects() {
            self.shared.look_at(&project.project_id, &Event::ModelChanged);
        }
        self.wake.try_send(()).ok();
    }

    /// The model that studies, and where its text goes; `None` without one.
    pub(crate) fn host(&self) -> Option<StudyHost> {
        self.shared.parts.model().as_ref().map(host_of)
    }

    /// The estimate of a study.
    pub(crate) fn estimate(&self, project_id: &ProjectId) -> Result<StudyEstimate, ApiError> {
        let parts = &self.shared.parts;
        let titles = |chapter_id: &ChapterId| title_of(&parts.books, project_id, chapter_id);
        let order = parts.order(project_id)?;
        parts.engine.study_estimate(project_id, (&order, &titles), self.host().as_ref())
    }
}

impl Drop for StudyThread {
    fn drop(&mut self) {
        {
            let _applied = self.shared.applied.lock();
            self.shared.stop.set();
            if let Some((_, stop)) = self.shared.current.lock().as_ref() {
                stop.set();
            }
        }
        self.wake.try_send(()).ok();
    }
}

fn host_of(model: &AskingModel) -> StudyHost {
    StudyHost {
        model: model.model.info().model,
        host: model.host.clone(),
        is_local: model.is_local,
        prompt_tokens: model.prompt_tokens(),
    }
}

/// Whether an action is to be performed.
fn is_work(action: &Action) -> bool {
    !matches!(action, Action::Wait { .. } | Action::Ignore | Action::Fail { .. } | Action::GiveUpPair { .. })
}

impl StudyParts {
    /// The model that studies: that of its purpose, else the one that answers questions, else the one that writes.
    pub(super) fn model(&self) -> Option<AskingModel> {
        let access = ModelAccess {
            engine: &self.engine,
            keys: &self.keys,
            network: &self.network,
            events: &self.events,
            writing: &self.writing,
        };
        access.first_of(&[Purpose::Studying, Purpose::Asking, Purpose::Writing], None)
    }

    /// The chapters of a book in reading order.
    pub(super) fn order(&self, project_id: &ProjectId) -> Result<Vec<ChapterId>, Error> {
        let open = self.books.lock().get(project_id).cloned();
        match open {
            Some(open) => {
                let book = open.lock();
                Ok(book.chapters().iter().map(|chapter| books::from_book(&chapter.chapter_id)).collect())
            }
            None => self.engine.analyzed_order(project_id),
        }
    }

    /// The saved text of a chapter; `None` for a book in another editor.
    pub(super) fn saved_text(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<Option<String>, Error> {
        let Some(open) = self.books.lock().get(project_id).cloned() else { return Ok(None) };
        let read = open.lock().read(&books::in_book(chapter_id)).map_err(manuscript)?;
        Ok(Some(read.text))
    }
}

impl Shared {
    fn run(&self, woken: &Receiver<()>) {
        while !self.stop.is_set() {
            let supervisor = &self.parts.supervisor;
            supervisor.run(Task::Study, || self.round());
            // A panic leaves no book at work.
            *self.current.lock() = None;
            match woken.recv_timeout(self.time_to_next_look()) {
                Ok(()) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }

    /// The time to the end of the earliest wait, at most the interval; less after a look that failed.
    fn time_to_next_look(&self) -> Duration {
        let failed = *self.failed_looks.lock();
        let retry = FIRST_RETRY.saturating_mul(1 << failed.saturating_sub(1).min(6)).min(INTERVAL);
        let wait = self.time_to_next_end();
        if failed > 0 { wait.min(retry) } else { wait }
    }

    fn time_to_next_end(&self) -> Duration {
        let now = self.parts.engine.now().millis();
        let mut waits = self.waits.lock();
        let Some(end) = waits.values().min().copied() else { return INTERVAL };
        // The next look notes again what has not begun by then.
        waits.retain(|_, end| *end > now);
        let left = u64::try_from(end.saturating_sub(now)).unwrap_or_default();
        Duration::from_millis(left).clamp(MIN_INTERVAL, INTERVAL)
    }

    /// Performs the queued actions, and then looks at each book once.
    fn round(&self) {
        self.perform_queued();
        let mut has_failed = false;
        for project in self.parts.engine.projects() {
            if self.stop.is_set() {
                return;
            }
            has_failed |= !self.look_at(&project.project_id, &Event::Woken);
            self.perform_queued();
            has_failed |= self.is_to_be_resumed(&project.project_id);
        }
        let mut failed_looks = self.failed_looks.lock();
        *failed_looks = if has_failed { failed_looks.saturating_add(1) } else { 0 };
    }

    /// Applies an event of the surroundings. Returns whether that was possible: a book that is being cleared, or a file
    /// that cannot serve, is looked at again later.
    fn look_at(&self, project_id: &ProjectId, event: &Event) -> bool {
        // Most books are not studied: nothing is read of them or written.
        match self.parts.engine.is_studied(project_id).or_log("read the state of a study") {
            Some(true) => {}
            Some(false) => return true,
            None => return false,
        }
        let _applied = self.applied.lock();
        match self.resume(project_id) {
            Ok(true) => true,
            Ok(false) => self.advance_and_queue(project_id, event).is_ok(),
            Err(_) => false,
        }
    }

    /// Whether the state of a studied book could not be written in the middle of its work.
    fn is_to_be_resumed(&self, project_id: &ProjectId) -> bool {
        self.parts.engine.is_studied(project_id).is_ok_and(|is_studied| is_studied)
            && !self.resumed.lock().contains(project_id)
    }

    /// Continues what an earlier session has left, once; returns whether this was the first look at the book.
    fn resume(&self, project_id: &ProjectId) -> Result<bool, ApiError> {
        if self.resumed.lock().contains(project_id) {
            return Ok(false);
        }
        self.advance_and_queue(project_id, &Event::Resumed)?;
        self.resumed.lock().insert(project_id.clone());
        Ok(true)
    }

    /// Applies an event, and puts the action that follows into the queue.
    fn advance_and_queue(&self, project_id: &ProjectId, event: &Event) -> Result<StudyState, ApiError> {
        let advanced = self.advance(project_id, event)?;
        if is_work(&advanced.action) {
            self.queue.lock().push_back((project_id.clone(), advanced.action));
        }
        Ok(advanced.state)
    }

    fn perform_queued(&self) {
        while let Some((project_id, action, stop)) = self.next_queued() {
            self.perform(&project_id, action, &stop);
            *self.current.lock() = None;
        }
    }

    /// The next action of the queue, whose book is at work from now on.
    fn next_queued(&self) -> Option<(ProjectId, Action, Stop)> {
        let _applied = self.applied.lock();
        if self.stop.is_set() {
            return None;
        }
        let (project_id, action) = self.queue.lock().pop_front()?;
        let stop = Stop::new();
        *self.current.lock() = Some((project_id.clone(), stop.clone()));
        Some((project_id, action, stop))
    }

    /// Performs an action and those that follow, until the study waits or is interrupted.
    fn perform(&self, project_id: &ProjectId, action: Action, stop: &Stop) {
        let mut work = QuestionWork::new(&self.parts, project_id, stop.clone());
        let mut action = action;
        while is_work(&action) {
            let outcome = work.perform(&action);
            let _applied = self.applied.lock();
            // Interrupted: the state is stopped already, or continues after the next start.
            if stop.is_set() {
                break;
            }
            let advanced = match outcome {
                Outcome::Event(event) => self.advance(project_id, &event),
                Outcome::Compared(compared) => self.keep(project_id, &compared),
                Outcome::ToCommit => self.commit(project_id),
            };
            // A book that is being cleared, or a file that cannot serve: the stored state continues later.
            let Ok(advanced) = advanced else {
                self.resumed.lock().remove(project_id);
                break;
            };
            action = advanced.action;
        }
    }

    /// Stores what the model said of a pair of sentences; a reply that cannot be read is asked for once more.
    fn keep(&self, project_id: &ProjectId, compared: &ComparedPair) -> Result<AdvancedStudy, ApiError> {
        let kept = (|| {
            let order = self.parts.order(project_id)?;
            let read = |chapter_id: &ChapterId| self.parts.saved_text(project_id, chapter_id);
            self.parts.engine.keep_comparison(project_id, &self.around(project_id), (&order, &read), compared)
        })();
        match kept {
            Ok(Ok(changed)) => Ok(self.sent(project_id, changed)),
            Ok(Err(kind)) => self.advance(project_id, &Event::Refused(kind)),
            Err(error) => {
                palimpsest_memory::log_error!(warn, &error, "a comparison was not stored");
                self.advance(project_id, &QuestionWork::failed(&self.parts))
            }
        }
    }

    fn commit(&self, project_id: &ProjectId) -> Result<AdvancedStudy, ApiError> {
        let committed = (|| {
            let order = self.parts.order(project_id)?;
            let read = |chapter_id: &ChapterId| self.parts.saved_text(project_id, chapter_id);
            self.parts.engine.commit_study(project_id, &self.around(project_id), &order, &read)
        })();
        match committed {
            Ok(changed) => Ok(self.sent(project_id, changed)),
            Err(error) => {
                palimpsest_memory::log_error!(warn, &error, "the result of a study was not stored");
                self.advance(project_id, &QuestionWork::failed(&self.parts))
            }
        }
    }

    /// Applies an event to the study of a book, and sends its progress.
    fn advance(&self, project_id: &ProjectId, event: &Event) -> Result<AdvancedStudy, ApiError> {
        let changed = self.parts.engine.advance_study(project_id, &self.around(project_id), event)?;
        Ok(self.sent(project_id, changed))
    }

    /// Sends the progress of a study, and notes the end of its wait.
    fn sent(&self, project_id: &ProjectId, changed: Changed<AdvancedStudy>) -> AdvancedStudy {
        let Changed { value, change } = changed;
        match value.action {
            Action::Wait { until: Some(end) } => self.waits.lock().insert(project_id.clone(), end),
            _ => self.waits.lock().remove(project_id),
        };
        // The lists change where a question or a comparison has ended or other questions have come, and the progress
        // says the rest.
        let is_pair_settled = change.what.contains(&Topic::Story);
        let is_settled =
            matches!(value.action, Action::Wait { .. } | Action::Fail { .. } | Action::AskStep { number: 1 });
        if is_settled || is_pair_settled {
            events::emit(&self.parts.events, events::MEMORY_CHANGED, &change);
        }
        let progress = StudyProgress { project_id: project_id.clone(), state: value.state.clone() };
        events::emit(&self.parts.events, events::STUDY_PROGRESS, &progress);
        value
    }

    fn around(&self, project_id: &ProjectId) -> StudyAround {
        let current = self.current.lock().as_ref().map(|(current, _)| current.clone());
        let is_in_another_editor =
            || self.parts.engine.known_project(project_id).is_ok_and(|project| project.path.is_none());
        StudyAround {
            is_open: self.parts.books.lock().contains_key(project_id) || is_in_another_editor(),
            host: self.parts.model().map(|model| model.host),
            started_at: self.parts.started_at,
            is_other_running: current.is_some_and(|current| current != *project_id),
        }
    }
}
