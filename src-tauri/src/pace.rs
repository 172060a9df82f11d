//! The sample model at a speed that can be followed.
//!
//! It has its text at once. On screen three drafts that jump into being are hard to read and cannot be stopped, so the
//! window lets them grow as a real model's do. Hosts without a screen use the model as it is.

use std::{thread, time::Duration};

use palimpsest_api::{
    SampleModel,
    ports::{Completion, GenerationRequest, ModelError, ModelInfo, TextModel},
};

/// Between two phrases: a draft of twenty is whole in less than a second.
const PAUSE: Duration = Duration::from_millis(40);

/// The sample model, a phrase at a time.
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
            thread::sleep(PAUSE);
            on_text(phrase)
        })
    }
}
