import { createStore, type StoreApi } from "zustand/vanilla";
import { call, toBackendError, type BackendError, type ChapterInfo } from "../../backend";
import { firstOf, lastOf } from "../../lib/cut";
import { placesOf } from "../../lib/find";
import type { Span } from "../../lib/survivingSpans";

/** One place in a chapter, with what stands around it on its line. */
export interface Hit extends Span {
  before: string;
  words: string;
  after: string;
}

export interface FoundChapter {
  chapterId: string;
  title: string;
  /** Counted from 1, as in the book. */
  number: number;
  /** In how many places it stands there; of each of the first `LISTED` there is a hit. */
  total: number;
  hits: Hit[];
}

export interface BookFinderState {
  query: string;
  /** idle: nothing is looked for. stopped: not all chapters were read. */
  phase: "idle" | "looking" | "done" | "stopped" | "failed";
  /** Chapters read. */
  done: number;
  chapters: number;
  found: FoundChapter[];
  /** Chapters that could not be read, by their titles. */
  unread: string[];
  error: BackendError | null;
  /** Counts how often the field was called for: each time the keyboard goes to it. */
  called: number;
}

/** As many places of a chapter are listed; the others are only counted. */
const LISTED = 100;
/** UTF-16 units of the line around a place; Han is twice as wide as Latin. What stands before is short, so that the place itself is in sight. */
const BEFORE = { han: 12, latin: 26 };
const AFTER = 80;

const NOTHING = { phase: "idle" as const, done: 0, chapters: 0, found: [], unread: [], error: null };

/** Looks through the chapters of a book, one after the other; whoever asks for something else is answered, and nobody else. */
export class BookFinder {
  readonly state: StoreApi<BookFinderState> = createStore<BookFinderState>(() => ({
    query: "",
    called: 0,
    ...NOTHING,
  }));
  /** Which search is the newest. */
  private turn = 0;

  /** `settle`: what is being written is in the files before they are read. */
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
    // What was found stays in sight until the first chapter has answered: nothing flickers.
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

  /** What was found so far stays. */
  stop(): void {
    if (this.state.getState().phase !== "looking") return;
    this.turn += 1;
    this.state.setState({ phase: "stopped" });
  }

  /** Another book: nothing of this one. */
  forget(): void {
    this.turn += 1;
    this.state.setState({ query: "", ...NOTHING });
  }
}

/** `null`: it could not be read. The others still can be. */
async function lookInto(
  projectId: string,
  { chapterId, title }: ChapterInfo,
  number: number,
  query: string,
): Promise<FoundChapter | null> {
  try {
    const { text } = await call("chapter:read", { projectId, chapterId });
    const places = placesOf(text, query);
    return {
      chapterId,
      title,
      number,
      total: places.length,
      hits: places.slice(0, LISTED).map((place) => hitOf(text, place)),
    };
  } catch {
    return null;
  }
}

function hitOf(text: string, { from, to }: Span): Hit {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const next = text.indexOf("\n", to);
  const line = { before: text.slice(start, from), after: text.slice(to, next < 0 ? text.length : next) };
  // The mark of a title is not of the text.
  const before = line.before.replace(/^#{1,6} +/, "").trimStart();
  const [head, tail] = [endOf(before), firstOf(line.after, AFTER)];
  return {
    from,
    to,
    before: head === before ? head : `…${head}`,
    words: text.slice(from, to),
    after: tail === line.after ? tail : `${tail}…`,
  };
}

/** What stands right before a place; words are whole. */
function endOf(before: string): string {
  if (/\p{Script=Han}/u.test(before)) return lastOf(before, BEFORE.han);
  const head = lastOf(before, BEFORE.latin);
  return head === before ? head : head.replace(/^\S*\s/, "");
}
