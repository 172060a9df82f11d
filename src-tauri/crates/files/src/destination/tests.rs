use std::fs;

use super::*;
use crate::{Access, Durability, Existing};

/// A memory with its usual files, a known book and one that no memory knows.
fn world() -> (tempfile::TempDir, Protected) {
    let root = tempfile::tempdir().unwrap();
    let base = root.path();
    for folder in [
        "data/backups",
        "data/unsaved/p",
        "book/.palimpsest/snapshots/c",
        "book/part",
        "book/.git",
        "other/.palimpsest",
        "out",
    ] {
        fs::create_dir_all(base.join(folder)).unwrap();
    }
    for file in
        ["data/lock", "book/01.md", "book/part/02.md", "book/.palimpsest/book.json", "other/.palimpsest/book.json"]
    {
        fs::write(base.join(file), "what was there").unwrap();
    }
    let protected = Protected { data_folder: base.join("data"), books: vec![base.join("book"), base.join("gone")] };
    (root, protected)
}

/// Why an export to `path` is refused; `None` if it is not.
fn refusal(base: &Path, protected: &Protected, path: &str) -> Option<&'static str> {
    let error = match check_destination(&base.join(path), protected).map(|place| place.begin(Access::Usual).map(drop)) {
        Ok(Ok(())) => return None,
        Ok(Err(error)) | Err(error) => error,
    };
    Some(match error {
        Error::Link | Error::NotAFile => "notAFile",
        Error::TooLarge => "tooLarge",
        Error::Exists => "exists",
        Error::NoName | Error::NoFolder => "noFolder",
        Error::InsideTheMemory => "insideTheMemory",
        Error::InsideTheBook => "insideTheBook",
        Error::Io(_) => "io",
    })
}

#[test]
fn no_export_replaces_a_file_of_the_memory_or_of_a_book() {
    let (root, protected) = world();
    let check = |path: &str, expected: Option<&str>| {
        assert_eq!(refusal(root.path(), &protected, path), expected, "{path}");
    };
    for path in ["data/rules.db", "data/new.md", "data/backups/x.db", "data/unsaved/p/x.json", "out/../data/lock"] {
        check(path, Some("insideTheMemory"));
    }
    for path in [
        "book/01.md",
        "book/03.md",
        "book/03.MD",
        "book/part/02.md",
        "book/part/../04.md",
        "book/.palimpsest/book.json",
        "book/.palimpsest/snapshots/c/x.md",
        "book/.palimpsest",
        "book/.palimpsest-1.tmp",
        "other/01.md",
        "other/.palimpsest/book.json",
    ] {
        check(path, Some("insideTheBook"));
    }
    check("book/part", Some("notAFile"));
    check("nowhere/x.md", Some("noFolder"));
    check("/", Some("noFolder"));
    for path in ["book/book.docx", "book/part/rules.txt", "out/x.md", "out/x.db", "x.md"] {
        check(path, None);
    }
}

#[test]
fn the_folder_of_another_memory_is_protected_too() {
    let (root, protected) = world();
    for name in DATABASES {
        fs::write(root.path().join("out").join(name), "").unwrap();
    }
    fs::create_dir(root.path().join("out/backups")).unwrap();
    assert_eq!(refusal(root.path(), &protected, "out/rules.db"), Some("insideTheMemory"));
    assert_eq!(refusal(root.path(), &protected, "out/backups/x.db"), Some("insideTheMemory"));
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_link_to_a_protected_folder_is_that_folder() {
        let (root, protected) = world();
        let base = root.path();
        symlink(base.join("data"), base.join("out/memory")).unwrap();
        symlink("../data/backups", base.join("out/backups")).unwrap();
        symlink(base.join("book"), base.join("out/book")).unwrap();
        symlink(base.join("book/.palimpsest"), base.join("out/hidden")).unwrap();
        for (path, reason) in [
            ("out/memory/rules.db", "insideTheMemory"),
            ("out/backups/x.db", "insideTheMemory"),
            ("out/book/01.md", "insideTheBook"),
            ("out/hidden/book.json", "insideTheBook"),
        ] {
            assert_eq!(refusal(base, &protected, path), Some(reason), "{path}");
        }
        // The data folder may itself be named by a link.
        let linked = Protected { data_folder: base.join("out/memory"), books: vec![base.join("out/book")] };
        assert_eq!(refusal(base, &linked, "data/rules.db"), Some("insideTheMemory"));
        assert_eq!(refusal(base, &linked, "book/01.md"), Some("insideTheBook"));
    }

    #[test]
    fn links_pipes_and_sockets_are_no_target() {
        let (root, protected) = world();
        let out = root.path().join("out");
        symlink(root.path().join("data/lock"), out.join("link.md")).unwrap();
        symlink(root.path().join("nothing"), out.join("dangling.md")).unwrap();
        assert!(Command::new("mkfifo").arg(out.join("pipe.md")).status().unwrap().success());
        let _socket = UnixListener::bind(out.join("socket.md")).unwrap();
        for name in ["link.md", "dangling.md", "pipe.md", "socket.md"] {
            assert_eq!(refusal(root.path(), &protected, &format!("out/{name}")), Some("notAFile"), "{name}");
        }
        assert_eq!(fs::read_dir(&out).unwrap().count(), 4, "no temporary file is left");
        assert_eq!(fs::read_to_string(root.path().join("data/lock")).unwrap(), "what was there");
    }

    #[test]
    fn an_export_is_written_to_the_checked_folder_even_if_its_path_has_changed_meanwhile() {
        let (root, protected) = world();
        let base = root.path();
        let place = check_destination(&base.join("out/rules.db"), &protected).unwrap();
        fs::rename(base.join("out"), base.join("moved")).unwrap();
        symlink(base.join("data"), base.join("out")).unwrap();
        place.replace(b"exported", Existing::Replace, Access::OwnerOnly, Durability::Flushed).unwrap();
        assert!(!base.join("data/rules.db").exists());
        let written = base.join("moved/rules.db");
        assert_eq!(fs::read_to_string(&written).unwrap(), "exported");
        assert_eq!(fs::metadata(&written).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
