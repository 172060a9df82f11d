//! The team's answer service, asked by the run of a question.

use std::{sync::mpsc, time::Duration};

use palimpsest_memory::{Result, ServiceAnswers};

use super::run::AskRun;
use crate::{Api, error::OrLog, supervise::Task};

/// The longest time until a question that was stopped notices it while the service is slow.
const STOP_NOTICED_WITHIN: Duration = Duration::from_millis(50);

impl Api {
    /// Asks the answer service for a question, unless it was asked, and gives the question its answers. Returns at once
    /// when the question is stopped: what the service answers then is dropped.
    pub(super) fn add_service_answers(&self, run: &mut AskRun) {
        let Some(request) = run.inquiry.take_service_request() else { return };
        let Some(api) = self.this.upgrade() else { return };
        let (send, answers) = mpsc::channel::<Option<Result<Option<ServiceAnswers>>>>();
        let work = move || {
            let found = api.supervisor.run(Task::Generation, || api.engine.ask_answer_service(&request));
            // The question may have been stopped.
            send.send(found).ok();
        };
        if self.supervisor.start(Task::Generation, work).is_none() {
            return;
        }
        loop {
            match answers.recv_timeout(STOP_NOTICED_WITHIN) {
                Err(mpsc::RecvTimeoutError::Timeout) if !run.stop.is_set() => {}
                Ok(Some(Ok(Some(found)))) => return self.engine.take_service_answers(&mut run.inquiry, &found),
                Ok(Some(Ok(None))) | Err(mpsc::RecvTimeoutError::Timeout) => return,
                Ok(Some(Err(error))) => {
                    Err::<(), _>(error).or_log("ask the answer service for a question");
                    return run.inquiry.note_service_failure();
                }
                Ok(None) | Err(mpsc::RecvTimeoutError::Disconnected) => return run.inquiry.note_service_failure(),
            }
        }
    }
}
