import { expect, test } from "vitest";
import type { UpstreamReference } from "../../../src/providers/adapter.js";
import { ADAPTERS } from "../../../src/providers/adapters.js";
import { openai } from "../../../src/providers/services/openai.js";
import fc from "../../support/fast-check.js";
import { answer as answerOf, HTML, operation } from "./answer.js";

const STATUSES = [200, 201, 202, 204, 301, 400, 401, 402, 403, 404, 408, 418, 422, 429, 500, 502, 503, 504];
const REFERENCES = [
  {},
  { task_id: "1" },
  { task_id: 1 },
  { request_id: "1", step: "result" },
  { prompt_id: "1", step: "history" },
  {
    request_id: "1",
    status_url: "https://queue.fal.run/a/b/requests/1/status",
    response_url: "https://queue.fal.run/a/b/requests/1",
    cancel_url: "https://queue.fal.run/a/b/requests/1/cancel",
    step: "result",
  },
];

/** Objects with names that the readers look for, so that they are read deeper than any object would be. */
const NAMES = [
  ...["status", "state", "code", "data", "msg", "error", "detail", "type", "taskId", "id", "request_id"],
  ...["resultJson", "response", "items", "json_input", "sent_at"],
  ...["queue_running", "queue_pending", "prompt_id", "outputs", "messages", "status_str", "filename", "1"],
  ...["node_errors", "task_id", "result"],
  ...["usage", "cost_rub", "warnings", "failCode", "failMsg", "toString", "valueOf", "__proto__"],
];
const WORDS = ["COMPLETED", "success", "SUCCESS", "completed", "failed", "fail", "https://a.example/b"];

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, 1, 2, 3, 200, 400, 422, 500, 1.5, "", "200", ...WORDS),
    fc.string(),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("tree"), { maxKeys: 6 }),
  ),
}));
const texts = fc.oneof(
  tree.map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string(),
);
const answers = fc.record({
  status: fc.constantFrom(...STATUSES),
  text: texts,
  headers: fc.constantFrom(
    new Map<string, string>(),
    new Map([
      ["retry-after", "soon"],
      ["date", "never"],
      ["x-fal-billable-units", "NaN"],
    ]),
    new Map([
      ["retry-after", "5"],
      ["date", new Date(0).toUTCString()],
      ["x-fal-billable-units", "1.5"],
    ]),
  ),
  fault: fc.constantFrom(undefined, new Error("cut off")),
});
const references = fc.constantFrom<{ readonly [name: string]: never }>(...(REFERENCES as never[]));
const attempt = { id: "uuid", operation: operation(), submittedAt: 0, askedForMs: 0, taken: [] };

test.each(ADAPTERS)("no answer whatever makes a reader of $name throw", (adapter) => {
  fc.assert(
    fc.property(answers, references, (answer, reference) => {
      adapter.poll(reference);
      adapter.cancel?.(reference);
      const submitted = adapter.readSubmit(answer, operation());
      // What nobody can read may have been accepted.
      if (answer.fault && answer.status < 300) expect(submitted.kind).toBe("ambiguous");
      const polled = adapter.readPoll(answer, reference);
      const isSilent = answer.fault || (answer.status >= 500 && !answer.text.startsWith("{"));
      // Of a synchronous service nothing can be asked.
      if (isSilent && adapter !== openai) expect(["glitch", "throttled"]).toContain(polled.kind);
      adapter.readLookUp?.(answer, attempt, 0);
      adapter.renew?.("https://a.example/b").read(answer);
      adapter.upload?.readBegin(answer);
      adapter.probe.read(answer, "no_credit");
      for (const { read } of adapter.balance?.questions ?? []) read(answer);
    }),
    { numRuns: 1500 },
  );
});

test.each(ADAPTERS)(
  "a page in place of an answer of $name leaves a submit open, and ends no task",
  (adapter) => {
    for (const status of [200, 500, 502, 503]) {
      const page = answerOf(status, HTML);
      expect(adapter.readSubmit(page, operation()).kind).toBe("ambiguous");
      if (adapter === openai) continue;
      for (const reference of REFERENCES as never[])
        expect(adapter.readPoll(page, reference).kind).toBe("glitch");
    }
  },
);

test.each(ADAPTERS.filter(({ probe }) => probe.tells === "key"))(
  "the probe of $name ends no pause of which it tells nothing",
  (adapter) => {
    const good = answerOf(200, { type: "user" });
    for (const reason of ["no_credit", "locked"] as const)
      expect(adapter.probe.read(good, reason)).toEqual({ kind: "glitch" });
    expect(adapter.probe.read(good, "key_refused")).toEqual({ kind: "good" });
  },
);

test.each(ADAPTERS)("the probe of $name sees that the key is refused", (adapter) => {
  expect(adapter.probe.read(answerOf(401, { code: 401 }), "no_credit")).toEqual({
    kind: "paused",
    reason: "key_refused",
  });
});

test.each(ADAPTERS)("the calls of $name go to its own hosts", (adapter) => {
  const asked = { id: "1", callbackUrl: "https://ours.invalid" };
  const reference = { task_id: "1", id: "1", status_url: "https://queue.fal.run/a/b/requests/1/status" };
  const file = { path: "/tmp/a", mime: "image/png", fileName: "a.png" };
  const calls = [
    adapter.submit(operation(), asked),
    adapter.poll(reference),
    adapter.lookUp?.(attempt),
    adapter.upload?.begin(file),
    adapter.probe.call,
    adapter.renew?.("https://a.example/b").call,
    ...(adapter.balance?.questions.map(({ call }) => call) ?? []),
  ];
  for (const call of calls) {
    if (call) expect(adapter.apiHosts).toContain(new URL(call.url).host);
  }
});

const told = (text: string, status = 200) => ({ status, text, headers: new Map(), fault: undefined });

test.each([
  ["fal", 0, told('{"username":"a","credits":{"current_balance":24.5,"currency":"USD"}}'), 24.5],
  ["fal", 0, told('{"username":"a","credits":{"current_balance":24.5,"currency":"EUR"}}'), undefined],
  ["fal", 1, told("-3.86"), -3.86],
  ["kie", 0, told('{"code":200,"msg":"success","data":1234}'), 1234],
  ["polza", 0, told('{"amount":"123.45"}'), 123.45],
])("the balance at %s is read from answer %i: %j", (name, index, answer, balance) => {
  const adapter = ADAPTERS.find((known) => known.name === name);
  expect(adapter?.balance?.questions[index]?.read(answer)).toBe(balance);
});

const FAL_TASK = {
  request_id: "ours",
  status_url: "https://queue.fal.run/a/b/requests/ours/status",
  response_url: "https://queue.fal.run/a/b/requests/ours",
  cancel_url: "https://queue.fal.run/a/b/requests/ours/cancel",
};
const made = (url: string) => ({ state: "success", resultJson: JSON.stringify({ resultUrls: [url] }) });
const PICTURE = "https://files.example/1.png";

test.each<[string, UpstreamReference, (id: string) => object]>([
  ["fal", FAL_TASK, (request_id) => ({ request_id, status: "COMPLETED" })],
  ["kie", { task_id: "ours" }, (taskId) => ({ code: 200, data: { taskId, ...made(PICTURE) } })],
  ["replicate", { id: "ours" }, (id) => ({ id, status: "succeeded", output: PICTURE })],
])("an answer of %s about another task says nothing of ours", (name, reference, bodyOf) => {
  const adapter = ADAPTERS.find((known) => known.name === name);
  const kindOf = (id: string) => adapter?.readPoll(answerOf(200, bodyOf(id)), reference).kind;
  expect([kindOf("ours"), kindOf("theirs")]).toEqual([name === "fal" ? "next" : "ready", "glitch"]);
});

test.each<[string, (id: string) => object]>([
  ["fal", (request_id) => ({ request_id })],
  ["kie", (taskId) => ({ code: 200, msg: "success", data: { taskId } })],
  ["polza", (id) => ({ id, status: "pending" })],
  ["replicate", (id) => ({ id, status: "starting" })],
])("an id of %s that is longer than ids are is no acceptance", (name, bodyOf) => {
  const adapter = ADAPTERS.find((known) => known.name === name);
  const kindOf = (length: number) =>
    adapter?.readSubmit(answerOf(200, bodyOf("x".repeat(length))), operation()).kind;
  expect([kindOf(2048), kindOf(2049)]).toEqual(["accepted", "ambiguous"]);
});
