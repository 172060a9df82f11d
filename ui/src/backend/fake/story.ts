import type { Commands, FoundPassage } from "../bindings.gen";

type Name = "story:analyze" | "story:find" | "story:status";

interface Context {
  /** Number of chapters of a project. */
  chapters: (projectId: string) => number;
}

/** The analysis of books: a test gives the passages that a search finds. */
export class FakeStory {
  /** The answer to every search, best first. */
  found: FoundPassage[] = [];

  constructor(private readonly context: Context) {}

  private status(projectId: string): Commands["story:status"]["result"] {
    const chapters = this.context.chapters(projectId);
    return { chapters, analyzed: chapters, passages: this.found.length };
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "story:analyze": ({ projectId }) => this.status(projectId),
    "story:find": ({ limit }) => ({
      passages: this.found.slice(0, limit ?? 8),
      degraded: false,
      degradedReason: null,
    }),
    "story:status": ({ projectId }) => this.status(projectId),
  };
}
