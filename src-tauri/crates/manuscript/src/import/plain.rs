//! Reads plain text, and finds headings without markup in other documents.

use std::collections::HashMap;

use palimpsest_text::paragraphs::{SoftBreak, soft_breaks};

use super::headings::{self, Level, LineContext};
use super::proposals::{self, Line};
use super::{Heading, Manuscript, SectionKind};

/// At least this many headings without text, all of which occur again, are a table of contents.
const MIN_CONTENTS_HEADINGS: usize = 3;

/// Reads plain text: its lines become paragraphs of Markdown, without indentation, and wrapped lines are joined if
/// `join_lines`.
pub(super) fn parse(text: &str, join_lines: bool) -> Manuscript {
    let raw: Vec<&str> = text.split('\n').collect();
    let lines: Vec<&str> = raw.iter().map(|line| line.trim()).collect();
    let breaks = soft_breaks(text);
    let joints = joints(text, &breaks);
    let wrapped = !breaks.is_empty() || is_wrapped(&lines);
    let levels = heading_levels(&lines, wrapped);
    let mut manuscript = Manuscript { wrapped_lines: proposals::count_wrapped(&breaks), ..Manuscript::default() };
    let out = &mut manuscript.text;
    let mut placed = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let level = levels.get(at).copied().flatten();
        let above = at.checked_sub(1).and_then(|above| lines.get(above)).copied().unwrap_or_default();
        let is_below_text = level.is_none() && at > 0 && levels.get(at - 1).is_none_or(Option::is_none);
        let joint = at.checked_sub(1).and_then(|above| joints.get(above)).copied().flatten().filter(|_| is_below_text);
        let is_continuation = is_below_text && wrapped && (joint.is_some() || breaks.is_empty());
        match joint.filter(|_| join_lines) {
            Some(joint) => {
                out.truncate(out.trim_end_matches('\n').len());
                out.push_str(joint);
            }
            // A line that is a paragraph gets the blank line that separates paragraphs in Markdown.
            None if !line.is_empty() && !above.is_empty() && !is_continuation => out.push('\n'),
            None => {}
        }
        let from = out.len();
        out.push_str(line);
        placed.push(Line { from, to: out.len(), raw: raw.get(at).copied().unwrap_or(line) });
        if let Some(level) = level {
            let title = line.trim_start_matches('#').trim().to_owned();
            let kind = SectionKind::Heading;
            manuscript.headings.push(Heading { from, to: out.len(), level: level as u8, title, kind });
        }
        out.push('\n');
    }
    proposals::add(&placed, &mut manuscript.headings);
    manuscript
}

/// For each line the text that joins it with the next one of its paragraph.
fn joints(text: &str, breaks: &[SoftBreak]) -> Vec<Option<&'static str>> {
    let mut joints = Vec::new();
    let (mut at, mut next) = (0, breaks.iter().peekable());
    for line in text.split('\n') {
        at += line.len();
        joints.push(next.next_if(|soft| soft.range.start <= at).map(|soft| soft.replacement));
        at += 1;
    }
    joints
}

/// The level of each line that is a heading, except in a table of contents.
pub(super) fn heading_levels(lines: &[&str], wrapped: bool) -> Vec<Option<Level>> {
    let mut levels: Vec<Option<Level>> = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let above = at.checked_sub(1).and_then(|above| lines.get(above)).copied().unwrap_or_default();
        let context = LineContext {
            free_above: above.is_empty() || levels.last().is_some_and(Option::is_some),
            free_below: lines.get(at + 1).is_none_or(|below| below.is_empty()),
            finished_above: headings::is_finished(above),
            wrapped,
        };
        levels.push(if line.is_empty() { None } else { headings::heading_level(line, context) });
    }
    // A line directly above a heading counts as free below. As that heading is known only after it, go from the last
    // line up.
    for at in (0..lines.len().saturating_sub(1)).rev() {
        let (Some(line), Some(Some(_)), Some(None)) = (lines.get(at), levels.get(at + 1), levels.get(at)) else {
            continue;
        };
        let above = at.checked_sub(1).and_then(|above| lines.get(above)).copied().unwrap_or_default();
        let context = LineContext {
            free_above: above.is_empty(),
            free_below: true,
            finished_above: headings::is_finished(above),
            wrapped,
        };
        if !line.is_empty()
            && let Some(level) = levels.get_mut(at)
        {
            *level = headings::heading_level(line, context);
        }
    }
    remove_contents(lines, &mut levels);
    levels
}

fn remove_contents(lines: &[&str], levels: &mut [Option<Level>]) {
    let headings_found: Vec<(usize, &str)> = lines
        .iter()
        .enumerate()
        .filter(|(at, _)| levels.get(*at).is_some_and(Option::is_some))
        .map(|(at, line)| (at, *line))
        .collect();
    let has_text = |n: usize| {
        let (from, to) = (
            headings_found.get(n).map_or(0, |here| here.0 + 1),
            headings_found.get(n + 1).map_or(lines.len(), |next| next.0),
        );
        lines.get(from..to).is_some_and(|between| between.iter().any(|line| !line.is_empty()))
    };
    let last: HashMap<&str, usize> = headings_found.iter().enumerate().map(|(n, (_, line))| (*line, n)).collect();
    let recurs = |n: usize| headings_found.get(n).and_then(|(_, line)| last.get(line)).is_some_and(|&last| last > n);
    let mut n = 0;
    while n < headings_found.len() {
        // The last of them may have text below it, before the first chapter.
        let run = (n..headings_found.len()).take_while(|&at| recurs(at) && (at == n || !has_text(at - 1))).count();
        if run >= MIN_CONTENTS_HEADINGS {
            for (at, _) in headings_found.iter().skip(n).take(run) {
                if let Some(level) = levels.get_mut(*at) {
                    *level = None;
                }
            }
        }
        n += run.max(1);
    }
}

/// Whether lines are wrapped at a fixed width: most lines directly followed by another end in the middle of a sentence.
fn is_wrapped(lines: &[&str]) -> bool {
    let pairs = lines.iter().zip(lines.iter().skip(1)).filter(|(above, below)| !above.is_empty() && !below.is_empty());
    let (mut all, mut open) = (0u32, 0u32);
    for (above, _) in pairs {
        all += 1;
        // A short line is not wrapped.
        if !headings::is_finished(above) && above.chars().count() > 15 {
            open += 1;
        }
    }
    open * 2 > all
}
