//! The self-study of a book: the program asks itself about gaps, explores the book with tools, and proposes what it
//! finds.
//!
//! Pure: there is no storage, no clock, no network and no randomness here. The caller counts, calls the model and the
//! tools, and reports each result as an event. What a question to the book and a study share is in
//! `palimpsest_asking`.
//!
//! ```text
//! numbers of the book ─► gaps::find_gaps ─► ranked gaps, each with a template of a question
//! model's questions ─► replies::check_questions ─► signature::is_duplicate ─► one question
//! pair of sentences ─► comparison::comparison_prompt ─► comparison::check_comparison ─► conflict, change or unclear
//! question ─► study::next ─► steps of tools ─► replies::check_summary ─► statements and facts with found quotes
//! ```
//!
//! Whatever a model says is believed only where the code found its quote. A model's number on its own certainty is not
//! asked for: `confidence` counts the writer's verdicts.

pub mod comparison;
pub mod confidence;
pub mod failures;
pub mod gaps;
pub mod prompts;
pub mod question_type;
pub mod replies;
pub mod signature;
pub mod study;
