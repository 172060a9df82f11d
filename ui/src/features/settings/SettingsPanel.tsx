import { useLingui } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, queries, wholeSettings, type InterfaceLanguage, type Settings, type Theme } from "../../backend";
import { Button, Check, IconButton, Notice, Picker, Seg } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { Assistants } from "./Assistants";
import { Models } from "./Models";
import { Questions } from "./Questions";
import css from "./settings.module.css";

interface SettingsPanelProps {
  /** Progress of rebuilding the vectors for another encoder. */
  index: { done: number; total: number } | null;
  onMemory: (page: "rules" | "safety") => void;
  onClose: () => void;
}

export function SettingsPanel({ index, onMemory, onClose }: SettingsPanelProps) {
  const { t } = useLingui();
  return (
    <aside className={css.side} aria-label={t`设置`} data-testid="settings-panel">
      <div className={css.head}>
        <h2>{t`设置`}</h2>
        <span className="grow" />
        <IconButton name="cross" size="s" label={t`关闭设置`} onPress={onClose} data-testid="settings-close" />
      </div>
      <div className={css.body}>
        <Appearance />
        <section className={css.group}>
          <h3>{t`记忆`}</h3>
          <div>
            <div className={css.line}>
              <Button
                size="s"
                icon="layers"
                onPress={() => onMemory("rules")}
                data-testid="settings-memory"
              >{t`打开记忆面板`}</Button>
              <Button
                size="s"
                kind="quiet"
                onPress={() => onMemory("safety")}
                data-testid="settings-safety"
              >{t`备份和清除`}</Button>
            </div>
            <p className={css.note}>{t`学到了什么、暂停学习、备份、清除，都在那里。`}</p>
            <ReadableCopies />
          </div>
        </section>
        <Models index={index} />
        <Assistants />
        <Questions />
      </div>
    </aside>
  );
}

/** The settings, with a mutation that changes a part of them. */
function useSettings() {
  const client = useQueryClient();
  const { data } = useQuery(queries.settings());
  const change = useMutation({
    mutationFn: (part: Partial<Settings>) => call("settings:set", part),
    onSuccess: (settings) => client.setQueryData(queries.settings().queryKey, wholeSettings(settings)),
  });
  return { data, change };
}

/** Whether learning records are also written as files that every program can read. */
function ReadableCopies() {
  const { t } = useLingui();
  const { data, change } = useSettings();
  if (!data) return null;
  return (
    <>
      <Check
        label={t`读到的另存一份普通文件`}
        note={t`放在数据文件夹的 readable 里，别的程序也能读。清除和删除时一起去掉。`}
        checked={data.readableCopies}
        disabled={change.isPending}
        onChange={(readableCopies) => change.mutate({ readableCopies })}
        testId="settings-readable-copies"
      />
      {change.error && (
        <Notice warn title={t`没有保存`}>
          {errorSentence(change.error)}
        </Notice>
      )}
    </>
  );
}

function Appearance() {
  const { t } = useLingui();
  const { data, change } = useSettings();
  if (!data) return null;
  return (
    <section className={css.group}>
      <h3>{t`界面`}</h3>
      <div>
        {change.error && (
          <Notice warn title={t`没有保存`}>
            {errorSentence(change.error)}
          </Notice>
        )}
        <div className={css.line}>
          <Picker<InterfaceLanguage>
            label={t`界面语言`}
            value={data.interfaceLanguage}
            onChange={(interfaceLanguage) => change.mutate({ interfaceLanguage })}
            options={[
              { key: "system", label: t`跟随系统` },
              { key: "zh-CN", label: "简体中文", lang: "zh-CN" },
              { key: "en", label: "English", lang: "en" },
            ]}
            testId="language-select"
          />
          <span className={css.note}>{t`书的语言不变。`}</span>
          <span className="grow" />
          <Seg<Theme>
            label={t`外观`}
            value={data.theme}
            onChange={(theme) => change.mutate({ theme })}
            options={[
              { key: "system", label: t`跟随系统`, testId: "theme-system" },
              { key: "light", label: t`浅色`, testId: "theme-light" },
              { key: "dark", label: t`深色`, testId: "theme-dark" },
            ]}
          />
        </div>
      </div>
    </section>
  );
}
