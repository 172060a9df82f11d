import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type ProviderList, type Purpose, type PurposeModel } from "../../backend";
import { Busy, Combo, Picker, Progress } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { reasonSentence } from "../../i18n/reasons";
import { count, purposeName } from "../../i18n/words";
import css from "./settings.module.css";

interface PurposesProps {
  models: ProviderList;
  index: { done: number; total: number } | null;
}

/** The model of each purpose. */
export function Purposes({ models, index }: PurposesProps) {
  return (
    <ul>
      {models.purposes.map((now) => (
        <li key={now.purpose} className={css.purpose} data-testid={`purpose-${now.purpose}`}>
          <Choose now={now} models={models} />
          {now.purpose === "embedding" && <Rereading index={index} />}
        </li>
      ))}
    </ul>
  );
}

const BUILT_IN = "builtIn";

function Choose({ now, models }: { now: PurposeModel; models: ProviderList }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { purpose } = now;
  const current = now.providerId ?? BUILT_IN;
  const [pick, setPick] = useState({ picked: current, over: current });
  // A new provider resets the choice of its model.
  const picked = pick.over === current ? pick.picked : current;
  const [isOpened, setIsOpened] = useState(false);
  const provider = models.providers.find(({ providerId }) => providerId === picked) ?? null;
  const served = useQuery({ ...queries.served(picked), enabled: isOpened && provider !== null });
  const set = useMutation({
    mutationFn: (model: string | null) =>
      call("ai:purpose:set", { purpose, providerId: model === null ? null : picked, model }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["models"] }),
  });

  const builtIn: Record<Purpose, string> = {
    writing: t`示例模型`,
    asking: t`和写作同一个`,
    distilling: t`套用现成句式`,
    embedding: t`自带的编码器`,
    journal: t`套用现成句式`,
    studying: t`和回答同一个`,
    reranking: t`按字和意思排`,
  };
  const what: Record<Purpose, string> = {
    writing: t`写出几稿`,
    asking: t`回答提问`,
    distilling: t`写出规则`,
    embedding: t`按意思找往事`,
    journal: t`写下流水`,
    studying: t`自己读书`,
    reranking: t`给找到的排先后`,
  };
  const choosePlace = (key: string) => {
    setPick({ picked: key, over: current });
    set.reset();
    if (key === BUILT_IN) {
      if (now.providerId !== null) set.mutate(null);
    } else setIsOpened(true);
  };
  const choose = (model: string) => {
    const underWay = set.isPending && set.variables === model;
    if (model !== "" && !underWay && !(model === now.model && picked === now.providerId)) set.mutate(model);
  };
  const mine = picked === current;
  const empty = served.isFetching
    ? t`正在查询有哪些模型……`
    : served.error
      ? t`查询失败，可以直接填名字`
      : t`没有列出来，可以直接填名字`;

  return (
    <>
      <div className={css.purposeName}>
        {purposeName(purpose)}
        <small>{what[purpose]}</small>
      </div>
      <Picker
        label={t`${purposeName(purpose)}用哪个服务`}
        value={provider ? picked : BUILT_IN}
        onChange={choosePlace}
        options={[
          { key: BUILT_IN, label: builtIn[purpose] },
          ...models.providers.map(({ providerId, name }) => ({ key: providerId, label: name })),
        ]}
        testId={`purpose-${purpose}-provider`}
      />
      <div className={css.purposeModel}>
        {provider && (
          <Combo
            label={t`${purposeName(purpose)}用哪个模型`}
            value={mine ? (now.model ?? "") : ""}
            options={served.data ?? []}
            onChange={choose}
            onOpen={() => setIsOpened(true)}
            empty={empty}
            placeholder={t`选一个模型，或者填名字`}
            testId={`purpose-${purpose}-model`}
          />
        )}
      </div>
      <div className={css.purposeNote}>
        {set.isPending ? (
          <Busy>{t`正在更换……`}</Busy>
        ) : set.error ? (
          <span className={css.problem} role="alert">
            {errorSentence(set.error)}
          </span>
        ) : served.error && provider ? (
          <span className={css.problem} role="alert" data-testid={`purpose-${purpose}-problem`}>
            {errorSentence(served.error)}
          </span>
        ) : provider && !mine ? (
          served.isFetching ? (
            <Busy>{t`正在查询有哪些模型……`}</Busy>
          ) : (
            t`再选一个模型，更换才生效。`
          )
        ) : now.contextTokens && provider ? (
          t`一次最多读 ${count(now.contextTokens)} 词元`
        ) : null}
      </div>
    </>
  );
}

/** Progress of rebuilding the vectors; until then words and the old vectors serve. */
function Rereading({ index }: Pick<PurposesProps, "index">) {
  const { t } = useLingui();
  const { data: status } = useQuery(queries.status());
  const health = status?.parts.find(({ part }) => part === "embedder");
  if (index) {
    return (
      <div className={css.rereading} data-testid="rereading">
        <span>{t`正在重读往事 ${count(index.done)}/${count(index.total)}，写作照常。`}</span>
        <Progress label={t`重读往事`} done={index.done} total={index.total} />
      </div>
    );
  }
  if (health?.state !== "unavailable" && health?.state !== "substituted") return null;
  return (
    <div className={css.rereading} data-testid="embedder-problem">
      <span className={css.problem} role="status">
        {health.state === "substituted"
          ? t`现在由自带的编码器找往事，完成后会自动换回。`
          : t`往事照常按字词和场景找，只是不按意思找。`}
        {reasonSentence(health.reason) ?? health.message}
      </span>
    </div>
  );
}
