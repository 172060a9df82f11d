//! Concurrency: recalls that are held open together, and all operations against each other beside a model that is too
//! simple to be wrong.

mod model;
mod recalls;
