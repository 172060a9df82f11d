import { useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, useScenes, type Category, type Rule, type Scope } from "../../backend";
import { Button, GrowingText, Picker, Seg } from "../../design";
import { errorSentence } from "../../i18n/errors";
import { CATEGORY_KEYS, categoryName, sceneName } from "../../i18n/words";
import { DimensionPicker, patchOf, type Meaning } from "./Dimension";
import css from "./memory.module.css";

interface AddRuleProps {
  projectId: string;
  scope: Scope;
  language: "zh" | "en";
  onDone: (rule: Rule | null) => void;
}

/** Form for a rule in the writer's words, used from the next generation on. */
export function AddRule({ projectId, scope: around, language, onDone }: AddRuleProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const scenes = useScenes(projectId);
  const [rule, setRule] = useState("");
  const [category, setCategory] = useState<Category>("style");
  const [scope, setScope] = useState<Scope>(around);
  const [scene, setScene] = useState<string>("any");
  const [meaning, setMeaning] = useState<Meaning>("words");

  const add = useMutation({
    mutationFn: () =>
      call("memory:semantic:add", {
        rule: rule.trim(),
        category,
        scope,
        projectId: scope === "project" ? projectId : null,
        sceneType: scene === "any" ? null : scene,
        ...patchOf(meaning),
      }),
    onSuccess: async (added) => {
      await client.invalidateQueries({ queryKey: ["rules"] });
      onDone(added);
    },
  });
  const save = () => rule.trim() !== "" && !add.isPending && add.mutate();

  return (
    <div className={css.form} data-testid="rule-form">
      <GrowingText
        prose
        autoFocus
        hideLabel
        label={t`这条规则`}
        lang={language === "zh" ? "zh-CN" : "en"}
        placeholder={t`比如：所有角色对白不使用感叹号`}
        value={rule}
        onChange={setRule}
        onEnter={save}
        onEscape={() => onDone(null)}
        testId="rule-text"
      />
      <div className={css.formRow}>
        <Picker<Category>
          label={t`分类`}
          value={category}
          onChange={setCategory}
          options={CATEGORY_KEYS.map((key) => ({ key, label: categoryName(key) }))}
          testId="rule-category"
        />
        <Picker
          label={t`场景`}
          value={scene}
          onChange={setScene}
          options={[{ key: "any", label: t`全部场景` }, ...scenes.map((key) => ({ key, label: sceneName(key) }))]}
          testId="rule-scene"
        />
        <Seg<Scope>
          label={t`在哪里用`}
          value={scope}
          onChange={setScope}
          options={[
            { key: "project", label: t`本书`, testId: "rule-scope-project" },
            { key: "global", label: t`全局`, testId: "rule-scope-global" },
          ]}
          testId="rule-scope"
        />
      </div>
      <div className={css.formRow}>
        <DimensionPicker value={meaning} onChange={setMeaning} fromWords />
        <span className="grow" />
        <Button kind="quiet" onPress={() => onDone(null)}>{t`取消`}</Button>
        <Button
          kind="primary"
          onPress={save}
          isDisabled={rule.trim() === "" || add.isPending}
          data-testid="rule-save"
        >{t`添加`}</Button>
      </div>
      {add.error && (
        <p className={css.problem} role="alert">
          {errorSentence(add.error)}
        </p>
      )}
    </div>
  );
}
