import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button as Press } from "react-aria-components/Button";
import { BackendError, call, queries, type Reference, type Trace, type Verdict } from "../../backend";
import { Button, GrowingText, Icon, LinkButton, type IconName } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { sceneName, skillName } from "../../i18n/words";
import { langOf } from "../../lib/langOf";
import type { Since } from "./since";
import css from "./why.module.css";

interface VerdictsProps {
  trace: Trace;
  reference: Reference;
  since: Since;
}

/** The writer's verdict on a reference. Shown as given only after it is stored. */
export function Verdicts({ trace, reference: { referenceId, kind, text }, since }: VerdictsProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { projectId, generationId } = trace;
  const said = trace.feedback.find((one) => one.referenceId === referenceId)?.verdict ?? null;
  const judge = useMutation({
    mutationFn: ({ verdict }: { verdict: Verdict; before: Verdict | null }) =>
      call("memory:trace:feedback", { projectId, generationId, referenceId, verdict }),
    onSuccess: async (judged) => {
      // The effect is read from the rule, so the rule is refetched first.
      if (kind === "rule") await client.invalidateQueries({ queryKey: queries.rules(projectId).queryKey });
      client.setQueryData(queries.trace(projectId, generationId).queryKey, judged);
    },
  });
  const wrong: Partial<Record<Reference["kind"], string>> = { rule: t`这条规则不对`, episode: t`这个例子不好` };
  const choices: { verdict: Verdict; icon: IconName; label: string | undefined }[] = [
    { verdict: "right", icon: "check", label: t({ message: "对", context: "a verdict" }) },
    { verdict: "wrong", icon: "cross", label: wrong[kind] },
    { verdict: "notHere", icon: "not", label: t`这里不该用` },
  ];
  const words = useWords(trace, kind, since);
  const twice = judge.data?.changed === false;
  return (
    <>
      <span
        className={css.verdicts}
        role="group"
        aria-label={t`你怎么看：${text.replace(/^- /, "")}`}
        aria-busy={judge.isPending}
      >
        {choices.map(({ verdict, icon, label }) =>
          label === undefined ? null : (
            <Press
              key={verdict}
              aria-pressed={said === verdict}
              onPress={() => !judge.isPending && judge.mutate({ verdict, before: said })}
              data-testid={`verdict-${verdict}`}
            >
              <Icon name={icon} size="xs" />
              {label}
            </Press>
          ),
        )}
      </span>
      <span className={css.said} role="status" data-testid="verdict-said">
        {judge.isPending
          ? t`正在记录……`
          : judge.error
            ? null
            : said && `${twice ? t`已经评价过，没有重复计算。` : takenBack(judge.variables)}${words(said)}`}
      </span>
      {judge.error && !judge.isPending && (
        <span className={css.problem} role="alert" data-testid="verdict-problem">
          {problem(judge.error)}
        </span>
      )}
      {said && said !== "right" && !judge.isPending && (
        <Note key={said} trace={trace} referenceId={referenceId} verdict={said} problem={problem} />
      )}
    </>
  );

  /** A verdict that was taken back. */
  function takenBack(asked: { verdict: Verdict; before: Verdict | null } | undefined): string {
    if (!asked || asked.before === asked.verdict) return "";
    if (asked.before === "wrong") return t`之前的“不对”已撤销。`;
    if (asked.before === "notHere") return t`之前的“这里不该用”已撤销。`;
    return "";
  }

  function problem(error: unknown): string {
    const code = error instanceof BackendError ? error.code : "";
    if (code === "MEMORY_TRACE_MISMATCH") return t`没有记录：这份来历和它自己的引用不一致，不可信。`;
    if (code === "MEMORY_SCOPE_DENIED") return t`没有记录：这是另一本书的来历，要在那本书里评价。`;
    return errorSentence(error);
  }
}

interface NoteProps {
  trace: Trace;
  referenceId: string;
  verdict: Verdict;
  problem: (error: unknown) => string;
}

/** An optional note on why a reference is wrong or out of place, offered after the verdict. */
function Note({ trace, referenceId, verdict, problem }: NoteProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { projectId, generationId } = trace;
  const had = noteOn(trace, referenceId);
  const [text, setText] = useState<string | null>(null);
  const [here, setHere] = useState<"stored" | "cancelled" | null>(null);
  const note = useMutation({
    mutationFn: (words: string) =>
      call("memory:trace:feedback", { projectId, generationId, referenceId, verdict, note: words }),
    onSuccess: (judged, words) => {
      client.setQueryData(queries.trace(projectId, generationId).queryKey, judged);
      // Repeating a verdict emits no event: only the answer says whether the note was stored.
      if (!judged.changed && noteOn(judged, referenceId) !== words) return;
      setText(null);
      setHere("stored");
    },
  });
  const storedNote = had ?? (note.data?.changed ? (note.variables ?? null) : null);
  const lost = note.isSuccess && text !== null && note.variables === text.trim();
  const keep = () => text?.trim() && !note.isPending && note.mutate(text.trim());
  const leave = () => {
    setText(null);
    setHere("cancelled");
    note.reset();
  };

  if (text === null) {
    return (
      <span className={css.note} data-testid="verdict-note">
        {storedNote && (
          <>
            <span>{t`你说`}</span>
            <q className={css.noteText} lang={langOf(storedNote)} data-testid="verdict-note-kept">
              {storedNote}
            </q>
          </>
        )}
        <LinkButton
          key={here}
          autoFocus={here !== null}
          onPress={() => setText(storedNote ?? "")}
          data-testid="verdict-note-open"
        >
          {storedNote ? t`修改` : t`说说为什么`}
        </LinkButton>
      </span>
    );
  }
  return (
    <span className={css.note} data-testid="verdict-note" aria-busy={note.isPending}>
      <GrowingText
        hideLabel
        autoFocus
        className={css.noteField}
        label={t`为什么（可以不填）`}
        placeholder={t`为什么？一句就够`}
        value={text}
        onChange={setText}
        onEnter={keep}
        onEscape={leave}
        maxRows={5}
        testId="verdict-note-text"
      />
      {(note.error || lost) && !note.isPending && (
        <span className={css.problem} role="alert" data-testid="verdict-note-problem">
          {note.error ? problem(note.error) : t`这句话没有保存。前面的回答仍然有效。`}
        </span>
      )}
      <span className={css.noteActs}>
        <Button
          size="s"
          isDisabled={text.trim() === "" || note.isPending}
          onPress={keep}
          data-testid="verdict-note-keep"
        >{t`保存`}</Button>
        <Button size="s" kind="quiet" onPress={leave} data-testid="verdict-note-leave">{t`取消`}</Button>
      </span>
    </span>
  );
}

/** The stored note of a verdict. */
const noteOn = ({ feedback }: Trace, referenceId: string): string | null =>
  feedback.find((one) => one.referenceId === referenceId)?.note ?? null;

/** Effect of a verdict. */
function useWords({ skill, sceneType }: Trace, kind: Reference["kind"], since: Since): (verdict: Verdict) => string {
  const { t } = useLingui();
  return (verdict) => {
    if (verdict === "right") return t`已记录：用得对。`;
    if (verdict === "notHere") {
      const scene = sceneType && sceneName(sceneType);
      return scene
        ? t`已记录：以后${skillName(skill)}${scene}时不再带上它。别处照旧。`
        : t`已记录：以后${skillName(skill)}、没分场景时不再带上它。别处照旧。`;
    }
    if (kind !== "rule") return t`已记录：以后哪里都不再带上它。`;
    if (since.kind === "builtIn") return t`已记录。它是自带的，学到你自己的规则以后就不再用了。`;
    if (since.kind === "deleted") return t`已记录。这条规则已经删除，不再计算。`;
    const { rule } = since;
    if (!rule) return t`已记录：算四次相反的取舍。`;
    if (rule.wrongCount === 0) return t`以前记录过。后来你确认或改过它，这一次不再算。`;
    if (rule.userConfirmed) return t`已记录。这条你确认过，照旧在用；记忆面板里会再问你一次。`;
    if (rule.standing === "suspended") return t`你两次说它不对，已停用。到记忆面板里确认、修改或删除。`;
    const number = (rule.confidence ?? 0).toFixed(2);
    return t`已记录：算四次相反的取舍，把握降到 ${number}。再说一次不对就停用。`;
  };
}
