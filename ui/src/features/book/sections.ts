import type { FoundSection, ImportSection, SectionKind, SectionUse } from "../../backend";

/** Kinds of lines that may begin chapters and are not recognized headings, in the order of display. */
export const PROPOSED_KINDS = [
  "numeral",
  "capitals",
  "centred",
  "shortLine",
  "ornament",
] as const satisfies SectionKind[];
export type ProposedKind = (typeof PROPOSED_KINDS)[number];

/**
 * The choices that a file is shown with. Sections after an omitted one follow it until a chapter begins, so only the
 * first of them is marked.
 */
export function initialChoices(sections: readonly FoundSection[]): ImportSection[] {
  return sections.map(({ use }, index) => {
    const follows = use === "omit" && sections[index - 1]?.use === "omit";
    return { use: follows ? "continue" : use };
  });
}

/** The use of each section: those after an omitted one are omitted until a chapter begins. */
export function effectiveUses(choices: readonly ImportSection[]): SectionUse[] {
  let current: SectionUse = "omit";
  return choices.map(({ use }) => {
    if (use !== "continue") current = use;
    return use === "continue" && current === "omit" ? "omit" : use;
  });
}

/** The choices as the backend takes them. */
export function resolvedChoices(choices: readonly ImportSection[]): ImportSection[] {
  const uses = effectiveUses(choices);
  return choices.map(({ title }, index) => ({
    use: uses[index]!,
    ...(title !== undefined && uses[index] === "chapter" && { title }),
  }));
}

/** Words of the chapter that begins at each section; `null` for a section that begins none. */
export function chapterWords(sections: readonly FoundSection[], choices: readonly ImportSection[]): (number | null)[] {
  const uses = effectiveUses(choices);
  return sections.map((_, index) => {
    if (uses[index] !== "chapter") return null;
    let words = 0;
    for (let at = index; at < sections.length && (at === index || uses[at] !== "chapter"); at += 1)
      if (uses[at] !== "omit") words += sections[at]!.words;
    return words;
  });
}

export const countChapters = (choices: readonly ImportSection[]): number =>
  choices.filter(({ use }) => use === "chapter").length;

/** Makes a section begin a chapter, or continue the one before it. */
export function setUse(choices: readonly ImportSection[], index: number, use: SectionUse): ImportSection[] {
  return choices.map((choice, at) => (at === index ? { ...choice, use } : choice));
}

/** Lets all sections of a kind begin chapters, or none of them. */
export function setKind(
  sections: readonly FoundSection[],
  choices: readonly ImportSection[],
  kind: SectionKind,
  isChapter: boolean,
): ImportSection[] {
  return choices.map((choice, index) => {
    const section = sections[index]!;
    if (section.kind !== kind || choice.use === "omit") return choice;
    // The first section has no chapter before it to continue.
    return { ...choice, use: isChapter || index === 0 ? "chapter" : "continue" };
  });
}
