//! Questions to the book: started, stopped, and answered from an answer that is kept, by the book alone, or by a model.

mod program;
mod run;
mod stream;
mod wire;

pub(crate) use wire::{AskChunk, AskDone, AskStarted, AskStep, CancelAsk, RunAsk};

use palimpsest_memory::{BegunInquiry, Code, NewInquiry, ports::Stop};

use crate::{
    Api, Running,
    dto::Cancelled,
    error::{ApiError, OrLog},
    supervise::Task,
};

use self::{program::AskedProgram, run::AskRun, wire::AskedOf};

impl Api {
    pub(crate) fn ask_run(&self, args: RunAsk) -> Result<AskStarted, ApiError> {
        let RunAsk { project_id, question, at, selection, kind, fresh, only_book, backend_id, is_unfenced_allowed } =
            args;
        let order = self.order_for(&project_id, at.as_ref())?;
        let program = match backend_id.as_deref().filter(|_| only_book != Some(true)) {
            Some(backend_id) => Some((backend_id.to_owned(), self.run_backend(backend_id)?)),
            None => None,
        };
        let (is_fresh, is_book_alone) = (fresh == Some(true), only_book == Some(true));
        let is_model_wanted = program.is_none() && !is_book_alone;
        let model = if is_model_wanted { self.asking_model() } else { None };
        // Without a model or a program, nothing leaves the machine.
        let is_service_asked = program.is_some() || model.is_some();
        if is_service_asked {
            self.connect_answer_service();
        }
        let new = NewInquiry {
            project_id: project_id.clone(),
            question,
            at,
            selection,
            kind,
            is_fresh,
            is_book_alone,
            is_service_asked,
        };
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
        let asked_of = match (&served, &program, &model) {
            (Some(_), ..) => AskedOf::Kept,
            (None, Some((backend_id, backend)), _) => {
                let info = backend.info();
                AskedOf::Program {
                    backend_id: backend_id.clone(),
                    name: info.name,
                    leaves_machine: info.leaves_machine,
                }
            }
            (None, None, Some(model)) => {
                AskedOf::Model { model: model.model.info(), host: model.host.clone(), is_local: model.is_local }
            }
            (None, None, None) => AskedOf::Book,
        };
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
        let program = program
            .map(|(_, backend)| AskedProgram { backend, is_unfenced_allowed: is_unfenced_allowed == Some(true) });
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

    pub(crate) fn ask_cancel(&self, args: CancelAsk) -> Result<Cancelled, ApiError> {
        let running = self.running.lock();
        let run = running.get(&args.run_id.as_str().into());
        if let Some(run) = run {
            run.stop.set();
        }
        Ok(Cancelled { cancelled: run.is_some() })
    }
}
