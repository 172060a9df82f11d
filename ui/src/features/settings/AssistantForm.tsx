import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { call } from "../../backend";
import { Button, Field, GrowingText } from "../../design";
import { errorSentence, refusedField } from "../../i18n/errors";
import { isComposing } from "../../lib/ime";
import css from "./settings.module.css";

/** The place of the model in the arguments. */
const MODEL = "{model}";

/** Form of a program of the writer's own: its path, its arguments, and its model where they name one. */
export function AssistantForm({ onDone }: { onDone: () => void }) {
  const { t } = useLingui();
  const [name, setName] = useState("");
  const [program, setProgram] = useState("");
  const [lines, setLines] = useState("");
  const [model, setModel] = useState("");
  /** The Enter that ends a composition must not submit. */
  const composing = useRef(false);
  const args = lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const hasModel = args.some((argument) => argument.includes(MODEL));
  const save = useMutation({
    mutationFn: () =>
      call("backend:save", {
        kind: "own",
        name: name.trim(),
        program: program.trim(),
        arguments: args,
        ...(hasModel && { model: model.trim() }),
      }),
    onSuccess: onDone,
  });
  const field = refusedField(save.error)?.replace(/\[.*/, "") ?? null;
  const message = save.error && errorSentence(save.error);
  const of = (which: string) => (field === which ? message : null);
  const isShown = field === "name" || field === "program" || (field === "model" && hasModel);
  const isFilled = name.trim() !== "" && program.trim() !== "" && (!hasModel || model.trim() !== "");
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      className={css.form}
      aria-label={t`自己的程序`}
      data-testid="assistant-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isFilled && !composing.current && !save.isPending) save.mutate();
      }}
      onKeyDown={(event) => {
        composing.current = isComposing(event.nativeEvent);
        if (event.key !== "Escape" || composing.current || event.defaultPrevented) return;
        event.preventDefault();
        onDone();
      }}
    >
      <Field label={t`名字`} value={name} onChange={setName} problem={of("name")} autoFocus testId="assistant-name" />
      <Field
        label={t`程序的位置`}
        value={program}
        onChange={setProgram}
        problem={of("program")}
        note={t`完整的路径，或者终端里打的名字。问题从标准输入给它，它输出的就是答案。`}
        testId="assistant-program"
      />
      <GrowingText
        label={t`参数，一行一个`}
        value={lines}
        onChange={setLines}
        maxRows={6}
        testId="assistant-arguments"
      />
      {hasModel && (
        <Field
          label={t`模型（放在 ${MODEL} 的位置）`}
          value={model}
          onChange={setModel}
          problem={of("model")}
          testId="assistant-model"
        />
      )}
      {message && !isShown && (
        <p className={css.problem} role="alert" data-testid="assistant-form-problem">
          {message}
        </p>
      )}
      <div className={css.formActs}>
        <Button kind="quiet" onPress={onDone} data-testid="assistant-cancel">{t`取消`}</Button>
        <Button kind="primary" type="submit" isDisabled={!isFilled || save.isPending} data-testid="assistant-save">
          {save.isPending ? t`正在保存……` : t`保存`}
        </Button>
      </div>
    </form>
  );
}
