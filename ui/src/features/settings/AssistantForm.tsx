import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { call, queries, type Backend } from "../../backend";
import { Button, Field, GrowingText } from "../../design";
import { errorSentence, refusedField } from "../../i18n/errors";
import { isComposing } from "../../lib/ime";
import css from "./settings.module.css";

/** The place of the model in the arguments. */
const MODEL = "{model}";

interface AssistantFormProps {
  /** The program to change; `null`: a new one of the writer's own. */
  backend: Backend | null;
  onDone: () => void;
}

/** Form of a program: its path and its model; of one of the writer's own also its arguments, which may name a model. */
export function AssistantForm({ backend, onDone }: AssistantFormProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const kind = backend?.kind ?? "own";
  const isOwn = kind === "own";
  const [name, setName] = useState(backend?.name ?? "");
  const [program, setProgram] = useState(backend?.program ?? "");
  const [lines, setLines] = useState(backend?.arguments.join("\n") ?? "");
  const [model, setModel] = useState(backend?.model ?? "");
  /** The Enter that ends a composition must not submit. */
  const composing = useRef(false);
  const args = lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const hasPlace = args.some((argument) => argument.includes(MODEL));
  const hasModel = !isOwn || hasPlace;
  const save = useMutation({
    // All fields: one that is missing would get its usual value.
    mutationFn: () =>
      call("backend:save", {
        ...(backend && { backendId: backend.backendId, isolation: backend.isolation }),
        kind,
        name: name.trim(),
        program: program.trim(),
        ...(isOwn && { arguments: args }),
        ...(hasModel && model.trim() !== "" && { model: model.trim() }),
      }),
    onSuccess: ({ backendId }) => {
      client.removeQueries({ queryKey: queries.testedBackend(backendId).queryKey });
      onDone();
    },
  });
  const field = refusedField(save.error)?.replace(/\[.*/, "") ?? null;
  const message = save.error && errorSentence(save.error);
  const of = (which: string) => (field === which ? message : null);
  const isShown = field === "name" || field === "program" || (field === "model" && hasModel);
  const isFilled = name.trim() !== "" && program.trim() !== "" && (!hasPlace || model.trim() !== "");
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      className={css.form}
      aria-label={backend ? t`修改 ${backend.name}` : t`自己的程序`}
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
        note={
          isOwn
            ? t`完整的路径，或者终端里打的名字。问题从标准输入给它，它输出的就是答案。`
            : t`完整的路径，或者终端里打的名字。`
        }
        testId="assistant-program"
      />
      {isOwn && (
        <GrowingText
          label={t`参数，一行一个`}
          value={lines}
          onChange={setLines}
          maxRows={6}
          testId="assistant-arguments"
        />
      )}
      {hasModel && (
        <Field
          label={isOwn ? t`模型（放在 ${MODEL} 的位置）` : t`模型，可以不填`}
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
