use std::fs;

use super::*;

/// A home folder with a program, and the environment of its user.
struct Home {
    root: tempfile::TempDir,
    environment: Environment,
}

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            #[cfg(unix)]
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        }
        let of = |name: &str, value: PathBuf| (name.into(), value.into());
        let variables = [of("HOME", root.path().to_owned()), of("PATH", root.path().join("node/bin"))];
        Self { environment: Environment::new(variables), root }
    }

    fn path(&self, inner: &str) -> PathBuf {
        self.root.path().join(inner)
    }

    fn rights(&self, program: &str, protected: &[&str]) -> Rights {
        let protected: Vec<PathBuf> = protected.iter().map(|path| self.path(path)).collect();
        Rights::new(
            &self.path(program),
            &self.environment,
            &self.path("tmp/run/book"),
            &self.path("tmp/run/tmp"),
            &protected,
        )
    }
}

#[test]
fn a_program_reads_its_packages_its_interpreter_and_its_settings() {
    let home = Home::new(&[
        ("node/lib/node_modules/@maker/claude/cli.js", "#!/usr/bin/env node\n"),
        ("node/bin/node", "\u{7f}ELF"),
        (".claude/settings.json", "{}"),
        (".claude.json", "{}"),
        (".config/claude/x", ""),
        (".config/other/x", ""),
        ("book/001.md", ""),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.path("node/lib/node_modules/@maker/claude/cli.js"), home.path("node/bin/claude"))
        .unwrap();
    let rights = home.rights("node/bin/claude", &["book"]);
    for folder in ["node/bin", "node/lib/node_modules", "tmp/run/book"] {
        assert!(rights.read.contains(&home.path(folder)), "{folder}: {:?}", rights.read);
    }
    for folder in [".claude", ".claude.json", ".config/claude", "tmp/run/tmp"] {
        assert!(rights.write.contains(&home.path(folder)), "{folder}: {:?}", rights.write);
    }
    let all = [rights.read, rights.write].concat();
    let granted = |path: &str| all.iter().any(|right| home.path(path).starts_with(right));
    assert!(!granted("book/001.md") && !granted(".config/other/x") && !granted("notes"));
}

#[test]
fn no_right_reaches_a_protected_folder() {
    // A program in the home folder, in the folder of a book, and beside it; settings in the data folder.
    let home =
        Home::new(&[("claude", ""), ("book/bin/claude", ""), ("tools/claude", ""), (".claude/data/rules.db", "")]);
    for program in ["claude", "book/bin/claude", "tools/claude"] {
        let rights = home.rights(program, &["book", "tools/other", ".claude/data"]);
        let all = [rights.read, rights.write].concat();
        for kept in ["book/001.md", "tools/other/x", ".claude/data/rules.db", "notes.txt", "tmp/other/book"] {
            let kept = home.path(kept);
            assert!(!all.iter().any(|right| kept.starts_with(right)), "{program}: {}", kept.display());
        }
        assert!(all.contains(&home.path(program)), "its own file");
    }
}

#[test]
fn settings_that_several_programs_share_are_not_those_of_a_program() {
    let home = Home::new(&[(".config/x", ""), (".ssh/id", ""), ("bin/config", ""), ("bin/ssh", ""), ("bin/.x", "")]);
    for program in ["bin/config", "bin/ssh", "bin/.x"] {
        assert!(settings(&home.path(program), &home.environment).is_empty(), "{program}");
    }
}

#[test]
fn without_a_launcher_a_program_is_started_directly() {
    let program = PathBuf::from("/bin/program");
    let arguments = [OsString::from("-p")];
    let command = Launcher::none().command(&program, &arguments, &Rights::default());
    assert_eq!(command, (program, arguments.to_vec()));
}
