import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Operation } from "../../../../src/catalogue/operation.js";
import { hashOf } from "../../../../src/providers/attempt-store.js";
import { encodeForm, serviceAddress } from "../../../../src/providers/service-calls.js";
import { newFolder } from "../../../support/new-folder.js";

describe("the key goes", () => {
  const apiHosts = ["queue.fal.run", "rest.fal.ai"];
  const root = new URL("http://127.0.0.1:9000");
  const to = (url: string, given: URL | undefined) => serviceAddress(url, { apiHosts, root: given })?.href;

  test.each([
    ["https://queue.fal.run/fal-ai/flux?logs=1", "https://queue.fal.run/fal-ai/flux?logs=1"],
    ["http://queue.fal.run/a", undefined],
    ["https://queue.fal.run.evil.example/a", undefined],
    ["https://evil.example/queue.fal.run", undefined],
    ["https://key@queue.fal.run/a", undefined],
    ["https://queue.fal.run:8443/a", undefined],
    ["file:///etc/passwd", undefined],
    ["no address", undefined],
  ])("to the service's own hosts over https only: %s", (url, expected) => {
    expect(to(url, undefined)).toBe(expected);
  });

  test.each([
    ["https://queue.fal.run/fal-ai/flux?logs=1", "http://127.0.0.1:9000/fal-ai/flux?logs=1"],
    ["http://127.0.0.1:9000/requests/1", "http://127.0.0.1:9000/requests/1"],
    ["http://127.0.0.1:9001/requests/1", undefined],
    ["https://evil.example/a", undefined],
    ["https://queue.fal.run//evil.example/a", "http://127.0.0.1:9000//evil.example/a"],
    ["https://queue.fal.run/\\\\evil.example/a", "http://127.0.0.1:9000///evil.example/a"],
  ])("to the operator's root in place of them: %s", (url, expected) => {
    expect(to(url, root)).toBe(expected);
  });

  test.each([
    ["https://proxy.example/api/v1", "https://proxy.example/api/v1/images/generations?n=1"],
    ["https://proxy.example/api/v1/", "https://proxy.example/api/v1/images/generations?n=1"],
    ["http://127.0.0.1:9000/v1", "http://127.0.0.1:9000/v1/images/generations?n=1"],
    ["https://proxy.example", "https://proxy.example/images/generations?n=1"],
  ])("under the path of a root that includes the service's version: %s", (given, expected) => {
    const hosts = { apiHosts: ["api.openai.com"], root: new URL(given), basePath: "/v1" };
    const address = serviceAddress("https://api.openai.com/v1/images/generations?n=1", hosts);
    expect(address?.href).toBe(expected);
  });
});

test("a form has its values and files, and no name breaks out of its header", async () => {
  const file = join(newFolder(), "a.png");
  writeFileSync(file, Buffer.from([0, 255, 13, 10]));
  const { type, body } = await encodeForm(
    [
      { name: 'pro"mpt', value: "лис\r\n" },
      { name: "image[]", file, mime: "image/png", fileName: "a\r\n.png" },
    ],
    "edge",
  );
  expect(type).toBe("multipart/form-data; boundary=edge");
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  expect(form.get("pro%22mpt") ?? form.get('pro"mpt')).toBe("лис\r\n");
  const image = form.get("image[]");
  if (!(image instanceof File)) throw new Error("no file");
  expect([image.type, [...new Uint8Array(await image.arrayBuffer())]]).toEqual([
    "image/png",
    [0, 255, 13, 10],
  ]);
});

test("a picture in a form has the type and the name that its bytes tell", async () => {
  const picture = join(newFolder(), "reference-0");
  const bytes = Buffer.from("\xff\xd8\xff\xe0 and so on", "latin1");
  writeFileSync(picture, bytes);
  const { type, body } = await encodeForm([{ name: "image[]", picture }], "edge");
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  const image = form.get("image[]");
  if (!(image instanceof File)) throw new Error("no file");
  expect([image.type, image.name]).toEqual(["image/jpeg", "reference-0.jpg"]);
  expect(Buffer.from(await image.arrayBuffer()).equals(bytes)).toBe(true);
  writeFileSync(picture, "<svg></svg>");
  await expect(encodeForm([{ name: "image[]", picture }], "edge")).rejects.toThrow("no PNG, JPEG or WebP");
});

test("a request's hash depends on what is asked for, and not on how it is polled", () => {
  const operation: Operation = {
    endpoint: "tasks",
    input: { prompt: "fox" },
    output: { kind: "image", files: "/files/*", encoding: "url" },
    poll: { first_ms: 1, every_ms: [1], deadline_sec: 1 },
  };
  const hash = hashOf(operation);
  expect(hashOf({ ...operation, poll: { first_ms: 2, every_ms: [2], deadline_sec: 2 } })).toBe(hash);
  expect(hashOf({ ...operation, input: { prompt: "cat" } })).not.toBe(hash);
  expect(hashOf({ ...operation, api: "veo" })).not.toBe(hash);
});
