import { useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import type { CitationDraft, Language, StepAttributes, StepKind, StoryThread } from "../../backend";
import { Button, NameField } from "../../design";
import { count } from "../../i18n/words";
import detail from "./detail.module.css";
import { MAX_NAME, type RowContext } from "./EntityDetail";
import { FactCard } from "./FactCard";
import { factWords } from "./factChanges";
import { FactForm } from "./FactForm";
import facts from "./facts.module.css";
import css from "./plot.module.css";
import { ThreadMarks } from "./PlotMarks";
import type { StripChapters } from "./PresenceStrip";
import { RowFace } from "./RowFace";

interface ThreadRowProps {
  thread: StoryThread;
  /** The attributes that make facts steps, in the language of the book. */
  attributes: StepAttributes;
  strip: StripChapters;
  isOpen: boolean;
  onToggle: (entityId: string | null) => void;
  context: RowContext;
}

/** A thread in one row: its name, the chapters since its last step, its steps by chapter; and its card while open. */
export function ThreadRow({ thread, attributes, strip, isOpen, onToggle, context }: ThreadRowProps) {
  const detailId = useId();
  const { project, chapters } = context;
  const { entityId, name, status } = thread;
  const lang = project.language === "zh" ? "zh-CN" : "en";
  return (
    <li className={css.thread} data-open={isOpen || undefined} data-status={status}>
      <RowFace
        className={css.face}
        entityId={entityId}
        isOpen={isOpen}
        detailId={detailId}
        onPress={() => onToggle(isOpen ? null : entityId)}
        testId="thread"
      >
        <span className={css.title} lang={lang}>
          {name}
        </span>
        <Untouched thread={thread} />
        <ThreadMarks thread={thread} chapters={chapters} strip={strip} />
      </RowFace>
      {isOpen && (
        <div id={detailId} className={detail.detail} data-testid="story-detail">
          {!context.isReadOnly && <Steps thread={thread} attributes={attributes} lang={lang} context={context} />}
          <FactCard entityId={entityId} name={name} context={context} />
        </div>
      )}
    </li>
  );
}

/** The number of chapters since the last step of an open thread. */
function Untouched({ thread: { untouchedFor, status, steps } }: { thread: StoryThread }) {
  const { t } = useLingui();
  const words =
    status !== "open"
      ? ""
      : untouchedFor === null
        ? t({ message: "还没埋下", context: "a thread" })
        : untouchedFor > 0
          ? t`${count(untouchedFor)} 章`
          : steps.length > 1
            ? t({ message: "这一章", context: "how long a thread is untouched" })
            : t({ message: "新", context: "a thread" });
  return (
    <span className={css.untouched} data-testid="thread-untouched">
      {words}
    </span>
  );
}

/** The words of the decision not to answer a thread, in the language of the book. */
const ON_PURPOSE: Record<Language, string> = { zh: "有意的", en: "on purpose" };

type Placed = Exclude<StepKind, "leftOpen">;

interface StepsProps {
  thread: StoryThread;
  attributes: StepAttributes;
  lang: string;
  context: RowContext;
}

/** The actions of a thread: a step at the caret or from selected words, the decision to leave it open, its name. */
function Steps({ thread, attributes, lang, context }: StepsProps) {
  const { t } = useLingui();
  const { at, accepted, factChanges: changes, hasSelection, project, selection } = context;
  const { entityId, name, status, steps, version } = thread;
  const [asked, setAsked] = useState<Placed | "name" | null>(null);
  /** The words that were selected when the form was opened. */
  const [cited, setCited] = useState<CitationDraft | null>(null);
  const close = () => setAsked(null);
  const leftOpen = steps.find(({ kind }) => kind === "leftOpen");
  const has = (kind: StepKind) => steps.some((step) => step.kind === kind && !step.isStale);
  const words: Record<Placed, string> = { planted: t`在这里埋下…`, touched: t`在这里提到…`, paid: t`在这里收…` };
  const offered = (["planted", "touched", "paid"] as const).filter((kind) => kind === "touched" || !has(kind));
  // As of the whole book a step has its place from a sentence only.
  const canPlace = at !== null || hasSelection;
  const ask = (kind: Placed) => {
    setCited(hasSelection ? selection() : null);
    setAsked(kind);
  };
  const rename = (next: string | null) => {
    close();
    if (next !== null && next !== name) changes.rename({ entityId, kind: "thread", name, version }, next);
  };
  return (
    <>
      <div className={detail.acts}>
        {canPlace &&
          offered.map((kind) => (
            <Button key={kind} size="s" kind="quiet" onPress={() => ask(kind)} data-testid={`thread-${kind}`}>
              {words[kind]}
            </Button>
          ))}
        {status === "open" && (
          <Button
            size="s"
            kind="quiet"
            onPress={() =>
              changes.add({ entityId, name }, factWords(attributes.leftOpen, ON_PURPOSE[project.language]), {})
            }
            data-testid="thread-leave-open"
          >{t`就让它开着`}</Button>
        )}
        {leftOpen && (
          <Button
            size="s"
            kind="quiet"
            onPress={() => changes.remove(leftOpen.fact)}
            data-testid="thread-reopen"
          >{t`还是要收`}</Button>
        )}
        <Button size="s" kind="quiet" onPress={() => setAsked("name")} data-testid="story-rename">{t`改名`}</Button>
      </div>
      {asked === "name" && (
        <span className={detail.name} lang={lang}>
          <NameField initial={name} label={t`这条线索叫什么`} longest={MAX_NAME} onDone={rename} testId="story-name" />
        </span>
      )}
      {asked !== null && asked !== "name" && (
        <>
          {cited && (
            <p className={facts.cited} data-testid="fact-cited">
              {t`依据选中的`}
              <span lang={lang}>{cited.quote}</span>
            </p>
          )}
          <FactForm
            key={asked}
            label={words[asked]}
            initial={factWords(attributes[asked], "")}
            lang={lang}
            attributes={[]}
            others={accepted.filter((other) => other.entityId !== entityId)}
            onSave={(step) => changes.add({ entityId, name }, step, cited ? { citation: cited } : {}, close)}
            onCancel={close}
          />
        </>
      )}
    </>
  );
}
