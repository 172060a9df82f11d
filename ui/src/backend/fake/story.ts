import type { Commands, FoundPassage, Project } from "../bindings.gen";
import { invalid } from "./refusals";

type Name = "story:analyze" | "story:find" | "story:status";

interface Context {
  /** Whether nothing is found by meaning. */
  isWithoutMeaning: () => boolean;
  book: (projectId: string) => { project: Project; files: readonly unknown[] };
}

/** The analysis of books: a test gives the passages that a search finds. */
export class FakeStory {
  /** The answer to every search, best first. */
  found: FoundPassage[] = [];

  constructor(private readonly context: Context) {}

  private status(projectId: string): Commands["story:status"]["result"] {
    const chapters = this.context.book(projectId).files.length;
    return { chapters, analyzed: chapters, passages: this.found.length };
  }

  readonly commands: { [K in Name]: (args: Commands[K]["args"]) => Commands[K]["result"] } = {
    "story:analyze": ({ projectId, chapters }) => {
      if (chapters && this.context.book(projectId).project.path !== null) throw invalid("chapters");
      return this.status(projectId);
    },
    "story:find": ({ limit }) => {
      const degraded = this.context.isWithoutMeaning();
      const degradedReason = degraded ? "the encoder's files are not installed" : null;
      return { passages: this.found.slice(0, limit ?? 8), degraded, degradedReason };
    },
    "story:status": ({ projectId }) => this.status(projectId),
  };
}
