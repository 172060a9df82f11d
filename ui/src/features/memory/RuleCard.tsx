import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type KeyboardEvent } from "react";
import { BackendError, call, type Category, type Rule } from "../../backend";
import { Button, Chip, GrowingText, Icon, Picker, Ten } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { CATEGORY_KEYS, categoryName, count, sceneName, skillName } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import { langOf } from "../../lib/langOf";
import { confidenceOf, confidenceWords, isKnown } from "./confidence";
import css from "./memory.module.css";

interface RuleCardProps {
  rule: Rule;
  open: boolean;
  onOpen: (open: boolean) => void;
  /** It comes out of a backup, and cannot be changed. */
  readOnly: boolean;
}

export function RuleCard({ rule, open, onOpen, readOnly }: RuleCardProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [edit, setEdit] = useState<{ text: string; category: Category } | null>(null);

  const act = useMutation({
    mutationFn: (what: () => Promise<unknown>) => what(),
    onSuccess: () => setEdit(null),
    // Either way what is shown is what is now: after a stale version, the newer one.
    onSettled: () => client.invalidateQueries({ queryKey: ["rules"] }),
  });
  const { id: ruleId, version } = rule;
  const save = () => {
    if (!edit || edit.text.trim() === "") return;
    const changed = { ...(edit.text.trim() !== rule.rule && { rule: edit.text.trim() }), ...(edit.category !== rule.category && { category: edit.category }) };
    if (Object.keys(changed).length === 0) setEdit(null);
    else act.mutate(() => call("memory:semantic:update", { ruleId, version, ...changed }));
  };
  const stale = act.error instanceof BackendError && act.error.code === "MEMORY_STALE_VERSION";
  const lang = langOf(edit?.text || rule.rule);
  const known = isKnown(rule);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (isComposing(event.nativeEvent) || event.target !== event.currentTarget) return;
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onOpen(!open);
  };

  return (
    <li className={css.rule} data-testid="rule-card" data-rule-id={rule.id} data-open={open || undefined} data-confirmed={rule.userConfirmed || undefined}>
      {edit ? (
        <div className={css.editing}>
          <GrowingText prose autoFocus hideLabel label={t`这条规则`} lang={lang} value={edit.text} onChange={(text) => setEdit({ ...edit, text })} onEnter={save} onEscape={() => setEdit(null)} testId="rule-text" />
          <div className={css.formRow}>
            <Picker<Category> label={t`分类`} value={edit.category} onChange={(category) => setEdit({ ...edit, category })} options={CATEGORY_KEYS.map((key) => ({ key, label: categoryName(key) }))} testId="rule-category" />
            <span className="grow" />
            <Button kind="quiet" onPress={() => setEdit(null)}>{t`不改了`}</Button>
            <Button kind="primary" onPress={save} isDisabled={edit.text.trim() === "" || act.isPending} data-testid="rule-save">{t`改好了`}</Button>
          </div>
        </div>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
        <div className={css.face} role="button" tabIndex={0} aria-expanded={open} onClick={() => onOpen(!open)} onKeyDown={onKeyDown}>
          <p className={css.sentence} lang={lang} data-tentative={!known || confidenceOf(rule) < 0.6 || undefined}>
            {rule.rule}
          </p>
          <div className={css.meta}>
            <Confidence rule={rule} />
            <Standing rule={rule} />
            <span className={css.right}>
              <Chip>{rule.sceneType ? sceneName(rule.sceneType) : rule.skillUsed ? skillName(rule.skillUsed) : t`全部场景`}</Chip>
              <Chip>{rule.scope === "global" ? t`全局` : t`本书`}</Chip>
            </span>
          </div>
        </div>
      )}
      {open && !edit && readOnly && <p className={css.readOnly}>{t`这是备份里的，现在改不了。`}</p>}
      {open && !edit && !readOnly && (
        <div className={css.acts}>
          {!rule.userConfirmed && (
            <Button kind="primary" size="s" icon="check" isDisabled={act.isPending} onPress={() => act.mutate(() => call("memory:semantic:confirm", { ruleId, version }))} data-testid="rule-confirm">{t`确认`}</Button>
          )}
          <Button kind="quiet" size="s" icon="pen" onPress={() => setEdit({ text: rule.rule, category: rule.category })} data-testid="rule-edit">{t({ message: "改写", context: "a rule" })}</Button>
          {rule.scope === "project" && (
            <Button kind="quiet" size="s" icon="up" isDisabled={act.isPending} onPress={() => act.mutate(() => call("memory:promote", { ruleId }))} data-testid="rule-promote">{t`升为全局`}</Button>
          )}
          <span className="grow" />
          <Button kind="danger" size="s" icon="bin" isDisabled={act.isPending} onPress={() => act.mutate(() => call("memory:semantic:delete", { ruleId }))} data-testid="rule-delete">{t`删除`}</Button>
        </div>
      )}
      {act.error && (
        <p className={css.problem} role="alert" data-testid="rule-problem">
          {stale && edit ? t`这条刚刚在别处改过，现在是“${rule.rule}”。你写的还在上面，再存一次就用你的。` : errorSentence(act.error)}
        </p>
      )}
    </li>
  );
}

function Confidence({ rule }: { rule: Rule }) {
  const { t } = useLingui();
  const words = confidenceWords(rule);
  const known = isKnown(rule);
  const number = confidenceOf(rule).toFixed(2);
  const choices = rule.evidenceCount > 0 ? t`${count(rule.evidenceCount)} 次` : "";
  return (
    <span className={css.confidence}>
      <Ten value={known ? confidenceOf(rule) : null} ink={rule.userConfirmed} label={known ? t`把握 ${number}` : t`还在学`} />
      <span>
        <b>{known ? t`${words} ${number}` : words}</b>
        {choices && t`·${choices}`}
      </span>
    </span>
  );
}

/** Where it stands with the writer. Never by colour alone. */
function Standing({ rule }: { rule: Rule }) {
  const { t } = useLingui();
  // What goes into no prompt says so before anything else.
  if (rule.standing === "proposed") return <Tag icon="dot" tone="trace">{t`等你确认，还没用`}</Tag>;
  if (rule.standing === "suspended") return <Tag icon="dot" tone="trace">{t`你说过不对，先不用`}</Tag>;
  if (rule.standing === "steppedBack") return <Tag icon="dot" tone="plain">{t`近来不像，先不用`}</Tag>;
  if (rule.challenged) return <Tag icon="again" tone="trace">{t`已确认，但近来不像`}</Tag>;
  if (rule.origin === "manual") return <Tag icon="pen" tone="ink">{t`你写的`}</Tag>;
  if (rule.userModified) return <Tag icon="pen" tone="ink">{t`你改过`}</Tag>;
  if (rule.userConfirmed) return <Tag icon="check" tone="ink">{t`已确认`}</Tag>;
  if (rule.recentlyUpdated) return <Tag icon="again" tone="trace">{t`最近更新`}</Tag>;
  if (rule.origin === "builtin") return <Tag icon="dot" tone="plain">{t`自带`}</Tag>;
  return null;
}

const Tag = ({ icon, tone, children }: { icon: "pen" | "check" | "again" | "dot"; tone: "ink" | "trace" | "plain"; children: string }) => (
  <span className={css.tag} data-tone={tone}>
    <Icon name={icon} size="xs" />
    {children}
  </span>
);
