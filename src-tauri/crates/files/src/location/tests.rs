use std::fs;

use super::*;

const LASTING: (Existing, Access, Durability) = (Existing::Replace, Access::Usual, Durability::Flushed);

fn replace(location: &FileLocation, bytes: &[u8]) -> Result<()> {
    location.replace(bytes, LASTING.0, LASTING.1, LASTING.2)
}

#[test]
fn no_name_leads_out_of_a_folder() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("a")).unwrap();
    let folder = Folder::open(root.path()).unwrap();
    for name in ["../x.md", "/etc/passwd", "a/../../x.md", "a//x.md", "", ".", "a/", "a\\..\\x.md", "x\0.md"] {
        assert!(matches!(folder.file(name), Err(Error::Link)), "{name:?}");
    }
    assert!(folder.file("a/第二章.md").is_ok());
    assert!(folder.file("missing/x.md").is_err_and(|error| error.is_absence()));
}

#[test]
fn an_unfinished_replacement_leaves_the_old_file_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    let place = Folder::open(root.path()).unwrap().file("a").unwrap();
    replace(&place, b"before").unwrap();
    let mut replacement = place.begin(Access::Usual).unwrap();
    replacement.write_all(b"after").unwrap();
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
    place.remove_leftovers();
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2, "a replacement that is under way is no leftover");
    drop(replacement);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    assert_eq!(place.read(6).unwrap().unwrap(), b"before");
    assert!(matches!(place.read(5), Err(Error::TooLarge)));
    let refusal = place.replace(b"x", Existing::Keep, Access::Usual, Durability::Flushed);
    assert!(matches!(refusal, Err(Error::Exists)));
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
}

#[test]
fn only_leftovers_of_the_same_name_are_removed_with_it() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::open(root.path()).unwrap();
    let (one, other) = (folder.file("one").unwrap(), folder.file("other").unwrap());
    for name in [&one, &other] {
        fs::write(root.path().join(format!("{TEMP_PREFIX}{:016x}-0{TEMP_SUFFIX}", name_hash(&name.name))), "half")
            .unwrap();
    }
    one.remove_leftovers();
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    folder.remove_leftovers(None);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;
    use std::process::Command;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// A book with a part, a folder outside with a file of the same name, and the place of the chapter in the part. The
    /// part is replaced by a link to the folder outside after the place was opened.
    fn swapped() -> (tempfile::TempDir, Folder, FileLocation) {
        let root = tempfile::tempdir().unwrap();
        for folder in ["book/part", "outside"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join("a.md"), folder).unwrap();
        }
        let book = Folder::open(&root.path().join("book")).unwrap();
        let place = book.file("part/a.md").unwrap();
        fs::rename(root.path().join("book/part"), root.path().join("was")).unwrap();
        symlink(root.path().join("outside"), root.path().join("book/part")).unwrap();
        (root, book, place)
    }

    #[test]
    fn a_folder_swapped_for_a_link_after_it_was_opened_leads_nowhere_else() {
        let (root, book, place) = swapped();
        assert_eq!(place.read(99).unwrap().unwrap(), b"book/part");
        replace(&place, b"written").unwrap();
        assert_eq!(fs::read_to_string(root.path().join("was/a.md")).unwrap(), "written");
        let beside = FileLocation::new(place.folder.folder("").unwrap(), "b.md".into());
        place.rename(&beside).unwrap();
        assert!(beside.remove().unwrap());
        assert_eq!(fs::read_dir(root.path().join("was")).unwrap().count(), 0);
        assert_eq!(fs::read_to_string(root.path().join("outside/a.md")).unwrap(), "outside/a.md".replace("/a.md", ""));
        // The path leads to the link from now on, and is refused.
        assert!(matches!(book.file("part/a.md"), Err(Error::Link)));
        assert!(matches!(book.folder("part"), Err(Error::Link)));
        assert!(matches!(book.make_folder("part", Access::Usual), Err(Error::Link)));
    }

    #[test]
    fn a_replacement_under_way_ends_in_the_folder_that_it_began_in() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("book/part")).unwrap();
        fs::create_dir(root.path().join("outside")).unwrap();
        fs::write(root.path().join("outside/a.md"), "theirs").unwrap();
        let place = Folder::open(&root.path().join("book")).unwrap().file("part/a.md").unwrap();
        let mut replacement = place.begin(Access::Usual).unwrap();
        replacement.write_all(b"ours").unwrap();
        fs::rename(root.path().join("book/part"), root.path().join("was")).unwrap();
        symlink(root.path().join("outside"), root.path().join("book/part")).unwrap();
        replacement.finish(Existing::Replace, Durability::Flushed).unwrap();
        assert_eq!(fs::read_to_string(root.path().join("outside/a.md")).unwrap(), "theirs");
        assert_eq!(fs::read_to_string(root.path().join("was/a.md")).unwrap(), "ours");
    }

    #[test]
    fn the_folder_itself_is_not_opened_through_a_link() {
        let (root, ..) = swapped();
        symlink(root.path().join("outside"), root.path().join("link")).unwrap();
        assert!(matches!(Folder::open(&root.path().join("link")), Err(Error::Link)));
    }

    #[test]
    fn links_and_pipes_are_neither_read_nor_replaced() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("theirs"), "theirs").unwrap();
        symlink("theirs", root.path().join("link")).unwrap();
        assert!(Command::new("mkfifo").arg(root.path().join("pipe")).status().unwrap().success());
        fs::create_dir(root.path().join("folder")).unwrap();
        let folder = Folder::open(root.path()).unwrap();
        for name in ["link", "pipe", "folder"] {
            let place = folder.file(name).unwrap();
            assert!(matches!(place.read(9), Err(Error::Link | Error::NotAFile)), "{name}");
            assert!(matches!(replace(&place, b"x"), Err(Error::Link | Error::NotAFile)), "{name}");
        }
        assert_eq!(fs::read_to_string(root.path().join("theirs")).unwrap(), "theirs");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 4);
    }

    #[test]
    fn a_file_is_added_to_unless_it_is_a_link_or_a_pipe() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let log = folder.file("log").unwrap();
        for line in ["one ", "two"] {
            log.append(Access::OwnerOnly).unwrap().write_all(line.as_bytes()).unwrap();
        }
        assert_eq!((log.size().unwrap(), mode(&root.path().join("log"))), (Some(7), 0o600));
        symlink("log", root.path().join("link")).unwrap();
        assert!(Command::new("mkfifo").arg(root.path().join("pipe")).status().unwrap().success());
        assert!(matches!(folder.file("link").unwrap().append(Access::Usual), Err(Error::Link)));
        assert!(matches!(folder.file("pipe").unwrap().append(Access::Usual), Err(Error::NotAFile)));
    }

    #[test]
    fn a_replaced_file_keeps_its_mode_and_a_new_one_of_ours_is_for_its_owner_alone() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let place = folder.file("a").unwrap();
        place.replace(b"1", Existing::Replace, Access::OwnerOnly, Durability::Flushed).unwrap();
        assert_eq!(mode(&root.path().join("a")), 0o600);
        for kept in [0o600, 0o640, 0o664, 0o755] {
            fs::set_permissions(root.path().join("a"), fs::Permissions::from_mode(kept)).unwrap();
            for access in [Access::Usual, Access::OwnerOnly] {
                place.replace(b"2", Existing::Replace, access, Durability::Derived).unwrap();
                assert_eq!(mode(&root.path().join("a")), kept);
            }
        }
        fs::set_permissions(root.path().join("a"), fs::Permissions::from_mode(0o444)).unwrap();
        assert!(
            matches!(replace(&place, b"3"), Err(Error::Io(error)) if error.kind() == io::ErrorKind::PermissionDenied)
        );
        assert!(folder.make_folder("ours", Access::OwnerOnly).unwrap());
        assert_eq!(mode(&root.path().join("ours")), 0o700);
    }
}
