use std::fs;

use proptest::prelude::*;

use super::*;

fn copy_of(temporary: &Path, chapters: &[Chapter<'_>]) -> BookCopy {
    BookCopy::create(temporary, &book_files(&Book { chapters, end: None }).unwrap(), &[]).unwrap()
}

#[cfg(unix)]
#[test]
fn a_copy_is_readable_by_its_owner_alone_and_gone_afterwards() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tempfile::tempdir().unwrap();
    let copy = copy_of(root.path(), &[Chapter { title: "One", text: "text" }]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = copy.chapters().join("001.md");
    assert_eq!((mode(copy.chapters().parent().unwrap()), mode(&copy.chapters()), mode(&file)), (0o700, 0o700, 0o600));
    drop(copy);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn every_change_of_a_copy_is_seen() {
    let root = tempfile::tempdir().unwrap();
    let chapters: Vec<Chapter<'_>> = (0..3).map(|_| Chapter { title: "", text: "text" }).collect();
    let copy = copy_of(root.path(), &chapters);
    assert!(copy.changed_files().is_empty());
    fs::write(copy.chapters().join("001.md"), "TEXT").unwrap();
    fs::remove_file(copy.chapters().join("002.md")).unwrap();
    fs::create_dir_all(copy.chapters().join("deep/empty")).unwrap();
    fs::write(copy.chapters().join("deep/new"), "").unwrap();
    fs::write(copy.temporary().join("cache"), "").unwrap();
    #[cfg(unix)]
    {
        fs::remove_file(copy.chapters().join("003.md")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", copy.chapters().join("003.md")).unwrap();
        assert_eq!(copy.changed_files(), ["001.md", "002.md", "003.md", "deep/empty", "deep/new"]);
    }
    fs::remove_dir_all(copy.chapters()).unwrap();
    assert_eq!(copy.changed_files(), ["001.md", "002.md", "003.md", "book"]);
}

#[test]
fn a_chapter_has_its_title_in_one_line() {
    let root = tempfile::tempdir().unwrap();
    let copy = copy_of(root.path(), &[Chapter { title: "Mara\nagain", text: "MARA's letter" }]);
    assert_eq!(fs::read_to_string(copy.chapters().join("001.md")).unwrap(), "# Mara again\n\nMARA's letter");
}

#[test]
fn a_book_that_is_too_large_is_not_copied() {
    let text = "x".repeat(1 << 20);
    let chapters: Vec<Chapter<'_>> = (0..65).map(|_| Chapter { title: "", text: &text }).collect();
    let book = Book { chapters: &chapters, end: None };
    assert_eq!(book_files(&book).unwrap_err().reason, Reason::StartFailed);
}

proptest! {
    #[test]
    fn a_copy_has_the_text_before_its_end_and_no_more(text in "[a-c梅🕯\n]{0,20}", offset in 0_usize..30) {
        let units: Vec<u16> = text.encode_utf16().collect();
        let chapters = [Chapter { title: "", text: &text }, Chapter { title: "", text: "later" }];
        let cut = chapters_up_to_end(&Book { chapters: &chapters, end: Some(Position { chapter: 0, offset }) });
        prop_assert_eq!(cut.len(), 1);
        let copied: Vec<u16> = cut[0].text.encode_utf16().collect();
        prop_assert!(copied.len() <= offset && units.starts_with(&copied));
        prop_assert!(copied.len() + 1 >= offset.min(units.len()), "less than one character is left out");
    }
}
