/** Rests the pointer over the first occurrence of a text in an element. Throws if there is none. */
export function pointAt(element: HTMLElement, text: string): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const from = node.nodeValue?.indexOf(text) ?? -1;
    if (from < 0) continue;
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, from + text.length);
    const { left, top, width, height } = range.getBoundingClientRect();
    const place = { bubbles: true, clientX: left + width / 2, clientY: top + height / 2 };
    node.parentElement?.dispatchEvent(new MouseEvent("mousemove", place));
    return;
  }
  throw new Error(`there is no ${text}`);
}
