//! The choice of the encoder: the bundled one, or another chosen by the writer with the bundled one as fallback.
//!
//! The bundled encoder's vectors are always kept up to date. So a new model takes over only when all its vectors are
//! computed, and its failure costs nothing but its own precision.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use palimpsest_vectors::{Quantized, quantize};

use super::background;
use crate::{
    lock::RwLock,
    model::Cause,
    ports::{Embedder, EmbedderError},
};

/// The state of the bundled encoder.
#[derive(Default, Clone)]
pub enum Encoder {
    /// Its files are being read.
    #[default]
    Loading,
    /// Available.
    Ready(Arc<dyn Embedder>),
    /// Not installed or damaged.
    Missing(Cause),
}

/// Unrelated sentences. Their mean cosine is the base level of a model: some models give any two texts 0.1, others 0.7.
const UNRELATED: [&str; 16] = [
    "他把最后一箱苹果搬上了船。",
    "委员会推迟了对预算的表决。",
    "猫在屋顶上睡了一下午。",
    "这种合金在低温下会变脆。",
    "她年轻时在敦煌临过壁画。",
    "列车因大雪晚点四个小时。",
    "把面团盖好，放在暖和的地方。",
    "两支球队踢成了平局。",
    "He carried the last crate of apples aboard.",
    "The committee put off its vote on the budget.",
    "All afternoon the cat slept on the roof.",
    "This alloy turns brittle in the cold.",
    "As a young woman she had copied murals in a cave.",
    "Snow held the train up for four hours.",
    "Cover the dough and leave it somewhere warm.",
    "The two teams played to a draw.",
];
/// Sentences of one language in [`UNRELATED`].
const SENTENCES_PER_LANGUAGE: usize = 8;
/// The level of the bundled encoder, measured with the same sentences: weights and thresholds were chosen for it.
const BUNDLED_LEVEL: f64 = 0.12;

/// The vectors of [`background::PASSAGES`], once they are computed.
type Background = Arc<OnceLock<Vec<Quantized>>>;

/// An available encoder, with the calibration of its cosines.
#[derive(Clone)]
pub(crate) struct Serving {
    pub encoder: Arc<dyn Embedder>,
    background: Background,
    /// The mean cosine of unrelated texts.
    level: f64,
    /// Whether it is called over a network, and may fail to answer.
    pub remote: bool,
}

impl Serving {
    /// The cosine of a query and a text on the scale of two texts of the bundled encoder: unrelated and equal texts get
    /// the same values there.
    #[must_use]
    pub(crate) fn calibrated(&self, cosine: f64) -> f64 {
        if !self.remote {
            return self.encoder.query_cosine(cosine);
        }
        BUNDLED_LEVEL + (cosine - self.level) * (1.0 - BUNDLED_LEVEL) / (1.0 - self.level).max(0.05)
    }
}

impl Serving {
    /// The vectors of [`background::PASSAGES`]. The bundled encoder computes them at the first call, in a tenth of a
    /// second; a remote one has computed them when it was connected, and has none otherwise.
    pub(crate) fn background(&self) -> &[Quantized] {
        if self.remote {
            return self.background.get().map_or(&[], Vec::as_slice);
        }
        self.background.get_or_init(|| {
            let vectors = self.encoder.embed_all(&background::PASSAGES).unwrap_or_default();
            vectors.iter().map(|vector| quantize(vector)).collect()
        })
    }
}

/// The mean cosine of unrelated texts, within each language.
fn level(encoder: &dyn Embedder) -> Result<f64, EmbedderError> {
    let vectors = encoder.embed_all(&UNRELATED)?;
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    let (mut sum, mut pairs) = (0.0, 0.0);
    for language in vectors.chunks(SENTENCES_PER_LANGUAGE) {
        for (n, one) in language.iter().enumerate() {
            for other in &language[n + 1..] {
                sum += cosine(one, other);
                pairs += 1.0;
            }
        }
    }
    Ok(if pairs > 0.0 { sum / pairs } else { BUNDLED_LEVEL })
}

/// Connects to an encoder for the first time, which determines the length of its vectors. Blocks on the network.
pub type Connect = Arc<dyn Fn() -> Result<Arc<dyn Embedder>, EmbedderError> + Send + Sync>;

/// The encoder that the writer chose.
struct Chosen {
    /// Name that the writer sees.
    name: String,
    connect: Connect,
    serving: Option<Serving>,
    /// Why it is unavailable; `None` if it is available.
    cause: Option<Cause>,
    /// Whether it has a vector of every episode. Until then the bundled one is used.
    whole: Arc<AtomicBool>,
}

/// The chosen encoder does not answer.
pub(crate) struct Unavailable {
    /// Name that the writer sees.
    pub name: String,
    /// Why it does not answer.
    pub cause: Cause,
}

/// All encoders.
#[derive(Default)]
pub(crate) struct Encoders {
    bundled: RwLock<Encoder>,
    bundled_background: RwLock<Background>,
    chosen: RwLock<Option<Chosen>>,
}

impl Encoders {
    /// Sets the state of the bundled encoder.
    pub(crate) fn set_bundled(&self, encoder: Encoder) {
        *self.bundled_background.write() = Background::default();
        *self.bundled.write() = encoder;
    }

    /// The state of the bundled encoder.
    pub(crate) fn bundled(&self) -> Encoder {
        self.bundled.read().clone()
    }

    /// Sets the encoder that the writer chose, with the name that the writer sees; `None` for the bundled one alone. A
    /// background thread calls [`Encoders::connect`] afterwards.
    pub(crate) fn choose(&self, chosen: Option<(String, Connect)>) {
        let chosen =
            chosen.map(|(name, connect)| Chosen { name, connect, serving: None, cause: None, whole: Arc::default() });
        *self.chosen.write() = chosen;
    }

    /// Records why the chosen encoder does not answer.
    pub(crate) fn set_unavailable(&self, cause: Cause) {
        if let Some(chosen) = self.chosen.write().as_mut() {
            chosen.cause = Some(cause);
        }
    }

    /// Whether the chosen encoder answers and is not used yet, because vectors are missing.
    pub(crate) fn is_taking_over(&self) -> bool {
        self.answering().is_some() && !self.is_whole()
    }

    /// Records that the chosen encoder has a vector of every episode.
    pub(crate) fn set_whole(&self) {
        if let Some(chosen) = self.chosen.read().as_ref() {
            chosen.whole.store(true, Ordering::SeqCst);
        }
    }

    /// Whether the chosen encoder had a vector of every episode at some time.
    pub(crate) fn is_whole(&self) -> bool {
        let chosen = self.chosen.read();
        chosen.as_ref().is_some_and(|chosen| chosen.whole.load(Ordering::SeqCst))
    }

    /// Connects to the chosen encoder, or checks whether a failed one answers again. [`Encoders::reason_unavailable`]
    /// has the result. Two requests; blocks on the network.
    pub(crate) fn connect(&self) {
        let (connect, known) = {
            let chosen = self.chosen.read();
            let Some(chosen) = chosen.as_ref().filter(|it| it.serving.is_none() || it.cause.is_some()) else {
                return;
            };
            (Arc::clone(&chosen.connect), chosen.serving.as_ref().map(|serving| Arc::clone(&serving.encoder)))
        };
        let reached = known.map_or_else(|| connect(), Ok).and_then(|encoder| {
            // Every time: a model replaced under the same name has another level.
            let level = level(encoder.as_ref())?;
            let vectors = encoder.embed_all(&background::PASSAGES)?;
            let background = OnceLock::from(vectors.iter().map(|vector| quantize(vector)).collect::<Vec<_>>());
            Ok(Serving { encoder, background: Arc::new(background), level, remote: true })
        });
        if let Some(chosen) = self.chosen.write().as_mut()
            // Another encoder may have been chosen meanwhile.
            && Arc::ptr_eq(&chosen.connect, &connect)
        {
            match reached {
                Ok(serving) => (chosen.serving, chosen.cause) = (Some(serving), None),
                Err(error) => chosen.cause = Some(error.0),
            }
        }
    }

    /// Why the chosen encoder does not answer; `None` if it does.
    pub(crate) fn reason_unavailable(&self) -> Option<Unavailable> {
        let chosen = self.chosen.read();
        chosen.as_ref().and_then(|chosen| Some(Unavailable { name: chosen.name.clone(), cause: chosen.cause.clone()? }))
    }

    /// The chosen encoder while it answers, whether or not its vectors are complete.
    pub(crate) fn answering(&self) -> Option<Serving> {
        let chosen = self.chosen.read();
        chosen.as_ref().filter(|chosen| chosen.cause.is_none()).and_then(|chosen| chosen.serving.clone())
    }

    fn of_chosen(&self) -> Option<Serving> {
        self.chosen.read().as_ref()?.serving.clone()
    }

    /// The chosen encoder, whether or not it answers: its vectors are retained.
    pub(crate) fn chosen_model(&self) -> Option<String> {
        self.of_chosen().map(|serving| serving.encoder.model().to_owned())
    }

    /// Whether [`Encoders::connect`] is due.
    pub(crate) fn wants_connecting(&self) -> bool {
        let chosen = self.chosen.read();
        chosen.as_ref().is_some_and(|chosen| chosen.serving.is_none() || chosen.cause.is_some())
    }

    /// Whether an encoder was chosen that has not answered yet: the model name of its vectors is then unknown.
    pub(crate) fn is_expected(&self) -> bool {
        let chosen = self.chosen.read();
        chosen.as_ref().is_some_and(|chosen| chosen.serving.is_none())
    }

    /// The bundled encoder, if available.
    pub(crate) fn ready(&self) -> Option<Serving> {
        match self.bundled() {
            Encoder::Ready(encoder) => {
                let background = Arc::clone(&self.bundled_background.read());
                Some(Serving { encoder, background, level: BUNDLED_LEVEL, remote: false })
            }
            Encoder::Loading | Encoder::Missing(_) => None,
        }
    }

    /// The encoder for a recall: the chosen one when it answers and its vectors are complete, else the bundled one.
    /// Without a bundled one, the chosen one is used with incomplete vectors.
    pub(crate) fn serving(&self) -> Option<Serving> {
        match (self.answering(), self.ready()) {
            (Some(chosen), None) => Some(chosen),
            (Some(chosen), Some(_)) if self.is_whole() => Some(chosen),
            (_, ready) => ready,
        }
    }
}
