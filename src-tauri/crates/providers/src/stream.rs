//! The part of reading an answer that all APIs share: answer events, and the candidates that are built from them.

use palimpsest_memory::ports::{
    CandidateEvent, Completion, GenerationRequest, MAX_CANDIDATE_BYTES, ModelError, ModelErrorKind as Kind, StopReason,
    Tokens,
};

use crate::{
    failure::sentence,
    json,
    tool_calls::{CallPiece, PartialCall},
};

/// An event of an answer, independent of the API.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AnswerEvent {
    /// The next piece of a candidate.
    Text(usize, String),
    /// A piece of a tool call of a candidate.
    Call(usize, CallPiece),
    /// A candidate has ended.
    Ended(usize, Ending),
    /// Number of tokens of the prompt so far.
    Prompt(u32),
    /// Number of tokens of all candidates so far.
    Answer(u32),
    /// The answer is complete.
    Over,
}

/// The way a candidate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Finished,
    Length,
    /// The provider refused to continue.
    Refused,
    /// The provider failed.
    Failed,
}

/// Removes the thinking that some models write before their answer.
///
/// Only at the very beginning: later `<think>` may be part of the text.
#[derive(Default)]
struct ThinkingFilter {
    state: ThinkingState,
    held: String,
    /// Whether a non-blank character has arrived.
    begun: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum ThinkingState {
    /// Only blanks, or a prefix of the opening tag, so far.
    #[default]
    Undecided,
    /// Inside thinking; the held text may be a prefix of the closing tag.
    Inside,
    /// After thinking; blanks are skipped.
    Behind,
    /// The answer.
    Over,
}

const OPENING_TAG: &str = "<think>";
const CLOSING_TAG: &str = "</think>";

impl ThinkingFilter {
    /// Adds a piece and returns the part that belongs to the answer.
    fn push(&mut self, piece: &str) -> String {
        if self.state == ThinkingState::Over {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        if !self.begun {
            self.begun = piece.contains(|c: char| !c.is_whitespace());
            // Blanks are undecided. A server can send any number of them, so they are not scanned again.
            if !self.begun {
                return String::new();
            }
        }
        if self.state == ThinkingState::Undecided {
            let start = self.held.trim_start();
            if let Some(inside) = start.strip_prefix(OPENING_TAG) {
                self.held = inside.to_owned();
                self.state = ThinkingState::Inside;
            } else if OPENING_TAG.starts_with(start) {
                return String::new();
            } else {
                self.state = ThinkingState::Over;
                return std::mem::take(&mut self.held);
            }
        }
        if self.state == ThinkingState::Inside {
            let Some(end) = self.held.find(CLOSING_TAG) else {
                // Only the end of the held text can be a prefix of the closing tag.
                let keep = (0..CLOSING_TAG.len())
                    .rev()
                    .find(|&length| self.held.ends_with(&CLOSING_TAG[..length]))
                    .unwrap_or(0);
                self.held.drain(..self.held.len() - keep);
                return String::new();
            };
            self.held.drain(..end + CLOSING_TAG.len());
            self.state = ThinkingState::Behind;
        }
        let answer = self.held.trim_start();
        if answer.is_empty() {
            self.held.clear();
            return String::new();
        }
        let answer = answer.to_owned();
        self.held.clear();
        self.state = ThinkingState::Over;
        answer
    }

    /// Returns the held text at the end of the answer, as it is no tag.
    fn finish(&mut self) -> String {
        if self.state == ThinkingState::Undecided { std::mem::take(&mut self.held) } else { String::new() }
    }
}

#[derive(Default)]
struct Candidate {
    text: String,
    /// The length of the text that was passed on, in bytes.
    passed_on: usize,
    thinking: ThinkingFilter,
    call: Option<PartialCall>,
    ending: Option<Ending>,
    done: bool,
}

impl Candidate {
    /// Adds text up to [`MAX_CANDIDATE_BYTES`], on a character boundary. Returns `false` if
    /// some was dropped.
    fn push(&mut self, text: &str) -> bool {
        let max_bytes = MAX_CANDIDATE_BYTES.saturating_sub(self.text.len());
        let fits = text.floor_char_boundary(max_bytes);
        self.text.push_str(&text[..fits]);
        fits == text.len()
    }
}

/// The candidates of one request during generation. Every one is reported as done exactly once.
pub(crate) struct Candidates<'a> {
    requests: &'a [GenerationRequest<'a>],
    all: Vec<Candidate>,
    on_event: &'a mut dyn FnMut(usize, CandidateEvent<'_>),
    prompt: Option<u32>,
    answer: Option<u32>,
    host: &'a str,
    /// Whether the request under way offers tools.
    has_tools: bool,
    /// Whether an answer was neither a call of an offered tool nor JSON.
    has_ignored_tools: bool,
}

impl<'a> Candidates<'a> {
    pub(crate) fn new(
        requests: &'a [GenerationRequest<'a>],
        on_event: &'a mut dyn FnMut(usize, CandidateEvent<'_>),
        host: &'a str,
    ) -> Self {
        let all = requests.iter().map(|_| Candidate::default()).collect();
        let (has_tools, has_ignored_tools) = (false, false);
        Self { requests, all, on_event, prompt: None, answer: None, host, has_tools, has_ignored_tools }
    }

    /// Begins a request, the first one or one more after a failure. Calls count only if it offers tools.
    pub(crate) fn begin_request(&mut self, has_tools: bool) {
        self.has_tools = has_tools;
        self.all.iter_mut().for_each(|candidate| candidate.call = None);
    }

    /// Whether the request under way offers tools.
    pub(crate) fn has_tools(&self) -> bool {
        self.has_tools
    }

    /// Whether an answer was neither a call of an offered tool nor JSON.
    pub(crate) fn has_ignored_tools(&self) -> bool {
        self.has_ignored_tools
    }

    /// Whether any text was passed on.
    pub(crate) fn any_text(&self) -> bool {
        self.all.iter().any(|candidate| !candidate.text.is_empty())
    }

    /// Whether the provider has ended every candidate.
    pub(crate) fn all_ended(&self) -> bool {
        self.all.iter().all(|candidate| candidate.ending.is_some() || candidate.done)
    }

    /// Whether every candidate is done or stopped.
    pub(crate) fn all_stopped(&self) -> bool {
        self.requests.iter().zip(&self.all).all(|(request, candidate)| candidate.done || request.stop.is_set())
    }

    /// Whether every candidate was reported as done; the rest of the answer is not needed.
    pub(crate) fn all_done(&self) -> bool {
        self.all.iter().all(|candidate| candidate.done)
    }

    /// Handles an event. Its text is passed on by [`Self::flush`], or at the end of its candidate.
    pub(crate) fn handle(&mut self, event: AnswerEvent) {
        match event {
            AnswerEvent::Text(index, text) => {
                if let Some(candidate) = self.all.get_mut(index)
                    && !candidate.done
                {
                    let text = candidate.thinking.push(&text);
                    // The held text is at most a tag, or blanks without an end.
                    if !candidate.push(&text) || candidate.thinking.held.len() > MAX_CANDIDATE_BYTES {
                        self.done(index, Err(self.too_long()));
                    }
                }
            }
            AnswerEvent::Call(index, piece) => {
                if self.has_tools
                    && let Some(candidate) = self.all.get_mut(index)
                    && !candidate.done
                    && !candidate.call.get_or_insert_with(|| PartialCall::new(&piece)).add_piece(piece)
                {
                    self.done(index, Err(self.too_long()));
                }
            }
            AnswerEvent::Ended(index, ending) => {
                if let Some(candidate) = self.all.get_mut(index) {
                    candidate.ending.get_or_insert(ending);
                    // The last candidate waits for the token counts, which arrive at the very end.
                    if !self.all_ended() {
                        self.finish(index, Some(Tokens::default()));
                    }
                }
            }
            AnswerEvent::Prompt(tokens) => self.prompt = Some(tokens),
            AnswerEvent::Answer(tokens) => self.answer = Some(tokens),
            AnswerEvent::Over => {}
        }
    }

    /// Ends the candidates that were stopped individually.
    pub(crate) fn end_stopped(&mut self) {
        for index in 0..self.all.len() {
            if self.requests[index].stop.is_set() {
                self.cancel(index);
            }
        }
    }

    /// Ends all candidates at the end of the stream. The one that ended last gets the token counts of all, because
    /// providers count per request and not per candidate.
    pub(crate) fn end(&mut self) {
        let tokens = self.answer.map(|answer| Tokens { prompt: self.prompt.unwrap_or(0), answer });
        for index in 0..self.all.len() {
            self.finish(index, tokens);
        }
    }

    /// Ends all unfinished candidates with an error.
    pub(crate) fn fail(&mut self, error: &ModelError) {
        for index in 0..self.all.len() {
            if self.all[index].ending.is_some() {
                self.finish(index, None);
            } else {
                self.done(index, Err(error.clone()));
            }
        }
    }

    /// Passes on the text since the last call: one piece per candidate for any number of events, so that a server that
    /// sends single letters does not cause an event for each.
    pub(crate) fn flush(&mut self) {
        (0..self.all.len()).for_each(|index| self.pass_on(index));
    }

    /// The error of a candidate that is too long to be recorded.
    fn too_long(&self) -> ModelError {
        ModelError::new(Kind::AnswerTooLong, sentence(Kind::AnswerTooLong, self.host))
    }

    fn pass_on(&mut self, index: usize) {
        let candidate = &mut self.all[index];
        let from = std::mem::replace(&mut candidate.passed_on, candidate.text.len());
        if from < candidate.text.len() {
            (self.on_event)(index, CandidateEvent::Text(&candidate.text[from..]));
        }
    }

    fn cancel(&mut self, index: usize) {
        let text = self.all[index].text.clone();
        self.done(index, Ok(Completion { text, stop: StopReason::Cancelled, tokens: None, tool_call: None }));
    }

    fn finish(&mut self, index: usize, tokens: Option<Tokens>) {
        if self.all[index].done {
            return;
        }
        let ending = self.all[index].ending;
        if ending.is_some() {
            let held = self.all[index].thinking.finish();
            if !self.all[index].push(&held) {
                return self.done(index, Err(self.too_long()));
            }
        }
        let kind = match ending {
            Some(Ending::Finished | Ending::Length) => None,
            Some(Ending::Refused) => Some(Kind::ContentRefused),
            Some(Ending::Failed) => Some(Kind::Interrupted),
            None => Some(Kind::Malformed),
        };
        let result = match kind {
            Some(kind) => Err(ModelError::new(kind, sentence(kind, self.host))),
            None => {
                let stop = if ending == Some(Ending::Length) { StopReason::Length } else { StopReason::Finished };
                match self.all[index].call.take().map(PartialCall::finish) {
                    Some(call) => {
                        let text = self.all[index].text.clone();
                        Ok(Completion { text, stop, tokens, tool_call: Some(call) })
                    }
                    None => {
                        let text = self.final_text(index);
                        self.has_ignored_tools |= self.has_tools && text.is_err() && stop == StopReason::Finished;
                        text.map(|text| Completion { text, stop, tokens, tool_call: None })
                    }
                }
            }
        };
        self.done(index, result);
    }

    /// The text of a candidate; normalized JSON if a schema was requested.
    fn final_text(&self, index: usize) -> Result<String, ModelError> {
        let text = &self.all[index].text;
        if self.requests[index].schema.is_none() {
            return Ok(text.clone());
        }
        let kind = Kind::Malformed;
        let value = json::parse_lenient(text).ok_or_else(|| ModelError::new(kind, sentence(kind, self.host)))?;
        Ok(value.to_string())
    }

    fn done(&mut self, index: usize, result: Result<Completion, ModelError>) {
        if !std::mem::replace(&mut self.all[index].done, true) {
            self.pass_on(index);
            (self.on_event)(index, CandidateEvent::Done(result));
        }
    }
}

#[cfg(test)]
mod tests {
    use palimpsest_memory::ports::Stop;
    use proptest::prelude::*;

    use super::*;

    fn passed_on(pieces: &[&str]) -> String {
        let mut thinking = ThinkingFilter::default();
        let mut passed_on: String = pieces.iter().map(|piece| thinking.push(piece)).collect();
        passed_on += &thinking.finish();
        passed_on
    }

    #[test]
    fn thoughts_before_the_answer_are_not_passed_on_and_a_tag_inside_it_is() {
        assert_eq!(passed_on(&["<think>hm</think>\n\n雨停了。"]), "雨停了。");
        assert_eq!(passed_on(&["\n<thi", "nk>a < b </th", "ink", ">", "\n", " 雨"]), "雨");
        assert_eq!(passed_on(&["他说：<think>是个标签</think>"]), "他说：<think>是个标签</think>");
        assert_eq!(passed_on(&["<th", "e end>"]), "<the end>");
        assert_eq!(passed_on(&["<thin"]), "<thin");
        assert_eq!(passed_on(&["<think>never closed"]), "");
        assert_eq!(passed_on(&["\n\n雨"]), "\n\n雨");
    }

    proptest! {
        #[test]
        fn thoughts_are_hidden_however_they_are_cut(
            thought in "[a-z<>/ 雨]{0,20}", answer in "[a-z雨][a-z<>/ 雨]{0,20}", cuts in prop::collection::vec(1_usize..5, 40),
        ) {
            prop_assume!(!thought.contains(CLOSING_TAG));
            let whole = format!("{OPENING_TAG}{thought}{CLOSING_TAG}\n{answer}");
            let letters: Vec<char> = whole.chars().collect();
            let mut pieces = Vec::new();
            let mut rest = letters.as_slice();
            for cut in cuts {
                let (piece, more) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece.iter().collect::<String>());
                rest = more;
            }
            pieces.push(rest.iter().collect());
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(passed_on(&pieces), answer);
        }
    }

    #[test]
    fn the_last_candidate_reports_the_cost_of_all_and_each_ends_once() {
        let stop = Stop::new();
        let request = GenerationRequest {
            messages: &[],
            seed: 1,
            max_tokens: 9,
            temperature: 1.0,
            schema: None,
            tools: &[],
            stop: &stop,
        };
        let requests = [request.clone(), request.clone(), request];
        let mut events = Vec::new();
        let mut on_event = |index: usize, event: CandidateEvent<'_>| {
            if let CandidateEvent::Done(done) = event {
                events.push((index, done.map(|done| done.tokens)));
            }
        };
        let mut candidates = Candidates::new(&requests, &mut on_event, "here");
        candidates.handle(AnswerEvent::Text(1, "a".to_owned()));
        candidates.handle(AnswerEvent::Ended(1, Ending::Finished));
        candidates.handle(AnswerEvent::Ended(1, Ending::Finished));
        candidates.handle(AnswerEvent::Text(7, "nobody".to_owned()));
        candidates.handle(AnswerEvent::Ended(2, Ending::Finished));
        candidates.handle(AnswerEvent::Ended(0, Ending::Length));
        candidates.handle(AnswerEvent::Prompt(10));
        candidates.handle(AnswerEvent::Answer(5));
        candidates.end();
        candidates.end();
        let nothing = Ok(Some(Tokens::default()));
        let all = Ok(Some(Tokens { prompt: 10, answer: 5 }));
        assert_eq!(events, [(1, nothing.clone()), (2, nothing), (0, all)]);
    }
}
