import { useLingui } from "@lingui/react/macro";
import type { ChapterInfo } from "../../backend";
import { Picker } from "../../design";
import { count } from "../../i18n/words";
import { leavesSentence, onlyBookSentence, type Answering } from "./answering";
import type { AskAsOf } from "./session";

interface AsOfChoiceProps {
  asOf: AskAsOf;
  onChange: (asOf: AskAsOf) => void;
  chapters: readonly ChapterInfo[];
  /** The chapter of the writer's caret. */
  caretChapterId: string | null;
}

const PIN = "pin:";

/** Number of the last chapter that a question knows, from 1; 0: none. */
export function lastNumber(asOf: AskAsOf, chapters: readonly ChapterInfo[], caretChapterId: string | null): number {
  if (asOf.mode === "whole") return chapters.length;
  const last = asOf.mode === "pinned" ? asOf.chapterId : caretChapterId;
  return chapters.findIndex(({ chapterId }) => chapterId === last) + 1;
}

/** How far the book is known to the question: the caret, the end of a chapter, or all of it. */
export function AsOfChoice({ asOf, onChange, chapters, caretChapterId }: AsOfChoiceProps) {
  const { t } = useLingui();
  const caretNumber = count(lastNumber({ mode: "caret" }, chapters, caretChapterId));
  const change = (key: string) => {
    if (key === "caret" || key === "whole") onChange({ mode: key });
    else onChange({ mode: "pinned", chapterId: key.slice(PIN.length) });
  };
  return (
    <Picker
      quiet
      label={t`问到哪里为止`}
      value={asOf.mode === "pinned" ? PIN + asOf.chapterId : asOf.mode}
      onChange={change}
      options={[
        {
          key: "caret",
          label: t`到第 ${caretNumber} 章为止`,
          note: t({ message: "跟着光标", context: "how far a question knows the book" }),
        },
        { key: "whole", label: t({ message: "全书", context: "how far a question knows the book" }) },
        ...chapters.map(({ chapterId, title }, index) => ({
          key: PIN + chapterId,
          label: t`到第 ${count(index + 1)} 章为止`,
          note: title,
        })),
      ]}
      testId="ask-as-of"
    />
  );
}

/** The answer of the menu that leads to the settings. */
const OTHER = "other";

interface WhoAnswersProps {
  /** `null`: no model can answer. */
  answering: Answering | null;
  onlyBook: boolean;
  onChange: (onlyBook: boolean) => void;
  onSettings: () => void;
}

/** Who answers: a model, with what leaves for it, or the book alone. */
export function WhoAnswers({ answering, onlyBook, onChange, onSettings }: WhoAnswersProps) {
  const { t } = useLingui();
  const model = answering && {
    key: "model",
    label: answering.model,
    icon: answering.reach === "machine" ? ("chip" as const) : ("away" as const),
    detail: leavesSentence(answering),
    ...(answering.isOfWriting && { note: t`写作用的` }),
  };
  return (
    <Picker
      quiet
      label={t`谁来答`}
      value={onlyBook || !answering ? "book" : "model"}
      onChange={(key) => {
        if (key === OTHER) onSettings();
        else onChange(key === "book");
      }}
      options={[
        ...(model ? [model] : []),
        { key: "book", label: t`只翻书`, icon: "book", detail: onlyBookSentence() },
        {
          key: OTHER,
          label: answering ? t`换一个模型…` : t`选一个模型…`,
          detail: t`在设置里选。`,
        },
      ]}
      testId="ask-who"
    />
  );
}
