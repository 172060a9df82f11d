//! Many at once: recalls that are held together, and everything against everything beside a model that is too simple to
//! be wrong.

mod model;
mod recalls;
