//! Questions to the book.

mod wire;

pub(crate) use wire::{AskChunk, AskDone, AskStarted, AskStep, CancelAsk, RunAsk};

use palimpsest_memory::Code;

use crate::{Api, dto::Cancelled, error::ApiError};

impl Api {
    pub(crate) fn ask_run(&self, _args: RunAsk) -> Result<AskStarted, ApiError> {
        Err(ApiError::new(Code::ModelUnavailable, "not yet"))
    }

    pub(crate) fn ask_cancel(&self, _args: CancelAsk) -> Result<Cancelled, ApiError> {
        Ok(Cancelled { cancelled: false })
    }
}
