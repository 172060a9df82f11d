/** What the keyboard can stand on. */
const PLACES =
  'button:not([disabled]), a[href], input:not([disabled]), textarea:not([disabled]), [tabindex="0"], [contenteditable="true"]';

const isShown = (place: HTMLElement) => place.getClientRects().length > 0;
const isPlace = (place: HTMLElement) => place.matches(PLACES) && isShown(place);
const isLost = () => document.activeElement === null || document.activeElement === document.body;

/** The nearest place to one that is gone: what was around it, or the first thing in that. */
function nearestTo(around: readonly HTMLElement[]): HTMLElement | null {
  for (const one of around) {
    if (!one.isConnected || !isShown(one)) continue;
    const place = isPlace(one) ? one : [...one.querySelectorAll<HTMLElement>(PLACES)].find(isShown);
    if (place) return place;
  }
  return null;
}

/**
 * Keeps the keyboard in its place. A browser lets go of what is disabled or taken away, and the next key would be heard
 * by nobody: so it goes back to a place that can be used again, or to the nearest there is. Whoever takes up the
 * pointer is left alone, and so is a place that something else has meanwhile been given.
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
    // What comes into the page instead may take the keyboard by itself.
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
