/** Selector of focusable elements. */
const PLACES =
  'button:not([disabled]), a[href], input:not([disabled]), textarea:not([disabled]), [tabindex="0"], [contenteditable="true"]';

const isShown = (place: HTMLElement) => place.getClientRects().length > 0;
const isPlace = (place: HTMLElement) => place.matches(PLACES) && isShown(place);
const isLost = () => document.activeElement === null || document.activeElement === document.body;

/** The nearest focusable element to one that disappeared: its ancestors first, then their contents. */
function nearestTo(around: readonly HTMLElement[]): HTMLElement | null {
  for (const one of around) {
    if (!one.isConnected || !isShown(one)) continue;
    const place = isPlace(one) ? one : [...one.querySelectorAll<HTMLElement>(PLACES)].find(isShown);
    if (place) return place;
  }
  return null;
}

/**
 * Restores the focus. A browser drops it when the focused element is disabled or removed; this moves it back once the
 * element is usable again, or to the nearest focusable one. Without effect after a pointer press, or if something else
 * has the focus by then.
 */
export function keepFocus(): () => void {
  let stood: HTMLElement | null = null;
  let around: HTMLElement[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const onFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return;
    stood = target;
    around = [];
    for (let one = target.parentElement; one && one !== document.body; one = one.parentElement) around.push(one);
  };
  const leave = () => {
    stood = null;
  };
  const look = () => {
    clearTimeout(timer);
    // New content may take the focus itself.
    timer = setTimeout(() => {
      if (!stood || !isLost()) return;
      if (!stood.isConnected || !isShown(stood)) nearestTo(around)?.focus({ preventScroll: true });
      else if (isPlace(stood)) stood.focus({ preventScroll: true });
    }, 0);
  };
  const observer = new MutationObserver(() => {
    if (stood && isLost()) look();
  });

  document.addEventListener("focusin", onFocus);
  document.addEventListener("pointerdown", leave, true);
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["disabled", "hidden"],
  });
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener("focusin", onFocus);
    document.removeEventListener("pointerdown", leave, true);
  };
}
