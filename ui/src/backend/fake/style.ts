import type { StyleProfile } from "../bindings.gen";

const side = (feature: string, mean: number, low: number, high: number) => ({ feature, mean, low, high });

/** A style profile; empty without words. */
export function styleOf(chapters: number, words: number): StyleProfile {
  const sides = [
    side("sentenceLength", 14.2, 10.6, 17.9),
    side("shortSentences", 0.31, 0.2, 0.41),
    side("longSentences", 0.03, 0, 0.06),
    side("paragraphLength", 2.4, 1.6, 3.1),
    side("dialogueShare", 0.22, 0.08, 0.37),
    side("firstPerson", 2.1, 1.4, 2.9),
    side("adverbs", 0.42, 0.2, 0.6),
    side("similes", 0.18, 0, 0.3),
    side("sight", 0.9, 0.5, 1.3),
    side("sound", 0.4, 0.1, 0.6),
    side("bodySense", 0.3, 0.1, 0.5),
    side("exclamations", 0.02, 0, 0.03),
  ];
  return { chapters, passages: Math.floor(words / 300), words, byAssistant: 0, sides: words === 0 ? [] : sides };
}
