//! A question to the book: the loop of its run, the replies of a model, and the check of its answer.
//!
//! Pure: there is no storage, no clock, no network and no randomness here. The caller searches, calls the model and
//! the tools, and reports each result as an event.
//!
//! ```text
//! question ─► cognition: recall ─► knowing (at most 3 rounds) ─► acting (tools) ─► answering
//! model's reply ─► reply::parse_reply ─► Reply ─► cognition::next ─► Action
//! streamed answer ─► statements::AnswerReader ─► text, marks, ends of sentences, in pieces
//! sentence, marks, passages ─► verify::verify_statement ─► verified, unverified or plain, with ranges
//! ```
//!
//! A statement counts as verified only if the code found its words in a passage. A model's word is never enough.

mod brackets;
pub mod cognition;
pub mod kind;
mod lenient_json;
pub mod prompts;
pub mod reply;
pub mod statements;
pub mod tools;
pub mod unanswerable;
pub mod verify;
