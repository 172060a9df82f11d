import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { queries, type ProviderList } from "../../backend";
import { Button, Icon, Notice } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { listed, purposeName } from "../../i18n/words";
import { whereIs } from "../../lib/address";
import { Providers } from "./Providers";
import { Purposes } from "./Purposes";
import css from "./settings.module.css";
import { UsageToday } from "./UsageToday";

/** The models: which one writes, where it runs, and what it costs. */
export function Models({ index }: { index: { done: number; total: number } | null }) {
  const { t } = useLingui();
  const { data, error, refetch } = useQuery(queries.models());
  if (error) {
    return (
      <Notice
        warn
        title={t`模型的设置读不出来`}
        actions={<Button size="s" onPress={() => void refetch()}>{t`重新读取`}</Button>}
      >
        {errorSentence(error)}
      </Notice>
    );
  }
  if (!data) return null;
  return (
    <>
      <section className={css.group}>
        <h3>{t`模型`}</h3>
        <div>
          {data.degradedReason && (
            <Notice warn title={t`模型的设置可能不全，或者是旧的`}>
              {data.degradedReason}
            </Notice>
          )}
          <WhatLeaves models={data} />
          <Purposes models={data} index={index} />
        </div>
      </section>
      <section className={css.group}>
        <h3>{t`服务`}</h3>
        <Providers models={data} />
      </section>
      <section className={css.group}>
        <h3>{t`今天`}</h3>
        <UsageToday />
      </section>
    </>
  );
}

/** One sentence on what leaves the machine, and where it goes. */
function WhatLeaves({ models: { providers, purposes } }: { models: ProviderList }) {
  const { t } = useLingui();
  const sent = new Map<string, { home: boolean; purposes: string[] }>();
  let local = false;
  for (const { purpose, providerId } of purposes) {
    const provider = providers.find((one) => one.providerId === providerId);
    if (!provider) continue;
    const { reach, host } = whereIs(provider.baseUrl);
    if (reach === "machine") {
      local = true;
      continue;
    }
    const there = sent.get(host) ?? { home: reach === "network", purposes: [] };
    sent.set(host, { ...there, purposes: [...there.purposes, purposeName(purpose)] });
  }
  const away = [...sent].map(([host, there]) => {
    const names = listed(there.purposes);
    return there.home ? t`${names}：文字发往局域网里的 ${host}。` : t`${names}：文字发往 ${host}。`;
  });
  return (
    <p className={css.leaves} data-testid="what-leaves" data-away={away.length > 0 || undefined}>
      <Icon name={away.length > 0 ? "away" : "chip"} size="xs" />
      <span>
        {away.length > 0
          ? t`${away.join("")}不会发往别处；发送的就是“看发送内容”里的内容。`
          : local
            ? t`文字只发给这台电脑上的模型，不离开这台电脑。`
            : t`现在用的都是自带的，文字不离开这台电脑。`}
      </span>
    </p>
  );
}
