//! Many at once: recalls that are held together, and everything against everything beside a model that is too simple to
//! be wrong.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod model;
mod recalls;
