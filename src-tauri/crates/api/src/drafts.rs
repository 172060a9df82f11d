//! Protection of written text: snapshots of earlier texts of a chapter, and recovery copies of text that could not be
//! saved.

use std::collections::HashSet;

use palimpsest_manuscript::{
    Book as Manuscript, ChapterId as ChapterInBook, Error as ManuscriptError, RecoveryCopy, RecoveryOrigin, Snapshot,
    SnapshotDraft, SnapshotReason, Snapshots,
};
use palimpsest_memory::{
    Code,
    model::{ChapterId, GenerationId, ProjectId, Time},
};
use palimpsest_text::count;

use crate::{
    Api,
    books::{from_book, in_book},
    dto::{
        ChapterArguments, DiscardRecoveryCopy, DiscardedRecoveryCopy, EarlierReason, EarlierText, MarkedPassage,
        RecoveryCopyText, SnapshotArguments, SnapshotInfo, SnapshotList, SnapshotText, StoreRecoveryCopy,
        StoredRecoveryCopy,
    },
    error::{ApiError, OrLog, log_failure, manuscript, origin_of},
};

impl Api {
    pub(crate) fn chapter_snapshot_list(&self, args: ChapterArguments) -> Result<SnapshotList, ApiError> {
        let snapshots = self.snapshots(&args.project_id, &args.chapter_id)?.list().map_err(manuscript)?;
        Ok(SnapshotList { snapshots: snapshots.into_iter().map(snapshot_info).collect() })
    }

    pub(crate) fn chapter_snapshot_read(&self, args: SnapshotArguments) -> Result<SnapshotText, ApiError> {
        let SnapshotArguments { project_id, chapter_id, snapshot_id } = args;
        let read = self.snapshots(&project_id, &chapter_id)?.read(&snapshot_id).map_err(manuscript)?;
        let text = read.ok_or_else(|| ApiError::not_found("snapshotId", "snapshot"))?;
        let origins = self.marks_in(&project_id, &chapter_id, &text);
        Ok(SnapshotText { words: count::words(&text), snapshot_id, text, origins })
    }

    /// The folder belongs to the program: it is available when a book's folder is not.
    pub(crate) fn chapter_keep(&self, args: StoreRecoveryCopy) -> Result<StoredRecoveryCopy, ApiError> {
        let StoreRecoveryCopy { project_id, chapter_id, text, base_hash, origins, kept_id } = args;
        self.engine.known_project(&project_id)?;
        let at = self.clock.now();
        let kept_id = kept_id.unwrap_or_else(|| self.engine.new_id());
        let origins = origins.unwrap_or_default().into_iter().map(|mark| {
            let MarkedPassage { generation_id, skill, from, to } = mark;
            RecoveryOrigin { generation_id: generation_id.to_string(), skill, from, to }
        });
        let copy = RecoveryCopy {
            origins: origins.collect(),
            copy_id: kept_id.clone(),
            chapter_id: in_book(&chapter_id),
            at: at.millis(),
            base_hash,
            text,
        };
        self.recovery_copies.store(project_id.as_str(), &copy).map_err(recovery_error)?;
        Ok(StoredRecoveryCopy { kept_id, at })
    }

    pub(crate) fn chapter_keep_drop(&self, args: DiscardRecoveryCopy) -> Result<DiscardedRecoveryCopy, ApiError> {
        let DiscardRecoveryCopy { project_id, chapter_id, kept_id } = args;
        self.engine.known_project(&project_id)?;
        let is_discarded = self
            .recovery_copies
            .discard(project_id.as_str(), &in_book(&chapter_id), &kept_id)
            .map_err(recovery_error)?;
        Ok(DiscardedRecoveryCopy { is_discarded })
    }

    fn snapshots(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<Snapshots, ApiError> {
        self.book(project_id)?.lock().snapshots(&in_book(chapter_id)).map_err(manuscript)
    }

    /// The generations before which a snapshot of a chapter was taken.
    pub(crate) fn generations_after(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> HashSet<GenerationId> {
        let listed = self.snapshots(project_id, chapter_id).and_then(|found| found.list().map_err(manuscript));
        let listed = listed.or_log("list snapshots");
        listed.unwrap_or_default().into_iter().filter_map(|snapshot| snapshot.generation_id.map(Into::into)).collect()
    }

    /// Takes a snapshot of each earlier text; returns whether all of them are on disk. A failure never prevents the
    /// save.
    pub(crate) fn take_snapshots(&self, book: &Manuscript, chapter_id: &ChapterId, earlier: &[EarlierText]) -> bool {
        if earlier.is_empty() {
            return true;
        }
        let Ok(snapshots) = book.snapshots(&in_book(chapter_id)) else {
            return false;
        };
        let at = self.engine.now().millis();
        // All of them are tried.
        let taken: Vec<_> = earlier
            .iter()
            .filter_map(|earlier| {
                let generation_id = earlier.generation_id.as_ref().map(GenerationId::as_str);
                let words = count::words(&earlier.text);
                let reason = snapshot_reason(earlier.reason);
                snapshots
                    .save(&SnapshotDraft { text: &earlier.text, at, reason, generation_id, words })
                    .map_err(manuscript)
                    .or_log("save a snapshot")
            })
            .collect();
        if self.engine.is_clock_plausible() {
            snapshots.thin_out(at, &taken);
        }
        taken.len() == earlier.len()
    }

    /// The recovery copies of a chapter and of chapters that are not in `chapters` any more. A copy whose text is in
    /// the file by now is discarded.
    pub(crate) fn recovery_copies_for(
        &self,
        project_id: &ProjectId,
        chapter_id: &ChapterId,
        saved: &str,
        chapters: &HashSet<ChapterInBook>,
    ) -> Vec<RecoveryCopyText> {
        let chapter_id = in_book(chapter_id);
        let is_own = |copy: &RecoveryCopy| copy.chapter_id == chapter_id;
        let is_shown = |copy: &RecoveryCopy| is_own(copy) || !chapters.contains(&copy.chapter_id);
        let (in_file, left): (Vec<RecoveryCopy>, Vec<RecoveryCopy>) = self
            .recovery_copies
            .list(project_id.as_str())
            .into_iter()
            .filter(is_shown)
            .partition(|copy| is_own(copy) && copy.text == saved);
        for copy in in_file {
            // A copy that cannot be discarded is offered again.
            log_failure(
                "discard recovery copy",
                self.recovery_copies.discard(project_id.as_str(), &chapter_id, &copy.copy_id).map_err(recovery_error),
            );
        }
        left.into_iter().map(recovery_copy_info).collect()
    }

    /// Discards the recovery copy of a chapter that was saved.
    pub(crate) fn discard_saved_copy(&self, project_id: &ProjectId, chapter_id: &ChapterId, kept_id: Option<&str>) {
        if let Some(kept_id) = kept_id {
            // A copy that cannot be discarded is offered to the writer again.
            log_failure(
                "discard recovery copy",
                self.recovery_copies
                    .discard(project_id.as_str(), &in_book(chapter_id), kept_id)
                    .map_err(recovery_error),
            );
        }
    }
}

/// An error of the program's own folder, not of a book's.
fn recovery_error(error: ManuscriptError) -> ApiError {
    let origin = origin_of(&error);
    match error {
        ManuscriptError::Io { kind, .. } => {
            origin(ApiError::new(Code::WriteFailed, format!("the program's folder cannot be used: {kind}")))
        }
        other => manuscript(other),
    }
}

fn recovery_copy_info(copy: RecoveryCopy) -> RecoveryCopyText {
    let RecoveryCopy { copy_id: kept_id, chapter_id, at, base_hash, text, origins, .. } = copy;
    let origins = origins.into_iter().map(|mark| {
        let RecoveryOrigin { generation_id, skill, from, to } = mark;
        MarkedPassage { generation_id: generation_id.into(), skill, from, to }
    });
    RecoveryCopyText {
        chapter_id: from_book(&chapter_id),
        origins: origins.collect(),
        kept_id,
        at: Time::from_millis(at),
        base_hash,
        words: count::words(&text),
        text,
    }
}

fn snapshot_info(snapshot: Snapshot) -> SnapshotInfo {
    let Snapshot { snapshot_id, taken_at, reason, generation_id, words, .. } = snapshot;
    let reason = match reason {
        SnapshotReason::BeforeInsertion => EarlierReason::BeforeInsertion,
        SnapshotReason::BeforeRestore => EarlierReason::BeforeRestore,
        SnapshotReason::SetAside => EarlierReason::SetAside,
    };
    SnapshotInfo {
        snapshot_id,
        taken_at: Time::from_millis(taken_at),
        reason,
        generation_id: generation_id.map(Into::into),
        words,
    }
}

fn snapshot_reason(reason: EarlierReason) -> SnapshotReason {
    match reason {
        EarlierReason::BeforeInsertion => SnapshotReason::BeforeInsertion,
        EarlierReason::BeforeRestore => SnapshotReason::BeforeRestore,
        EarlierReason::SetAside => SnapshotReason::SetAside,
    }
}
