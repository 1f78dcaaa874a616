import { expect, test } from "vitest";
import { isFileAddress } from "../../../../src/providers/fetch-outputs.js";

const fileHosts = ["fal.media", "polza.ai"];

test.each([
  ["https://fal.media/a.png", true],
  ["https://v3b.fal.media/a.png", true],
  ["https://V3B.FAL.MEDIA./a.png", true],
  ["https://s3.polza.ai/f/a.png", true],
  ["http://fal.media/a.png", false],
  ["https://fal.media:8443/a.png", false],
  ["https://notfal.media/a.png", false],
  ["https://fal.media.example/a.png", false],
  ["https://fal.media@evil.example/a.png", false],
  ["https://user:word@fal.media/a.png", false],
  ["https://127.0.0.1/a.png", false],
  ["ftp://fal.media/a.png", false],
  ["file:///etc/passwd", false],
])("without a root of the operator's, %s is allowed: %s", (url, isAllowed) => {
  expect(isFileAddress(new URL(url), { fileHosts, root: undefined })).toBe(isAllowed);
});

test.each([
  ["https://storage.example.com/a.png", true],
  ["https://127.0.0.1/a.png", false],
  ["https://10.0.0.8/a.png", false],
  ["https://files.internal/a.png", false],
  ["http://storage.example.com/a.png", false],
  ["https://storage.example.com:8443/a.png", false],
])("of a service that may store anywhere, %s is allowed: %s", (url, isAllowed) => {
  expect(isFileAddress(new URL(url), { fileHosts: ["*"], root: undefined })).toBe(isAllowed);
});

test.each([
  ["http://127.0.0.1:4000", "http://127.0.0.1:4001/a.png", true],
  ["http://127.0.0.1:4000", "https://127.0.0.1/a.png", true],
  ["http://127.0.0.1:4000", "https://fal.media/a.png", true],
  ["http://127.0.0.1:4000", "http://fal.media/a.png", false],
  ["http://127.0.0.1:4000", "http://127.0.0.2:4000/a.png", false],
  ["https://proxy.example", "https://proxy.example:9000/a.png", true],
  ["https://proxy.example", "http://proxy.example/a.png", false],
  ["https://proxy.example", "https://files.proxy.example/a.png", false],
])("with the root %s, %s is allowed: %s", (root, url, isAllowed) => {
  expect(isFileAddress(new URL(url), { fileHosts, root: new URL(root) })).toBe(isAllowed);
});
