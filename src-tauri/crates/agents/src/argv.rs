//! The command lines of the programs, as data: one table for each kind.

use std::{ffi::OsString, path::Path};

/// A kind of program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Assistant {
    /// Claude Code.
    Claude,
    /// OpenAI's Codex.
    Codex,
    /// The Gemini CLI.
    Gemini,
    /// A program of the writer's own, whose output is the answer.
    Own,
}

impl Assistant {
    /// The kinds whose arguments are known.
    pub const KNOWN: [Self; 3] = [Self::Claude, Self::Codex, Self::Gemini];

    /// The name in files and on the wire; that of the program for all but [`Assistant::Own`].
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Own => "own",
        }
    }

    /// Whether it opens files of the copy by itself.
    pub(crate) fn reads_files(self) -> bool {
        self != Self::Own
    }

    /// The arguments that print the options of the command that is used; empty for none.
    pub(crate) fn help_arguments(self) -> &'static [&'static str] {
        match self {
            Self::Claude | Self::Gemini => &["--help"],
            Self::Codex => &["exec", "--help"],
            Self::Own => &[],
        }
    }

    /// A command of the program that fails without a login, and the arguments that run it.
    pub(crate) fn login_command(self) -> Option<(&'static str, &'static [&'static str])> {
        match self {
            Self::Claude => Some(("auth", &["auth", "status"])),
            Self::Codex => Some(("login", &["login", "status"])),
            Self::Gemini | Self::Own => None,
        }
    }

    fn options(self) -> &'static [Flag] {
        match self {
            Self::Claude => CLAUDE,
            Self::Codex => CODEX,
            Self::Gemini => GEMINI,
            Self::Own => &[],
        }
    }
}

/// The purpose of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Without it the program cannot be used at all.
    Needed,
    /// Forbids the program to change anything. At least one of these is needed.
    Guard,
    /// As [`Role::Guard`]; passed only where the program is known to have it.
    NewGuard,
    /// Left out where the program does not have it.
    Extra,
    /// Chooses the model; passed only where one is chosen.
    Model,
}

/// An option of a program.
struct Flag {
    role: Role,
    /// The option as `--help` prints it; empty for an argument that is always understood.
    listed: &'static str,
    /// The arguments, with `{run}` for the folder of the copy and `{model}` for the model.
    arguments: &'static [&'static str],
}

const fn flag(role: Role, listed: &'static str, arguments: &'static [&'static str]) -> Flag {
    Flag { role, listed, arguments }
}

const CLAUDE: &[Flag] = &[
    flag(Role::Needed, "--print", &["-p"]),
    flag(Role::Extra, "--input-format", &["--input-format", "text"]),
    flag(Role::Needed, "--output-format", &["--output-format", "stream-json"]),
    flag(Role::Needed, "--verbose", &["--verbose"]),
    flag(Role::Guard, "--permission-mode", &["--permission-mode", "dontAsk"]),
    flag(Role::Guard, "--tools", &["--tools", "Read,Grep,Glob"]),
    flag(Role::Extra, "--allowedTools", &["--allowedTools", "Read(./**)"]),
    flag(Role::Extra, "--strict-mcp-config", &["--strict-mcp-config"]),
    flag(Role::Extra, "--setting-sources", &["--setting-sources="]),
    flag(Role::Extra, "--no-session-persistence", &["--no-session-persistence"]),
    flag(Role::NewGuard, "--restricted", &["--restricted"]),
    flag(Role::Model, "--model", &["--model", "{model}"]),
];

const CODEX: &[Flag] = &[
    flag(Role::Needed, "", &["exec"]),
    flag(Role::Needed, "--json", &["--json"]),
    flag(Role::Extra, "--color", &["--color", "never"]),
    flag(Role::Guard, "--sandbox", &["--sandbox", "read-only"]),
    flag(Role::Extra, "--skip-git-repo-check", &["--skip-git-repo-check"]),
    flag(Role::Extra, "--ephemeral", &["--ephemeral"]),
    flag(Role::Extra, "--ignore-user-config", &["--ignore-user-config"]),
    flag(Role::Extra, "--ignore-rules", &["--ignore-rules"]),
    flag(Role::Extra, "--cd", &["--cd", "{run}"]),
    flag(Role::Model, "--model", &["--model", "{model}"]),
    flag(Role::Needed, "", &["-"]),
];

const GEMINI: &[Flag] = &[
    flag(Role::Needed, "--prompt", &["-p", ""]),
    flag(Role::Needed, "--output-format", &["-o", "stream-json"]),
    flag(Role::Guard, "--approval-mode", &["--approval-mode", "plan"]),
    flag(Role::Extra, "--skip-trust", &["--skip-trust"]),
    flag(Role::Extra, "--extensions", &["-e", "none"]),
    flag(Role::Model, "--model", &["-m", "{model}"]),
];

/// The arguments of a run.
///
/// `template` has the arguments of [`Assistant::Own`], with `{model}` for the model. `help` is what the program prints
/// about its options; without it the program is taken to have all that it had when the table was written.
///
/// `None` for a program whose output cannot be read, or that has no option left which forbids it to change anything.
#[must_use]
pub fn arguments(
    kind: Assistant,
    template: &[String],
    model: Option<&str>,
    run: &Path,
    help: Option<&str>,
) -> Option<Vec<OsString>> {
    if kind == Assistant::Own {
        return Some(template.iter().map(|part| part.replace("{model}", model.unwrap_or_default()).into()).collect());
    }
    let mut found = Vec::new();
    let mut is_guarded = false;
    for flag in kind.options() {
        let is_listed = flag.listed.is_empty() || help.is_some_and(|help| lists(help, flag.listed));
        let has = is_listed || (help.is_none() && flag.role != Role::NewGuard);
        let is_passed = match flag.role {
            Role::Needed if !has => return None,
            Role::Model if model.is_some() && !has => return None,
            Role::Model => model.is_some(),
            _ => has,
        };
        if !is_passed {
            continue;
        }
        is_guarded |= matches!(flag.role, Role::Guard | Role::NewGuard);
        found.extend(flag.arguments.iter().map(|part| match *part {
            "{run}" => run.into(),
            part => OsString::from(part.replace("{model}", model.unwrap_or_default())),
        }));
    }
    is_guarded.then_some(found)
}

/// Whether a help text lists an option: as a whole word.
fn lists(help: &str, option: &str) -> bool {
    help.match_indices(option).any(|(at, _)| {
        let after = help.get(at + option.len()..).and_then(|rest| rest.chars().next());
        let before = help.get(..at).and_then(|rest| rest.chars().next_back());
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
        !is_part(after) && !is_part(before)
    })
}

/// Whether a help text lists a command: at the beginning of a line.
pub(crate) fn lists_command(help: &str, command: &str) -> bool {
    help.lines().any(|line| {
        let rest = line.trim_start().strip_prefix(command);
        line.starts_with(' ') && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAUDE_HELP: &str = "-p, --print\n --input-format <f>\n --output-format <f>\n --verbose\n \
        --permission-mode <m>\n --tools <t...>\n --allowedTools, --allowed-tools <t...>\n --strict-mcp-config\n \
        --setting-sources <s>\n --no-session-persistence\n --model <m>";

    fn claude(help: &str) -> Option<Vec<OsString>> {
        arguments(Assistant::Claude, &[], None, Path::new("/run"), Some(help))
    }

    #[test]
    fn an_option_that_the_program_lacks_is_left_out_while_another_one_guards() {
        let all = claude(CLAUDE_HELP).unwrap();
        assert_eq!(all, arguments(Assistant::Claude, &[], None, Path::new("/run"), None).unwrap());
        let without_tools = claude(&CLAUDE_HELP.replace("--tools", "--no-such-tools")).unwrap();
        assert!(!without_tools.contains(&"--tools".into()) && without_tools.contains(&"dontAsk".into()));
        let unguarded = CLAUDE_HELP.replace("--tools", "--x").replace("--permission-mode", "--y");
        assert_eq!(claude(&unguarded), None);
        assert!(claude(&format!("{unguarded}\n --restricted")).unwrap().contains(&"--restricted".into()));
        assert_eq!(claude(&CLAUDE_HELP.replace("--output-format", "--format")), None, "its output cannot be read");
        assert_eq!(claude(""), None);
    }

    #[test]
    fn codex_without_its_sandbox_and_gemini_without_its_plan_are_too_old() {
        for (kind, help, guard) in [
            (Assistant::Codex, "--json --sandbox <s> --cd <d>", "--sandbox"),
            (Assistant::Gemini, "-p, --prompt -o, --output-format --approval-mode", "--approval-mode"),
        ] {
            let of = |help: &str| arguments(kind, &[], None, Path::new("/run"), Some(help));
            assert!(of(help).is_some(), "{guard}");
            assert_eq!(of(&help.replace(guard, "")), None);
        }
    }

    #[test]
    fn a_command_is_listed_at_the_beginning_of_a_line() {
        let help = "Usage: claude auth\n  auth        Manage authentication\n  author x\n  --auth";
        assert!(lists_command(help, "auth"));
        assert!(!lists_command("Usage: auth\n  author\n  --auth\n  token  for auth", "auth"));
    }

    #[test]
    fn a_model_stands_where_the_template_of_an_own_program_names_it() {
        let template = ["ask".to_owned(), "--with={model}".to_owned(), "{other}".to_owned()];
        let found = arguments(Assistant::Own, &template, Some("m 1"), Path::new("/run"), None).unwrap();
        assert_eq!(found, ["ask", "--with=m 1", "{other}"]);
    }
}
