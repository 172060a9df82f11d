//! A chapter's text on the wire: read, saved, kept while it cannot be saved, and what it was.

use palimpsest_memory::model::{OriginMark, Time};
use serde::{Deserialize, Serialize};
use specta::Type;

arguments! {
    /// A chapter's new text.
    WriteChapter {
        /// The book.
        project_id: String,
        /// The chapter.
        chapter_id: String,
        /// The whole text, lines ended by LF.
        text: String,
        /// The content hash the text was read under; a stale one is refused.
        base_hash: String,
        /// Where passages stand that generations wrote, in the order of the text.
        origins: Vec<OriginAt>,
        /// What the chapter was before this, as far as it shall be found again, in order: kept as snapshots before the
        /// chapter is replaced. None that cannot be kept stands in the way; the answer says so.
        #[specta(optional)]
        before: Option<Vec<EarlierText>>,
        /// What `chapter:keep` kept of this text: let go once it is saved.
        #[specta(optional)]
        kept_id: Option<String>,
    }
    /// A passage that a generation wrote. Offsets are UTF-16 code units, end exclusive.
    OriginAt {
        /// The generation.
        generation_id: String,
        /// Where it begins.
        from: u32,
        /// Where it ends.
        to: u32,
    }
    /// A text that a chapter had.
    EarlierText {
        /// The whole text, lines ended by LF.
        text: String,
        /// Why it is kept.
        reason: EarlierReason,
        /// The generation that was put into it.
        #[specta(optional)]
        generation_id: Option<String>,
    }
    /// One snapshot of a chapter.
    OfSnapshot {
        /// The book.
        project_id: String,
        /// The chapter.
        chapter_id: String,
        /// The snapshot.
        snapshot_id: String,
    }
    /// A text that cannot be saved now.
    KeepChapter {
        /// The book.
        project_id: String,
        /// The chapter.
        chapter_id: String,
        /// The whole text, lines ended by LF.
        text: String,
        /// The content hash it was written over.
        base_hash: String,
        /// Where passages stand in it that generations wrote.
        #[specta(optional)]
        origins: Option<Vec<MarkedPassage>>,
        /// What was kept of it before, to be replaced.
        #[specta(optional)]
        kept_id: Option<String>,
    }
    /// A passage that a generation wrote, in a text that is not saved. Offsets are UTF-16 code units, end exclusive.
    MarkedPassage {
        /// The generation.
        generation_id: String,
        /// The skill.
        skill: String,
        /// Where it begins.
        from: u32,
        /// Where it ends.
        to: u32,
    }
    /// A kept text that is not wanted any more.
    LetGoKept {
        /// The book.
        project_id: String,
        /// The chapter.
        chapter_id: String,
        /// The kept text.
        kept_id: String,
    }
}

/// Why a chapter's earlier text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum EarlierReason {
    /// A generation was about to be put into it.
    BeforeInsertion,
    /// An earlier text was about to be put back in its place.
    BeforeRestore,
    /// Two texts claimed the chapter, and the writer chose the other.
    SetAside,
}

answers! {
    /// A chapter to edit.
    ChapterText {
        /// The chapter.
        chapter_id: String,
        /// Its title.
        title: String,
        /// The whole text, lines ended by LF.
        text: String,
        /// What the next write is based on.
        content_hash: String,
        /// Where passages stand that generations wrote.
        origins: Vec<OriginMark>,
        /// Passages whose words are no longer there, or are there more than once.
        unanchored: Vec<OriginMark>,
        /// What could not be saved before the program ended, the newest first: of this chapter, and of those of the book
        /// whose files are not there, which can be told nowhere else.
        kept: Vec<KeptText>,
    }
    /// A text that could not be saved.
    KeptText {
        /// Its identity.
        kept_id: String,
        /// The chapter.
        chapter_id: String,
        /// When it was kept.
        at: Time,
        /// The content hash it was written over; another one than the chapter's when the file was changed since.
        base_hash: String,
        /// Han characters and words of other scripts.
        words: u32,
        /// The whole text, lines ended by LF.
        text: String,
        /// Where passages stand in it that generations wrote, as its editor said.
        origins: Vec<MarkedPassage>,
    }
    /// A text is kept.
    KeptAt {
        /// Its identity.
        kept_id: String,
        /// When.
        at: Time,
    }
    /// A kept text is gone.
    LetGo {
        /// There was one.
        let_go: bool,
    }
    /// What a chapter was.
    SnapshotInfo {
        /// Its identity.
        snapshot_id: String,
        /// When it was last the text of the chapter.
        taken_at: Time,
        /// Why it was kept.
        reason: EarlierReason,
        /// The generation that was put into it.
        generation_id: Option<String>,
        /// Han characters and words of other scripts.
        words: u32,
    }
    /// What a chapter was, by time.
    SnapshotList {
        /// The newest first.
        snapshots: Vec<SnapshotInfo>,
    }
    /// What a chapter was, in full.
    SnapshotText {
        /// Its identity.
        snapshot_id: String,
        /// The whole text, lines ended by LF.
        text: String,
        /// Han characters and words of other scripts.
        words: u32,
        /// Where passages stand in it that generations wrote, as far as the memory still knows them.
        origins: Vec<OriginMark>,
    }
    /// What came of a write.
    Written {
        /// What the next write is based on.
        content_hash: String,
        /// Han characters and words of other scripts.
        words: u32,
        /// The marks of origin are saved too; if not, they are found again by their words.
        origins_saved: bool,
        /// What the chapter was before is kept too, where that was asked for.
        snapshots_saved: bool,
    }
}
