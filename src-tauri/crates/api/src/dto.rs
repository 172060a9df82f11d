//! Arguments and small answers of commands that are not types of the memory.

use palimpsest_memory::model::{
    AssembleRequest, Backup, Category, ChapterId, Clearing, Conflict, CutItem, DegradedReason, DeletedWords, EpisodeId,
    Erasure, GenerationId, HiddenName, Job, Language, NameForm, Project, ProjectId, Reference, Rule, RuleEpisode,
    RuleId, RuleVersion, Run, Scope, SkillWeight, StoreFile,
};
use palimpsest_memory::ports::ModelInfo;
use serde::{Deserialize, Serialize};
use specta::Type;

macro_rules! arguments {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty),* $(,)? })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Serialize, Deserialize, Type)]
            #[serde(rename_all = "camelCase", deny_unknown_fields)]
            pub(crate) struct $name { $($(#[$field_meta])* pub $field: $type),* }
        )*
    };
}

macro_rules! answers {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty),* $(,)? })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Serialize, Deserialize, Type)]
            #[serde(rename_all = "camelCase")]
            pub(crate) struct $name { $($(#[$field_meta])* pub $field: $type),* }
        )*
    };
}

mod chapters;
mod providers;

pub(crate) use chapters::*;
pub(crate) use providers::*;

/// A number for the wire; the maximum for a larger one.
pub(crate) fn saturating_u32(count: impl TryInto<u32>) -> u32 {
    count.try_into().unwrap_or(u32::MAX)
}

arguments! {
    NoArguments {}
    /// A folder to open as a book.
    OpenProject {
        /// An absolute path.
        path: String,
        /// The writer's answer, when the folder has the identity of a known book.
        #[specta(optional)]
        copied_as: Option<CopiedAs>,
    }
    /// The sample book.
    OpenSample {
        /// Which of the two.
        language: Language,
    }
    /// A new book.
    CreateProject {
        /// 1 to 200 characters.
        title: String,
        /// Of the book.
        language: Language,
        /// A folder, created if needed; without one the manuscript lives in another editor.
        #[specta(optional)]
        path: Option<String>,
        /// The identity of the book in that editor, for a memory whose `rules.db` was created again and that still has
        /// the book's episodes. Refused for a known book, and together with `path`.
        #[specta(optional)]
        project_id: Option<ProjectId>,
    }
    /// One book.
    ProjectArguments {
        project_id: ProjectId,
    }
    /// One chapter.
    ChapterArguments {
        project_id: ProjectId,
        chapter_id: ChapterId,
    }
    /// A new chapter.
    CreateChapter {
        project_id: ProjectId,
        /// 1 to 200 characters.
        title: String,
    }
    /// Another title.
    RenameChapter {
        project_id: ProjectId,
        chapter_id: ChapterId,
        /// 1 to 200 characters.
        title: String,
    }
    /// Which rules.
    ListRules {
        /// The global rules and this book's; without one, the global rules only.
        #[specta(optional)]
        project_id: Option<ProjectId>,
        /// Only rules of this scope.
        #[specta(optional)]
        scope: Option<Scope>,
        /// Only rules of this category.
        #[specta(optional)]
        category: Option<Category>,
    }
    /// One rule.
    RuleArguments {
        rule_id: RuleId,
    }
    /// A rule to be made global.
    PromoteRule {
        rule_id: RuleId,
        /// Only count the hidden names in it, and change nothing.
        #[specta(optional)]
        preview: Option<bool>,
    }
    /// One version of a rule.
    ConfirmRule {
        rule_id: RuleId,
        /// The version that was read; an older one than the current is refused.
        version: u32,
    }
    /// A passage whose scene type is asked for.
    GuessScene {
        /// The text before the caret or the selection. Only its end counts.
        before: String,
        /// The selected text.
        #[specta(optional)]
        selection: Option<String>,
    }
    /// One working item.
    WorkingItemArguments {
        project_id: ProjectId,
        item_id: String,
    }
    /// One backup.
    BackupArguments {
        backup_id: String,
    }
    /// Replaces a damaged file by an empty one.
    BeginAnew {
        file: StoreFile,
        /// Must be `true`.
        #[specta(optional)]
        confirmed: Option<bool>,
    }
    /// Runs maintenance now.
    RunMaintenance {
        /// The job; without one, all of them.
        #[specta(optional)]
        job: Option<Job>,
    }
    /// Clearing the memory of one book.
    ClearProject {
        project_id: ProjectId,
        /// Must be `true`: a clearing cannot be undone.
        #[specta(optional)]
        confirmed: Option<bool>,
    }
    /// Clearing the whole memory.
    ClearAll {
        /// Must be `true`: a clearing cannot be undone.
        #[specta(optional)]
        confirmed: Option<bool>,
    }
    /// An episode to be deleted.
    DeleteEpisode {
        project_id: ProjectId,
        episode_id: EpisodeId,
        /// `true`: its words are erased too, in traces, notes, logs and backups. Default `false`.
        #[specta(optional)]
        everywhere: Option<bool>,
    }
    /// A rule to be deleted.
    DeleteRule {
        rule_id: RuleId,
        /// `true`: its words are erased too, in its history, tombstone, runs, traces, logs and backups; it cannot be
        /// restored. Default `false`.
        #[specta(optional)]
        everywhere: Option<bool>,
    }
    /// Pins an episode.
    ConfirmEpisode {
        project_id: ProjectId,
        episode_id: EpisodeId,
        /// Default `true`; `false` unpins it, so that it decays again.
        #[specta(optional)]
        user_confirmed: Option<bool>,
    }
    ResumeLearning {
        /// Episodes recorded during the pause become evidence. Default `false`.
        #[specta(optional)]
        use_recorded: Option<bool>,
    }
    /// A run of distillation.
    Distill {
        /// The book; without one, all of them.
        #[specta(optional)]
        project_id: Option<ProjectId>,
        /// Answer when the run has ended. Default `false`: it continues in the background and sends progress events.
        #[specta(optional)]
        wait: Option<bool>,
        /// Only compute the changes; implies `wait`. Default `false`.
        #[specta(optional)]
        dry_run: Option<bool>,
    }
    /// One book, or none.
    OptionalProjectArguments {
        /// The book; without one, items that belong to no book.
        #[specta(optional)]
        project_id: Option<ProjectId>,
    }
    /// One run of distillation.
    RunArguments {
        run_id: String,
    }
    /// The writer's answer to a conflict.
    ResolveConflict {
        conflict_id: String,
        /// The rule to keep; the other is deleted.
        keep_rule_id: RuleId,
    }
    /// One rule, seen from one book.
    RuleInProjectArguments {
        rule_id: RuleId,
        project_id: ProjectId,
    }
    /// Requests the order of the skills.
    OrderSkills {
        project_id: ProjectId,
        /// The scene type; without one, all scenes.
        #[specta(optional)]
        scene_type: Option<String>,
    }
    /// One generation.
    GenerationArguments {
        project_id: ProjectId,
        generation_id: GenerationId,
    }
    /// A run to stop.
    CancelSkill {
        generation_id: GenerationId,
    }
    RunSkill {
        project_id: ProjectId,
        /// The chapter, as its editor names it.
        chapter_id: ChapterId,
        /// `continue`, `polish`, `rewrite`, `expand`, `condense`, `ask`, or a name of the editor's own.
        skill: String,
        /// The scene type; detected from the passage when missing.
        #[specta(optional)]
        scene_type: Option<String>,
        /// The text before the caret or the selection.
        before: String,
        /// The selected text.
        #[specta(optional)]
        selection: Option<String>,
        /// The text after.
        #[specta(optional)]
        after: Option<String>,
        /// An instruction for this run.
        #[specta(optional)]
        instruction: Option<String>,
        /// Number of candidates, 1 to 4; default 3.
        #[specta(optional)]
        candidates: Option<u32>,
        /// Repeats a run exactly, where the provider supports it.
        #[specta(optional)]
        seed: Option<u32>,
        /// The token budget of the whole prompt.
        #[specta(optional)]
        budget_tokens: Option<u32>,
        /// The position in the chapter of the end of `before`, in UTF-16 code units: the story is known up to it.
        /// Default: the length of `before`.
        #[specta(optional)]
        offset: Option<u32>,
    }
    /// A generation of an editor that queries a model itself. First `request`, `provider` and `model`: the answer holds
    /// the messages to send. Then, after the model's answer, `generationId` and `drafts`.
    RecordTrace {
        project_id: ProjectId,
        /// The generation whose drafts these are.
        #[specta(optional)]
        generation_id: Option<GenerationId>,
        /// The passage and the task.
        #[specta(optional)]
        request: Option<AssembleRequest>,
        /// The name of the provider, 1 to 40 characters.
        #[specta(optional)]
        provider: Option<String>,
        /// The model as its provider names it, 1 to 200 characters.
        #[specta(optional)]
        model: Option<String>,
        /// The seed of the run; drawn when missing.
        #[specta(optional)]
        seed: Option<u32>,
        /// The drafts of the model, in the order in which the writer saw them, 1 to 16.
        #[specta(optional)]
        drafts: Option<Vec<String>>,
    }
    /// The names of a book that are to be hidden from models.
    SetNames {
        project_id: ProjectId,
        /// All of them, at most 500: a name that is missing here is no longer hidden.
        names: Vec<HiddenName>,
    }
}

/// The writer's decision on a copied folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CopiedAs {
    /// The same book, in a new folder.
    SameBook,
    /// A new book, without the other's memory.
    NewBook,
}

/// The outcome of opening a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum OpenStatus {
    /// It is open.
    Opened,
    /// The folder has the identity of a known book that lies elsewhere, or has no folder: the writer has to decide.
    Copied,
}

answers! {
    GuessedScene {
        /// `null` for too little text.
        scene_type: Option<String>,
    }
    EmptyAnswer {}
    /// Runs of distillation.
    RunList {
        /// Newest first.
        runs: Vec<Run>,
    }
    /// Unanswered conflicts.
    ConflictList {
        /// Oldest first.
        conflicts: Vec<Conflict>,
    }
    /// The episodes that bear on a rule.
    RuleEpisodes {
        /// Newest first; at most fifty that support it and fifty that contradict it.
        episodes: Vec<RuleEpisode>,
    }
    /// Whether learning is paused.
    LearningState {
        /// No distillation runs at present, and recorded episodes are marked.
        learning_paused: bool,
    }
    BackupList {
        /// Newest first.
        backups: Vec<Backup>,
    }
    DeletedEpisode {
        episode_id: EpisodeId,
        /// Counts of its remaining or erased words; `null` where they could not be counted.
        words: Option<DeletedWords>,
    }
    /// Skills in the order of the menu.
    SkillOrder {
        /// Most used first; all of this program's, and those of other editors.
        skills: Vec<SkillWeight>,
    }
    /// The audit log of clearings and erasures.
    ClearingLog {
        /// Newest first.
        clearings: Vec<Clearing>,
        /// Erasures of deleted memories and of removed names; newest first.
        erasures: Vec<Erasure>,
    }
    /// A chapter as the list shows it.
    ChapterInfo {
        /// Stable when the file is renamed.
        chapter_id: ChapterId,
        /// The first heading, else the file's name.
        title: String,
        /// The file, relative to the book's folder.
        file: String,
        /// Han characters and words of other scripts.
        words: u32,
        /// The scene type of its passages, where the writer has set one; otherwise it is detected for each passage.
        scene_type: Option<String>,
    }
    /// An open book.
    Book {
        project: Project,
        /// Its chapters, in reading order.
        chapters: Vec<ChapterInfo>,
    }
    /// The outcome of opening a folder.
    OpenAnswer {
        /// Whether the book is open.
        status: OpenStatus,
        /// The book, when it is open.
        book: Option<Book>,
        /// The folder of the known book, when this folder is a copy of it; `null` for one without a folder, which
        /// another editor wrote or an import brought.
        copied_from: Option<String>,
        /// The title of that known book.
        known_title: Option<String>,
    }
    /// Books.
    ProjectList {
        /// Last opened first.
        projects: Vec<Project>,
    }
    ChapterList {
        /// In reading order.
        chapters: Vec<ChapterInfo>,
    }
    /// A recorded episode.
    Recorded {
        episode_id: EpisodeId,
    }
    DeletedRule {
        rule_id: RuleId,
        /// Counts of its remaining or erased words; `null` where they could not be counted.
        words: Option<DeletedWords>,
    }
    /// The versions of a rule.
    RuleHistory {
        /// Oldest first.
        versions: Vec<RuleVersion>,
    }
    RemovedItem {
        item_id: String,
    }
    /// A run has started.
    SkillStarted {
        /// Identifies the generation and its trace.
        generation_id: GenerationId,
        /// Number of candidates that will come.
        candidates: u32,
        /// The model that writes.
        provider: ModelInfo,
        /// The scene type, given or detected.
        scene_type: Option<String>,
        /// The memories in the prompt.
        memory_references: Vec<Reference>,
        /// Memories that were relevant and did not fit, or were left out for another reason.
        cut: Vec<CutItem>,
        /// A part of the memory could not be read.
        memory_degraded: bool,
        /// Which part, and why.
        degraded_reasons: Vec<DegradedReason>,
    }
    /// The names of a book that are hidden from models.
    NameList {
        /// In the order they were given.
        names: Vec<HiddenName>,
        /// Names whose lower case is an everyday word and for which the writer has not decided yet whether that is
        /// hidden too; until then it is not.
        ask_lower_case: Vec<String>,
    }
    /// The forms of a book's hidden names that occur in its chapters and are sent unmasked.
    NameForms {
        /// Most frequent first; at most 60 in all and 6 for each name.
        forms: Vec<NameForm>,
        /// Number of chapters read; 0 for a book whose manuscript lives in another editor.
        chapters: u32,
    }
    /// A rule that was made global.
    PromotedRule {
        /// The rule; unchanged with `preview`.
        #[serde(flatten)]
        rule: Rule,
        /// Number of hidden names of all books that occur in it. Each is hidden wherever the rule is sent.
        hidden_names: u32,
    }
    /// The outcome of a cancellation.
    Cancelled {
        /// Whether the generation was still running.
        cancelled: bool,
    }
}
