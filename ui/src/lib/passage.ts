/** The editor as the assistant uses it: reads the text around the caret and inserts drafts. */
export interface DraftTarget {
  /**
   * Anchors the next draft at the selection and returns the text around it. The anchor follows later edits.
   * `reuse`: the range that is anchored already.
   */
  placeAnchor(reuse?: boolean): Passage;
  releaseAnchor(): void;
  /** The text around the selection, without an anchor. */
  passage(): Passage;
  readonly hasSelection: boolean;
  /** Shows a draft in muted ink at the anchor; `null` removes it. */
  previewDraft(draft: { text: string; number: number } | null): void;
  /** Inserts the draft at the anchor as one undoable step, and saves. */
  insertDraft(draft: AcceptedDraft): void;
  focus(): void;
}

export interface Passage {
  before: string;
  selection: string | null;
  after: string;
  /** The position of the end of `before` in the chapter, in UTF-16 code units. */
  offset: number;
}

export interface AcceptedDraft {
  generationId: string;
  skill: string;
  text: string;
  /** The ranges of `text` that are generated: all of it unless the writer edited the draft first. */
  written: { from: number; to: number }[];
}
