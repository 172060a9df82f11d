//! The format of CC-CEDICT: one entry a line, `traditional simplified [pinyin] /definition/definition/`.

/// One line of the dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) traditional: &'a str,
    pub(crate) simplified: &'a str,
    /// The definitions, separated by `/`.
    pub(crate) definitions: &'a str,
}

/// The entries of a file, in its order. Comments and lines in another form are skipped.
pub(crate) fn entries(text: &str) -> impl Iterator<Item = Entry<'_>> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(entry)
}

fn entry(line: &str) -> Option<Entry<'_>> {
    let (traditional, rest) = line.split_once(' ')?;
    let (simplified, rest) = rest.split_once(" [")?;
    let (_, definitions) = rest.split_once("] /")?;
    let definitions = definitions.trim_end().trim_end_matches('/');
    let is_entry = !traditional.is_empty() && !simplified.is_empty() && !definitions.is_empty();
    is_entry.then_some(Entry { traditional, simplified, definitions })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_with_either_end_of_line() {
        let expected = Entry { traditional: "燈塔", simplified: "灯塔", definitions: "lighthouse/CL:座[zuo4]" };
        let line = "燈塔 灯塔 [deng1 ta3] /lighthouse/CL:座[zuo4]/";
        for end in ["", "\n", "\r\n"] {
            assert_eq!(entries(&format!("{line}{end}")).collect::<Vec<_>>(), [expected]);
        }
    }

    #[test]
    fn comments_and_lines_in_another_form_are_skipped() {
        for line in
            ["", "# 燈塔 灯塔 [x] /a/", "燈塔", "燈塔 灯塔 /a/", "燈塔 灯塔 [x]", "燈塔 灯塔 [x] //", " 灯塔 [x] /a/"]
        {
            assert_eq!(entries(line).count(), 0, "{line:?}");
        }
    }
}
