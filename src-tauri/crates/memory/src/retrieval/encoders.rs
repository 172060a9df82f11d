//! Which encoder serves: the bundled one, or another that the writer chose, with the bundled one behind it.
//!
//! The bundled encoder's vectors are kept up whatever is chosen. So a new model takes over only when all its vectors are
//! made, and one that breaks costs nothing but its own precision.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicBool, Ordering},
};

use crate::{
    model::Cause,
    ports::{Embedder, EmbedderError},
};

/// The bundled encoder, as far as there is one.
#[derive(Default, Clone)]
pub enum Encoder {
    /// It is being loaded.
    #[default]
    Loading,
    /// It serves.
    Ready(Arc<dyn Embedder>),
    /// There is none.
    Missing(Cause),
}

/// Sentences that have nothing to do with each other. How similar a model finds them is the level that its cosines
/// begin at: some models put any two texts at 0.1, others at 0.7.
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
const OF_A_LANGUAGE: usize = 8;
/// The level of the bundled encoder, measured with the same sentences: what weights and thresholds were chosen for.
const BUNDLED_LEVEL: f64 = 0.12;

/// An encoder that can be asked now, and how to read its cosines.
#[derive(Clone)]
pub struct Serving {
    /// The encoder.
    pub encoder: Arc<dyn Embedder>,
    /// The cosine of texts that have nothing to do with each other.
    level: f64,
    /// It answers over a network, and may not answer at all.
    pub remote: bool,
}

impl Serving {
    /// A cosine of this encoder's on the scale of the bundled one: unrelated texts and equal ones stay where those are.
    #[must_use]
    pub fn calibrated(&self, cosine: f64) -> f64 {
        if !self.remote {
            return cosine;
        }
        BUNDLED_LEVEL + (cosine - self.level) * (1.0 - BUNDLED_LEVEL) / (1.0 - self.level).max(0.05)
    }
}

/// The mean cosine of texts that have nothing to do with each other, within each language.
fn level(encoder: &dyn Embedder) -> Result<f64, EmbedderError> {
    let vectors = encoder.embed_all(&UNRELATED)?;
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    let (mut sum, mut pairs) = (0.0, 0.0);
    for language in vectors.chunks(OF_A_LANGUAGE) {
        for (n, one) in language.iter().enumerate() {
            for other in &language[n + 1..] {
                sum += cosine(one, other);
                pairs += 1.0;
            }
        }
    }
    Ok(if pairs > 0.0 { sum / pairs } else { BUNDLED_LEVEL })
}

/// Reaches an encoder for the first time, which learns the length of its vectors. Takes as long as a network takes.
pub type Connect = Arc<dyn Fn() -> Result<Arc<dyn Embedder>, EmbedderError> + Send + Sync>;

/// The encoder that the writer chose.
struct Chosen {
    /// As it is called towards the writer.
    name: String,
    connect: Connect,
    serving: Option<Serving>,
    /// Why it cannot serve now.
    trouble: Option<Cause>,
    /// It has a vector of every episode. Until then the bundled one serves.
    whole: Arc<AtomicBool>,
}

/// The chosen encoder does not answer.
pub struct Trouble {
    /// As it is called towards the writer.
    pub name: String,
    /// Why it does not answer.
    pub cause: Cause,
}

/// All encoders.
#[derive(Default)]
pub struct Encoders {
    bundled: RwLock<Encoder>,
    chosen: RwLock<Option<Chosen>>,
}

impl Encoders {
    /// Says what has become of the bundled encoder.
    pub fn set_bundled(&self, encoder: Encoder) {
        *self.bundled.write().unwrap_or_else(PoisonError::into_inner) = encoder;
    }

    /// The bundled encoder as it is now.
    pub fn bundled(&self) -> Encoder {
        self.bundled.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Another encoder is to serve, called `name` towards the writer; `None` for the bundled one alone. Whoever works in
    /// the background calls [`Encoders::connect`].
    pub fn choose(&self, chosen: Option<(String, Connect)>) {
        let chosen =
            chosen.map(|(name, connect)| Chosen { name, connect, serving: None, trouble: None, whole: Arc::default() });
        *self.chosen.write().unwrap_or_else(PoisonError::into_inner) = chosen;
    }

    /// The chosen encoder does not answer because of `cause`.
    pub fn set_trouble(&self, cause: Cause) {
        if let Some(chosen) = self.chosen.write().unwrap_or_else(PoisonError::into_inner).as_mut() {
            chosen.trouble = Some(cause);
        }
    }

    /// Whether the chosen encoder answers and does not serve yet.
    pub fn is_taking_over(&self) -> bool {
        self.answering().is_some() && !self.is_whole()
    }

    /// The chosen encoder has a vector of every episode.
    pub fn set_whole(&self) {
        if let Some(chosen) = self.chosen.read().unwrap_or_else(PoisonError::into_inner).as_ref() {
            chosen.whole.store(true, Ordering::SeqCst);
        }
    }

    /// Whether the chosen encoder has had a vector of every episode.
    pub fn is_whole(&self) -> bool {
        let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner);
        chosen.as_ref().is_some_and(|chosen| chosen.whole.load(Ordering::SeqCst))
    }

    /// Reaches a chosen encoder that was not reached yet, or asks one in trouble whether it answers again. What comes of
    /// it is seen in [`Encoders::trouble`]. Two requests, as long as the network takes.
    pub fn connect(&self) {
        let (connect, known) = {
            let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner);
            let Some(chosen) = chosen.as_ref().filter(|it| it.serving.is_none() || it.trouble.is_some()) else {
                return;
            };
            (Arc::clone(&chosen.connect), chosen.serving.as_ref().map(|serving| Arc::clone(&serving.encoder)))
        };
        let reached = known.map_or_else(|| connect(), Ok).and_then(|encoder| {
            // Every time: a model that was exchanged behind its name has another level.
            let level = level(encoder.as_ref())?;
            Ok(Serving { encoder, level, remote: true })
        });
        if let Some(chosen) = self.chosen.write().unwrap_or_else(PoisonError::into_inner).as_mut()
            // Another may have been chosen meanwhile.
            && Arc::ptr_eq(&chosen.connect, &connect)
        {
            match reached {
                Ok(serving) => (chosen.serving, chosen.trouble) = (Some(serving), None),
                Err(error) => chosen.trouble = Some(error.0),
            }
        }
    }

    /// Whether an encoder was chosen that does not answer.
    pub fn in_trouble(&self) -> bool {
        self.trouble().is_some()
    }

    /// Why the chosen encoder does not answer, if it does not.
    pub fn trouble(&self) -> Option<Trouble> {
        let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner);
        chosen.as_ref().and_then(|chosen| Some(Trouble { name: chosen.name.clone(), cause: chosen.trouble.clone()? }))
    }

    /// The chosen encoder, as long as it answers, whether or not its vectors are all made.
    pub fn answering(&self) -> Option<Serving> {
        let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner);
        chosen.as_ref().filter(|chosen| chosen.trouble.is_none()).and_then(|chosen| chosen.serving.clone())
    }

    fn of_chosen(&self) -> Option<Serving> {
        self.chosen.read().unwrap_or_else(PoisonError::into_inner).as_ref()?.serving.clone()
    }

    /// The chosen encoder, whether or not it answers: its vectors are worth keeping.
    pub fn chosen_model(&self) -> Option<String> {
        self.of_chosen().map(|serving| serving.encoder.model().to_owned())
    }

    /// Whether [`Encoders::connect`] has something to do.
    pub fn wants_connecting(&self) -> bool {
        let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner);
        chosen.as_ref().is_some_and(|chosen| chosen.serving.is_none() || chosen.trouble.is_some())
    }

    /// Whether one was chosen that has not answered yet: which vectors are its own is not known.
    pub fn is_expected(&self) -> bool {
        let chosen = self.chosen.read().unwrap_or_else(PoisonError::into_inner);
        chosen.as_ref().is_some_and(|chosen| chosen.serving.is_none())
    }

    /// The bundled encoder, where it serves.
    pub fn ready(&self) -> Option<Serving> {
        match self.bundled() {
            Encoder::Ready(encoder) => Some(Serving { encoder, level: BUNDLED_LEVEL, remote: false }),
            Encoder::Loading | Encoder::Missing(_) => None,
        }
    }

    /// The encoder that a recall goes by: the chosen one when it answers and knows every episode, else the bundled one.
    /// Without a bundled one, the chosen one serves as far as it has come.
    pub fn serving(&self) -> Option<Serving> {
        match (self.answering(), self.ready()) {
            (Some(chosen), None) => Some(chosen),
            (Some(chosen), Some(_)) if self.is_whole() => Some(chosen),
            (_, ready) => ready,
        }
    }
}
