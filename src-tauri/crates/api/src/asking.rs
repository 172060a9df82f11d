//! Questions to the book: started, stopped, and answered from an answer that is kept, by the book alone, or by a model.

mod preview;
mod program;
mod requests;
mod run;
mod service;
mod stream;
mod wire;

pub(crate) use wire::{
    AskChunk, AskDone, AskHistory, AskHistoryQuery, AskPreview, AskStarted, AskStep, CancelAsk, RunAsk,
};

use std::sync::Arc;

use palimpsest_agents::RunBackend;
use palimpsest_memory::{BegunInquiry, Code, NewInquiry, model::ChapterId, ports::Stop};

use crate::{
    Api, Running,
    dto::Cancelled,
    error::{ApiError, OrLog},
    models::AskingModel,
    supervise::Task,
};

use self::{program::AskedProgram, run::AskRun, wire::AskedOf};

/// A question with what answers it.
struct AskedQuestion {
    new: NewInquiry,
    /// The chapters of the book.
    order: Vec<ChapterId>,
    /// The program with its id.
    program: Option<(String, Arc<dyn RunBackend>)>,
    /// `None` also where a program or the book alone is asked.
    model: Option<AskingModel>,
    is_unfenced_allowed: bool,
}

impl Api {
    fn asked_question(&self, args: RunAsk) -> Result<AskedQuestion, ApiError> {
        let RunAsk { project_id, question, at, selection, kind, fresh, only_book, backend_id, is_unfenced_allowed } =
            args;
        let order = self.order_for(&project_id, at.as_ref())?;
        let is_book_alone = only_book == Some(true);
        let program = match backend_id.filter(|_| !is_book_alone) {
            Some(backend_id) => {
                let backend = self.run_backend(&backend_id)?;
                Some((backend_id, backend))
            }
            None => None,
        };
        let model = if program.is_none() && !is_book_alone { self.asking_model() } else { None };
        let new = NewInquiry {
            project_id,
            question,
            at,
            selection,
            kind,
            is_fresh: fresh == Some(true),
            is_book_alone,
            // Without a model or a program, nothing leaves the machine.
            is_service_asked: program.is_some() || model.is_some(),
        };
        Ok(AskedQuestion { new, order, program, model, is_unfenced_allowed: is_unfenced_allowed == Some(true) })
    }

    pub(crate) fn ask_run(&self, args: RunAsk) -> Result<AskStarted, ApiError> {
        let AskedQuestion { new, order, program, model, is_unfenced_allowed } = self.asked_question(args)?;
        let project_id = new.project_id.clone();
        if new.is_service_asked {
            self.connect_answer_service();
        }
        let BegunInquiry { inquiry, served, nearly } = self.engine.begin_inquiry(new, &order)?;
        // Held until the run is registered: no clearing comes in between.
        let _open = self.engine.visit(&project_id)?;
        if !self.engine.is_inquiry_open(&inquiry)? {
            return Err(ApiError::new(Code::StoreUnavailable, "the memory of the book was cleared"));
        }
        let program = program.filter(|_| served.is_none());
        let model = model.filter(|_| served.is_none());
        if model.is_some() || program.is_some() {
            self.allowed_today(1).inspect_err(|_| self.engine.drop_inquiry(&inquiry))?;
        }
        let run_id = inquiry.run_id().to_owned();
        let asked_of = AskedOf::new(served.is_some(), program.as_ref(), model.as_ref());
        let started = AskStarted {
            run_id: run_id.clone(),
            kind: inquiry.guessed_kind(),
            injected: crate::dto::saturating_u32(inquiry.injected()),
            memory_degraded: !inquiry.degraded_reasons().is_empty(),
            degraded_reasons: inquiry.degraded_reasons().to_vec(),
            asked_of,
            served,
            nearly,
        };
        if let Some(served) = &started.served {
            let ended = self.engine.end_served(&inquiry, served);
            if let Some(changed) = ended.or_log("store that a kept answer was shown") {
                self.emit_changed(changed);
            }
            return Ok(started);
        }
        let Some(api) = self.this.upgrade() else {
            return Err(ApiError::new(Code::ModelUnavailable, "the program is closing"));
        };
        let stop = Stop::new();
        let running = Running { project_id, stop: stop.clone() };
        self.running.lock().insert(run_id.as_str().into(), running);
        let program = program.map(|(_, backend)| AskedProgram { backend, is_unfenced_allowed });
        let run = AskRun::new(inquiry, (model, program), stop, self.ids.seed(), self.clock.now());
        let id = run_id.clone();
        let work = move || {
            if api.supervisor.run(Task::Generation, || api.answer_question(run)).is_none() {
                api.question_broke_off(id);
            }
        };
        if self.supervisor.start(Task::Generation, work).is_none() {
            self.running.lock().remove(&run_id.as_str().into());
            return Err(ApiError::broke_off());
        }
        Ok(started)
    }

    pub(crate) fn ask_history(&self, args: AskHistoryQuery) -> Result<AskHistory, ApiError> {
        let (questions, is_journal_kept) = self.engine.earlier_questions(&args.project_id, args.limit)?;
        Ok(AskHistory { questions, is_journal_kept })
    }

    pub(crate) fn ask_cancel(&self, args: CancelAsk) -> Result<Cancelled, ApiError> {
        let running = self.running.lock();
        let run = running.get(&args.run_id.as_str().into());
        if let Some(run) = run {
            run.stop.set();
        }
        Ok(Cancelled { cancelled: run.is_some() })
    }
}
