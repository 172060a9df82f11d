//! The TypeScript types of the wire, from the table of commands.

use specta::Types;
use specta_typescript::Typescript;

use crate::{commands::Commands, error::ApiError, events::Events};

const HEADER: &str = "// Generated from the table of commands. Do not edit: run `npm run generate`.\n";

/// The text of the bindings: every command with arguments and answer, every event, and the error.
///
/// # Errors
/// The reason, when a type cannot be expressed in TypeScript.
pub fn typescript() -> Result<String, String> {
    let types = Types::default().register::<Commands>().register::<Events>().register::<ApiError>();
    let text = Typescript::default().export(&types, specta_serde::Format).map_err(|error| error.to_string())?;
    // The exporter's own header names a tool that is of no interest to the reader.
    let types: Vec<&str> = text.lines().filter(|line| !line.starts_with("//")).collect();
    let types = types.join("\n").replace("/**  ", "/** ");
    Ok(format!("{HEADER}\n{}\n", types.trim()))
}
