import type { EntityKind, Language } from "../bindings.gen";

/** An entity of a fake book, as its analysis finds it. */
export interface FakeEntity {
  kind: EntityKind;
  /** The words by which the text names it, the fullest first. */
  forms: string[];
  /** Misspelt forms that the text contains. */
  misspelt?: string[];
}

/** The entities of the sample. */
export const FAKE_CAST: Record<Language, FakeEntity[]> = {
  zh: [
    { kind: "character", forms: ["老周"] },
    { kind: "character", forms: ["父亲", "你爸"] },
    { kind: "character", forms: ["船老大"] },
    { kind: "place", forms: ["验潮所"] },
    { kind: "place", forms: ["修船厂"] },
    { kind: "thing", forms: ["水尺"] },
  ],
  en: [
    { kind: "character", forms: ["Zhou"] },
    { kind: "character", forms: ["my father", "Your dad"] },
    { kind: "character", forms: ["the skipper", "The skipper"] },
    { kind: "place", forms: ["the tide house"] },
    { kind: "place", forms: ["the quay"] },
    { kind: "thing", forms: ["gauge board"] },
  ],
};
