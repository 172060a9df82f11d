import type { Entity, MentionRange, Position } from "../bindings.gen";

/** A chapter as the search for names reads it. */
export interface FakeChapterText {
  chapterId: string;
  text: string;
}

/** A mention with its words. */
export interface FakeMention extends MentionRange {
  /** Index of its chapter. */
  chapter: number;
  text: string;
}

const MAX_SENTENCE = 200;
const MAX_AROUND = 60;

/** The chapters up to a position, the last one cut there. `null`: there is no such chapter. */
export function chaptersUpTo(
  chapters: readonly FakeChapterText[],
  at: Position | null | undefined,
): FakeChapterText[] | null {
  if (!at) return [...chapters];
  const last = chapters.findIndex(({ chapterId }) => chapterId === at.chapterId);
  if (last < 0) return null;
  return chapters
    .slice(0, last + 1)
    .map((chapter, index) => (index === last ? { ...chapter, text: chapter.text.slice(0, at.offset) } : chapter));
}

/** The places of some forms, in the order of the text. A longer form comes before a shorter one inside it. */
export function mentionsOf(chapters: readonly FakeChapterText[], forms: readonly string[]): FakeMention[] {
  if (forms.length === 0) return [];
  const words = forms
    .toSorted((a, b) => b.length - a.length)
    .map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(words.map((word) => (/^\w/.test(word) ? `\\b${word}\\b` : word)).join("|"), "g");
  return chapters.flatMap(({ chapterId, text }, chapter) =>
    [...text.matchAll(pattern)].map((found) => ({
      chapterId,
      chapter,
      from: found.index,
      to: found.index + found[0].length,
      text: found[0],
    })),
  );
}

/** The sentence around a range. */
function sentenceAt(text: string, { from, to }: { from: number; to: number }): { start: number; end: number } {
  const before = text.slice(0, from);
  const start = Math.max(before.lastIndexOf("\n") + 1, ...[...before.matchAll(/[。！？.!?][”’"]?\s*/g)].map(endOf), 0);
  const after = /^[^\n]*?(?:[。！？.!?][”’"]?(?=\s|$|[^\w])|(?=\n|$))/.exec(text.slice(to))?.[0].length ?? 0;
  return { start, end: to + after };
}

const endOf = (found: RegExpExecArray) => found.index + found[0].length;

export function sentenceOf(text: string, range: MentionRange): string {
  const { start, end } = sentenceAt(text, range);
  return text.slice(start, end).trim().slice(0, MAX_SENTENCE);
}

/** The text of its sentence before and after a mention. */
export function aroundOf(text: string, range: MentionRange): { before: string; after: string } {
  const { start, end } = sentenceAt(text, range);
  return {
    before: text.slice(start, range.from).trimStart().slice(-MAX_AROUND),
    after: text.slice(range.to, end).trimEnd().slice(0, MAX_AROUND),
  };
}

/** The chapters that mention an entity, with the number of mentions. */
export function presenceOf(mentions: readonly FakeMention[]): Entity["presence"] {
  const counts = new Map<number, number>();
  for (const { chapter } of mentions) counts.set(chapter, (counts.get(chapter) ?? 0) + 1);
  return [...counts].map(([chapter, count]) => ({ chapter, mentions: count }));
}

/** Number of speeches in a text that one of the forms tags. */
export function taggedSpeeches(text: string, forms: readonly string[]): number {
  return forms.reduce((sum, form) => {
    const tagged = new RegExp(`[”"]\\s?${form}\\s?(?:又?(?:说|问|道|答)|said|asked)|(?:said|asked) ${form}\\b`, "g");
    return sum + [...text.matchAll(tagged)].length;
  }, 0);
}

export const rangeOf = ({ chapterId, from, to }: MentionRange): MentionRange => ({ chapterId, from, to });
