import { expect, onTestFinished, test } from "vitest";
import { JsonBodies } from "../../src/http/read-body.js";
import { FIELD_NAMES } from "../../src/http/v1/create-generation.js";

function open(): JsonBodies {
  const bodies = new JsonBodies(FIELD_NAMES);
  onTestFinished(() => bodies.close());
  return bodies;
}

const bytesOf = (text: string) => {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
};
/** What makes a body large without changing its meaning. */
const padding = " ".repeat(40_000);

test("a large body means what a small one does, whatever it has that nobody reads", async () => {
  const bodies = open();
  const request = {
    prompt: "a fox",
    reference_urls: ["https://a.example/1", 2, null],
    count: 2,
    sound: null,
  };
  const small = await bodies.parse(bytesOf(JSON.stringify(request)));
  const large = await bodies.parse(bytesOf(JSON.stringify(request) + padding));
  expect(large).toEqual(small);
  const names = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`x${index}`, [index]]));
  const full = await bodies.parse(
    bytesOf(JSON.stringify({ ...names, ...request, __proto__: { prompt: "b" } })),
  );
  expect(full.json).toMatchObject(small.json);
  expect(Object.keys(full.json), "of what nobody reads some names stay").toEqual([
    ...Object.keys(request),
    ...Object.keys(names).slice(0, 20),
  ]);
  expect(full.fingerprint).not.toBe(small.fingerprint);
});

test("texts and lists longer than any request has are cut, and objects are only there", async () => {
  const { json } = await open().parse(
    bytesOf(
      JSON.stringify({
        prompt: `${padding}${"я".repeat(300_000)}`,
        reference_urls: Array.from({ length: 1000 }, () => ["deep"]),
        title: { deep: [] },
        type: `image${padding.repeat(3)}x`,
      }),
    ),
  );
  expect(json).toEqual({
    prompt: "я".repeat(100_000),
    reference_urls: Array.from({ length: 200 }, () => ({})),
    title: {},
    type: expect.stringMatching(/^image {99994}x$/),
  });
});

test("bodies that wait when the thread ends are refused as overload, and a new thread reads the next", async () => {
  const bodies = open();
  const waiting = bodies.parse(bytesOf(`{"prompt":"a fox"}${padding}`));
  await Promise.all([bodies.close(), expect(waiting).rejects.toMatchObject({ code: "service_unavailable" })]);
  expect((await bodies.parse(bytesOf(`{"prompt":"a fox"}${padding}`))).json).toEqual({ prompt: "a fox" });
});
