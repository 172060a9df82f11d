import { Prec, type Extension } from "@codemirror/state";
import { closeHoverTooltips, EditorView, hasHoverTooltips, hoverTooltip, keymap } from "@codemirror/view";

/** Milliseconds that the pointer rests on a name before it is explained. */
const REST_MS = 400;

/** A name in the text, as it is explained under the pointer. */
export interface NamedHere {
  entityId: string;
  name: string;
  aliases: string;
  /** At most a few facts, each with the side that it tells of. */
  facts: readonly { attribute: string; value: string }[];
  /** Words of the window below them. */
  foot: readonly string[];
}

interface NameHoverOptions {
  /** The name at an offset; `null`: there is none. */
  find: (offset: number) => Promise<NamedHere | null>;
  /** Called with the entity whose box is shown; `null`: the box is closed. */
  onShown: (entityId: string | null) => void;
  lang: string;
}

/**
 * Explains the name under the resting pointer, in a box of its own: nothing is drawn into the text. Escape closes the
 * box; while an input method composes there is none.
 */
export function nameHover({ find, onShown, lang }: NameHoverOptions): Extension {
  return [
    hoverTooltip(
      async (view, pos) => {
        if (view.compositionStarted) return null;
        const found = await find(pos);
        if (!found || view.compositionStarted) return null;
        return {
          pos,
          above: false,
          create: () => ({
            dom: boxOf(found, lang),
            mount: () => onShown(found.entityId),
            destroy: () => onShown(null),
          }),
        };
      },
      { hoverTime: REST_MS, hideOnChange: true },
    ),
    Prec.highest(
      keymap.of([
        {
          key: "Escape",
          run: (view: EditorView) => {
            if (!hasHoverTooltips(view.state)) return false;
            view.dispatch({ effects: closeHoverTooltips });
            return true;
          },
        },
      ]),
    ),
  ];
}

function boxOf({ name, aliases, facts, foot }: NamedHere, lang: string): HTMLElement {
  const box = elementOf("div", "cm-name", "");
  box.dataset["testid"] = "name-hover";
  const head = elementOf("p", "cm-name-head", "");
  head.lang = lang;
  head.append(elementOf("b", "", name), elementOf("small", "", aliases));
  box.append(head);
  for (const { attribute, value } of facts) {
    const line = elementOf("p", "cm-name-fact", "");
    line.lang = lang;
    line.append(elementOf("small", "", attribute), elementOf("span", "", value));
    box.append(line);
  }
  const last = elementOf("p", "cm-name-foot", "");
  last.append(...foot.map((words) => elementOf("span", "", words)));
  box.append(last);
  return box;
}

function elementOf(tag: string, className: string, text: string): HTMLElement {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}
