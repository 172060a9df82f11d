//! The dictionary behind the memory's port: the location of its file, and loading it in the background.

use std::{
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use palimpsest_dictionary::Dictionary;
use palimpsest_memory::ports::{Concept, Translator};

use crate::{
    bundled::bundled_folder,
    supervise::{Supervisor, Task},
};

/// Maximum wait of the first query for the dictionary, which takes about half a second to load.
const FIRST_QUERY_WAIT: Duration = Duration::from_millis(1_500);

/// The folder of the dictionary's file: the one named by `PALIMPSEST_DICTIONARY`, else next to the program,
/// else in the installed package, else in the repository that it was built in. `None` when it is in none of them.
#[must_use]
pub fn bundled_dictionary() -> Option<PathBuf> {
    bundled_folder("PALIMPSEST_DICTIONARY", "dictionary", |folder| folder.join(Dictionary::FILE).is_file())
}

/// The translator with the dictionary in `folder`. It is loaded with the first query, on a thread of its own, because
/// only books in another language than the query need it. The first query waits for it, others do not. Until it is
/// loaded, and if it cannot be, no query has concepts.
pub(crate) fn translator(folder: PathBuf, supervisor: &Supervisor) -> Arc<dyn Translator> {
    Arc::new(LazyTranslator {
        folder,
        supervisor: supervisor.clone(),
        is_started: AtomicBool::new(false),
        loaded: Arc::default(),
    })
}

struct LazyTranslator {
    folder: PathBuf,
    supervisor: Supervisor,
    /// Whether the loading was started. It is not started twice, also if it fails.
    is_started: AtomicBool,
    loaded: Arc<OnceLock<Dictionary>>,
}

impl LazyTranslator {
    /// Loads the dictionary on a thread of its own, and waits for it.
    fn load(&self) {
        let (done, ended) = mpsc::channel();
        let (folder, supervisor, loaded) = (self.folder.clone(), self.supervisor.clone(), Arc::clone(&self.loaded));
        // The supervisor logs a thread that cannot be started, and a panic.
        self.supervisor.start(Task::Dictionary, move || {
            match supervisor.run(Task::Dictionary, || Dictionary::load(&folder)) {
                Some(Ok(dictionary)) => {
                    tracing::info!("dictionary loaded");
                    // Only this thread sets it.
                    loaded.get_or_init(|| dictionary);
                }
                Some(Err(error)) => tracing::warn!(%error, "no dictionary"),
                None => {}
            }
            // The query may have stopped waiting.
            done.send(()).ok();
        });
        // Also ends when the thread could not be started, or has panicked.
        ended.recv_timeout(FIRST_QUERY_WAIT).ok();
    }
}

impl Translator for LazyTranslator {
    fn concepts(&self, query: &str) -> Vec<Concept> {
        if self.loaded.get().is_none() && !self.is_started.swap(true, Ordering::SeqCst) {
            self.load();
        }
        let Some(dictionary) = self.loaded.get() else { return Vec::new() };
        let concepts = dictionary.concepts(query).into_iter();
        concepts.map(|concept| Concept { alternatives: concept.alternatives }).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write as _, thread, time::Duration};

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    /// A folder with a dictionary of one entry.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let file = fs::File::create(folder.path().join(Dictionary::FILE)).unwrap();
        let mut encoder = GzEncoder::new(file, Compression::fast());
        encoder.write_all("燈塔 灯塔 [deng1 ta3] /lighthouse/\n".as_bytes()).unwrap();
        encoder.finish().unwrap();
        folder
    }

    /// The concepts of 灯塔, asked for until there are some, for at most `seconds`.
    fn concepts_within(translator: &dyn Translator, seconds: u64) -> Vec<Concept> {
        for _ in 0..seconds * 100 {
            let concepts = translator.concepts("灯塔");
            if !concepts.is_empty() {
                return concepts;
            }
            thread::sleep(Duration::from_millis(10));
        }
        Vec::new()
    }

    #[test]
    fn the_first_query_loads_the_dictionary() {
        let folder = folder();
        let translator = translator(folder.path().to_owned(), &Supervisor::default());
        // A loaded machine may take longer than the first query waits.
        assert_eq!(concepts_within(&*translator, 60), [Concept { alternatives: vec![vec!["lighthous".to_owned()]] }]);
    }

    #[test]
    fn a_dictionary_that_cannot_be_loaded_leaves_queries_without_concepts() {
        let empty = tempfile::tempdir().unwrap();
        let translator = translator(empty.path().to_owned(), &Supervisor::default());
        assert_eq!(concepts_within(&*translator, 1), []);
    }

    #[test]
    fn a_panic_while_it_is_loaded_leaves_queries_without_concepts() {
        let folder = folder();
        let supervisor = Supervisor::default();
        supervisor.set_fault(Task::Dictionary, Some("a defect"));
        let translator = translator(folder.path().to_owned(), &supervisor);
        assert_eq!(concepts_within(&*translator, 1), []);
    }
}
