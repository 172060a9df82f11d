//! Deleting, restoring, splitting and merging chapters, together with the memories of their passages.

use std::sync::Arc;

use palimpsest_manuscript::{
    ChapterChange, MovedMemories, PendingMemories,
    origins::{OriginRange, reanchor},
    split_point::{join_ranges, split_ranges},
};
use palimpsest_memory::{
    ChapterEpisode, MemoryMove,
    model::{ChapterId, EpisodeId, GenerationId, OriginMark, ProjectId, Time},
};
use palimpsest_text::count;

use crate::{
    Api,
    books::{self, OpenBook, from_book, in_book},
    dto::{
        ChangedChapters, ChapterArguments, ChapterInfo, DeletedChapter, DeletedChapterInfo, DeletedChapterList,
        MergeChapters, ProjectArguments, RestoreDeletedChapter, SplitChapter, UndoChapterChange,
    },
    error::{ApiError, OrLog, manuscript},
};

/// The most characters at the end of a run's text by which its position in a chapter is found.
const MAX_END_CHARS: usize = 32;

impl Api {
    pub(crate) fn chapter_delete(&self, args: ChapterArguments) -> Result<DeletedChapter, ApiError> {
        let open = self.book(&args.project_id)?;
        let mut book = open.lock();
        let deleted = book.delete_chapter(&in_book(&args.chapter_id), self.clock.now().millis()).map_err(manuscript)?;
        self.analyzer.submit(&args.project_id, &open);
        Ok(DeletedChapter { deleted_id: deleted.deleted_id, chapters: books::list_chapters(&book) })
    }

    pub(crate) fn chapter_deleted_list(&self, args: ProjectArguments) -> Result<DeletedChapterList, ApiError> {
        let open = self.book(&args.project_id)?;
        let book = open.lock();
        let listed = book.deleted_chapters().map_err(manuscript)?;
        let deleted = listed.into_iter().map(|deleted| {
            // One that cannot be read is listed all the same: restoring it reports the reason.
            let read = book.read_deleted(&deleted).map_err(manuscript).or_log("read a deleted chapter");
            let (title, text) = read.unwrap_or_default();
            DeletedChapterInfo {
                deleted_id: deleted.deleted_id,
                chapter_id: from_book(&deleted.chapter_id),
                title,
                words: text.as_deref().map_or(0, count::words),
                deleted_at: Time::from_millis(deleted.deleted_at),
            }
        });
        Ok(DeletedChapterList { deleted: deleted.collect() })
    }

    pub(crate) fn chapter_deleted_restore(&self, args: RestoreDeletedChapter) -> Result<ChapterInfo, ApiError> {
        let open = self.book(&args.project_id)?;
        let mut book = open.lock();
        let chapter = book.restore_deleted(&args.deleted_id).map_err(|error| match error {
            palimpsest_manuscript::Error::UnknownChapter => ApiError::not_found("deletedId", "deleted chapter"),
            error => manuscript(error),
        })?;
        self.analyzer.submit(&args.project_id, &open);
        books::chapter_info(&book, &chapter.chapter_id)
    }

    pub(crate) fn chapter_split(&self, args: SplitChapter) -> Result<ChangedChapters, ApiError> {
        let SplitChapter { project_id, chapter_id, offset, base_hash, title } = args;
        title.as_deref().map_or(Ok(()), books::title_fits)?;
        let open = self.book(&project_id)?;
        self.finish_earlier_change(&project_id, &open)?;
        let mut new_id = || self.engine.new_id();
        let split = open.lock().split_chapter(&in_book(&chapter_id), offset, title.as_deref(), &base_hash, &mut new_id);
        self.changed_chapters(&project_id, &open, split.map_err(manuscript)?)
    }

    pub(crate) fn chapter_merge(&self, args: MergeChapters) -> Result<ChangedChapters, ApiError> {
        let MergeChapters { project_id, chapter_id, next_id } = args;
        let open = self.book(&project_id)?;
        self.finish_earlier_change(&project_id, &open)?;
        let mut new_id = || self.engine.new_id();
        let at = self.clock.now().millis();
        let merged = open.lock().merge_chapters(&in_book(&chapter_id), &in_book(&next_id), at, &mut new_id);
        self.changed_chapters(&project_id, &open, merged.map_err(manuscript)?)
    }

    pub(crate) fn chapter_change_undo(&self, args: UndoChapterChange) -> Result<ChangedChapters, ApiError> {
        let UndoChapterChange { project_id, change_id } = args;
        let open = self.book(&project_id)?;
        self.finish_earlier_change(&project_id, &open)?;
        let undone = open.lock().undo_change(&change_id);
        self.changed_chapters(&project_id, &open, undone.map_err(manuscript)?)
    }

    fn changed_chapters(
        &self,
        project_id: &ProjectId,
        open: &Arc<OpenBook>,
        change: ChapterChange,
    ) -> Result<ChangedChapters, ApiError> {
        let moved = self.finish_earlier_change(project_id, open).or_log("move memories to another chapter");
        self.analyzer.submit(project_id, open);
        Ok(ChangedChapters {
            change_id: change.change_id,
            chapter_id: from_book(&change.chapter_id),
            second_id: from_book(&change.second_id),
            chapters: books::list_chapters(&open.lock()),
            memories_moved: moved.is_some(),
        })
    }

    /// Lets the memories follow a split, a merge or the undo of one, if they have not yet: a crash came in between, or
    /// the memory could not be written.
    ///
    /// # Errors
    /// Those of the memory: it is tried again before the next change, and when the book is opened.
    pub(crate) fn finish_earlier_change(&self, project_id: &ProjectId, open: &OpenBook) -> Result<(), ApiError> {
        let mut book = open.lock();
        let pending = match book.pending_memories() {
            Ok(Some(pending)) => pending,
            Ok(None) => return Ok(()),
            // The texts of the change are gone: the marks are found again by their words where they can be.
            Err(error) => {
                Err::<(), _>(manuscript(error)).or_log("read a change of chapters");
                book.finish_memories();
                return Ok(());
            }
        };
        let (chapter_id, second_id) = (from_book(&pending.change.chapter_id), from_book(&pending.change.second_id));
        let marks = Marks {
            chapter: self.engine.origins(project_id, &chapter_id)?,
            second: self.engine.origins(project_id, &second_id)?,
        };
        let marks_after = if pending.is_joined { marks.joined(&pending) } else { marks.separated(&pending) };
        let moved = match &pending.moved {
            Some(moved) => moved.clone(),
            None if pending.is_joined => {
                let moved = self.memories_of(project_id, &second_id)?;
                book.set_moved_memories(moved.clone()).map_err(manuscript)?;
                moved
            }
            None => self.memories_of_second_part(project_id, &chapter_id, &marks_after, &pending)?,
        };
        let episodes: Vec<EpisodeId> = moved.episodes.iter().map(|id| id.as_str().into()).collect();
        let generations: Vec<GenerationId> = moved.generations.iter().map(|id| id.as_str().into()).collect();
        let (from, to) = if pending.is_joined { (&second_id, &chapter_id) } else { (&chapter_id, &second_id) };
        let (of_from, of_to) = if pending.is_joined {
            (&marks_after.second, &marks_after.chapter)
        } else {
            (&marks_after.chapter, &marks_after.second)
        };
        let moving = MemoryMove {
            from,
            to,
            episodes: &episodes,
            generations: &generations,
            marks_of_from: of_from,
            marks_of_to: of_to,
        };
        self.emit_changed(self.engine.move_memories(project_id, &moving)?);
        book.finish_memories();
        Ok(())
    }

    /// All memories of a chapter.
    fn memories_of(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<MovedMemories, ApiError> {
        let found = self.engine.chapter_memories(project_id, chapter_id)?;
        Ok(MovedMemories {
            episodes: found.episodes.into_iter().map(|episode| episode.id.to_string()).collect(),
            generations: found.generations.iter().map(ToString::to_string).collect(),
        })
    }

    /// The memories of a split chapter that belong to its second part: all marks of the passage are there, or there is
    /// no mark and the text that the run was given ends there.
    fn memories_of_second_part(
        &self,
        project_id: &ProjectId,
        chapter_id: &ChapterId,
        marks: &Marks,
        change: &PendingMemories,
    ) -> Result<MovedMemories, ApiError> {
        let found = self.engine.chapter_memories(project_id, chapter_id)?;
        let has = |marks: &[OriginMark], id: &GenerationId| marks.iter().any(|mark| mark.generation_id == *id);
        let is_marked = |id: &GenerationId| has(&marks.second, id) || has(&marks.chapter, id);
        let mut moved: Vec<GenerationId> = (found.generations.iter())
            .filter(|id| has(&marks.second, id) && !has(&marks.chapter, id))
            .cloned()
            .collect();
        let (joined, first) = (without_spaces(&change.joined), without_spaces(&change.first));
        let mut episodes = Vec::new();
        for ChapterEpisode { id, generation_id, input_context } in found.episodes {
            let moves = match &generation_id {
                Some(generation_id) if is_marked(generation_id) => moved.contains(generation_id),
                // Of a rejected draft nothing is in the text.
                _ => only_end(&joined, &input_context).is_some_and(|end| end > first.len()),
            };
            if moves {
                episodes.push(id.to_string());
                moved.extend(generation_id.filter(|id| found.generations.contains(id)));
            }
        }
        moved.sort();
        moved.dedup();
        Ok(MovedMemories { episodes, generations: moved.iter().map(ToString::to_string).collect() })
    }
}

/// The position, in bytes, at which the last characters of `context` end in a text without white space; `None` if they
/// do not occur, or more than once.
fn only_end(text: &str, context: &str) -> Option<usize> {
    let context = without_spaces(context);
    let start = context.char_indices().rev().nth(MAX_END_CHARS - 1).map_or(0, |(at, _)| at);
    let end = context.get(start..).filter(|end| !end.is_empty())?;
    let mut found = text.match_indices(end).map(|(at, _)| at + end.len());
    found.next().filter(|_| found.next().is_none())
}

/// A text as it is compared: a run is given it without the line ends of wrapped paragraphs.
fn without_spaces(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The marks of the two chapters of a split or merge.
struct Marks {
    chapter: Vec<OriginMark>,
    second: Vec<OriginMark>,
}

impl Marks {
    /// The marks after the two chapters became one.
    fn joined(self, change: &PendingMemories) -> Self {
        // Without marks of the second part those of the first stay as they are, also when they followed before.
        if self.second.is_empty() {
            return self;
        }
        let (first, second) =
            (reanchor(&change.first, &ranges(&self.chapter)), reanchor(&change.second, &ranges(&self.second)));
        let (mut all, rest) = join_ranges(&change.joined, &first.anchored, &second.anchored, change.point);
        all.extend(first.unanchored.into_iter().chain(second.unanchored).chain(rest));
        Self { chapter: all.into_iter().map(mark).collect(), second: Vec::new() }
    }

    /// The marks after one chapter became two.
    fn separated(self, change: &PendingMemories) -> Self {
        let before = reanchor(&change.joined, &ranges(&self.chapter));
        let split = split_ranges(&change.first, &change.second, &before.anchored, change.point);
        // Where all marks are in the first part they stay as they are, also when the others followed before.
        if split.second.is_empty() {
            return self;
        }
        let mut second = self.second;
        second.extend(split.second.into_iter().map(mark));
        let first = split.first.into_iter().chain(split.rest).chain(before.unanchored);
        Self { chapter: first.map(mark).collect(), second }
    }
}

fn ranges(marks: &[OriginMark]) -> Vec<OriginRange> {
    let range = |mark: &OriginMark| OriginRange {
        generation_id: mark.generation_id.to_string(),
        from: mark.from,
        to: mark.to,
        quote_hash: mark.quote_hash.clone(),
    };
    marks.iter().map(range).collect()
}

/// A mark to be stored; its skill is that of its trace.
fn mark(range: OriginRange) -> OriginMark {
    OriginMark {
        generation_id: range.generation_id.into(),
        skill: String::new(),
        from: range.from,
        to: range.to,
        quote_hash: range.quote_hash,
    }
}
