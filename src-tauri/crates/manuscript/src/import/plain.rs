//! Chapters out of plain text, and out of documents whose headings are only written like such.

use std::collections::HashMap;

use super::headings::{self, Around, Level};
use super::{Heading, Manuscript};

/// So many headings with nothing below them, all of which come again, are a table of contents.
const CONTENTS: usize = 3;

/// Reads plain text: its lines become paragraphs of Markdown, without what indented them.
pub(super) fn read(text: &str) -> Manuscript {
    let lines: Vec<&str> = text.split('\n').map(str::trim).collect();
    let wrapped = is_wrapped(&lines);
    let levels = levels(&lines, wrapped);
    let mut manuscript = Manuscript::default();
    let out = &mut manuscript.text;
    for (at, line) in lines.iter().enumerate() {
        let level = levels.get(at).copied().flatten();
        let above = at.checked_sub(1).and_then(|above| lines.get(above)).copied().unwrap_or_default();
        let in_one = wrapped && level.is_none() && at > 0 && levels.get(at - 1).is_none_or(Option::is_none);
        // Where a line is a paragraph it gets the blank line that parts paragraphs in Markdown.
        if !line.is_empty() && !above.is_empty() && !in_one {
            out.push('\n');
        }
        let from = out.len();
        out.push_str(line);
        if let Some(level) = level {
            let title = line.trim_start_matches('#').trim().to_owned();
            manuscript.headings.push(Heading { from, to: out.len(), level: level as u8, title });
        }
        out.push('\n');
    }
    manuscript
}

/// The headings among lines, a table of contents left out.
pub(super) fn levels(lines: &[&str], wrapped: bool) -> Vec<Option<Level>> {
    let mut levels: Vec<Option<Level>> = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let above = at.checked_sub(1).and_then(|above| lines.get(above)).copied().unwrap_or_default();
        let around = Around {
            free_above: above.is_empty() || levels.last().is_some_and(Option::is_some),
            free_below: lines.get(at + 1).is_none_or(|below| below.is_empty()),
            finished_above: headings::is_finished(above),
            wrapped,
        };
        levels.push(if line.is_empty() { None } else { headings::heading(line, around) });
    }
    // A heading may follow one that is known only after it: from the last line up, what stands over a heading is free below.
    for at in (0..lines.len().saturating_sub(1)).rev() {
        let (Some(line), Some(Some(_)), Some(None)) = (lines.get(at), levels.get(at + 1), levels.get(at)) else {
            continue;
        };
        let above = at.checked_sub(1).and_then(|above| lines.get(above)).copied().unwrap_or_default();
        let around = Around {
            free_above: above.is_empty(),
            free_below: true,
            finished_above: headings::is_finished(above),
            wrapped,
        };
        if !line.is_empty()
            && let Some(level) = levels.get_mut(at)
        {
            *level = headings::heading(line, around);
        }
    }
    leave_contents(lines, &mut levels);
    levels
}

fn leave_contents(lines: &[&str], levels: &mut [Option<Level>]) {
    let said: Vec<(usize, &str)> = lines
        .iter()
        .enumerate()
        .filter(|(at, _)| levels.get(*at).is_some_and(Option::is_some))
        .map(|(at, line)| (at, *line))
        .collect();
    let with_text = |n: usize| {
        let (from, to) = (said.get(n).map_or(0, |here| here.0 + 1), said.get(n + 1).map_or(lines.len(), |next| next.0));
        lines.get(from..to).is_some_and(|between| between.iter().any(|line| !line.is_empty()))
    };
    let last: HashMap<&str, usize> = said.iter().enumerate().map(|(n, (_, line))| (*line, n)).collect();
    let again = |n: usize| said.get(n).and_then(|(_, line)| last.get(line)).is_some_and(|&last| last > n);
    let mut n = 0;
    while n < said.len() {
        // The last of them may have text below it: what comes before the first chapter.
        let run = (n..said.len()).take_while(|&at| again(at) && (at == n || !with_text(at - 1))).count();
        if run >= CONTENTS {
            for (at, _) in said.iter().skip(n).take(run) {
                if let Some(level) = levels.get_mut(*at) {
                    *level = None;
                }
            }
        }
        n += run.max(1);
    }
}

/// Whether lines end where the page did: most that have another right below them stop in the middle of a sentence.
fn is_wrapped(lines: &[&str]) -> bool {
    let pairs = lines.iter().zip(lines.iter().skip(1)).filter(|(above, below)| !above.is_empty() && !below.is_empty());
    let (mut all, mut open) = (0u32, 0u32);
    for (above, _) in pairs {
        all += 1;
        // A short line stands for itself.
        if !headings::is_finished(above) && above.chars().count() > 15 {
            open += 1;
        }
    }
    open * 2 > all
}
