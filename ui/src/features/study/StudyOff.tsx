import { Trans, useLingui } from "@lingui/react/macro";
import type { StudyEstimate, StudyState } from "../../backend";
import { Busy, Button, Check, Icon, Notice } from "../../design";
import { count } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import css from "./study.module.css";
import type { StudyChanges } from "./useStudyChanges";
import { gapsLine } from "./words";

/** Questions about gaps that are shown without a model. */
const MAX_SHOWN = 5;

interface StudyOffProps {
  state: StudyState;
  /** `undefined`: it is being estimated. */
  estimate: StudyEstimate | undefined;
  changes: StudyChanges;
  isReadOnly: boolean;
  onFold: () => void;
  onSettings: () => void;
}

/** A study that is off: what it does, what it would take, where the text goes, and the switch. */
export function StudyOff({ state, estimate, changes, isReadOnly, onFold, onSettings }: StudyOffProps) {
  const { t } = useLingui();
  return (
    <>
      <p className={css.said}>
        {t`趁你不在键盘前，它自己拿书来问，自己去找，找到的给你看。你没认下的都不作数，每一句都带着原话。`}
      </p>
      {estimate ? (
        <Agreement {...{ state, estimate, changes, isReadOnly, onFold, onSettings }} />
      ) : (
        <Busy>{t`正在估……`}</Busy>
      )}
    </>
  );
}

type AgreementProps = Omit<StudyOffProps, "estimate"> & { estimate: StudyEstimate };

function Agreement({ state, estimate, changes, isReadOnly, onFold, onSettings }: AgreementProps) {
  const { t } = useLingui();
  const { host, isLocal, model } = estimate;
  if (model === null || host === null)
    return (
      <>
        <Notice
          title={t`还没有选模型`}
          testId="study-no-model"
          actions={<Button size="s" onPress={onSettings} data-testid="study-settings">{t`去设置`}</Button>}
        >{t`人、地方、时间和原文照样找得到。要它自己问、自己找，得有一个模型。`}</Notice>
        <Gaps estimate={estimate} />
      </>
    );
  return (
    <>
      <Numbers state={state} estimate={estimate} />
      {isLocal ? <StaysHere estimate={estimate} /> : <LeavesFor estimate={estimate} state={state} />}
      {!isReadOnly && (
        <>
          <Depth state={state} changes={changes} />
          <div className={css.acts}>
            <Button
              kind={isLocal ? "primary" : "plain"}
              isDisabled={changes.isPending}
              onPress={() => changes.switchOn(state, host)}
              data-testid="study-on"
            >
              {t({ message: "打开", context: "a study" })}
            </Button>
            <Button kind="quiet" onPress={onFold} data-testid="study-not-now">{t`先不`}</Button>
            <span className="grow" />
            <Button kind="quiet" onPress={onSettings} data-testid="study-settings">
              {isLocal ? t`换个模型…` : t`换成本机的…`}
            </Button>
          </div>
        </>
      )}
    </>
  );
}

/** The questions about the first gaps, for the writer to think about where no model asks them. */
function Gaps({ estimate: { gaps, topGaps } }: { estimate: StudyEstimate }) {
  const { t } = useLingui();
  const shown = topGaps.slice(0, MAX_SHOWN);
  if (shown.length === 0) return null;
  const more = gaps - shown.length;
  return (
    <div className={css.questions} data-testid="study-gaps">
      <h4>{t`书里还没有交代的，你自己可以想想`}</h4>
      <ul className={css.gaps}>
        {shown.map(({ suggestedQuestion }) => (
          <li key={suggestedQuestion} lang={langOf(suggestedQuestion)}>
            {suggestedQuestion}
          </li>
        ))}
      </ul>
      {more > 0 && <small>{t`另外还有 ${count(more)} 处`}</small>}
    </div>
  );
}

/** The gaps and pairs that it would take up, and the most that one question and a day take. */
function Numbers({ state, estimate }: { state: StudyState; estimate: StudyEstimate }) {
  const { t } = useLingui();
  const { gaps, pairs, requestsPerQuestion, tokensPerQuestion, tokensPerDay } = estimate;
  return (
    <dl className={css.numbers} data-testid="study-estimate">
      <div>
        <dt>{t`要问的`}</dt>
        <dd>{t({ message: `${count(gaps)} 处`, context: "gaps of a book" })}</dd>
        <dd>{gapsLine(estimate)}</dd>
      </div>
      <div>
        <dt>{t`问一个`}</dt>
        <dd>{t`最多 ${count(tokensPerQuestion)} 词元`}</dd>
        <dd>{t`${count(state.maxSteps)} 步，${count(requestsPerQuestion)} 次请求`}</dd>
      </div>
      <div>
        <dt>{t`一天`}</dt>
        <dd>{t`最多 ${count(state.maxQuestions)} 问`}</dd>
        <dd>{t`都用上是 ${count(Number(tokensPerDay))} 词元`}</dd>
      </div>
      {pairs > 0 && (
        <div className={css.pairs} data-testid="study-pairs">
          <dt>{t`要比的`}</dt>
          <dd>{t({ message: `${count(pairs)} 对`, context: "pairs of sentences" })}</dd>
          <dd>{t`每对一次请求`}</dd>
        </div>
      )}
    </dl>
  );
}

/** The model is on this machine. */
function StaysHere({ estimate: { model, namesHidden } }: { estimate: StudyEstimate }) {
  const { t } = useLingui();
  return (
    <p className={css.leaves} data-testid="study-leaves">
      <Icon name="chip" size="xs" />
      <span>
        <Trans>
          问的是本机的 <b>{model}</b>，什么也不发出去。
        </Trans>
        {namesHidden && t`藏着的名字照样换成化名。`}
      </span>
    </p>
  );
}

/** The model is elsewhere: what a question and a day send there. */
export function LeavesFor({ state, estimate }: { state: StudyState; estimate: StudyEstimate }) {
  const { t } = useLingui();
  const { host, namesHidden, passages, tokensPerDay, tokensPerQuestion } = estimate;
  return (
    <Notice
      icon="away"
      title={t`问一次，最多 ${count(tokensPerQuestion)} 词元发往 ${host ?? ""}`}
      testId="study-leaves"
    >
      {t`一天最多 ${count(state.maxQuestions)} 问，都用上是 ${count(Number(tokensPerDay))} 词元，按那边的价钱算。`}
      {t`书里一共 ${count(passages)} 段，哪一段都可能发过去。`}
      {namesHidden ? t`名字换成化名。` : t`这本书没有藏着的名字，都照原样发。`}
    </Notice>
  );
}

/** More steps a question. */
export function Depth({ state, changes }: { state: StudyState; changes: StudyChanges }) {
  const { t } = useLingui();
  return (
    <Check
      label={t`读深一些`}
      note={t`一个问题多查几步，也多花一些。`}
      checked={state.isDeep}
      disabled={changes.isPending}
      onChange={(isDeep) => changes.setDeep(state, isDeep)}
      testId="study-deep"
    />
  );
}
