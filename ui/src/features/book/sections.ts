import type { FoundSection, ImportSection, SectionKind } from "../../backend";

/** Kinds of lines that may begin chapters and are not recognized headings, in the order of display. */
export const PROPOSED_KINDS = [
  "numeral",
  "capitals",
  "centred",
  "shortLine",
  "ornament",
] as const satisfies SectionKind[];
export type ProposedKind = (typeof PROPOSED_KINDS)[number];

type Choices = readonly ImportSection[];

export const initialChoices = (sections: readonly FoundSection[]): ImportSection[] =>
  sections.map(({ use }) => ({ use }));

/** The choices as the backend takes them: titles of chapters only. */
export const requestedChoices = (choices: Choices): ImportSection[] =>
  choices.map(({ use, title }) => ({ use, ...(title !== undefined && use === "chapter" && { title }) }));

export const countChapters = (choices: Choices): number => choices.filter(({ use }) => use === "chapter").length;

/** Whether an earlier section begins a chapter, so that this one can continue it. */
export const hasChapterAbove = (choices: Choices, index: number): boolean =>
  choices.slice(0, index).some(({ use }) => use === "chapter");

/** Words of the chapter that begins at each section; `null` for a section that begins none. */
export function chapterWords(sections: readonly FoundSection[], choices: Choices): (number | null)[] {
  const words: (number | null)[] = [];
  let chapter = -1;
  choices.forEach(({ use }, index) => {
    words.push(use === "chapter" ? 0 : null);
    if (use === "chapter") chapter = index;
    if (use !== "omit" && chapter >= 0) words[chapter]! += sections[index]!.words;
  });
  return words;
}

/** Makes a section begin a chapter, or continue the one above. */
export const setChapter = (choices: Choices, index: number, isChapter: boolean): ImportSection[] =>
  choices.map((choice, at) => (at === index ? { ...choice, use: isChapter ? "chapter" : "continue" } : choice));

/** The choices after a section was split: the new one begins a chapter. */
export const insertSplit = (choices: Choices, index: number): ImportSection[] => [
  ...choices.slice(0, index + 1),
  { use: "chapter" },
  ...choices.slice(index + 1),
];

/** Leaves out a section; with one that begins a chapter, also those that continue it. */
export function leaveOut(choices: Choices, index: number): ImportSection[] {
  const next = choices.findIndex(({ use }, at) => at > index && use !== "continue");
  const end = choices[index]!.use !== "chapter" ? index + 1 : next < 0 ? choices.length : next;
  return choices.map((choice, at) => (at >= index && at < end ? { ...choice, use: "omit" } : choice));
}

/** Takes a section in again: into the chapter above, or as a chapter if there is none. */
export const takeIn = (choices: Choices, index: number): ImportSection[] =>
  setChapter(choices, index, !hasChapterAbove(choices, index));

/** Lets all sections of a kind begin chapters, or continue the chapters above. */
export function setKind(
  sections: readonly FoundSection[],
  choices: Choices,
  kind: SectionKind,
  isChapter: boolean,
): ImportSection[] {
  let next = [...choices];
  sections.forEach((section, index) => {
    if (section.kind !== kind || next[index]!.use === "omit") return;
    next = setChapter(next, index, isChapter || !hasChapterAbove(next, index));
  });
  return next;
}
