import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import {
  BackendError,
  call,
  type Category,
  type DeletedWords,
  type Language,
  type Rule,
  type RuleFollowed,
} from "../../backend";
import { Button, Chip, GrowingText, Icon, Picker } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { CATEGORY_KEYS, categoryName, count, sceneName, skillName } from "../../i18n/words";
import { isComposing } from "../../lib/ime";
import { langOf } from "../../lib/langOf";
import { confidenceOf, isKnown } from "./confidence";
import { ConfidenceOf } from "./ConfidenceMark";
import { DimensionPicker, meaningOf, patchOf, sameMeaning, Understood, type Meaning } from "./Dimension";
import { ConfirmDelete } from "./Erased";
import learning from "./learning.module.css";
import css from "./memory.module.css";
import { RuleEvidence, RuleFollowing, RuleVersions } from "./RuleDetail";

interface RuleCardProps {
  rule: Rule;
  projectId: string;
  language: Language;
  open: boolean;
  onOpen: (open: boolean) => void;
  /** The rule was just added or brought back: focus it. */
  autoFocus: boolean;
  /** Whether another rule contradicts it. */
  opposed: boolean;
  /** How recent generations followed it; undefined: no generation had it. */
  followed: RuleFollowed | null;
  /** The rule was deleted and can be brought back. With `words` its words were erased, and it cannot. */
  onGone: (rule: Rule, words?: DeletedWords) => void;
  /** The rule comes from a backup and cannot be changed. */
  readOnly: boolean;
  /** The category is shown on the card instead of beside it. */
  categorised?: boolean;
}

interface Edit {
  text: string;
  category: Category;
  meaning: Meaning;
}

export function RuleCard({
  rule,
  projectId,
  language,
  open,
  onOpen,
  autoFocus,
  opposed,
  followed,
  onGone,
  readOnly,
  categorised,
}: RuleCardProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [edit, setEdit] = useState<Edit | null>(null);
  /** Number of hidden names in the rule, while the writer is asked whether to promote it anyway. */
  const [promoting, setPromoting] = useState<number | null>(null);
  const [leave, setLeave] = useState<"asked" | "stays" | null>(null);
  const leaving = leave === "asked";
  const [everywhere, setEverywhere] = useState(false);
  const [page, setPage] = useState<"evidence" | "history" | null>(null);

  const act = useMutation({
    mutationFn: (what: () => Promise<unknown>) => what(),
    onSuccess: () => setEdit(null),
    // Show the current version, also after a stale one was rejected.
    onSettled: () => client.invalidateQueries({ queryKey: ["rules"] }),
  });
  const { id: ruleId, version } = rule;
  const face = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (autoFocus) face.current?.focus();
  }, [autoFocus]);
  const save = () => {
    if (!edit || edit.text.trim() === "") return;
    const changed = {
      ...(edit.text.trim() !== rule.rule && { rule: edit.text.trim() }),
      ...(edit.category !== rule.category && { category: edit.category }),
      ...(!sameMeaning(edit.meaning, meaningOf(rule)) && patchOf(edit.meaning, rule.pattern)),
    };
    if (Object.keys(changed).length === 0) setEdit(null);
    else act.mutate(() => call("memory:semantic:update", { ruleId, version, ...changed }));
  };
  const confirm = () => act.mutate(() => call("memory:semantic:confirm", { ruleId, version }));
  const remove = () =>
    act.mutate(async () => {
      const { words } = await call("memory:semantic:delete", { ruleId, ...(everywhere && { everywhere }) });
      onGone(rule, everywhere && words ? words : undefined);
    });
  const promote = () =>
    act.mutate(async () => {
      await call("memory:promote", { ruleId });
      setPromoting(null);
    });
  const askToPromote = () =>
    act.mutate(async () => {
      const { hiddenNames } = await call("memory:promote", { ruleId, preview: true });
      if (hiddenNames > 0) setPromoting(hiddenNames);
      else await call("memory:promote", { ruleId });
    });
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
    <div
      className={css.rule}
      data-testid="rule-card"
      data-rule-id={rule.id}
      data-open={open || undefined}
      data-confirmed={rule.userConfirmed || undefined}
    >
      {edit ? (
        <div className={css.editing}>
          <GrowingText
            prose
            autoFocus
            hideLabel
            label={t`这条规则`}
            lang={lang}
            value={edit.text}
            onChange={(text) => setEdit({ ...edit, text })}
            onEnter={save}
            onEscape={() => setEdit(null)}
            testId="rule-text"
          />
          <div className={css.formRow}>
            <Picker<Category>
              label={t`分类`}
              value={edit.category}
              onChange={(category) => setEdit({ ...edit, category })}
              options={CATEGORY_KEYS.map((key) => ({ key, label: categoryName(key) }))}
              testId="rule-category"
            />
            <DimensionPicker
              value={edit.meaning}
              onChange={(meaning) => setEdit({ ...edit, meaning })}
              fromWords={meaningOf(rule) === "words"}
            />
          </div>
          <div className={css.formRow}>
            <span className="grow" />
            <Button kind="quiet" onPress={() => setEdit(null)}>{t`取消`}</Button>
            <Button
              kind="primary"
              onPress={save}
              isDisabled={edit.text.trim() === "" || act.isPending}
              data-testid="rule-save"
            >{t`保存`}</Button>
          </div>
        </div>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
        <div
          ref={face}
          className={css.face}
          role="button"
          tabIndex={0}
          aria-expanded={open}
          onClick={() => onOpen(!open)}
          onKeyDown={onKeyDown}
        >
          <p className={css.sentence} lang={lang} data-tentative={!known || confidenceOf(rule) < 0.6 || undefined}>
            {rule.rule}
          </p>
          <div className={css.meta}>
            <ConfidenceOf rule={rule} />
            <Standing rule={rule} opposed={opposed} ignored={followed?.ignored ?? false} />
            <span className={css.right}>
              {categorised && <Chip>{categoryName(rule.category)}</Chip>}
              {rule.skillUsed && <Chip>{skillName(rule.skillUsed)}</Chip>}
              {(rule.sceneType ?? !rule.skillUsed) && (
                <Chip>{rule.sceneType ? sceneName(rule.sceneType) : t`全部场景`}</Chip>
              )}
              <Chip>{rule.scope === "global" ? t`全局` : t`本书`}</Chip>
            </span>
          </div>
        </div>
      )}
      {!edit && !readOnly && !leaving && (
        <Question rule={rule} busy={act.isPending} onYes={confirm} onNo={() => setLeave("asked")} />
      )}
      {open && !edit && <Understood rule={rule} />}
      {open && !edit && followed && <RuleFollowing followed={followed} />}
      {open && !edit && readOnly && <p className={css.readOnly}>{t`这是备份里的，现在改不了。`}</p>}
      {leaving && !edit && !readOnly && (
        <div className={css.leaving}>
          <ConfirmDelete
            label={t`删除这条规则`}
            what={t`删除后不再使用，以后也不会再学到。`}
            busy={act.isPending}
            everywhere={everywhere}
            onEverywhere={setEverywhere}
            onYes={remove}
            onNo={() => setLeave("stays")}
            testId="rule-delete"
          />
        </div>
      )}
      {open && !edit && !readOnly && !leaving && (
        <>
          <div className={css.acts}>
            {!rule.userConfirmed && !asks(rule) && (
              <Button
                kind="primary"
                size="s"
                icon="check"
                isDisabled={act.isPending}
                onPress={confirm}
                data-testid="rule-confirm"
              >{t`确认`}</Button>
            )}
            <Button
              kind="quiet"
              size="s"
              icon="pen"
              onPress={() => setEdit({ text: rule.rule, category: rule.category, meaning: meaningOf(rule) })}
              data-testid="rule-edit"
            >
              {t({ message: "修改", context: "a rule" })}
            </Button>
            {rule.scope === "project" && (
              <Button
                kind="quiet"
                size="s"
                icon="up"
                isDisabled={act.isPending || promoting !== null}
                onPress={askToPromote}
                data-testid="rule-promote"
              >{t`提升为全局`}</Button>
            )}
            {rule.evidenceCount > 0 && (
              <Button
                kind="quiet"
                size="s"
                icon="broken"
                aria-expanded={page === "evidence"}
                onPress={() => setPage(page === "evidence" ? null : "evidence")}
                data-testid="rule-evidence"
              >{t`依据 ${count(rule.evidenceCount)}`}</Button>
            )}
            <Button
              kind="quiet"
              size="s"
              icon="clock"
              aria-expanded={page === "history"}
              onPress={() => setPage(page === "history" ? null : "history")}
              data-testid="rule-history"
            >{t`历史`}</Button>
            <span className="grow" />
            {!asks(rule) && (
              <Button
                kind="danger"
                size="s"
                icon="bin"
                autoFocus={leave === "stays"}
                isDisabled={act.isPending}
                onPress={() => setLeave("asked")}
                data-testid="rule-delete"
              >{t`删除`}</Button>
            )}
          </div>
          {promoting !== null && (
            <div className={learning.question} role="group" aria-label={t`提升为全局`} data-testid="rule-promoting">
              <p>{t`这条规则里有 ${count(promoting)} 个隐藏的名字。提升以后，每本书的提示词里都会有它；发给模型时，名字换成化名。`}</p>
              <Button
                size="s"
                icon="up"
                isDisabled={act.isPending}
                onPress={promote}
                data-testid="rule-promote-anyway"
              >{t`提升`}</Button>
              <Button kind="quiet" size="s" onPress={() => setPromoting(null)}>{t`取消`}</Button>
            </div>
          )}
          {page === "evidence" && <RuleEvidence rule={rule} projectId={projectId} language={language} />}
          {page === "history" && <RuleVersions rule={rule} />}
        </>
      )}
      {act.error && (
        <p className={css.problem} role="alert" data-testid="rule-problem">
          {stale && edit
            ? t`这条刚刚在别处改过，现在是“${rule.rule}”。你写的还在上面，再保存一次就用你的。`
            : errorSentence(act.error)}
        </p>
      )}
    </div>
  );
}

/** Whether the rule needs an answer from the writer. */
const asks = ({ standing, challenged }: Rule) => standing === "proposed" || standing === "suspended" || challenged;

/** A rule that needs an answer is shown as a question with its answers. */
function Question({ rule, busy, onYes, onNo }: { rule: Rule; busy: boolean; onYes: () => void; onNo: () => void }) {
  const { t } = useLingui();
  if (!asks(rule)) return null;
  const words: { ask: ReactNode; yes: string } =
    rule.standing === "proposed"
      ? { ask: t`这条规则对吗？确认后才会使用。`, yes: t`确认` }
      : rule.standing === "suspended"
        ? { ask: t`你两次说它不对，已停用。还要用吗？`, yes: t`恢复使用` }
        : { ask: t`你确认过，但近来的取舍常和它相反。还要用吗？`, yes: t`继续使用` };
  return (
    <div className={learning.question} data-testid="rule-question">
      <p>{words.ask}</p>
      <Button size="s" icon="check" isDisabled={busy} onPress={onYes} data-testid="rule-confirm">
        {words.yes}
      </Button>
      <Button
        size="s"
        kind="danger"
        icon="bin"
        isDisabled={busy}
        onPress={onNo}
        data-testid="rule-delete"
      >{t`删除`}</Button>
    </div>
  );
}

/** Status of the rule; never by colour alone. */
function Standing({ rule, opposed, ignored }: { rule: Rule; opposed: boolean; ignored: boolean }) {
  const { t } = useLingui();
  // First, whether the rule is left out of prompts.
  if (rule.standing === "proposed") return <Tag icon="dot" tone="trace">{t`等你确认，还没用`}</Tag>;
  if (rule.standing === "suspended") return <Tag icon="dot" tone="trace">{t`你说过不对，已停用`}</Tag>;
  if (rule.standing === "steppedBack") return <Tag icon="dot" tone="plain">{t`近来不符，已停用`}</Tag>;
  if (opposed) return <Tag icon="warning" tone="plain">{t`和另一条相反`}</Tag>;
  if (ignored) return <Tag icon="warning" tone="plain">{t`模型常不照做`}</Tag>;
  if (rule.challenged) return <Tag icon="again" tone="trace">{t`已确认，但近来不符`}</Tag>;
  if (rule.origin === "manual") return <Tag icon="pen" tone="ink">{t`你写的`}</Tag>;
  if (rule.userModified) return <Tag icon="pen" tone="ink">{t`你改过`}</Tag>;
  if (rule.userConfirmed) return <Tag icon="check" tone="ink">{t`已确认`}</Tag>;
  if (rule.recentlyUpdated) return <Tag icon="again" tone="trace">{t`最近更新`}</Tag>;
  if (rule.origin === "builtin") return <Tag icon="dot" tone="plain">{t`自带`}</Tag>;
  return null;
}

const Tag = ({
  icon,
  tone,
  children,
}: {
  icon: "pen" | "check" | "again" | "dot" | "warning";
  tone: "ink" | "trace" | "plain";
  children: string;
}) => (
  <span className={css.tag} data-tone={tone}>
    <Icon name={icon} size="xs" />
    {children}
  </span>
);
