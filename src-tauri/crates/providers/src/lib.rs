//! Models that write. Everything that talks to one lives here and implements the memory's `TextModel` port.
//!
//! So far there is the built-in sample model, which needs no network and no set-up, and says what it is.

pub mod sample;

pub use sample::SampleModel;
