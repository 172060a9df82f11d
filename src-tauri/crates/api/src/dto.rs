//! What goes over the wire and is not a type of the memory's own: arguments and small answers.

use palimpsest_memory::model::{
    AssembleRequest, Backup, Category, Clearing, Conflict, CutItem, DegradedReason, DeletedWords, Erasure, HiddenName,
    Job, Language, NameForm, Project, Reference, Rule, RuleEpisode, RuleVersion, Run, Scope, SkillWeight, StoreFile,
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
            pub struct $name { $($(#[$field_meta])* pub $field: $type),* }
        )*
    };
}

macro_rules! answers {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty),* $(,)? })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Serialize, Deserialize, Type)]
            #[serde(rename_all = "camelCase")]
            pub struct $name { $($(#[$field_meta])* pub $field: $type),* }
        )*
    };
}

mod chapters;
mod providers;

pub use chapters::*;
pub use providers::*;

arguments! {
    /// No arguments.
    Nothing {}
    /// A folder to open as a book.
    OpenProject {
        /// An absolute path.
        path: String,
        /// The writer's answer, when the folder says that it is a known book.
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
        /// A folder, made if need be; without one the manuscript lives in another editor.
        #[specta(optional)]
        path: Option<String>,
        /// The identity under which that editor knows the book: a memory that had to begin `rules.db` anew has forgotten
        /// it, and has its past still. Refused for a book that is known, and together with `path`.
        #[specta(optional)]
        project_id: Option<String>,
    }
    /// One book.
    OfProject {
        /// The book.
        project_id: String,
    }
    /// One chapter.
    OfChapter {
        /// The book.
        project_id: String,
        /// The chapter.
        chapter_id: String,
    }
    /// A new chapter.
    CreateChapter {
        /// The book.
        project_id: String,
        /// 1 to 200 characters.
        title: String,
    }
    /// Another title.
    RenameChapter {
        /// The book.
        project_id: String,
        /// The chapter.
        chapter_id: String,
        /// 1 to 200 characters.
        title: String,
    }
    /// Which rules.
    ListRules {
        /// The global rules and this book's; without one, the global rules.
        #[specta(optional)]
        project_id: Option<String>,
        /// Only these.
        #[specta(optional)]
        scope: Option<Scope>,
        /// Only these.
        #[specta(optional)]
        category: Option<Category>,
    }
    /// One rule.
    OfRule {
        /// The rule.
        rule_id: String,
    }
    /// A rule that is to hold in all books.
    PromoteRule {
        /// The rule.
        rule_id: String,
        /// Only say how many hidden names stand in it, and change nothing.
        #[specta(optional)]
        preview: Option<bool>,
    }
    /// One version of a rule.
    ConfirmRule {
        /// The rule.
        rule_id: String,
        /// The version that was read; a stale one is refused.
        version: u32,
    }
    /// One working item.
    OfWorkingItem {
        /// The book.
        project_id: String,
        /// The item.
        item_id: String,
    }
    /// One backup.
    OfBackup {
        /// The backup.
        backup_id: String,
    }
    /// An empty file in the place of a damaged one.
    BeginAnew {
        /// Which.
        file: StoreFile,
        /// Must be `true`.
        #[specta(optional)]
        confirmed: Option<bool>,
    }
    /// Maintenance now.
    RunMaintenance {
        /// Which job; without one, all of them.
        #[specta(optional)]
        job: Option<Job>,
    }
    /// Clearing the memory of one book.
    ClearProject {
        /// The book.
        project_id: String,
        /// Has to be `true`: what is cleared is gone for good.
        #[specta(optional)]
        confirmed: Option<bool>,
    }
    /// Clearing the whole memory.
    ClearAll {
        /// Has to be `true`: what is cleared is gone for good.
        #[specta(optional)]
        confirmed: Option<bool>,
    }
    /// An episode to be deleted.
    DeleteEpisode {
        /// The book.
        project_id: String,
        /// The episode.
        episode_id: String,
        /// `true`: its words are erased too, in traces, notes, logs and backups. Default `false`.
        #[specta(optional)]
        everywhere: Option<bool>,
    }
    /// A rule to be deleted.
    DeleteRule {
        /// The rule.
        rule_id: String,
        /// `true`: its words are erased too, in its history, tombstone, runs, traces, logs and backups; it cannot be brought
        /// back. Default `false`.
        #[specta(optional)]
        everywhere: Option<bool>,
    }
    /// Keeping an episode as a core setting.
    ConfirmEpisode {
        /// The book.
        project_id: String,
        /// The episode.
        episode_id: String,
        /// Default `true`; `false` lets it grow old again.
        #[specta(optional)]
        user_confirmed: Option<bool>,
    }
    /// Learning goes on.
    ResumeLearning {
        /// What was recorded while it was paused counts after all. Default `false`.
        #[specta(optional)]
        use_recorded: Option<bool>,
    }
    /// A run of distillation.
    Distill {
        /// The book; without one, all of them.
        #[specta(optional)]
        project_id: Option<String>,
        /// Answer when it is done. Default `false`: it goes on in the background, and tells how far it is.
        #[specta(optional)]
        wait: Option<bool>,
        /// Only show what it would change; waits. Default `false`.
        #[specta(optional)]
        dry_run: Option<bool>,
    }
    /// One book, or all of them.
    OfAnyProject {
        /// The book; without one, what belongs to none.
        #[specta(optional)]
        project_id: Option<String>,
    }
    /// One run of distillation.
    OfRun {
        /// The run.
        run_id: String,
    }
    /// The writer's answer to a contradiction.
    ResolveConflict {
        /// The contradiction.
        conflict_id: String,
        /// The rule that is right; the other is deleted.
        keep_rule_id: String,
    }
    /// One rule, as one book sees it.
    OfRuleInProject {
        /// The rule.
        rule_id: String,
        /// The book.
        project_id: String,
    }
    /// Which skills come first.
    OrderSkills {
        /// The book.
        project_id: String,
        /// In this kind of scene; without one, anywhere.
        #[specta(optional)]
        scene_type: Option<String>,
    }
    /// One generation.
    OfGeneration {
        /// The book.
        project_id: String,
        /// The generation.
        generation_id: String,
    }
    /// A run to stop.
    CancelSkill {
        /// The generation.
        generation_id: String,
    }
    /// A run of a skill.
    RunSkill {
        /// The book.
        project_id: String,
        /// The chapter, as its editor names it.
        chapter_id: String,
        /// `continue`, `polish`, `rewrite`, `expand`, `condense`, `ask`, or a name of the editor's own.
        skill: String,
        /// The kind of scene; guessed from the passage when missing.
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
        /// A wish for this run.
        #[specta(optional)]
        instruction: Option<String>,
        /// How many candidates, 1 to 4; default 3.
        #[specta(optional)]
        candidates: Option<u32>,
        /// The same run again, word for word, where the provider can.
        #[specta(optional)]
        seed: Option<u32>,
        /// The whole prompt, in tokens.
        #[specta(optional)]
        budget_tokens: Option<u32>,
    }
    /// A generation of an editor that asks a model by itself. First `request`, `provider` and `model`: what is answered
    /// holds the messages to send. Then, when the model has written, `generationId` and `drafts`.
    RecordTrace {
        /// The book.
        project_id: String,
        /// The generation whose drafts these are.
        #[specta(optional)]
        generation_id: Option<String>,
        /// The passage, and what is asked.
        #[specta(optional)]
        request: Option<AssembleRequest>,
        /// Who writes, 1 to 40 characters.
        #[specta(optional)]
        provider: Option<String>,
        /// The model as its provider names it, 1 to 200 characters.
        #[specta(optional)]
        model: Option<String>,
        /// The seed of the run; drawn when missing.
        #[specta(optional)]
        seed: Option<u32>,
        /// What the model wrote, in the order in which the writer saw it, 1 to 16.
        #[specta(optional)]
        drafts: Option<Vec<String>>,
    }
    /// The names of a book that are to be hidden from models.
    SetNames {
        /// The book.
        project_id: String,
        /// All of them, at most 500: what was hidden before and is not among them is hidden no more.
        names: Vec<HiddenName>,
    }
}

/// What a copied folder is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum CopiedAs {
    /// The same book, which now lives here.
    SameBook,
    /// A book of its own, without the other's memory.
    NewBook,
}

/// What came of opening a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum OpenStatus {
    /// It is open.
    Opened,
    /// It says that it is a book that is known and lies elsewhere, or nowhere: the writer has to say what it is.
    Copied,
}

answers! {
    /// It was noted.
    Noted {}
    /// Runs of distillation.
    RunList {
        /// The newest first.
        runs: Vec<Run>,
    }
    /// Contradictions that want an answer.
    ConflictList {
        /// The oldest first.
        conflicts: Vec<Conflict>,
    }
    /// What bears on a rule.
    RuleEpisodes {
        /// The latest first; at most fifty for it and fifty against it.
        episodes: Vec<RuleEpisode>,
    }
    /// Whether learning is paused.
    LearningState {
        /// Nothing is distilled at present, and what is recorded is marked.
        learning_paused: bool,
    }
    /// Backups.
    BackupList {
        /// The newest first.
        backups: Vec<Backup>,
    }
    /// An episode that is gone.
    DeletedEpisode {
        /// The episode.
        episode_id: String,
        /// Where its words remain, or were erased; `null` where that could not be counted.
        words: Option<DeletedWords>,
    }
    /// Skills as they are best offered.
    SkillOrder {
        /// Those used most often first; all of this program's, and those that were brought.
        skills: Vec<SkillWeight>,
    }
    /// The audit log of clearings and erasures.
    ClearingLog {
        /// The latest first.
        clearings: Vec<Clearing>,
        /// Words of deleted memories, and names taken off a map, that were removed everywhere; the latest first.
        erasures: Vec<Erasure>,
    }
    /// A chapter as the list shows it.
    ChapterInfo {
        /// Stays when the file is renamed.
        chapter_id: String,
        /// The first heading, else the file's name.
        title: String,
        /// The file, relative to the book.
        file: String,
        /// Han characters and words of other scripts.
        words: u32,
        /// The kind of scene that its passages are, where the writer has said one; otherwise each is guessed.
        scene_type: Option<String>,
    }
    /// An open book.
    Book {
        /// The book.
        project: Project,
        /// Its chapters, in reading order.
        chapters: Vec<ChapterInfo>,
    }
    /// What came of opening a folder.
    OpenAnswer {
        /// Open, or a question.
        status: OpenStatus,
        /// The book, when it is open.
        book: Option<Book>,
        /// Where the known book lies, when this folder is a copy of it; `null` for one without a folder, which another
        /// editor wrote or an import brought.
        copied_from: Option<String>,
        /// The title of the known book that the question is about.
        known_title: Option<String>,
    }
    /// Books.
    ProjectList {
        /// The one last opened first.
        projects: Vec<Project>,
    }
    /// Chapters.
    ChapterList {
        /// In reading order.
        chapters: Vec<ChapterInfo>,
    }
    /// An episode is on disk.
    Recorded {
        /// Its identity.
        episode_id: String,
    }
    /// A rule is gone.
    DeletedRule {
        /// Its identity.
        rule_id: String,
        /// Where its words remain, or were erased; `null` where that could not be counted.
        words: Option<DeletedWords>,
    }
    /// The versions of a rule.
    RuleHistory {
        /// Oldest first.
        versions: Vec<RuleVersion>,
    }
    /// An item is gone.
    RemovedItem {
        /// Its identity.
        item_id: String,
    }
    /// A run has started.
    SkillStarted {
        /// Leads to the trace.
        generation_id: String,
        /// How many will come.
        candidates: u32,
        /// Who writes.
        provider: ModelInfo,
        /// Given or guessed.
        scene_type: Option<String>,
        /// The memories in the prompt.
        memory_references: Vec<Reference>,
        /// What matched and stayed out.
        cut: Vec<CutItem>,
        /// A part of the memory could not be asked.
        memory_degraded: bool,
        /// Which, and why.
        degraded_reasons: Vec<DegradedReason>,
    }
    /// The names of a book that are hidden from models.
    NameList {
        /// In the order they were given.
        names: Vec<HiddenName>,
        /// Those of them of which the writer has not said yet whether their lower case, an everyday word, is hidden too;
        /// meanwhile it is not.
        ask_lower_case: Vec<String>,
    }
    /// The forms of a book's hidden names that stand in its chapters and are sent as they are.
    NameForms {
        /// The most frequent first; at most 60 in all and 6 for each name.
        forms: Vec<NameForm>,
        /// How many chapters were read; 0 for a book whose chapters are not kept by this program.
        chapters: u32,
    }
    /// A rule that holds in all books now.
    PromotedRule {
        /// The rule; with `preview` as it is.
        #[serde(flatten)]
        rule: Rule,
        /// How many names of the lists of all books stand in it. Each is hidden wherever the rule is sent.
        hidden_names: u32,
    }
    /// What came of a cancel.
    Cancelled {
        /// It was still running.
        cancelled: bool,
    }
}
