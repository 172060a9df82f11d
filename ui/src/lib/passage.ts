/** What the assistant may know of the page, and do to it. The editor implements it; nobody else touches the text. */
export interface Page {
  /** The text around the caret, and a hold on the place, which follows the text through later edits. `again`: the place held already. */
  hold(again?: boolean): Passage;
  /** The same, without holding on to it. */
  passage(): Passage;
  letGo(): void;
  /** Whether something is selected, for skills that work on a selection. */
  readonly hasSelection: boolean;
  /** Shows a draft in muted ink where it would go; null takes it away. */
  preview(draft: { text: string; number: number } | null): void;
  /** Writes the draft at the held place as one undoable step, and saves. */
  take(draft: TakenDraft): void;
  focus(): void;
}

export interface Passage {
  before: string;
  selection: string | null;
  after: string;
}

export interface TakenDraft {
  generationId: string;
  skill: string;
  /** What goes onto the page. */
  text: string;
  /** What of it the assistant wrote, in offsets of `text`: all of it, unless the writer changed it first. */
  written: { from: number; to: number }[];
}
