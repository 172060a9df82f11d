import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type MeasureAnswer, type MeasureCost, type Trace } from "../../backend";
import { Button, LinkButton, Progress } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, providerName } from "../../i18n/words";
import css from "./why.module.css";

/** Measurement on demand: its cost before anything is sent, its progress, and its end if it failed. */
export function Measure({ trace }: { trace: Trace }) {
  const { t } = useLingui();
  const { projectId, generationId } = trace;
  const of = { projectId, generationId, tier: "masked" } as const;
  const { data: progress } = useQuery(queries.measuring());
  const [answer, setAnswer] = useState<MeasureAnswer | null>(null);
  const ask = useMutation({
    mutationFn: (confirmed: boolean) => call("memory:trace:measure", confirmed ? { ...of, confirmed } : of),
    onMutate: () => setAnswer(null),
    onSuccess: setAnswer,
  });
  const cancel = useMutation({ mutationFn: () => call("memory:trace:measure", { ...of, cancel: true }) });

  const here = progress?.generationId === generationId ? progress : null;
  const running = here ? here.end === null : answer?.status === "running";
  // The last end is shown until the next request.
  const end = answer === null || answer.status === "running" ? here?.end : null;
  const failed = end?.kind === "failed" ? end.error : null;

  if (running) {
    const [done, all] = here ? [here.done, here.regenerations] : [answer?.done ?? 0, answer?.cost?.regenerations ?? 0];
    return (
      <div className={css.measuring} data-testid="measure-progress">
        <span role="status">{all > 0 ? t`正在重写：${count(done)} / ${count(all)} 稿` : t`正在重写`}</span>
        <Progress label={t`实测`} done={done} total={all} />
        <LinkButton
          isDisabled={cancel.isPending}
          onPress={() => cancel.mutate()}
          data-testid="measure-cancel"
        >{t`取消`}</LinkButton>
      </div>
    );
  }
  const error = ask.error ?? failed;
  return (
    <div className={css.measure}>
      {answer?.status === "unconfirmed" && answer.cost ? (
        <Cost cost={answer.cost} busy={ask.isPending} onYes={() => ask.mutate(true)} onNo={() => setAnswer(null)} />
      ) : (
        <Button
          size="s"
          icon="again"
          isDisabled={ask.isPending}
          onPress={() => ask.mutate(false)}
          data-testid="why-measure"
        >{t`实测一下`}</Button>
      )}
      <span className={css.said} role="status" data-testid="measure-said">
        {answer?.status === "alreadyRunning"
          ? t`另一段正在实测，等它完成再试。`
          : end?.kind === "cancelled"
            ? t`已停止，什么也没有保留。`
            : null}
      </span>
      {error && !ask.isPending && (
        <span className={css.problem} role="alert" data-testid="measure-problem">
          {errorSentence(error)}
        </span>
      )}
    </div>
  );
}

/** Cost of a measurement, with the confirmation. */
function Cost({ cost, busy, onYes, onNo }: { cost: MeasureCost; busy: boolean; onYes: () => void; onNo: () => void }) {
  const { t } = useLingui();
  const [drafts, sent, back] = [count(cost.regenerations), count(cost.promptTokens), count(cost.answerTokens)];
  return (
    <div className={css.cost} role="group" aria-label={t`实测的费用`} data-testid="measure-cost">
      <p>{t`去掉一部分记忆，把这一段另写 ${drafts} 稿，比较后删除，正文不变。由${providerName(cost.provider)}来写。`}</p>
      <p>
        {cost.provider.sample
          ? t`自带的模型，不花钱。`
          : t`约发送 ${sent} 词元，最多返回 ${back} 词元，按服务商的价格计费。`}
      </p>
      {cost.requestsLeft !== null && (
        <p>{t`今天的上限还剩 ${count(cost.requestsLeft)} 次请求，这要用 ${drafts} 次。`}</p>
      )}
      <div className={css.costActs}>
        <Button
          size="s"
          kind="primary"
          icon="check"
          autoFocus
          isDisabled={busy}
          onPress={onYes}
          data-testid="measure-start"
        >{t`开始实测`}</Button>
        <Button size="s" kind="quiet" isDisabled={busy} onPress={onNo} data-testid="measure-dismiss">{t`取消`}</Button>
      </div>
    </div>
  );
}
