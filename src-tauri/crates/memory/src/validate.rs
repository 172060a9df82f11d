//! Validation of arguments at the boundary, before any change. An error names the field, never its content.

use palimpsest_text::unseen;

use crate::{
    error::{Details, Error, Result},
    model::Reason,
};

/// Maximum characters of a model's sentence on why.
pub(crate) const WHY_CHARS: usize = palimpsest_knowledge::comparison::MAX_WHY_CHARS;
/// Default maximum length of a text field, in bytes: some 33,000 Han characters, and an edit distance that is still
/// computed within two seconds when the texts have nothing in common.
pub(crate) const TEXT: usize = 100_000;
/// Maximum length of a context, in bytes.
pub(crate) const CONTEXT: usize = 400_000;
/// Maximum length of a remark or instruction, in bytes.
pub(crate) const REMARK: usize = 10_000;
/// Maximum length of a rule, in characters.
pub(crate) const RULE_CHARS: usize = 500;
/// Maximum characters of a form of an entity.
pub(crate) const FORM_CHARS: usize = 100;
/// Maximum number of forms of an entity.
pub(crate) const FORMS: usize = 100;
/// Maximum length of the attribute of a fact, in characters.
pub(crate) const ATTRIBUTE_CHARS: usize = 60;
/// Maximum length of the value of a fact, in characters.
pub(crate) const VALUE_CHARS: usize = 500;
/// Maximum length of a time of the story, in characters.
pub(crate) const STORY_TIME_CHARS: usize = 100;
/// Maximum length of the quote of a citation, in characters.
pub(crate) const QUOTE_CHARS: usize = 500;
/// Maximum length of the writer's words about a book, in characters.
pub(crate) const BACKGROUND_CHARS: usize = 2_000;
/// Maximum length of the title of a craft note and of one of its scenarios, in characters.
pub(crate) const PRACTICE_LINE_CHARS: usize = 200;
/// Maximum length of the description of a craft note, in characters.
pub(crate) const PRACTICE_CHARS: usize = 4_000;
/// Maximum length of the content of a journal entry, in characters.
pub(crate) const JOURNAL_CHARS: usize = 1_200;
/// Maximum length of a chapter name or id, in characters.
const IDENTITY_CHARS: usize = 200;
/// Maximum length of a project title, in characters.
const TITLE_CHARS: usize = 200;
/// Maximum length of a skill or scene type name, in characters.
const NAME_CHARS: usize = 40;

/// A text of at most `max` bytes; may be empty.
pub(crate) fn text(field: &str, value: &str, max: usize) -> Result<()> {
    if value.len() > max {
        return Err(Error::invalid(field, format!("longer than {max} bytes")));
    }
    Ok(())
}

/// A text of at most `max` bytes that is not blank.
pub(crate) fn some_text(field: &str, value: &str, max: usize) -> Result<()> {
    if value.trim().is_empty() {
        return Err(Error::invalid(field, "empty"));
    }
    text(field, value, max)
}

/// A text of 1 to `max` characters that is not blank. Line breaks and tabs are its only control characters.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT`.
pub(crate) fn lines(field: &str, value: &str, max: usize) -> Result<()> {
    if value.trim().is_empty() {
        return Err(Error::invalid(field, "empty"));
    }
    if value.chars().count() > max {
        return Err(Error::invalid(field, format!("longer than {max} characters")));
    }
    if value.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(Error::invalid(field, "has a control character other than a line break"));
    }
    Ok(())
}

/// An id: 1 to 200 characters on one line. It goes into no prompt, and may contain invisible characters.
pub(crate) fn identity(field: &str, value: &str) -> Result<()> {
    one_line(field, value, IDENTITY_CHARS)
}

/// A title of a project: 1 to 200 characters on one line. It goes into no prompt, and some scripts need invisible
/// characters in it.
pub(crate) fn title(field: &str, value: &str) -> Result<()> {
    one_line(field, value, TITLE_CHARS)
}

/// A name of a skill or scene type: 1 to 40 characters on one line.
pub(crate) fn label(field: &str, value: &str) -> Result<()> {
    line(field, value, NAME_CHARS)
}

/// A name, if given.
pub(crate) fn optional_name(field: &str, value: Option<&str>) -> Result<()> {
    value.map_or(Ok(()), |value| label(field, value))
}

/// A scene type: one of the six, or a custom name of 1 to 40 characters on one line.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT` with `sceneType` as the field.
pub fn scene_type(value: &str) -> Result<()> {
    label("sceneType", value)
}

/// A text of 1 to `max` characters without control characters, and without characters that a writer cannot see: a model
/// would read them.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT`, with the reason `invisibleCharacters` for those.
pub(crate) fn line(field: &str, value: &str, max: usize) -> Result<()> {
    one_line(field, value, max)?;
    if unseen::has_unseen(value) {
        let error = Error::invalid(field, "has characters that cannot be seen");
        let details = Details { reason: Some(Reason::InvisibleCharacters), ..error.details.unwrap_or_default() };
        return Err(Error { details: Some(details), ..error });
    }
    Ok(())
}

/// A text of 1 to `max` characters without control characters.
fn one_line(field: &str, value: &str, max: usize) -> Result<()> {
    if value.trim().is_empty() {
        return Err(Error::invalid(field, "empty"));
    }
    if value.chars().count() > max {
        return Err(Error::invalid(field, format!("longer than {max} characters")));
    }
    if value.chars().any(char::is_control) {
        return Err(Error::invalid(field, "has a line break or another control character"));
    }
    Ok(())
}

/// A number in 0..1.
pub(crate) fn share(field: &str, value: f64) -> Result<()> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(Error::invalid(field, "outside 0..1")) }
}

/// A number between `min` and `max`, both included.
pub(crate) fn within(field: &str, value: u32, min: u32, max: u32) -> Result<()> {
    if (min..=max).contains(&value) { Ok(()) } else { Err(Error::invalid(field, format!("outside {min}..{max}"))) }
}
