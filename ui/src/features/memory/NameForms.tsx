import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries, type HiddenName, type Language } from "../../backend";
import { Button } from "../../design";
import { count as number } from "../../i18n/words";
import css from "./memory.module.css";
import { freeAlias } from "./standIns";

/** Forms shown at first. */
const INITIALLY_SHOWN = 8;

interface NameFormsProps {
  projectId: string;
  names: HiddenName[];
  language: Language;
  busy: boolean;
  onAdd: (pair: HiddenName) => void;
}

/** Forms of the hidden names that occur in the book and are not hidden yet. */
export function NameForms({ projectId, names, language, busy, onAdd }: NameFormsProps) {
  const { t } = useLingui();
  const { data: forms } = useQuery(queries.nameForms(projectId));
  const [all, setAll] = useState(false);
  if (!forms || forms.length === 0) return null;
  const lang = language === "zh" ? "zh-CN" : "en";
  const shown = all ? forms : forms.slice(0, INITIALLY_SHOWN);
  return (
    <section className={css.nameForms} data-testid="name-forms" aria-label={t`书里还没隐藏的叫法`}>
      <h4>{t`书里还有这些叫法，现在没有隐藏`}</h4>
      <ul>
        {shown.map(({ form, name, count }) => (
          <li key={form} data-testid="name-form-found">
            <b lang={lang}>{form}</b>
            <span>{t`${number(count)} 处，像是“${name}”`}</span>
            <Button
              kind="quiet"
              size="s"
              icon="plus"
              isDisabled={busy}
              onPress={() => onAdd({ name: form, alias: freeAlias(language, names, name, form) })}
              aria-label={t`也隐藏“${form}”`}
              data-testid="name-form-add"
            >{t`也隐藏`}</Button>
          </li>
        ))}
      </ul>
      {shown.length < forms.length && (
        <Button
          kind="quiet"
          size="s"
          onPress={() => setAll(true)}
          data-testid="name-forms-all"
        >{t`全部 ${number(forms.length)} 个`}</Button>
      )}
    </section>
  );
}
