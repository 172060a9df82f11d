//! Nothing that was written is lost: what a chapter was before something took its place, and text that could not be saved.

use std::collections::HashSet;

use palimpsest_manuscript::{
    Book as Manuscript, Error as ManuscriptError, RecoveryCopy, RecoveryOrigin, Snapshot, SnapshotDraft,
    SnapshotReason, Snapshots,
};
use palimpsest_memory::{Code, model::Time};
use palimpsest_text::count;

use crate::{
    Api,
    dto::{
        EarlierReason, EarlierText, KeepChapter, KeptAt, KeptText, LetGo, LetGoKept, MarkedPassage, OfChapter,
        OfSnapshot, SnapshotInfo, SnapshotList, SnapshotText,
    },
    error::{ApiError, manuscript},
};

impl Api {
    pub(crate) fn chapter_snapshot_list(&self, args: OfChapter) -> Result<SnapshotList, ApiError> {
        let snapshots = self.snapshots(&args.project_id, &args.chapter_id)?.list().map_err(manuscript)?;
        Ok(SnapshotList { snapshots: snapshots.into_iter().map(told).collect() })
    }

    pub(crate) fn chapter_snapshot_read(&self, args: OfSnapshot) -> Result<SnapshotText, ApiError> {
        let OfSnapshot { project_id, chapter_id, snapshot_id } = args;
        let read = self.snapshots(&project_id, &chapter_id)?.read(&snapshot_id).map_err(manuscript)?;
        let text = read.ok_or_else(|| ApiError::not_found("snapshotId", "snapshot"))?;
        let origins = self.marks_in(&project_id, &chapter_id, &text);
        Ok(SnapshotText { words: count::words(&text), snapshot_id, text, origins })
    }

    /// A folder of the program's own: it does not wait for a book that does not answer.
    pub(crate) fn chapter_keep(&self, args: KeepChapter) -> Result<KeptAt, ApiError> {
        let KeepChapter { project_id, chapter_id, text, base_hash, origins, kept_id } = args;
        self.engine.known_project(&project_id)?;
        let at = self.clock.now();
        let kept_id = kept_id.unwrap_or_else(|| self.engine.new_id());
        let origins = origins.unwrap_or_default().into_iter().map(|mark| {
            let MarkedPassage { generation_id, skill, from, to } = mark;
            RecoveryOrigin { generation_id, skill, from, to }
        });
        let kept = RecoveryCopy {
            origins: origins.collect(),
            copy_id: kept_id.clone(),
            chapter_id,
            at: at.millis(),
            base_hash,
            text,
        };
        self.recovery_copies.store(&project_id, &kept).map_err(not_kept)?;
        Ok(KeptAt { kept_id, at })
    }

    pub(crate) fn chapter_keep_drop(&self, args: LetGoKept) -> Result<LetGo, ApiError> {
        let LetGoKept { project_id, chapter_id, kept_id } = args;
        self.engine.known_project(&project_id)?;
        let let_go = self.recovery_copies.discard(&project_id, &chapter_id, &kept_id).map_err(not_kept)?;
        Ok(LetGo { let_go })
    }

    fn snapshots(&self, project_id: &str, chapter_id: &str) -> Result<Snapshots, ApiError> {
        self.book(project_id)?.lock().snapshots(chapter_id).map_err(manuscript)
    }

    /// The generations before which a chapter's text is kept.
    pub(crate) fn generations_after(&self, project_id: &str, chapter_id: &str) -> HashSet<String> {
        let listed = self.snapshots(project_id, chapter_id).ok().and_then(|snapshots| snapshots.list().ok());
        listed.unwrap_or_default().into_iter().filter_map(|snapshot| snapshot.generation_id).collect()
    }

    /// Keeps what a chapter was, each for itself; whether all of it is on disk. Nothing of this stands in the way of
    /// what is to be saved.
    pub(crate) fn take_snapshots(&self, book: &Manuscript, chapter_id: &str, earlier: &[EarlierText]) -> bool {
        if earlier.is_empty() {
            return true;
        }
        let Ok(snapshots) = book.snapshots(chapter_id) else {
            return false;
        };
        let at = self.engine.now().millis();
        // All of them are tried.
        let taken: Vec<_> = earlier
            .iter()
            .filter_map(|earlier| {
                let generation_id = earlier.generation_id.as_deref();
                let words = count::words(&earlier.text);
                let reason = reason(earlier.reason);
                snapshots.save(&SnapshotDraft { text: &earlier.text, at, reason, generation_id, words }).ok()
            })
            .collect();
        if self.engine.is_clock_plausible() {
            snapshots.thin_out(at, &taken);
        }
        taken.len() == earlier.len()
    }

    /// What could not be saved the last time, as the reader of a chapter is told of it: what was kept of this one, and of
    /// those that are none of `chapters` any more. What is in the file by now is let go.
    pub(crate) fn kept_of(
        &self,
        project_id: &str,
        chapter_id: &str,
        saved: &str,
        chapters: &HashSet<String>,
    ) -> Vec<KeptText> {
        let is_own = |kept: &RecoveryCopy| kept.chapter_id == chapter_id;
        let told = |kept: &RecoveryCopy| is_own(kept) || !chapters.contains(&kept.chapter_id);
        let (in_file, left): (Vec<RecoveryCopy>, Vec<RecoveryCopy>) = self
            .recovery_copies
            .list(project_id)
            .into_iter()
            .filter(told)
            .partition(|kept| is_own(kept) && kept.text == saved);
        for kept in in_file {
            // It is asked about again where it cannot be.
            let _gone = self.recovery_copies.discard(project_id, chapter_id, &kept.copy_id);
        }
        left.into_iter().map(kept_text).collect()
    }

    /// A chapter was saved: what was kept of it is in the file now.
    pub(crate) fn saved_after_all(&self, project_id: &str, chapter_id: &str, kept_id: Option<&str>) {
        if let Some(kept_id) = kept_id {
            // Where it cannot be removed, the writer is asked about it once more.
            let _gone = self.recovery_copies.discard(project_id, chapter_id, kept_id);
        }
    }
}

/// Of the program's own folder, not of a book's.
fn not_kept(error: ManuscriptError) -> ApiError {
    match error {
        ManuscriptError::Io { kind, .. } => {
            ApiError::new(Code::WriteFailed, format!("the program's folder cannot be used: {kind}"))
        }
        other => manuscript(other),
    }
}

fn kept_text(kept: RecoveryCopy) -> KeptText {
    let RecoveryCopy { copy_id: kept_id, chapter_id, at, base_hash, text, origins, .. } = kept;
    let origins = origins.into_iter().map(|mark| {
        let RecoveryOrigin { generation_id, skill, from, to } = mark;
        MarkedPassage { generation_id, skill, from, to }
    });
    KeptText {
        chapter_id,
        origins: origins.collect(),
        kept_id,
        at: Time::from_millis(at),
        base_hash,
        words: count::words(&text),
        text,
    }
}

fn told(snapshot: Snapshot) -> SnapshotInfo {
    let Snapshot { snapshot_id, taken_at, reason, generation_id, words, .. } = snapshot;
    let reason = match reason {
        SnapshotReason::BeforeInsertion => EarlierReason::BeforeInsertion,
        SnapshotReason::BeforeRestore => EarlierReason::BeforeRestore,
        SnapshotReason::SetAside => EarlierReason::SetAside,
    };
    SnapshotInfo { snapshot_id, taken_at: Time::from_millis(taken_at), reason, generation_id, words }
}

fn reason(reason: EarlierReason) -> SnapshotReason {
    match reason {
        EarlierReason::BeforeInsertion => SnapshotReason::BeforeInsertion,
        EarlierReason::BeforeRestore => SnapshotReason::BeforeRestore,
        EarlierReason::SetAside => SnapshotReason::SetAside,
    }
}
