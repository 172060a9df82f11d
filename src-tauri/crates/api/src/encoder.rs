//! The bundled encoder behind the memory's port: the location of its files, and loading them in the background.

use std::{
    ops::Range,
    path::PathBuf,
    sync::{Arc, Weak},
    thread,
    time::Duration,
};

use palimpsest_embedder::{DIMENSIONS, Encoder, MODEL};
use palimpsest_memory::{
    Encoder as State, Engine,
    model::{Cause, Reason},
    ports::{Embedder, EmbedderError},
};

use crate::{
    bundled::bundled_folder,
    supervise::{Supervisor, Task},
};

/// Where the files of the bundled encoder are.
#[derive(Clone)]
pub enum EncoderSource {
    /// Files in this folder, loaded in the background.
    Folder(PathBuf),
    /// As [`EncoderSource::Folder`], after a pause: loading keeps a core busy while the window draws its first frame.
    Later(PathBuf, Duration),
    /// An encoder that is loaded already.
    Loaded(Arc<dyn Embedder>),
    /// No encoder: recall uses words, scene and time, and reports it.
    Nowhere,
}

impl EncoderSource {
    /// The bundled encoder, if its files are found.
    #[must_use]
    pub fn bundled() -> Self {
        bundled_encoder().map_or(Self::Nowhere, Self::Folder)
    }
}

struct Bundled(Encoder);

impl Embedder for Bundled {
    fn model(&self) -> &str {
        MODEL
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        Ok(self.0.embed(text))
    }

    fn embed_stretches(&self, text: &str, stretches: &[Range<usize>]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        Ok(self.0.embed_stretches(text, stretches))
    }

    fn embed_query(&self, text: &str, stretches: &[Range<usize>]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        Ok(self.0.embed_query(text, stretches))
    }

    fn query_cosine(&self, cosine: f64) -> f64 {
        Encoder::query_cosine(cosine)
    }
}

/// The folder of the encoder's files: the one named by `PALIMPSEST_EMBEDDER`, else next to the program,
/// else in the installed package, else in the repository that it was built in. `None` when it is in none of them.
#[must_use]
pub fn bundled_encoder() -> Option<PathBuf> {
    bundled_folder("PALIMPSEST_EMBEDDER", "embedder", |folder| {
        Encoder::FILES.iter().all(|file| folder.join(file.name).is_file())
    })
}

/// Loads the encoder on its own thread and then calls `ready`. Loading takes most of a second, and neither the window
/// nor the first recall waits for it.
pub(crate) fn load(
    engine: &Arc<Engine>,
    source: EncoderSource,
    supervisor: &Supervisor,
    ready: impl FnOnce() + Send + 'static,
) {
    let (folder, pause) = match source {
        EncoderSource::Folder(folder) => (folder, Duration::ZERO),
        EncoderSource::Later(folder, pause) => (folder, pause),
        EncoderSource::Loaded(encoder) => {
            engine.set_encoder(State::Ready(encoder));
            return ready();
        }
        EncoderSource::Nowhere => {
            return engine.set_encoder(State::Missing(Cause::new(
                Reason::EncoderMissing,
                "the encoder's files are not installed",
            )));
        }
    };
    // Weak: this must not keep a closed memory open.
    let weak: Weak<Engine> = Arc::downgrade(engine);
    let loading = supervisor.clone();
    let started = supervisor.start(Task::Encoder, move || {
        thread::sleep(pause);
        let state = match loading.run(Task::Encoder, || Encoder::load(&folder)) {
            Some(Ok(encoder)) => State::Ready(Arc::new(Bundled(encoder))),
            Some(Err(error)) => State::Missing(Cause::new(Reason::EncoderUnreadable, error.to_string())),
            None => State::Missing(Cause::new(Reason::EncoderBrokeOff, "a defect ended the loading of the encoder")),
        };
        if let Some(engine) = weak.upgrade() {
            engine.set_encoder(state);
            ready();
        }
    });
    if started.is_none() {
        engine.set_encoder(State::Missing(Cause::new(
            Reason::EncoderBrokeOff,
            "no thread can be started for the encoder",
        )));
    }
}
