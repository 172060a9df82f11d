//! A question that a program of this machine answers: it reads the copy of the book by itself, and names the file of
//! each statement.

use std::sync::Arc;

use palimpsest_agents::{
    Book, Chapter, EndedBy, Position as CopyPosition, RunBackend, RunEvent, RunOutcome, RunRequest, ToolState,
};
use palimpsest_memory::{
    Code, QuotedChapter,
    model::RunEnd,
    ports::{ModelError, ModelErrorKind, ModelInfo},
};

use super::{
    requests::program_words,
    run::{AskRun, Step},
    stream::{Answering, ReadAnswer},
    wire::{AskStepKind, AskStepState},
};
use crate::{
    Api,
    backends::reason_of,
    error::{ApiError, OrLog, with_reason},
};

/// A program that answers a question.
pub(super) struct AskedProgram {
    pub(super) backend: Arc<dyn RunBackend>,
    /// Whether the writer agreed that it may start without the fence of the system.
    pub(super) is_unfenced_allowed: bool,
}

impl AskedProgram {
    /// The program as a model, for the trace.
    fn info(&self) -> ModelInfo {
        let info = self.backend.info();
        ModelInfo { provider: info.name, model: info.model.unwrap_or_else(|| "–".to_owned()), sample: false }
    }
}

impl Api {
    /// Runs a program to its end; returns its answer, or the part that was written. A fault is set in `run`.
    pub(super) fn ask_program(&self, run: &mut AskRun, program: &AskedProgram) -> ReadAnswer {
        self.load_for_question(run).or_log("load the knowledge of a book for a program");
        let is_about_book = self.engine.refine_inquiry(&mut run.inquiry);
        let words = program_words(run.inquiry.language(), is_about_book);
        let chapters = match self.chapters_of(run) {
            Ok(chapters) => chapters,
            Err(error) => {
                run.refusal = Some(error);
                return ReadAnswer::default();
            }
        };
        let prompt = match self.engine.inquiry_prompt(&run.inquiry, &words, run.budget) {
            Ok(prompt) => prompt,
            Err(error) => {
                run.refusal = Some(error);
                return ReadAnswer::default();
            }
        };
        run.is_traced = self.store_trace(run, &prompt, program.info());
        // The program hides the names itself, over the prompt and the copy together.
        let sent = prompt.context.messages.iter().map(|message| prompt.mask.restore(&message.content));
        let sent = sent.collect::<Vec<_>>().join("\n\n");
        run.prompt.clone_from(&sent);
        let names = match self.engine.hidden_pairs(run.inquiry.project_id()) {
            Ok(names) => names,
            Err(error) => {
                run.refusal = Some(error);
                return ReadAnswer::default();
            }
        };
        let copied: Vec<Chapter<'_>> =
            chapters.iter().map(|chapter| Chapter { title: "", text: &chapter.text }).collect();
        let end = run.inquiry.known_until().and_then(|at| {
            let chapter = chapters.iter().position(|chapter| chapter.chapter_id == at.chapter_id)?;
            Some(CopyPosition { chapter, offset: at.offset as usize })
        });
        let protected = self.folders_to_protect();
        let stop = run.stop.clone();
        let is_cancelled = move || stop.is_set();
        let request = RunRequest {
            prompt: &sent,
            book: Book { chapters: &copied, end },
            names: Some(&names),
            protected: &protected,
            is_unfenced_allowed: program.is_unfenced_allowed,
            is_cancelled: &is_cancelled,
        };
        let mut answering = Answering::over_chapters(&run.inquiry, is_about_book, &chapters);
        let run_id = run.inquiry.run_id().to_owned();
        let mut steps = ToolSteps { api: self, run_id, number: run.steps, open: Vec::new() };
        let (mut is_after_tool, mut has_interim_words) = (false, false);
        let ended = program.backend.run(&request, &mut |event| match event {
            RunEvent::Text(text) => {
                // The words after a tool begin a sentence of their own.
                if std::mem::take(&mut is_after_tool) && !answering.is_blank() {
                    has_interim_words = true;
                    self.send_addition(&steps.run_id, answering.push("\n\n"));
                }
                self.send_addition(&steps.run_id, answering.push(text));
            }
            RunEvent::Tool { name, state } => {
                is_after_tool = true;
                steps.tool(name, state);
            }
            RunEvent::Ending(_) => {}
        });
        run.steps = steps.number;
        match ended {
            Ok(outcome) => {
                // A program whose words were not streamed has them in its result.
                if answering.is_blank() {
                    self.send_addition(&steps.run_id, answering.push(&outcome.answer));
                }
                self.send_addition(&steps.run_id, answering.finish());
                let mut read = answering.into_read();
                // The words between tools were sent as they came, and are not part of the answer.
                if has_interim_words && !outcome.answer.trim().is_empty() {
                    let mut answering = Answering::over_chapters(&run.inquiry, is_about_book, &chapters);
                    answering.push(&outcome.answer);
                    answering.finish();
                    read = answering.into_read();
                }
                let counted = outcome.tokens.map(|tokens| tokens.prompt.saturating_add(tokens.answer));
                // A program that reports no tokens is counted by what it was given and what it wrote.
                let estimated =
                    || (palimpsest_text::tokens::count(&sent) + palimpsest_text::tokens::count(&read.raw)) as u64;
                let cost = u32::try_from(counted.unwrap_or_else(estimated)).unwrap_or(u32::MAX);
                self.emit_changed(self.engine.count_usage(cost));
                note_end(run, &outcome);
                read
            }
            Err(error) => {
                run.refusal = Some(with_reason(Code::ModelUnavailable, error.message, reason_of(error.reason)));
                ReadAnswer::default()
            }
        }
    }

    /// The chapters of the book up to the position, whole.
    fn chapters_of(&self, run: &AskRun) -> Result<Vec<QuotedChapter>, ApiError> {
        let project_id = run.inquiry.project_id();
        let mut chapters = Vec::new();
        for chapter_id in run.inquiry.searched_chapters() {
            let text = match self.saved_text(project_id, chapter_id)? {
                Some(text) => text,
                None => self.engine.text_of_passages(project_id, chapter_id)?,
            };
            chapters.push(QuotedChapter { chapter_id: chapter_id.clone(), text });
        }
        Ok(chapters)
    }
}

/// Notes the end of a program in `run`: its tools, the cause of its end, and its fault.
fn note_end(run: &mut AskRun, outcome: &RunOutcome) {
    run.program_tools = outcome.tools.iter().map(|tool| (tool.name.clone(), tool.is_ok.unwrap_or(true))).collect();
    run.ended_by = Some(match outcome.ended_by {
        EndedBy::Itself => RunEnd::Itself,
        EndedBy::AfterResult => RunEnd::AfterResult,
        EndedBy::Cancelled => RunEnd::Cancelled,
        EndedBy::Timeout => RunEnd::Timeout,
        EndedBy::Silence => RunEnd::Silence,
        EndedBy::TooMuch => RunEnd::TooMuch,
    });
    let exit_code = outcome.exit_code.unwrap_or_default();
    let has_failed = match outcome.is_result_ok {
        // The result says whether the answer is one, and the exit code how the run went.
        Some(is_ok) => !is_ok,
        None => exit_code != 0,
    };
    match outcome.reason() {
        Some(reason) => {
            let message = "the program did not answer as it should";
            run.refusal = Some(with_reason(Code::ModelUnavailable, message, reason_of(reason)));
        }
        None => {
            if has_failed {
                let message = "the program ended with an error";
                run.error = Some(ModelError::new(ModelErrorKind::ProviderFailed, message));
            }
            run.exit_code = if has_failed && exit_code == 0 { 1 } else { exit_code };
            run.error_tail.clone_from(&outcome.tail);
        }
    }
}

/// The steps of the tools that a program uses, several at a time.
struct ToolSteps<'a> {
    api: &'a Api,
    run_id: String,
    number: u32,
    /// The steps that have started and not ended.
    open: Vec<Step>,
}

impl ToolSteps<'_> {
    fn tool(&mut self, name: &str, state: ToolState) {
        match state {
            ToolState::Started => {
                self.number += 1;
                let step = Step { number: self.number, round: 0, kind: AskStepKind::Program, subject: name.to_owned() };
                self.api.send_step_of(&self.run_id, &step, None, None, AskStepState::Started);
                self.open.push(step);
            }
            ToolState::Succeeded | ToolState::Failed => {
                let named = self.open.iter().position(|step| step.subject == name);
                // An end with an unknown id has no name.
                let Some(at) = named.or((name.is_empty() && !self.open.is_empty()).then_some(0)) else { return };
                let step = self.open.remove(at);
                let state = if state == ToolState::Failed { AskStepState::Failed } else { AskStepState::Done };
                self.api.send_step_of(&self.run_id, &step, Some(0), None, state);
            }
        }
    }
}
