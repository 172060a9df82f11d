import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, queries, type ProviderList } from "../../backend";
import { Button } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { count } from "../../i18n/words";
import { OLLAMA } from "./presets";
import { ProviderForm } from "./ProviderForm";
import { ProviderRow } from "./ProviderRow";
import css from "./settings.module.css";

const NEW = "new";

/** The built-in provider and those the writer has added. */
export function Providers({ models }: { models: ProviderList }) {
  const { t } = useLingui();
  const [open, setOpen] = useState<string | null>(null);
  /** The provider whose form was closed last: its row gets the focus back. */
  const [back, setBack] = useState<string | null>(null);
  const close = (at: string) => {
    setOpen(null);
    setBack(at);
  };
  return (
    <div>
      <ul className={css.providers}>
        <li className={css.provider}>
          <div className={css.providerFace}>
            <b>{t`示例模型`}</b>
            <span className={css.providerAt}>{t`自带·内置句子，不联网`}</span>
          </div>
        </li>
        {models.providers.map((provider) => (
          <li
            key={provider.providerId}
            className={css.provider}
            data-testid="provider"
            data-provider={provider.providerId}
          >
            {open === provider.providerId ? (
              <ProviderForm provider={provider} keychain={models.keychain} onDone={() => close(provider.providerId)} />
            ) : (
              <ProviderRow
                provider={provider}
                models={models}
                onEdit={() => setOpen(provider.providerId)}
                cameBack={back === provider.providerId}
              />
            )}
          </li>
        ))}
      </ul>
      {open === NEW ? (
        <ProviderForm provider={null} keychain={models.keychain} onDone={(saved) => close(saved?.providerId ?? NEW)} />
      ) : (
        <div className={css.line}>
          <Button
            icon="plus"
            onPress={() => setOpen(NEW)}
            autoFocus={back === NEW}
            data-testid="provider-add"
          >{t`添加服务`}</Button>
          <span className="grow" />
          <Offer models={models} />
        </div>
      )}
      {!models.keychain && (
        <p className={css.note} data-testid="no-keychain">
          {t`这台电脑上没有钥匙串：密钥只保留到关闭程序，下次要重新填写。`}
        </p>
      )}
    </div>
  );
}

/** A local Ollama that was found, added with one press. */
function Offer({ models }: { models: ProviderList }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data: found } = useQuery(queries.found());
  const add = useMutation({
    mutationFn: () => call("ai:provider:save", { kind: OLLAMA.kind, name: OLLAMA.name, baseUrl: OLLAMA.baseUrl }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["models"] }),
  });
  if (!found || models.providers.some(({ kind }) => kind === OLLAMA.kind)) return null;
  return (
    <>
      <span className={css.note} role="status">
        {add.error
          ? errorSentence(add.error)
          : found.length > 0
            ? t`这台电脑上有 Ollama，里面有 ${count(found.length)} 个模型`
            : t`这台电脑上有 Ollama，里面还没有模型`}
      </span>
      <Button
        size="s"
        onPress={() => add.mutate()}
        isDisabled={add.isPending}
        data-testid="ollama-add"
      >{t`使用`}</Button>
    </>
  );
}
