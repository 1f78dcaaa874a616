import { expect, test } from "vitest";
import { bypassesProxy } from "../../src/platform/no-proxy.js";

test.each([
  ["", "https://a.example", false],
  ["*", "https://a.example", true],
  ["*,b.example", "https://a.example", false],
  ["a.example", "https://a.example", true],
  ["A.Example", "https://a.example", true],
  ["a.example", "https://sub.a.example", true],
  ["a.example", "https://nota.example", false],
  [".a.example", "https://a.example", true],
  ["*.a.example", "https://sub.a.example", true],
  ["a.example:8443", "https://a.example:8443", true],
  ["a.example:8443", "https://a.example", false],
  ["a.example:443", "https://a.example", true],
  ["a.example:80", "http://a.example", true],
  ["b.example a.example\tc.example", "https://a.example", true],
  ["b.example,, a.example", "https://a.example", true],
  ["10.0.0.1", "https://10.0.0.1:8000", true],
  ["[::1]", "https://[::1]:8000", true],
])("NO_PROXY=%j and %s: bypassed is %s", (noProxy, url, isBypassed) => {
  expect(bypassesProxy(new URL(url), noProxy)).toBe(isBypassed);
});
