//! The real programs: each that is installed and logged in answers a question about a copy, in which a name is hidden.
//! Only `npm run test:agents` runs it.

use std::fs;

use palimpsest_agents::{
    Assistant, Book, Chapter, EndedBy, Environment, Isolation, Launcher, Limits, Program, Programs, RunRequest,
};
use palimpsest_tests::host_binary;
use palimpsest_text::names::Pair;

use super::CHAPTERS;

#[test]
#[ignore = "npm run test:agents: it needs programs that are logged in, and costs their tokens"]
fn each_installed_program_answers_from_the_copy_with_the_hidden_name_restored() {
    let folder = tempfile::tempdir().unwrap();
    let protected = folder.path().join("books");
    let temporary = folder.path().join("copies");
    for folder in [&protected, &temporary] {
        fs::create_dir(folder).unwrap();
    }
    let launcher = Launcher::new(host_binary().to_owned());
    let programs =
        Programs::new(Environment::of_this_process(), temporary.clone(), launcher, Limits::default(), Vec::new());
    let found = programs.find();
    for kind in Assistant::KNOWN {
        let name = kind.as_str();
        let Some((_, path)) = found.iter().find(|(found, _)| *found == kind) else {
            println!("NOT CHECKED: {name}: it is not installed");
            continue;
        };
        let program = Program {
            kind,
            name: name.to_owned(),
            program: path.to_str().expect("a path in UTF-8").to_owned(),
            arguments: Vec::new(),
            model: None,
            isolation: Isolation::WhereNeeded,
        };
        let tested = programs.test(&program, std::slice::from_ref(&protected));
        if !tested.is_ready {
            println!("NOT CHECKED: {name} {}: {:?}", tested.version.unwrap_or_default(), tested.reason);
            continue;
        }
        let chapters = CHAPTERS.map(|(title, text)| Chapter { title, text });
        let request = RunRequest {
            prompt: "Read the chapters in this folder. Who burned the letter? Answer with the name alone.",
            book: Book { chapters: &chapters, end: None },
            names: Some(&[Pair::new("Mara", "Nora")]),
            protected: std::slice::from_ref(&protected),
            is_unfenced_allowed: true,
            is_cancelled: &|| false,
        };
        let outcome = programs.backend(program).run(&request, &mut |_| {}).unwrap();
        println!("{name} {}: {outcome:?}", tested.version.unwrap_or_default());
        assert!(matches!(outcome.ended_by, EndedBy::Itself | EndedBy::AfterResult), "{name}: {}", outcome.tail);
        assert!(outcome.answer.contains("Mara"), "{name}: {}", outcome.answer);
        assert!(outcome.wrote_files.is_empty(), "{name}: {:?}", outcome.wrote_files);
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{name}: a copy is left");
    }
}
