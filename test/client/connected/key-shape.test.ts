import { expect, test } from "vitest";
import { keysLike } from "../../../src/client/connected-accounts.js";

const OWN = "atl_Ab3_-x9Q_0123456789abcdefghijklmnopqrstuvwxyzABC-_123";
const OTHER_OWN = "atl_zZ1yY2xX_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghi012345678";

test.each([
  ["of a prefix of words", "sk_live_0123456789abcdef", "sk_live_fedcba9876543210"],
  ["of a label that differs", OWN, OTHER_OWN],
  ["without a prefix", "0123456789abcdef0123456789abcdef", "f0e1d2c3b4a5968778695a4b3c2d1e0f"],
  ["the connected one itself", "short-key", "short-key"],
])("a key like the connected one is found: %s", (_name, connected, sent) => {
  for (const text of [sent, `/image ${sent}`, `key: "${sent}".`, `https://a.example/?key=${sent}&x=1`])
    expect(keysLike(connected)(text)).toBe(sent);
});

test.each([
  ["sk_live_0123456789abcdef", "sk_live_fedcba98765432100"],
  ["sk_live_0123456789abcdef", "sk_test_fedcba987654"],
  ["sk_live_0123456789abcdef", "sk_live_a fox in the snow"],
  ["0123456789abcdef0123456789abcdef", "the quick brown fox jumps over the lazy dog 0123456789"],
  ["abcdefghij0123456789", "internationalization"],
])("like %s is not %s", (connected, text) => {
  expect(keysLike(connected)(text)).toBeUndefined();
});
