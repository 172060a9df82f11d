//! The table of figures: ours beside those of the reference rules and the targets.

/// A line of `score.py`, the figure of the reference rules for it, and the targets: the least that is asked, and a good
/// value. Figures of the reference rules are those of the data's README.
struct Row {
    label: &'static str,
    /// The words of the line before its ratio.
    line: &'static str,
    baseline: Option<f64>,
    least: Option<f64>,
    good: Option<f64>,
}

const fn row(
    label: &'static str,
    line: &'static str,
    baseline: Option<f64>,
    least: Option<f64>,
    good: Option<f64>,
) -> Row {
    Row { label, line, baseline, least, good }
}

const ROWS: &[Row] = &[
    row(
        "en people, 20 mentions or more",
        "en people with 20 mentions or more found",
        Some(0.974),
        Some(0.97),
        Some(0.99),
    ),
    row("en people, 8 to 19", "en people with 8 to 19 found", Some(0.903), Some(0.95), Some(0.98)),
    row("en people, 3 to 7", "en people with 3 to 7 found", Some(0.839), Some(0.86), Some(0.92)),
    row(
        "en groups called a person, right",
        "en person groups with 3 mentions or more that are right",
        Some(0.898),
        Some(0.92),
        Some(0.96),
    ),
    row("en mentions, precision", "en mentions precision", Some(0.948), None, None),
    row("en mentions, recall", "en mentions recall", Some(0.957), None, None),
    row("en mentions, F1", "en mentions F1", Some(0.952), Some(0.955), Some(0.97)),
    row("en alias pairs, precision", "en alias pairs precision", Some(0.937), Some(0.97), Some(0.97)),
    row("en alias pairs, recall", "en alias pairs recall", Some(0.553), Some(0.55), Some(0.70)),
    row("en places found", "en places with 2 mentions or more found", Some(0.836), None, None),
    row(
        "en groups called a place, right",
        "en place groups with 3 mentions or more that are right",
        Some(0.495),
        None,
        None,
    ),
    row("LitBank names, as anything", "litbank names found, as anything", Some(0.873), None, None),
    row("LitBank names, as a person", "litbank names found, as a person", Some(0.572), Some(0.70), Some(0.80)),
    row("LitBank forms called a person, right", "litbank forms called a person that are", Some(0.712), None, None),
    row("LitBank alias pairs, precision", "litbank alias pairs precision", Some(0.770), None, None),
    row("LitBank alias pairs, recall", "litbank alias pairs recall", Some(0.595), None, None),
    row("LitBank places", "litbank places found", Some(0.782), None, None),
    row("speakers answered", "quotations answered", Some(0.154), Some(0.25), Some(0.40)),
    row("speakers right", "answers that are right", Some(0.970), Some(0.95), Some(0.95)),
    row("en drift found", "en nameDrift found", Some(0.69), Some(0.85), Some(0.95)),
    row(
        "en look-alikes alarmed (less is better)",
        "en nameDrift found … look-alikes alarmed",
        Some(1.0),
        Some(0.30),
        Some(0.10),
    ),
    row("en planted ages, found", "en age found", None, Some(0.80), Some(0.95)),
    row(
        "en look-alikes of ages alarmed (less is better)",
        "en age found … look-alikes alarmed",
        None,
        Some(0.15),
        Some(0.05),
    ),
    row("en planted dates, found", "en date found", None, Some(0.80), Some(0.95)),
    row(
        "en look-alikes of dates alarmed (less is better)",
        "en date found … look-alikes alarmed",
        None,
        Some(0.15),
        Some(0.05),
    ),
    row("en planted weekdays, found", "en weekday found", None, Some(0.80), Some(0.95)),
    row(
        "en look-alikes of weekdays alarmed (less is better)",
        "en weekday found … look-alikes alarmed",
        None,
        Some(0.15),
        Some(0.05),
    ),
    row("en planted acts after death, found", "en deadActs found", None, Some(0.80), Some(0.95)),
    row(
        "en look-alikes of acts after death alarmed (less is better)",
        "en deadActs found … look-alikes alarmed",
        None,
        Some(0.15),
        Some(0.05),
    ),
    row("en planted known too early, found", "en knowsTooEarly found", None, Some(0.80), Some(0.95)),
    row(
        "en look-alikes of known too early alarmed (less is better)",
        "en knowsTooEarly found … look-alikes alarmed",
        None,
        Some(0.15),
        Some(0.05),
    ),
    row(
        "en alarms, 100,000 characters of clean text",
        "en clean alarms that hit nothing planted:",
        Some(0.12),
        Some(1.0),
        Some(0.3),
    ),
    row("Persuasion as of: forms leaked, of the cuts", "Persuasion cuts", None, Some(0.0), Some(0.0)),
    row(
        "Persuasion as of: known forms shown",
        "Persuasion cuts … already told that are shown",
        Some(0.823),
        Some(0.82),
        Some(0.82),
    ),
    row("Father Brown as of: forms leaked, of the cuts", "The Wisdom of Father Brown cuts", None, Some(0.0), Some(0.0)),
    row(
        "Father Brown as of: known forms shown",
        "The Wisdom of Father Brown cuts … already told that are shown",
        Some(0.850),
        Some(0.82),
        Some(0.82),
    ),
    row(
        "zh people, 20 mentions or more",
        "zh people with 20 mentions or more found",
        Some(0.765),
        Some(0.85),
        Some(0.95),
    ),
    row("zh people, 8 to 19", "zh people with 8 to 19 found", Some(0.727), Some(0.8), Some(0.9)),
    row("zh people, 3 to 7", "zh people with 3 to 7 found", Some(0.709), Some(0.75), Some(0.85)),
    row(
        "zh groups called a person, right",
        "zh person groups with 3 mentions or more that are right",
        Some(0.728),
        Some(0.82),
        Some(0.9),
    ),
    row("zh mentions, F1", "zh mentions F1", Some(0.724), Some(0.78), Some(0.85)),
    row("zh alias pairs, precision", "zh alias pairs precision", None, Some(0.95), Some(0.95)),
    row("zh alias pairs, recall", "zh alias pairs recall", Some(0.0), Some(0.30), Some(0.50)),
    row("zh drift found", "zh nameDrift found", Some(0.42), Some(0.65), Some(0.85)),
    row(
        "zh look-alikes alarmed (less is better)",
        "zh nameDrift found … look-alikes alarmed",
        Some(0.56),
        Some(0.30),
        Some(0.10),
    ),
    row("zh planted ages, found", "zh age found", None, Some(0.80), Some(0.95)),
    row(
        "zh look-alikes of ages alarmed (less is better)",
        "zh age found … look-alikes alarmed",
        None,
        Some(0.15),
        Some(0.05),
    ),
    row("zh planted dates, found", "zh date found", None, Some(0.80), Some(0.95)),
    row(
        "zh look-alikes of dates alarmed (less is better)",
        "zh date found … look-alikes alarmed",
        None,
        Some(0.15),
        Some(0.05),
    ),
    row("zh planted weekdays, found", "zh weekday found", None, Some(0.80), Some(0.95)),
    row(
        "zh look-alikes of weekdays alarmed (less is better)",
        "zh weekday found … look-alikes alarmed",
        None,
        Some(0.15),
        Some(0.05),
    ),
    row("zh planted acts after death, found", "zh deadActs found", None, Some(0.80), Some(0.95)),
    row(
        "zh look-alikes of acts after death alarmed (less is better)",
        "zh deadActs found … look-alikes alarmed",
        None,
        Some(0.15),
        Some(0.05),
    ),
    row("zh planted known too early, found", "zh knowsTooEarly found", None, Some(0.80), Some(0.95)),
    row(
        "zh look-alikes of known too early alarmed (less is better)",
        "zh knowsTooEarly found … look-alikes alarmed",
        None,
        Some(0.15),
        Some(0.05),
    ),
    row(
        "zh alarms, 100,000 characters of clean text",
        "zh clean alarms that hit nothing planted:",
        Some(20.8),
        Some(1.0),
        Some(0.3),
    ),
    row("Ah Q as of: forms leaked, of the cuts", "阿Ｑ正传 cuts", None, Some(0.0), Some(0.0)),
    row("Ah Q as of: known forms shown", "阿Ｑ正传 cuts … already told that are shown", None, Some(0.60), Some(0.60)),
    row("Old Tales as of: forms leaked, of the cuts", "故事新编 cuts", None, Some(0.0), Some(0.0)),
    row(
        "Old Tales as of: known forms shown",
        "故事新编 cuts … already told that are shown",
        None,
        Some(0.60),
        Some(0.60),
    ),
    row("questions, one quote in the first passage", "all one quote: found at 1", Some(0.577), None, None),
    row("questions, one quote in the first five", "all one quote: found at 5", Some(0.817), Some(0.86), Some(0.92)),
    row("questions, one quote in the first ten", "all one quote: found at 10", Some(0.873), None, None),
    row("questions, both of two in five", "all two quotes: both at 5", Some(0.368), Some(0.45), Some(0.60)),
    row("questions, both of two in ten", "all two quotes: both at 10", Some(0.526), None, None),
    row("questions as of a chapter, in five", "all as of: quote of the state at 5", Some(0.484), None, None),
    row(
        "questions as of a chapter, with later passages",
        "all as of: passages from later chapters",
        Some(0.0),
        Some(0.0),
        Some(0.0),
    ),
    row(
        "unanswerable told from answerable, area",
        "unanswerable told from answerable, area under the curve",
        Some(0.658),
        None,
        None,
    ),
];

/// Prints a row for each figure that the script has printed.
pub fn print_figures(said: &str) {
    println!("{:<48} {:>10} {:>9} {:>9} {:>9} {:>9}", "", "N", "reference", "ours", "least", "good");
    for row in ROWS {
        let Some((count, value)) = figure(said, row.line) else { continue };
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
        println!(
            "{:<48} {count:>10} {:>9} {value:>9.3} {:>9} {:>9}",
            row.label,
            number(row.baseline),
            number(row.least),
            number(row.good)
        );
    }
}

/// The number of cases and the value of a figure. A line is found by its first words; words after `…` name a figure
/// further on in it.
fn figure(said: &str, words: &str) -> Option<(String, f64)> {
    let (start, further) = words.split_once(" … ").map_or((words, None), |(start, further)| (start, Some(further)));
    let line = said.lines().find(|line| line.starts_with(start))?;
    let rest = &line[line.find(further.unwrap_or(start))? + further.unwrap_or(start).len()..];
    let parts: Vec<&str> = rest.split_whitespace().collect();
    if let Some(rate) = rest.strip_suffix(" a 100,000") {
        let value = rate.rsplit(' ').next()?.parse().ok()?;
        return Some((parts.get(2).copied().unwrap_or_default().to_owned(), value));
    }
    if let Some(at) = parts.iter().position(|part| *part == "leaked").filter(|_| further.is_none()) {
        return Some((parts[0].to_owned(), parts.get(at + 2)?.parse().ok()?));
    }
    // `105/200 = 0.525`, or a value alone.
    match parts.as_slice() {
        [ratio, "=", value, ..] => Some((ratio.split('/').nth(1)?.to_owned(), value.parse().ok()?)),
        [value, ..] => Some((String::new(), value.parse().ok()?)),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_lines_of_the_script() {
        let said = [
            "en mentions F1 0.969",
            "en nameDrift found 96/100 = 0.960 · look-alikes alarmed 0/78 = 0.000",
            "en clean alarms that hit nothing planted: 2 in 862571 characters, 0.23 a 100,000",
            "Persuasion cuts 47 leaked forms 3 leaked identities 0 persons' forms already told that are shown 3300/3307 = 0.998",
        ]
        .join("\n");
        for (words, count, value) in [
            ("en mentions F1", "", 0.969),
            ("en nameDrift found", "100", 0.960),
            ("en nameDrift found … look-alikes alarmed", "78", 0.0),
            ("en clean alarms that hit nothing planted:", "862571", 0.23),
            ("Persuasion cuts", "47", 3.0),
            ("Persuasion cuts … already told that are shown", "3307", 0.998),
        ] {
            assert_eq!(figure(&said, words), Some((count.to_owned(), value)), "{words}");
        }
        assert_eq!(figure(&said, "zh mentions F1"), None);
    }
}
