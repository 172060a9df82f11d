import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from "react";

interface WindowedProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  /** Pixels, about: how high an item is that was not there yet. */
  heightOf: (item: T) => number;
  /** Pixels, about, from the top of all that scrolls. */
  top: number;
  /** What is there even when it is out of sight. */
  keep: (item: T) => boolean;
  children: (item: T) => ReactNode;
}

/** What is within so many pixels of what is in sight is there already: the keyboard steps onto it, and nobody sees it come. */
const NEAR = 320;
/** Pixels from the top that are filled at once, before anybody has looked what is in sight. */
const AT_ONCE = 1_000;

/** A list of which only what is near is in the page. It is as long as if all were, and is told as long. */
export function Windowed<T>({ items, keyOf, heightOf, top, keep, children }: WindowedProps<T>) {
  const heights = items.map(heightOf);
  const tops = runningTotals(heights, top);
  return (
    <ul>
      {items.map((item, index) => (
        <WindowedItem
          key={keyOf(item)}
          first={(tops[index] ?? 0) < AT_ONCE}
          about={heights[index] ?? 0}
          keep={keep(item)}
        >
          {() => children(item)}
        </WindowedItem>
      ))}
    </ul>
  );
}

/** Before each, what all before it come to. */
function runningTotals(values: readonly number[], start: number): number[] {
  let total = start;
  return values.map((value) => {
    total += value;
    return total - value;
  });
}

interface WindowedItemProps {
  /** Whether it is filled to begin with. */
  first: boolean;
  /** Pixels, about. */
  about: number;
  keep: boolean;
  children: () => ReactNode;
}

function WindowedItem({ first, about, keep, children }: WindowedItemProps) {
  const box = useRef<HTMLLIElement>(null);
  const [near, setNear] = useState(first);
  /** Pixels, when it was last filled. */
  const [was, setWas] = useState<number | null>(null);
  const filled = near || keep;
  const height = was ?? about;
  const held = useRef({ filled, height });

  const look = useEffectEvent((isNear: boolean) => {
    const element = box.current;
    // Where the keyboard stands, everything stays.
    if (!element || (!isNear && element.contains(document.activeElement))) return;
    if (!isNear && filled) setWas(element.getBoundingClientRect().height);
    setNear(isNear);
  });
  useEffect(() => (box.current ? watch(box.current, look) : undefined), []);

  useLayoutEffect(() => {
    const before = held.current;
    held.current = { filled, height };
    const element = box.current;
    if (!element || before.filled || !filled) return;
    // It comes in above what is being read and is not quite as high as was thought: what is read stays where it is.
    const scroller = scrollerOf(element);
    const rect = element.getBoundingClientRect();
    if (scroller && rect.top < scroller.getBoundingClientRect().top) scroller.scrollTop += rect.height - before.height;
  }, [filled, height]);

  return (
    <li ref={box} style={filled ? undefined : { height }}>
      {filled && children()}
    </li>
  );
}

interface Sight {
  observer: IntersectionObserver;
  told: Map<Element, (isNear: boolean) => void>;
}

/** One observer looks at all that scrolls together. */
const sights = new WeakMap<Element, Sight>();

function watch(element: Element, tell: (isNear: boolean) => void): () => void {
  const root = scrollerOf(element);
  const sight = sights.get(root ?? document.body) ?? sightOf(root);
  sights.set(root ?? document.body, sight);
  sight.told.set(element, tell);
  sight.observer.observe(element);
  return () => {
    sight.told.delete(element);
    sight.observer.unobserve(element);
  };
}

function sightOf(root: Element | null): Sight {
  const told: Sight["told"] = new Map();
  const look: IntersectionObserverCallback = (entries) => {
    for (const { target, isIntersecting } of entries) told.get(target)?.(isIntersecting);
  };
  return { told, observer: new IntersectionObserver(look, { root, rootMargin: `${NEAR}px 0px` }) };
}

function scrollerOf(element: Element): HTMLElement | null {
  for (let at = element.parentElement; at; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  return null;
}
