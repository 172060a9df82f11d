import { afterEach, beforeEach, expect, vi, type MockInstance } from "vitest";

/** React writes what its development checks find to `console.error`; a test that causes one of these messages fails. */
let errors: MockInstance<typeof console.error>;

beforeEach(() => {
  errors = vi.spyOn(console, "error");
});

afterEach(() => {
  const messages = errors.mock.calls.map(String);
  errors.mockRestore();
  expect(messages).toEqual([]);
});
