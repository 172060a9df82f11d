//! Why an operation was refused or a part does not serve, as a type: programs branch on it and the interface has a
//! sentence for each.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{Error, ports::ModelErrorKind};

/// The reason of an error (`details.reason`) or of a part that does not serve (`parts[].reason` of `memory:status`),
/// where the error's code covers several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    // Chapters and books.
    /// The chapter's file no longer exists.
    ChapterGone,
    /// The text is not UTF-8.
    NotUtf8,
    /// The file is larger than its reader accepts.
    TooLarge,
    /// A step of the path is a link, and links are not followed.
    Link,
    /// A file of that name exists already.
    Exists,
    /// A later version of the program wrote the book's id file.
    NewerFormat,
    /// The book's id file is damaged.
    DamagedIdFile,
    /// The folder of this book now holds another book.
    FolderOfAnotherBook,
    /// The operating system refused a file operation in the book's folder.
    Io,
    /// A chapter cannot be split where a part would have no text besides its title.
    EmptyPart,
    /// A split or merge cannot be carried out or undone: the chapters have changed since.
    ChangedSince,

    // A manuscript to be imported as chapters.
    /// The file cannot be read.
    FileUnreadable,
    /// The format is not one of .txt, .md and .docx.
    UnknownFormat,
    /// A .doc file, the format of Word before 2007.
    OldWord,
    /// The document has a password.
    Encrypted,
    /// The .docx file is damaged.
    DamagedDocument,
    /// The file holds no text.
    NotText,
    /// The file is empty.
    EmptyFile,
    /// The manuscript is larger than one import accepts.
    ImportTooLarge,
    /// The manuscript has more chapters than one import accepts.
    TooManyChapters,
    /// The file was changed after its contents were shown.
    ImportFileChanged,
    /// The choices of the writer make no chapters of the file.
    ImportChoices,
    /// A chapter of the import was changed, so that the import cannot be undone.
    ImportChanged,

    // A file to be written.
    /// The path lies in the folder of a book.
    InsideTheBook,
    /// The path lies in the memory's own folder.
    InsideTheMemory,
    /// A folder, link or device has that name already.
    NotAFile,
    /// The folder of the path does not exist.
    NoFolder,
    /// The operating system refused to write the file.
    ExportFailed,

    // The settings of answers.
    /// Something in `config.toml` is not taken; `answer:config:get` lists it.
    ConfigNotTaken,
    /// `config.toml` sets the value, so that a stored one has no effect.
    SetByFile,
    /// The files of the audit cannot be written.
    AuditUnwritable,

    // The files of the memory.
    /// A database no longer exists.
    FileGone,
    /// A database's pages or values are damaged.
    Damaged,
    /// A database has other tables, columns, indexes, triggers or views than the migrations make.
    ForeignSchema,
    /// The path of a database holds a pipe, a device, a folder or a file without an end.
    #[serde(rename = "notADatabase")]
    NotADatabase,
    /// A later version of the program wrote the database.
    NewerSchema,
    /// The database can be read and not written: the disk is full, or another process holds a lock.
    Unwritable,
    /// Another process has the data folder open.
    InUse,
    /// The data folder cannot be read or written.
    FolderUnusable,
    /// The lock on the data folder was removed, and another process took it.
    LockLost,
    /// Another program removed or changed a database's log.
    LogLost,
    /// A defect ended the operation; it is rolled back, or started again if it runs in the background.
    BrokeOff,
    /// The memory of this project is being cleared.
    Clearing,

    // The bundled encoder.
    /// The encoder's files are not installed.
    EncoderMissing,
    /// The encoder's files cannot be read, or are damaged.
    EncoderUnreadable,
    /// A defect ended the loading of the encoder.
    EncoderBrokeOff,
    /// The hidden names cannot be read, so no text is sent to a remote encoder.
    NamesUnread,

    // Values.
    /// The text has characters that cannot be seen.
    InvisibleCharacters,
    /// The words of this memory were erased.
    WordsErased,
    /// None of the references of this trace can be measured.
    NothingToMeasure,
    /// The text of the draft is not known, or not known any more.
    DraftGone,

    // A file of memories or rules to be imported, with the line in `details.line`.
    /// The file cannot be opened.
    NoFile,
    /// The file was not exported by this program.
    OtherFormat,
    /// A later version of the program exported the file.
    NewerVersion,
    /// The file ends before its last line.
    CutOff,
    /// The file has fewer lines than its end says.
    LinesMissing,
    /// Lines follow after the end.
    AfterTheEnd,
    /// The kinds of lines are out of order.
    OutOfOrder,
    /// The line is not JSON.
    NotJson,
    /// The operating system refused to read on.
    Unreadable,
    /// The line is of a kind that this version does not know.
    UnknownKind,
    /// The line has a field that this version does not know.
    UnknownField,
    /// The line lacks a field.
    MissingField,
    /// A field has a value that it cannot have.
    BadValue,
    /// The line is longer than a line may be.
    TooLong,
    /// The line attributes something of one project to another.
    OtherBook,
    /// A rule and its history disagree.
    NoHistory,
    /// The heading names no category of rules.
    UnknownCategory,
    /// A rule is broken over two lines.
    BrokenLine,

    // A model; the first group are the kinds of `ModelErrorKind`.
    /// The provider wants a key and none is stored.
    KeyMissing,
    /// The provider refused the key.
    KeyRefused,
    /// The account has no credit left.
    NoCredit,
    /// Too many requests; `details.retryAfterSeconds` says how long to wait where the provider did.
    RateLimited,
    /// The prompt is longer than the model can read.
    ContextTooLong,
    /// The provider has no such model.
    ModelUnknown,
    /// The provider refuses the content.
    ContentRefused,
    /// No answer in time.
    Timeout,
    /// No server answers at this address.
    Unreachable,
    /// The address redirects to another host; nothing is sent there.
    RedirectRefused,
    /// The answer does not follow the protocol, or ends early.
    Malformed,
    /// The answer is longer than an answer may be.
    AnswerTooLong,
    /// The provider reported an error in the middle of its answer.
    Interrupted,
    /// The provider failed (a status of 5xx).
    ProviderFailed,
    /// The provider refused the request for an unknown reason (another status of 4xx).
    RequestRefused,
    /// The writer's own limit for the day is reached.
    DailyLimit,
    /// Another model wrote the passage than the one that is chosen now.
    OtherModel,
    /// The address of the provider cannot be used.
    AddressInvalid,
    /// The model's answer contradicts its material and was discarded.
    Unbelievable,

    // A run that was given answers.
    /// The run was completed with another outcome.
    Settled,
    /// The run was not completed within 24 hours.
    Expired,

    // A program that answers questions.
    /// There is no such program.
    ProgramMissing,
    /// The program has no login.
    NotLoggedIn,
    /// The run needs the fence of the system, and there is none.
    NotFenced,
    /// The program does not trust the folder of the copy.
    UntrustedFolder,
    /// The program lacks the options that it is kept from writing by, or read by.
    VersionTooOld,
    /// The copy of the book could not be made, or the program could not be started.
    StartFailed,
    /// The program printed nothing in time.
    Silent,
    /// The program printed more than is read.
    TooMuch,
    /// The program changed files of its copy of the book.
    WroteFiles,
    /// The text has hidden names of a project in it, and other projects would see it.
    HiddenNames,
}

impl Reason {
    /// Whether a file is damaged: until it is restored or replaced, a retry cannot succeed.
    #[must_use]
    pub fn is_damage(self) -> bool {
        matches!(self, Self::FileGone | Self::Damaged | Self::ForeignSchema | Self::NotADatabase)
    }

    /// The name on the wire, such as `keyRefused`.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl From<ModelErrorKind> for Reason {
    fn from(kind: ModelErrorKind) -> Self {
        match kind {
            ModelErrorKind::KeyMissing => Self::KeyMissing,
            ModelErrorKind::KeyRefused => Self::KeyRefused,
            ModelErrorKind::NoCredit => Self::NoCredit,
            ModelErrorKind::RateLimited => Self::RateLimited,
            ModelErrorKind::ContextTooLong => Self::ContextTooLong,
            ModelErrorKind::ModelUnknown => Self::ModelUnknown,
            ModelErrorKind::ContentRefused => Self::ContentRefused,
            ModelErrorKind::Timeout => Self::Timeout,
            ModelErrorKind::Unreachable => Self::Unreachable,
            ModelErrorKind::RedirectRefused => Self::RedirectRefused,
            ModelErrorKind::Malformed => Self::Malformed,
            ModelErrorKind::AnswerTooLong => Self::AnswerTooLong,
            ModelErrorKind::Interrupted => Self::Interrupted,
            ModelErrorKind::ProviderFailed => Self::ProviderFailed,
            ModelErrorKind::RequestRefused => Self::RequestRefused,
            ModelErrorKind::DailyLimit => Self::DailyLimit,
        }
    }
}

/// The refusal of a file that the writer named for an export; an error of the operating system is `exportFailed`.
impl From<&palimpsest_files::Error> for Reason {
    fn from(error: &palimpsest_files::Error) -> Self {
        use palimpsest_files::Error as Refusal;
        match error {
            Refusal::Link | Refusal::NotAFile => Self::NotAFile,
            Refusal::TooLarge => Self::TooLarge,
            Refusal::Exists => Self::Exists,
            Refusal::NoName | Refusal::NoFolder => Self::NoFolder,
            Refusal::InsideTheMemory => Self::InsideTheMemory,
            Refusal::InsideTheBook => Self::InsideTheBook,
            _ => Self::ExportFailed,
        }
    }
}

/// Why a part does not serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The kind; `None` where only the operating system's words are known.
    pub reason: Option<Reason>,
    /// One sentence in English for programs and reports. Holds no text of the writer's.
    pub message: String,
}

impl Cause {
    /// A cause of a known kind.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason: Some(reason), message: message.into() }
    }
}

impl From<&Error> for Cause {
    fn from(error: &Error) -> Self {
        Self { reason: error.reason(), message: error.message.clone() }
    }
}

impl From<ModelErrorKind> for Cause {
    fn from(kind: ModelErrorKind) -> Self {
        let reason = Reason::from(kind);
        Self::new(reason, format!("the model cannot serve: {reason}"))
    }
}
