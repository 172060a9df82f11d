import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, queries, type Usage } from "../../backend";
import { NumberInput } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import css from "./settings.module.css";

/** Requests and tokens used today, with the writer's limits. Built-in models are not counted. */
export function UsageToday() {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data, error } = useQuery(queries.usage());
  const limit = useMutation({
    mutationFn: (next: Pick<Usage, "requestsPerDay" | "tokensPerDay">) => call("ai:usage:limit", next),
    // One after the other: the last change wins.
    scope: { id: "usage-limit" },
    onSuccess: (usage) => client.setQueryData(queries.usage().queryKey, usage),
  });
  if (error)
    return (
      <p className={css.problem} role="alert">
        {errorSentence(error)}
      </p>
    );
  if (!data) return <p className={css.note} />;
  const { requests, tokens } = data;
  // While a change is being stored, the next one starts from it.
  const { requestsPerDay, tokensPerDay } = limit.isPending ? limit.variables : data;
  const change = (next: Partial<Pick<Usage, "requestsPerDay" | "tokensPerDay">>) =>
    limit.mutate({ requestsPerDay, tokensPerDay, ...next });
  const full = (used: number, most: number | null) => most !== null && used >= most;
  return (
    <div>
      <div className={css.usage} data-full={full(requests, requestsPerDay) || undefined}>
        <span data-testid="usage-requests">{t`请求了 ${count(requests)} 次`}</span>
        <span className="grow" />
        <span className={css.note}>{t`每天最多`}</span>
        <NumberInput
          label={t`每天最多几次请求`}
          value={requestsPerDay}
          onChange={(next) => next !== requestsPerDay && change({ requestsPerDay: next })}
          placeholder={t`不限`}
          testId="limit-requests"
        />
      </div>
      <div className={css.usage} data-full={full(tokens, tokensPerDay) || undefined}>
        <span data-testid="usage-tokens">{t`用了 ${count(tokens)} 词元`}</span>
        <span className="grow" />
        <span className={css.note}>{t`每天最多`}</span>
        <NumberInput
          label={t`每天最多几词元`}
          value={tokensPerDay}
          onChange={(next) => next !== tokensPerDay && change({ tokensPerDay: next })}
          placeholder={t`不限`}
          testId="limit-tokens"
        />
      </div>
      {limit.error ? (
        <p className={css.problem} role="alert">
          {errorSentence(limit.error)}
        </p>
      ) : (
        <p className={css.note}>{t`到了上限就不再发送请求，写好的都还在。自带的不算在内。`}</p>
      )}
    </div>
  );
}
