/**
 * Whether a key belongs to an input method. Besides `isComposing`, WebKit sends the key that ends a composition
 * after its end, with key code 229.
 */
export function isComposing(event: { isComposing?: boolean; keyCode?: number }): boolean {
  return event.isComposing === true || event.keyCode === 229;
}
