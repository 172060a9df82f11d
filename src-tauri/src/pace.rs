//! The sample model at a readable speed.
//!
//! The model generates its text at once. In the window, three drafts that appear at once are hard to read and cannot be
//! stopped, so they are streamed as from a real model. Hosts without a screen use the model without delay.

use std::{thread, time::Duration};

use palimpsest_api::{
    SampleModel,
    ports::{Completion, GenerationRequest, ModelError, ModelInfo, TextModel},
};

/// The delay between two phrases: a draft of twenty takes less than a second.
const PHRASE_DELAY: Duration = Duration::from_millis(40);

/// The sample model with a delay after each phrase.
pub(crate) struct Paced(pub(crate) SampleModel);

impl TextModel for Paced {
    fn info(&self) -> ModelInfo {
        self.0.info()
    }

    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        self.0.generate(request, &mut |phrase| {
            thread::sleep(PHRASE_DELAY);
            on_text(phrase)
        })
    }
}
