//! Command-line assistants: programs that answer a question about a book.
//!
//! [`Programs`] runs them, at most [`Limits::concurrent_runs`] at a time; [`Programs::backend`] is one of them behind
//! [`RunBackend`]. A run copies the chapters into a fresh folder of the system's temporary folder, with the hidden
//! names replaced, starts the program there behind the fence of the system, and reads its stream.
//!
//! **Invariant:** a program never runs in the folder of a book; its working folder is the copy.
//! **Invariant:** hidden names are in no argument, no input and no file of a run, and are restored in its answer.
//! **Invariant:** the environment of a program is a list of permitted variables; no key of ours is among them.
//! **Invariant:** after a run no process of its group is left.
//! **Invariant:** no error contains text of a program or of the writer.

mod argv;
mod claude;
mod codex;
mod copy;
mod environment;
mod fence;
mod gemini;
mod lines;
mod model;
mod own;
mod process;
mod program;
mod run;
mod stream;

pub use argv::{Assistant, arguments};
pub use copy::{BookCopy, remove_leftovers};
pub use environment::{Environment, find_program};
pub use fence::{Fence, Launcher, launch_if_asked};
pub use model::{
    Book, Chapter, EndedBy, Isolation, Limits, Position, ProgramInfo, Reason, RunBackend, RunError, RunEvent,
    RunOutcome, RunRequest, TokenCount, ToolRun, ToolState,
};
pub use program::{Program, ProgramTest, Programs};
pub use stream::{StreamEvent, StreamReader};
