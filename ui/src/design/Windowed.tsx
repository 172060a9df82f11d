import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from "react";

interface WindowedProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  /** Approximate height of an item not rendered yet, in pixels. */
  heightOf: (item: T) => number;
  /** Approximate distance from the top of the scrolled content, in pixels. */
  top: number;
  /** Whether the item stays rendered out of view. */
  keep: (item: T) => boolean;
  children: (item: T) => ReactNode;
}

/** Pixels around the viewport that are rendered in advance, so the focus can move there and nothing pops in. */
const OVERSCAN_PX = 320;
/** Pixels from the top rendered at once, before the viewport is known. */
const INITIAL_PX = 1_000;

/**
 * A virtual list: only items near the viewport are rendered. Its height and its announced size are those of the full
 * list.
 */
export function Windowed<T>({ items, keyOf, heightOf, top, keep, children }: WindowedProps<T>) {
  const heights = items.map(heightOf);
  const tops = runningTotals(heights, top);
  return (
    <ul>
      {items.map((item, index) => (
        <WindowedItem
          key={keyOf(item)}
          first={(tops[index] ?? 0) < INITIAL_PX}
          about={heights[index] ?? 0}
          keep={keep(item)}
        >
          {() => children(item)}
        </WindowedItem>
      ))}
    </ul>
  );
}

/** Sums of all items before each item. */
function runningTotals(values: readonly number[], start: number): number[] {
  let total = start;
  return values.map((value) => {
    total += value;
    return total - value;
  });
}

interface WindowedItemProps {
  /** Whether the item is rendered at first. */
  first: boolean;
  /** Approximate height in pixels. */
  about: number;
  keep: boolean;
  children: () => ReactNode;
}

function WindowedItem({ first, about, keep, children }: WindowedItemProps) {
  const box = useRef<HTMLLIElement>(null);
  const [near, setNear] = useState(first);
  /** Height in pixels when it was last rendered. */
  const [was, setWas] = useState<number | null>(null);
  const filled = near || keep;
  const height = was ?? about;
  const held = useRef({ filled, height });

  const look = useEffectEvent((isNear: boolean) => {
    const element = box.current;
    // The focused item stays rendered.
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
    // The item was rendered above the viewport with another height than estimated: correct the scroll position.
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
  callbacks: Map<Element, (isNear: boolean) => void>;
}

/** One observer per scrolled element. */
const sights = new WeakMap<Element, Sight>();

function watch(element: Element, callback: (isNear: boolean) => void): () => void {
  const root = scrollerOf(element);
  const sight = sights.get(root ?? document.body) ?? sightOf(root);
  sights.set(root ?? document.body, sight);
  sight.callbacks.set(element, callback);
  sight.observer.observe(element);
  return () => {
    sight.callbacks.delete(element);
    sight.observer.unobserve(element);
  };
}

function sightOf(root: Element | null): Sight {
  const callbacks: Sight["callbacks"] = new Map();
  const look: IntersectionObserverCallback = (entries) => {
    for (const { target, isIntersecting } of entries) callbacks.get(target)?.(isIntersecting);
  };
  return { callbacks, observer: new IntersectionObserver(look, { root, rootMargin: `${OVERSCAN_PX}px 0px` }) };
}

function scrollerOf(element: Element): HTMLElement | null {
  for (let at = element.parentElement; at; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  return null;
}
