import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, type KeyboardEvent } from "react";
import { useStore } from "zustand";
import { queries, type Answer, type Backend, type Project } from "../../backend";
import { Button, Composer, Icon, IconButton, LinkButton, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, dayName } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import { langOf } from "../../lib/langOf";
import {
  answererIcon,
  answeringModel,
  askedService,
  leavesAgainSentence,
  leavesSentence,
  onlyBookSentence,
  type Answerer,
  type Answering,
  type AskedService,
} from "./answering";
import css from "./ask.module.css";
import { AskCard, type CardActions } from "./AskCard";
import { AskHistory } from "./AskHistory";
import { AsOfChoice, lastNumber, WhoAnswers } from "./Choices";
import { isUnderWay, keptOf } from "./exchange";
import { Sent } from "./Sent";
import type { AskSession } from "./session";

interface AskPanelProps extends CardActions {
  session: AskSession;
  project: Project;
  /** The chapter of the writer's caret. */
  caretChapterId: string | null;
  onStart: () => void;
}

/** Most earlier questions that are listed above the present one, besides those whose text has changed. */
const MAX_LISTED = 2;

/** Panel of questions: the part of the book that they may use, who answers, the answer, and the field. */
export function AskPanel(props: AskPanelProps) {
  const { session, project, caretChapterId, onStart, ...actions } = props;
  const { t } = useLingui();
  const panel = useRef<HTMLDivElement>(null);
  const { exchange, asOf, onlyBook, backendId, called } = useStore(session.state);
  const { data: chapters = [] } = useQuery(queries.chapters(project.projectId));
  const { data: models, error: unread } = useQuery(queries.models());
  const { data: listed } = useQuery(queries.backends());
  const { data: settings } = useQuery(queries.answerService());
  const model = models ? answeringModel(models) : null;
  const program = listed?.backends.find((one) => one.backendId === backendId) ?? null;
  const answerer = onlyBook ? null : answererOf(model, backendId, program);
  const known = asOf.mode === "whole" ? null : lastNumber(asOf, chapters, caretChapterId) || null;
  // A question that knows less than the last chapter does not go to the service.
  const service = known === null || known === chapters.length ? askedService(settings) : null;
  const lang = project.language === "zh" ? "zh-CN" : "en";
  const field = () => panel.current?.querySelector("textarea") ?? null;
  useEffect(() => field()?.focus(), [called]);
  // A removed program is replaced by the model, unless the list of programs is incomplete.
  const isRemoved = backendId !== null && listed !== undefined && !listed.degradedReason && program === null;
  useEffect(() => {
    if (isRemoved) session.setAnswerer({});
  }, [isRemoved, session]);

  // The arrow up in an empty field focuses the answer.
  const onKeyDown = (event: KeyboardEvent) => {
    const { target, key } = event;
    if (isComposing(event.nativeEvent) || key !== "ArrowUp" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(target instanceof HTMLTextAreaElement) || target.value !== "") return;
    panel.current?.querySelector<HTMLElement>("article")?.focus();
    event.preventDefault();
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={css.panel} ref={panel} onKeyDown={onKeyDown} data-ask data-testid="ask-panel">
      <div className={css.choices}>
        <AsOfChoice
          asOf={asOf}
          onChange={(next) => session.setAsOf(next)}
          chapters={chapters}
          caretChapterId={caretChapterId}
        />
        <span className="grow" />
        {models && (
          <WhoAnswers
            answerer={answerer}
            model={model}
            programs={listed?.backends ?? []}
            lastChapter={known}
            service={service}
            onChange={(choice) => session.setAnswerer(choice)}
            onSettings={actions.onSettings}
          />
        )}
      </div>
      <div className={css.body}>
        {models && model === null && backendId === null && (
          <Notice
            title={t`还没有能回答的模型`}
            actions={<Button size="s" onPress={actions.onSettings} data-testid="ask-to-settings">{t`去设置`}</Button>}
            testId="ask-no-model"
          >
            {t`示例模型只会写句子，从不回答。原文照样找得出来。`}
          </Notice>
        )}
        {unread && (
          <Notice warn title={t`读不出由谁来答`} testId="ask-models-unread">
            {errorSentence(unread)}
          </Notice>
        )}
        <Earlier session={session} project={project} caretChapterId={caretChapterId} />
        {exchange && <AskCard {...actions} session={session} exchange={exchange} chapters={chapters} lang={lang} />}
      </div>
      <Dock
        session={session}
        answerer={answerer}
        isReady={models !== undefined && (backendId === null || program !== null)}
        lastChapter={known}
        service={service}
        lang={lang}
        onStart={onStart}
      />
    </div>
  );
}

function answererOf(model: Answering | null, backendId: string | null, program: Backend | null): Answerer | null {
  if (backendId !== null) return program && { kind: "program", program };
  return model && { kind: "model", model };
}

/** The last questions with a kept answer, those first whose text has changed; or examples, while there is none. */
function Earlier({
  session,
  project: { projectId },
  caretChapterId,
}: Pick<AskPanelProps, "session" | "project" | "caretChapterId">) {
  const { t } = useLingui();
  const { exchange } = useStore(session.state);
  const { data } = useInfiniteQuery(queries.answers(projectId, "all", null, ""));
  const { data: changed } = useInfiniteQuery(queries.answers(projectId, "stale", null, ""));
  const { data: chapters = [] } = useQuery(queries.chapters(projectId));
  const stale = changed?.pages[0]?.answers ?? [];
  const asked = (data?.pages[0]?.answers ?? []).filter(
    ({ origin, staleness }) => origin === "asked" && staleness !== "stale",
  );
  const shown = exchange && keptOf(exchange)?.answerId;
  const isNear = (id: string) => exchange?.nearly.some(({ answer }) => answer.answerId === id);
  const listed = [...stale, ...asked.slice(0, MAX_LISTED)].filter(
    ({ answerId }) => answerId !== shown && !isNear(answerId),
  );
  if (listed.length === 0) {
    if (exchange) return null;
    const title = chapters.find(({ chapterId }) => chapterId === caretChapterId)?.title ?? chapters[0]?.title;
    return (
      <NothingYet
        examples={[
          ...(title === undefined ? [] : [t`《${title}》这一章里，谁出场了？`]),
          t`到这里为止，还有哪些事没有交代？`,
        ]}
        onPick={(question) => session.putBack(question)}
      />
    );
  }
  return (
    <ul aria-label={t`问过的`} data-testid="ask-earlier">
      {listed.map((answer) => (
        <li key={answer.answerId}>
          <button
            type="button"
            className={css.earlier}
            disabled={isUnderWay(exchange)}
            onClick={() => session.showKept(answer)}
            data-testid="ask-earlier-question"
          >
            <time dateTime={answer.updatedAt}>{dayName(answer.updatedAt).name}</time>
            <b lang={langOf(answer.question)}>{answer.question}</b>
            <Standing answer={answer} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Standing({ answer: { staleness, status, userConfirmed, passes } }: { answer: Answer }) {
  const { t } = useLingui();
  if (staleness === "stale")
    return (
      <span className={css.tag} data-tone="warning">
        <Icon name="warning" size="xs" />
        {t`原文改过`}
      </span>
    );
  if (status === "blocked") return <span className={css.tag}>{t`不再用`}</span>;
  if (!userConfirmed && passes === 0) return <span />;
  return (
    <span className={css.tag}>
      <Icon name="check" size="xs" />
      {userConfirmed ? t`定论` : t`有用`}
    </span>
  );
}

function NothingYet({ examples, onPick }: { examples: readonly string[]; onPick: (question: string) => void }) {
  const { t } = useLingui();
  return (
    <div className={css.empty} data-testid="ask-empty">
      <p>{t`问问这本书。答的每一句，都带着出处。`}</p>
      <small>{t`问过的留在这里，也记进流水。`}</small>
      <div className={css.examples}>
        {examples.map((question) => (
          <Button key={question} className={css.example!} onPress={() => onPick(question)} data-testid="ask-example">
            <span>{question}</span>
          </Button>
        ))}
      </div>
    </div>
  );
}

interface DockProps {
  session: AskSession;
  /** `null`: the book alone is asked. */
  answerer: Answerer | null;
  /** Whether it is known who answers. */
  isReady: boolean;
  /** Number of the last chapter that the question knows; `null`: it knows all. */
  lastChapter: number | null;
  lang: string;
  /** The answer service that is asked too; `null`: none. */
  service: AskedService | null;
  onStart: () => void;
}

/** The field, and above it what a question sends, before it is sent. */
function Dock({ session, answerer, isReady, lastChapter, service, lang, onStart }: DockProps) {
  const { t } = useLingui();
  const { projectId, question, selection, exchange, asOf, preview } = useStore(session.state);
  const isBusy = isUnderWay(exchange);
  const isServed = exchange?.state === "served" && !exchange.isTaken;
  const sentence = isServed ? leavesAgainSentence : leavesSentence;
  const isSent = answerer !== null && !(answerer.kind === "model" && answerer.model.reach === "machine");
  const canAsk = projectId !== null && isReady && !isBusy && question.trim() !== "";
  return (
    <div className={css.dock}>
      {isBusy && (
        <div className={css.row}>
          <span className="grow" />
          <Button
            size="s"
            icon="stop"
            keys="Esc"
            onPress={() => void session.stop()}
            data-testid="ask-stop"
          >{t`停止`}</Button>
        </div>
      )}
      {selection !== null && (
        <p className={css.selected} data-testid="ask-selection">
          {t`关于选中的：`}
          <q lang={lang}>{selection}</q>
          <IconButton
            name="cross"
            size="xs"
            label={t`不带选中的`}
            onPress={() => session.setSelection(null)}
            data-testid="ask-selection-drop"
          />
        </p>
      )}
      {isReady && (
        <p className={css.leaves} data-testid="ask-leaves">
          <Icon name={answererIcon(answerer)} size="xs" />
          <span>
            {answerer ? sentence(answerer, lastChapter, service) : onlyBookSentence()}
            {selection !== null && isSent && t`选中的文字也一起发。`}
            {asOf.mode === "whole" && (
              <span className={css.whole} data-testid="ask-whole">
                {answerer ? t`后面的事也会带上。` : t`后面的事也会找出来。`}
              </span>
            )}
            {asOf.mode === "pinned" &&
              lastChapter !== null &&
              answerer?.kind !== "program" &&
              t`只到第 ${count(lastChapter)} 章。`}
            {answerer !== null && canAsk && (
              <>
                {" "}
                <LinkButton
                  onPress={() => void session.togglePreview()}
                  aria-expanded={preview !== null}
                  data-testid="ask-preview-toggle"
                >
                  {preview ? t`收起` : t`看发送内容`}
                </LinkButton>
              </>
            )}
          </span>
        </p>
      )}
      {preview && <Sent preview={preview} />}
      <Composer
        label={t({ message: "问题", context: "field" })}
        placeholder={t`问这本书，或者问别的`}
        value={question}
        onChange={(next) => session.setQuestion(next)}
        onEnter={onStart}
        maxRows={6}
        testId="ask-field"
        before={projectId !== null && <AskHistory session={session} projectId={projectId} />}
      >
        <Button
          kind={canAsk && !isServed ? "primary" : "plain"}
          icon="enter"
          isDisabled={!canAsk}
          onPress={onStart}
          data-testid="ask-run"
        >
          {t({ message: "问", context: "button" })}
        </Button>
      </Composer>
    </div>
  );
}
