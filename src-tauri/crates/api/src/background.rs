//! What threads in the background have in common.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs one step of a thread that has to go on; `None` where it panicked. Locks are taken over poisoned everywhere, and an
/// open transaction rolls back: the next step begins from a whole state.
pub(crate) fn guarded<T>(step: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(step)).ok()
}
