import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, type KeyStorage, type Provider, type ProviderList, type Tested } from "../../backend";
import { Button, InlineConfirm, tooltip } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count, listed, purposeName } from "../../i18n/words";
import { whereIs } from "../../lib/address";
import css from "./settings.module.css";
import { TestPassed, TestState } from "./TestState";

interface ProviderRowProps {
  provider: Provider;
  models: ProviderList;
  onEdit: () => void;
  /** True right after the form of the service was closed: its button gets the focus. */
  cameBack: boolean;
}

/** A provider: its address, whether it has a key, and whether it answers. */
export function ProviderRow({ provider, models, onEdit, cameBack }: ProviderRowProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [leaving, setLeaving] = useState<"asked" | "stays" | null>(null);
  const { providerId, name, baseUrl, keyKept } = provider;
  const used = models.purposes.filter((one) => one.providerId === providerId);
  // A model that cannot write, such as an encoder, is not asked to.
  const writer = used.find(({ purpose }) => purpose !== "embedding")?.model ?? null;
  const test = useMutation({
    mutationFn: () => call("ai:provider:test", { providerId, model: writer }),
    onSettled: () => client.invalidateQueries({ queryKey: ["usage"] }),
  });
  const remove = useMutation({
    mutationFn: () => call("ai:provider:delete", { providerId }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["models"] }),
  });
  const keys: Record<KeyStorage, string> = {
    none: t`没有密钥`,
    keychain: t`密钥在系统钥匙串里`,
    session: t`密钥只保留到关闭程序`,
  };
  const { host } = whereIs(baseUrl);
  const at = keys[keyKept];

  return (
    <>
      <div className={css.providerFace}>
        <b>{name}</b>
        <span className={css.providerAt} data-testid="provider-at" data-key={keyKept} {...tooltip(baseUrl)}>
          {t`${host}·${at}`}
        </span>
        {leaving !== "asked" && (
          <span className={css.providerActs}>
            <Button
              size="s"
              icon="again"
              isDisabled={test.isPending}
              autoFocus={cameBack}
              onPress={() => test.mutate()}
              data-testid="provider-test"
            >{t`测试连接`}</Button>
            <Button
              size="s"
              kind="quiet"
              onPress={onEdit}
              aria-label={t`修改 ${name}`}
              data-testid="provider-edit"
            >{t`修改`}</Button>
            <Button
              size="s"
              kind="quiet"
              onPress={() => setLeaving("asked")}
              autoFocus={leaving === "stays"}
              aria-label={t`删除 ${name}`}
              data-testid="provider-delete"
            >{t`删除`}</Button>
          </span>
        )}
      </div>
      {leaving === "asked" ? (
        <InlineConfirm
          label={t`删除 ${name}`}
          yes={t`删除 ${name}`}
          no={t`保留`}
          busy={remove.isPending}
          onYes={() => remove.mutate()}
          onNo={() => setLeaving("stays")}
          testId="provider-delete"
        >
          {used.length > 0
            ? t`它的密钥会一起删除；${listed(used.map(({ purpose }) => purposeName(purpose)))}改用自带的。`
            : t`它的密钥会一起删除。`}
        </InlineConfirm>
      ) : (
        <TestState test={test} testId="provider-tested">
          {(tested) => (
            <TestPassed>
              <Answer {...tested} />
            </TestPassed>
          )}
        </TestState>
      )}
      {remove.error && (
        <p className={css.problem} role="alert">
          {errorSentence(remove.error)}
        </p>
      )}
    </>
  );
}

function Answer({ milliseconds, models, answer }: Tested) {
  const { t } = useLingui();
  const took = count(milliseconds);
  if (models === null) return answer ? t`连接成功，模型能写作，用时 ${took} 毫秒。` : t`连接成功，用时 ${took} 毫秒。`;
  return answer
    ? t`连接成功，有 ${count(models)} 个模型，选中的能写作，用时 ${took} 毫秒。`
    : t`连接成功，有 ${count(models)} 个模型，用时 ${took} 毫秒。`;
}
