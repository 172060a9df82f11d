//! Five passages a feature, in English.

use super::Feature;
use super::tests::Expected::{self, Ascending, Hits, Sign, Values};

pub(super) const CASES: [(Feature, Expected); Feature::COUNT] = [
    (
        Feature::Length,
        Values([
            ("", 0.0),
            ("He came.", 2.0),
            ("— … !", 0.0),
            ("I don’t keep the tide-house at 3.14 metres", 8.0),
            ("Gone—all of it.", 4.0),
        ]),
    ),
    (
        Feature::ShortSentences,
        Values([
            ("He came.", 1.0),
            ("He came back to the house at noon.", 0.0),
            ("He left. She came back to the house at noon.", 0.5),
            ("One two three four five six.", 1.0),
            ("One two three four five six seven.", 0.0),
        ]),
    ),
    (
        Feature::LongSentences,
        Values([
            ("He came.", 0.0),
            (
                "Twice a day for thirty-one years he read the gauge, wrote the number in a ledger and posted the sheet to the province where nobody ever looked.",
                1.0,
            ),
            (
                "He came. Twice a day for thirty-one years he read the gauge, wrote the number in a ledger and posted the sheet to the province where nobody ever looked.",
                0.5,
            ),
            (
                "Twice a day for thirty-one years he read the gauge. He wrote the number in a ledger. He posted the sheet to the province, where nobody looked.",
                0.0,
            ),
            ("", 0.0),
        ]),
    ),
    (
        Feature::ActionVerbs,
        Hits([
            ("He grabbed the rope and pulled.", 2),
            ("She seized it, ran, and slammed the gate.", 3),
            ("The ledger is green.", 0),
            ("Hurrying, he stumbled.", 2),
            ("It was a quiet grabby sort of town.", 0),
        ]),
    ),
    (
        Feature::TimeShifts,
        Hits([
            ("Suddenly the lamp went out.", 1),
            ("The next morning he left; moments later it rained.", 2),
            ("He drank his tea.", 0),
            ("Meanwhile, she waited. Then she left.", 2),
            ("The next house and the next man.", 0),
        ]),
    ),
    (
        Feature::SentenceLength,
        Values([
            ("He came. She left.", 2.0),
            ("He came. She did not speak.", 3.0),
            ("… He came.", 2.0),
            ("", 0.0),
            ("“Go now,” he said.", 4.0),
        ]),
    ),
    (
        Feature::SentenceVariation,
        Ascending([
            "He came in. She went out. It rained hard. All was still.",
            "He came in. She went out. It rained hard. Then all was still.",
            "He came in. She slowly went out again. It rained hard. Then all was still.",
            "He came in. She stood for a long while at the door. It rained.",
            "No. She stood for a long while at the door before she went home by herself along the river. Good. Fine.",
        ]),
    ),
    (
        Feature::Exclamations,
        Values([
            ("Go! Run!", 1.0),
            ("Go!!! She stayed.", 0.5),
            ("She stayed.", 0.0),
            ("Really?! He stared.", 0.5),
            ("“Go!” he said. She stayed.", 0.5),
        ]),
    ),
    (
        Feature::Questions,
        Values([
            ("Who are you?", 1.0),
            ("Who?? I forget.", 0.5),
            ("He asked who you are.", 0.0),
            ("Really?! He stared.", 0.5),
            ("“Who?” he asked. “Who is it?”", 1.0),
        ]),
    ),
    (
        Feature::Ellipses,
        Hits([
            ("He left… The door closed.", 1),
            ("I... I don't know...", 2),
            ("He left.", 0),
            ("Well.... Maybe.", 1),
            ("At 3.14 metres.", 0),
        ]),
    ),
    (
        Feature::Dashes,
        Hits([
            ("The boat—his boat—never came back.", 2),
            ("The boat -- his boat - never came.", 2),
            ("A well-known tide-house.", 0),
            ("From 1990–1994 he slept.", 0),
            ("The boat – his boat – never came.", 2),
        ]),
    ),
    (
        Feature::Commas,
        Hits([
            ("It rained, and he left.", 1),
            ("Ink, pen, paper.", 2),
            ("It rained.", 0),
            ("It cost 1,000 francs, he said.", 1),
            ("“Go,” she said, “now.”", 2),
        ]),
    ),
    (
        Feature::Semicolons,
        Hits([
            ("He came; she left.", 1),
            ("Two things: ink; paper.", 2),
            ("He came, she left.", 0),
            ("At 3:15 he left.", 0),
            ("He said: go.", 1),
        ]),
    ),
    (
        Feature::Adverbs,
        Hits([
            ("He spoke slowly and quietly.", 2),
            ("Only the family came early in July.", 0),
            ("A friendly reply from a lonely bully.", 0),
            ("She smiled sadly.", 1),
            ("The fly landed gently on the holy jelly.", 1),
        ]),
    ),
    (
        Feature::Adjectives,
        Hits([
            ("The old house was beautiful.", 2),
            ("Unless they arrive at the table with a handful.", 0),
            ("A famous, careless, sensible man.", 3),
            ("He could finish and publish in English.", 0),
            ("She ran to the river.", 0),
        ]),
    ),
    (
        Feature::Hedges,
        Hits([
            ("He seemed tired.", 1),
            ("Perhaps it might rain.", 2),
            ("It will rain.", 0),
            ("He left in May. What kind of man leaves?", 0),
            ("She kind of knew, maybe.", 2),
        ]),
    ),
    (
        Feature::Similes,
        Hits([
            ("He ran as if the sea were behind him.", 1),
            ("She moved like water, white as the snow.", 1),
            ("I like tea, and I would like to go.", 0),
            ("As soon as he came, as well as he could, like this.", 0),
            ("It was as cold as ice and quick like a bird.", 1),
        ]),
    ),
    (
        Feature::Sight,
        Hits([
            ("He saw a light.", 2),
            ("Her eyes gleamed in the dark.", 3),
            ("The idea was good.", 0),
            ("A green shadow.", 2),
            ("He seemed delighted.", 0),
        ]),
    ),
    (
        Feature::Sound,
        Hits([
            ("He heard a whisper.", 2),
            ("The bells rang.", 2),
            ("He was still there with a note.", 0),
            ("Silence, then a creaking.", 2),
            ("The heart and the earth.", 0),
        ]),
    ),
    (
        Feature::BodySense,
        Hits([
            ("Her skin was cold and wet.", 3),
            ("He felt that it was hard to say.", 0),
            ("The smell burned his throat.", 3),
            ("She thought of the law.", 0),
            ("He shivered.", 1),
        ]),
    ),
    (
        Feature::ConjunctionOpenings,
        Values([
            ("But he stayed.", 1.0),
            ("And so it ended. She left.", 0.5),
            ("He came, but she left.", 0.0),
            ("Butter and orchards. Android.", 0.0),
            ("“And then?” she asked. Yet he stayed.", 1.0),
        ]),
    ),
    (
        Feature::RepeatedOpenings,
        Values([
            ("He came. He left.", 0.5),
            ("He came. She left.", 0.0),
            ("The rain fell. Then it stopped.", 0.0),
            ("HE came. He left. He slept. It rained.", 0.5),
            ("He came.", 0.0),
        ]),
    ),
    (
        Feature::Negation,
        Hits([
            ("He did not come.", 1),
            ("I don't know and you can’t say.", 2),
            ("Nothing, never, nobody.", 3),
            ("The knot and the note.", 0),
            ("Another northern noise.", 0),
        ]),
    ),
    (
        Feature::PastTense,
        Sign([
            ("He walked home and was glad.", 1),
            ("He is here and she says no.", -1),
            ("A hundred red seeds in bed.", 0),
            ("They didn’t come.", 1),
            ("I’m sure she doesn’t know.", -1),
        ]),
    ),
    (
        Feature::ParagraphLength,
        Values([
            ("He came.", 1.0),
            ("He came. She left. It rained.", 3.0),
            ("He came. She left. It rained.\nNight fell.", 2.0),
            ("He came.\n\nShe left.", 1.0),
            ("", 0.0),
        ]),
    ),
    (
        Feature::ParagraphDensity,
        Hits([
            ("He came.", 0),
            ("He came.\nShe left.", 1),
            ("He came.\n\nShe left.\r\n\r\nIt rained.", 2),
            ("He came.\n* * *\nShe left.", 1),
            ("\n\nHe came.\n", 0),
        ]),
    ),
    (
        Feature::DialogueShare,
        Values([
            ("“Go now,” he said.", 0.5),
            ("\"Go now,\" he said.", 0.5),
            ("‘Don’t go,’ he said.", 0.5),
            ("'Don't go,' he said.", 0.5),
            ("They call it “progress” and the dogs' dinner.", 0.0),
        ]),
    ),
    (
        Feature::DialogueTurns,
        Hits([
            ("“Here?”\n“Here.”", 2),
            ("“Go,” he said, “now.”", 1),
            ("\"Who?\"\n\"Me.\"\nThe door opened.", 2),
            ("They call it “progress” here.", 0),
            ("“Go.” “Where?”", 2),
        ]),
    ),
    (
        Feature::SpeechTags,
        Hits([
            ("“Go,” he said.", 1),
            ("She asked, \"Who?\"", 1),
            ("He said that he would not come.", 0),
            ("“I said no.” The rain fell.", 0),
            ("‘Go,’ old Zhou muttered. ‘Now,’ she added.", 2),
        ]),
    ),
    (
        Feature::FirstPerson,
        Hits([
            ("I came.", 1),
            ("We’ll wait for my brother, I’m sure.", 3),
            ("The US and the iodine.", 0),
            ("He told us.", 1),
            ("He came.", 0),
        ]),
    ),
    (
        Feature::SecondPerson,
        Hits([
            ("You came.", 1),
            ("You’re late with your book.", 2),
            ("He came.", 0),
            ("The youth of the town.", 0),
            ("Did you hurt yourself?", 2),
        ]),
    ),
    (
        Feature::ThirdPerson,
        Hits([
            ("He came.", 1),
            ("She’d given them her book.", 3),
            ("It rained.", 0),
            ("The theme of the hero.", 0),
            ("They hurt themselves.", 2),
        ]),
    ),
    (
        Feature::Emotion,
        Hits([
            ("He was happy and she was afraid.", 2),
            ("She smiled through tears.", 2),
            ("The table is wooden.", 0),
            ("His anger and his grief.", 2),
            ("The glove of the lovely gladiator.", 0),
        ]),
    ),
    (
        Feature::Thought,
        Hits([
            ("I think he knows.", 2),
            ("She remembered and wondered.", 2),
            ("The door is open.", 0),
            ("He forgot the idea.", 2),
            ("He was unknown to the planet.", 0),
        ]),
    ),
    (
        Feature::LexicalVariety,
        Ascending([
            "go go go go go go go go go go go go go go go go go go go go",
            "he goes he goes he goes he goes he goes he goes he goes he goes he goes he goes",
            "He came and she came and I came and you came and they came and we came and he came.",
            "The rain fell on the roof and the wind beat on the door and the dog lay on the rug.",
            "Rain stopped; eaves went on dripping while far hills kept one pale shadow above somebody’s slanting evening smoke nearby.",
        ]),
    ),
    (
        Feature::WordLength,
        Values([("He is it.", 2.0), ("Tidal water level.", 5.0), ("Don’t.", 4.0), ("tide-house", 9.0), ("", 0.0)]),
    ),
    (
        Feature::AbstractNouns,
        Hits([
            ("Freedom and happiness.", 2),
            ("The station in the city, a moment of silence.", 1),
            ("Her kindness was an obligation.", 2),
            ("The dog lay on the rug.", 0),
            ("Witness the apartment and the question.", 0),
        ]),
    ),
    (
        Feature::Archaic,
        Hits([
            ("Thou hast come hither.", 3),
            ("’Tis the wind upon the moor.", 2),
            ("He has come here.", 0),
            ("Whence, quoth he.", 2),
            ("The ironed shallow art.", 0),
        ]),
    ),
    (
        Feature::Colloquial,
        Hits([
            ("Yeah, I don’t know.", 2),
            ("It's okay, dude.", 3),
            ("The dog's bone and Zhou’s hat.", 0),
            ("He did not come.", 0),
            ("She'll wait, they're gonna come.", 3),
        ]),
    ),
    (
        Feature::Intensifiers,
        Hits([
            ("He was very tired.", 1),
            ("So he left, and she did too.", 0),
            ("It was utterly, absolutely, so dark.", 3),
            ("Every discovery.", 0),
            ("A pretty girl was pretty sure.", 1),
        ]),
    ),
    (
        Feature::Cliches,
        Hits([
            ("It was a testament to his patience.", 1),
            ("She couldn’t help but notice the palpable silence.", 2),
            ("He read the gauge and went home.", 0),
            ("A tapestry, a symphony of light.", 2),
            ("The Old Testament and the symphonic hall of fame.", 1),
        ]),
    ),
    (
        Feature::NamesAndNumbers,
        Hits([
            ("He met Zhou in Paris.", 2),
            ("The rain fell, and I left.", 0),
            ("In 1998 he had 3 dogs.", 2),
            ("He said, “Go home.”", 0),
            ("I’m told I’ll like Mr. Lin.", 2),
        ]),
    ),
];
