import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, queries, wholeSettings, type InterfaceLanguage, type Settings, type Theme } from "../../backend";
import { Notice, Picker, Seg } from "../../design";
import { errorSentence } from "../../i18n/errors";
import css from "./settings.module.css";

export function SettingsPanel() {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data } = useQuery(queries.settings());
  const change = useMutation({
    mutationFn: (part: Partial<Settings>) => call("settings:set", part),
    onSuccess: (settings) => client.setQueryData(queries.settings().queryKey, wholeSettings(settings)),
  });
  if (!data) return <aside className={css.side} aria-label={t`设置`} />;
  return (
    <aside className={css.side} aria-label={t`设置`} data-testid="settings-panel">
      <div className={css.head}>
        <h2>{t`设置`}</h2>
      </div>
      <div className={css.body}>
        {change.error && <Notice warn title={t`没有存下来`}>{errorSentence(change.error)}</Notice>}
        <section>
          <h3>{t`界面语言`}</h3>
          <Picker<InterfaceLanguage>
            label={t`界面语言`}
            value={data.interfaceLanguage}
            onChange={(interfaceLanguage) => change.mutate({ interfaceLanguage })}
            options={[
              { key: "system", label: t`跟随系统` },
              { key: "zh-CN", label: "简体中文" },
              { key: "en", label: "English" },
            ]}
            testId="language-select"
          />
          <p>{t`书的语言不变。`}</p>
        </section>
        <section>
          <h3>{t`深浅`}</h3>
          <Seg<Theme>
            label={t`深浅`}
            value={data.theme}
            onChange={(theme) => change.mutate({ theme })}
            options={[
              { key: "system", label: t`跟随系统`, testId: "theme-system" },
              { key: "light", label: t`浅`, testId: "theme-light" },
              { key: "dark", label: t`深`, testId: "theme-dark" },
            ]}
          />
        </section>
      </div>
    </aside>
  );
}
