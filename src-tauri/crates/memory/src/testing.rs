//! Deterministic ports for tests and benchmarks.

use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(test)]
use std::{path::Path, sync::Arc};

#[cfg(test)]
use crate::{Engine, Options};
use crate::{
    model::Time,
    ports::{Completion, GenerationRequest, Ids, ModelError, ModelErrorKind, ModelInfo, StopReason, TextModel},
};

pub use crate::ports::FixedClock;

/// Opens the memory in a folder, with a fixed clock and sequential ids.
#[cfg(test)]
pub(crate) fn open_engine(data_dir: &Path, clock: &Arc<FixedClock>) -> Engine {
    let options = Options {
        data_dir: data_dir.to_owned(),
        clock: Arc::clone(clock) as _,
        ids: Arc::new(SequentialIds::default()),
        config_file: None,
    };
    Engine::open(options).unwrap()
}

/// Sequential ids in the format of UUIDs, and the same seeds every time.
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU32);

impl Ids for SequentialIds {
    fn next(&self, _now: Time) -> String {
        let n = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        format!("00000000-0000-7000-8000-{n:012x}")
    }

    fn seed(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A model with scripted answers, streamed by word, and an optional failure.
#[derive(Debug, Default, Clone)]
pub struct ScriptedModel {
    /// The answers; the seed selects one.
    pub answers: Vec<String>,
    /// Number of pieces before it fails; `None` for no failure.
    pub fails_after: Option<usize>,
}

impl TextModel for ScriptedModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: "scripted".into(), model: "scripted-1".into(), sample: false }
    }

    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let picked = usize::try_from(request.seed).unwrap_or(0) % self.answers.len().max(1);
        let answer = self.answers.get(picked).map_or("", String::as_str);
        let mut text = String::new();
        for (n, piece) in answer.split_inclusive(' ').enumerate() {
            if self.fails_after == Some(n) {
                return Err(ModelError::new(ModelErrorKind::Interrupted, "scripted to fail"));
            }
            if request.stop.is_set() {
                return Ok(Completion { text, stop: StopReason::Cancelled, tokens: None, tool_call: None });
            }
            text.push_str(piece);
            on_text(piece);
        }
        Ok(Completion { text, stop: StopReason::Finished, tokens: None, tool_call: None })
    }
}

/// Passages of the sample book, in the given language: real prose for tests of style.
#[cfg(test)]
pub(crate) fn prose(language: palimpsest_text::Language) -> Vec<&'static str> {
    const ZH: [&str; 3] = [
        include_str!("../../api/sample-book/zh/01-交接.md"),
        include_str!("../../api/sample-book/zh/02-铅笔.md"),
        include_str!("../../api/sample-book/zh/03-墙上的线.md"),
    ];
    const EN: [&str; 3] = [
        include_str!("../../api/sample-book/en/01-handover.md"),
        include_str!("../../api/sample-book/en/02-pencil.md"),
        include_str!("../../api/sample-book/en/03-the-line-on-the-wall.md"),
    ];
    let chapters = match language {
        palimpsest_text::Language::Zh => ZH,
        palimpsest_text::Language::En => EN,
    };
    chapters
        .iter()
        .flat_map(|chapter| chapter.lines())
        .map(str::trim)
        .filter(|line| line.chars().count() > 20)
        .collect()
}
