//! Pure functions over prose in Chinese and English.
//!
//! Nothing here reads a file, a clock or a setting, and nothing here depends on another crate of the workspace. Every
//! function works on borrowed text, never cuts inside a character, and returns the same for the same input.

pub mod anchors;
pub mod claims;
pub mod control;
pub mod count;
pub mod edit;
mod excerpt;
mod fold;
mod language;
pub mod names;
pub mod paragraphs;
pub mod questions;
pub mod quotations;
pub mod random;
pub mod scene;
pub mod secrets;
pub mod sentences;
pub mod style;
pub mod terms;
pub mod tokens;
pub mod unseen;
mod whitespace;
mod windows;

pub use excerpt::{excerpt, last_chars};
pub use language::{Language, detect, detect_or, is_han};
pub use whitespace::{normalize_line_ends, single_spaced};
pub use windows::{window_ranges, windows};
