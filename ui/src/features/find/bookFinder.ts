import { createStore, type StoreApi } from "zustand/vanilla";
import { call, toBackendError, type BackendError, type ChapterInfo } from "../../backend";
import { contextOf, firstOf } from "../../lib/cut";
import { joinedText, placesOf } from "../../lib/find";
import type { Span } from "../../lib/survivingSpans";

/** A match in a chapter, with the text around it in its paragraph. */
export interface Hit extends Span {
  before: string;
  words: string;
  after: string;
}

export interface FoundChapter {
  chapterId: string;
  title: string;
  /** Number of the chapter in the book, from 1. */
  number: number;
  /** Number of matches; the first `MAX_HITS` have a hit each. */
  total: number;
  hits: Hit[];
}

export interface BookFinderState {
  query: string;
  /** `idle`: no query. `stopped`: some chapters were not read. */
  phase: "idle" | "looking" | "done" | "stopped" | "failed";
  /** Number of chapters read so far. */
  done: number;
  chapters: number;
  found: FoundChapter[];
  /** Titles of chapters that could not be read. */
  unread: string[];
  error: BackendError | null;
  /** Counts requests to focus the field. */
  called: number;
}

/** Matches listed per chapter; the others are only counted. */
const MAX_HITS = 100;
/**
 * UTF-16 units of context on the match's line; Han characters are twice as wide as Latin ones. The part before is
 * short, so that the match itself is visible.
 */
export const MAX_CONTEXT_BEFORE = { han: 12, latin: 26 };
const MAX_CONTEXT_AFTER = 80;

const NOTHING = { phase: "idle" as const, done: 0, chapters: 0, found: [], unread: [], error: null };

/** Searches the chapters of a book one after another. A new query replaces the running one. */
export class BookFinder {
  readonly state: StoreApi<BookFinderState> = createStore<BookFinderState>(() => ({
    query: "",
    called: 0,
    ...NOTHING,
  }));
  /** Number of the newest search. */
  private turn = 0;

  /** `settle` saves unsaved text before the files are read. */
  constructor(private readonly settle: () => Promise<unknown>) {}

  call(): void {
    this.state.setState(({ called }) => ({ called: called + 1 }));
  }

  async look(projectId: string, query: string): Promise<void> {
    this.turn += 1;
    const { turn } = this;
    const isNewest = () => turn === this.turn;
    if (query === "") {
      this.state.setState({ query, ...NOTHING });
      return;
    }
    // The old results stay until the first chapter has answered, to avoid flicker.
    this.state.setState({ query, phase: "looking", done: 0, chapters: 0, error: null });
    try {
      await this.settle();
      const { chapters } = await call("chapter:list", { projectId });
      if (!isNewest()) return;
      this.state.setState({ chapters: chapters.length });
      const found: FoundChapter[] = [];
      const unread: string[] = [];
      for (const [index, chapter] of chapters.entries()) {
        const one = await lookInto(projectId, chapter, index + 1, query);
        if (!isNewest()) return;
        if (one === null) unread.push(chapter.title);
        else if (one.total > 0) found.push(one);
        this.state.setState({ done: index + 1, found: [...found], unread: [...unread] });
      }
      this.state.setState({ phase: "done", found, unread });
    } catch (error) {
      if (isNewest()) this.state.setState({ phase: "failed", found: [], unread: [], error: toBackendError(error) });
    }
  }

  /** Stops the search and keeps the results so far. */
  stop(): void {
    if (this.state.getState().phase !== "looking") return;
    this.turn += 1;
    this.state.setState({ phase: "stopped" });
  }

  /** Resets for another book. */
  forget(): void {
    this.turn += 1;
    this.state.setState({ query: "", ...NOTHING });
  }
}

/** `null`: the chapter could not be read. The search goes on with the others. */
async function lookInto(
  projectId: string,
  { chapterId, title }: ChapterInfo,
  number: number,
  query: string,
): Promise<FoundChapter | null> {
  try {
    const { text, softBreaks } = await call("chapter:read", { projectId, chapterId });
    const joined = joinedText(text, softBreaks);
    const places = placesOf(joined.text, query);
    return {
      chapterId,
      title,
      number,
      total: places.length,
      hits: places.slice(0, MAX_HITS).map((place) => ({ ...contextIn(joined.text, place), ...joined.stored(place) })),
    };
  } catch {
    return null;
  }
}

/** A match with its paragraph. */
function contextIn(text: string, { from, to }: Span): Omit<Hit, keyof Span> {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const next = text.indexOf("\n", to);
  const line = { before: text.slice(start, from), after: text.slice(to, next < 0 ? text.length : next) };
  // Without the mark of the heading.
  const before = line.before.replace(/^#{1,6} +/, "").trimStart();
  const [head, tail] = [endOf(before), firstOf(line.after, MAX_CONTEXT_AFTER)];
  return {
    before: head === before ? head : `…${head}`,
    words: text.slice(from, to),
    after: tail === line.after ? tail : `${tail}…`,
  };
}

/** Text right before a match, cut at a word. */
const endOf = (before: string): string =>
  contextOf(before, /\p{Script=Han}/u.test(before) ? MAX_CONTEXT_BEFORE.han : MAX_CONTEXT_BEFORE.latin);
