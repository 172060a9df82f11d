//! The stored keys of questions, made again after a change of the way in which they are made.

use crate::{
    engine::Engine,
    error::Result,
    model::{AnswerId, Changed},
    storage::{
        answers,
        questions::{self, KEY_VERSION},
    },
};

/// Maximum number of answers whose keys are made again in one transaction: some milliseconds.
const RENEWED_PER_STEP: usize = 500;

impl Engine {
    /// Whether stored keys are of another version than those that are made now. Until they are made again, an answer to
    /// the same question is found by its words and not by its key.
    ///
    /// # Errors
    /// Those of the store.
    pub(in crate::engine) fn are_question_keys_outdated(&self) -> Result<bool> {
        Ok(questions::stored_key_version(&*self.stores.episodes.open()?.reader()?)? != KEY_VERSION)
    }

    /// Makes the keys of all questions again.
    ///
    /// # Errors
    /// Those of the store; the rest is made again at the next attempt.
    pub(in crate::engine) fn renew_question_keys(&self) -> Result<Option<Changed<()>>> {
        let db = self.stores.episodes.open()?;
        let all: Vec<AnswerId> = answers::all_answer_ids(&*db.reader()?)?;
        for some in all.chunks(RENEWED_PER_STEP) {
            db.write("renew question keys", |tx| {
                some.iter().try_for_each(|answer_id| answers::renew_question_key(tx, answer_id))
            })?;
        }
        db.write("note the version of question keys", questions::note_key_version)?;
        Ok(None)
    }
}
