import { useLingui } from "@lingui/react/macro";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type Backend, type ChapterInfo } from "../../backend";
import { Picker, type Option } from "../../design";
import { reasonSentence } from "../../i18n/reasons";
import { count } from "../../i18n/words";
import { numberOf } from "../../lib/ordinal";
import {
  answererIcon,
  leavesLikewiseSentence,
  leavesSentence,
  onlyBookSentence,
  versionNumber,
  type Answerer,
  type Answering,
  type AskedService,
} from "./answering";
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
  return last === null ? 0 : numberOf(last, chapters);
}

/** Choice of the part of the book that a question may use: up to the caret, to the end of a chapter, or all of it. */
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

/** Before the id of a program in the menu. */
const PROGRAM = "program:";

interface WhoAnswersProps {
  /** `null`: the book alone. */
  answerer: Answerer | null;
  /** The model that can answer; `null`: none can. */
  model: Answering | null;
  programs: readonly Backend[];
  /** Number of the last chapter that the question knows; `null`: it knows all. */
  lastChapter: number | null;
  /** The answer service that is asked too; `null`: none. */
  service: AskedService | null;
  onChange: (choice: { onlyBook?: boolean; backendId?: string }) => void;
  onSettings: () => void;
}

/** Who answers: a model or a program, each with what leaves for it, or the book alone. */
export function WhoAnswers({ answerer, model, programs, lastChapter, service, onChange, onSettings }: WhoAnswersProps) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  // A program is started for its test: only while the menu is looked at.
  const tests = useQueries({
    queries: programs.map(({ backendId }) => ({ ...queries.testedBackend(backendId), enabled: isOpen })),
  });
  const ofModel: Answerer | null = model && { kind: "model", model };
  const isUnready = (index: number) => tests[index]?.data?.ready === false;
  /** The first program that is described as one that cannot write: those after it are like it. */
  const first = programs.findIndex(({ kind }, index) => kind !== "own" && !isUnready(index));
  const ofPrograms = programs.map((program, index): Option<string> => {
    const tested = tests[index]?.data;
    const isReady = !isUnready(index);
    const isLikewise = program.kind !== "own" && index > first;
    const note = !isReady ? t`用不了` : tested?.version ? versionNumber(tested.version) : undefined;
    return {
      key: PROGRAM + program.backendId,
      label: program.name,
      icon: "terminal",
      isFaint: !isReady,
      detail:
        reasonSentence(tested?.reason) ??
        (isLikewise
          ? leavesLikewiseSentence(program)
          : leavesSentence({ kind: "program", program }, lastChapter, service)),
      ...(note !== undefined && { note }),
    };
  });
  const options: Option<string>[] = [
    ...(model && ofModel
      ? [
          {
            key: "model",
            label: model.model,
            icon: answererIcon(ofModel),
            detail: leavesSentence(ofModel, lastChapter, service),
            ...(model.isOfWriting && { note: t`写作用的` }),
          },
        ]
      : []),
    ...ofPrograms,
    { key: "book", label: t`只翻书`, icon: "book", detail: onlyBookSentence() },
    { key: OTHER, label: model ? t`换一个模型…` : t`选一个模型…`, detail: t`在设置里选。` },
  ];
  return (
    <Picker
      quiet
      label={t`谁来答`}
      value={answerer === null ? "book" : answerer.kind === "model" ? "model" : PROGRAM + answerer.program.backendId}
      onChange={(key) => {
        if (key === OTHER) onSettings();
        else if (key.startsWith(PROGRAM)) onChange({ backendId: key.slice(PROGRAM.length) });
        else onChange({ onlyBook: key === "book" });
      }}
      onOpen={setOpen}
      options={options}
      testId="ask-who"
    />
  );
}
