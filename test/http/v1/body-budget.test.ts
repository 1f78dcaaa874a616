import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { CLOSED_API, dial, startServer } from "../harness.js";

const MEGABYTE = 1024 * 1024;
const LARGEST = 12 * MEGABYTE;

/** A service whose keys are the numbers of accounts, and which accepts everything. */
async function startApi() {
  const submitted: number[] = [];
  const held: (() => void)[] = [];
  const { url } = await startServer({
    api: {
      ...CLOSED_API,
      authenticate: (key) => ({ keyId: 1, accountId: Number(key) }),
      submit: async (accountId, body) => {
        submitted.push(accountId);
        if (JSON.stringify(body).includes("hold")) await new Promise<void>((resolve) => held.push(resolve));
        return { job_id: 1, job_ids: [1], status: "queued", cost_rub: 3 };
      },
    },
  });

  /** A POST of an account, of which the head is sent. */
  function begin(account: number, headers: Record<string, string | number>) {
    const outgoing = request(`${url}/v1/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${account}`, ...headers },
    });
    outgoing.on("error", () => {});
    outgoing.flushHeaders();
    const answered = once(outgoing, "response").then(async ([response]) => ({
      status: response.statusCode as number,
      retryAfter: response.headers["retry-after"] as string | undefined,
      error: (JSON.parse(await text(response)) as { error?: string }).error,
    }));
    // Where the test ends the request, nobody waits for its answer.
    answered.catch(() => {});
    return { outgoing, answered };
  }

  /** A POST whose body of this length was declared and found its room, and does not come yet. */
  async function reserve(account: number, length: number): Promise<ReturnType<typeof begin>> {
    const post = begin(account, { "content-length": length, expect: "100-continue" });
    await once(post.outgoing, "continue");
    // The answer to a refused body would come before that of a request which was sent after it.
    expect((await fetch(`${url}/v1/health`)).status).toBe(200);
    return post;
  }

  async function post(account: number, length: number) {
    const { outgoing, answered } = begin(account, { "content-length": length });
    outgoing.end(bodyOf(length));
    return (await answered).status;
  }
  return { url, begin, reserve, post, submitted, held };
}

function bodyOf(length: number, prompt = "a fox"): string {
  return JSON.stringify({ prompt, padding: "" }).padEnd(length);
}

function finish({ outgoing }: { outgoing: ClientRequest }, length: number): void {
  outgoing.end(bodyOf(length));
}

const RATE_LIMITED = { status: 429, retryAfter: "5", error: "rate_limited" };
const UNAVAILABLE = { status: 503, retryAfter: "5", error: "service_unavailable" };

test("an account with a body of 12 MB in flight waits with the next; others and small bodies do not wait", async () => {
  const api = await startApi();
  const first = await api.reserve(1, LARGEST);
  expect(await api.begin(1, { "content-length": LARGEST }).answered).toEqual(RATE_LIMITED);
  expect(await api.post(1, 2 * MEGABYTE)).toBe(200);
  expect(await api.post(1, 1000)).toBe(200);
  expect(await api.post(2, LARGEST)).toBe(200);
  finish(first, LARGEST);
  expect((await first.answered).status).toBe(200);
  expect(await api.post(1, LARGEST)).toBe(200);
});

test("bodies of all accounts share one limit; small bodies always pass", async () => {
  const api = await startApi();
  const first = [];
  for (const account of [1, 2, 3]) first.push(await api.reserve(account, LARGEST));
  expect(await api.begin(5, { "content-length": LARGEST }).answered).toEqual(UNAVAILABLE);
  expect(await api.begin(5, { "content-length": MEGABYTE }).answered).toEqual(UNAVAILABLE);
  expect(await api.post(5, 30_000)).toBe(200);
  for (const post of first) finish(post, LARGEST);
  for (const { answered } of first) expect((await answered).status).toBe(200);
  expect(await api.post(5, LARGEST)).toBe(200);
  expect(api.submitted).not.toHaveLength(0);
});

test("a body without a length takes memory budget as it arrives, up to 12 MB", async () => {
  const api = await startApi();
  const declared = await api.reserve(1, LARGEST);
  const { outgoing, answered } = api.begin(1, { "transfer-encoding": "chunked" });
  outgoing.write(bodyOf(MEGABYTE));
  outgoing.write(" ".repeat(4 * MEGABYTE));
  expect(await answered).toEqual(RATE_LIMITED);
  outgoing.destroy();
  finish(declared, LARGEST);
  await declared.answered;
  const whole = api.begin(1, { "transfer-encoding": "chunked" });
  finish(whole, LARGEST);
  expect((await whole.answered).status).toBe(200);
});

test("the budget of a body is held until its request is answered", async () => {
  const api = await startApi();
  const { outgoing, answered } = api.begin(1, { "content-length": LARGEST });
  outgoing.end(bodyOf(LARGEST, "hold"));
  await eventually("the submission", () => api.held.length > 0);
  expect(await api.begin(1, { "content-length": LARGEST }).answered).toEqual(RATE_LIMITED);
  api.held[0]?.();
  expect((await answered).status).toBe(200);
  expect(await api.post(1, LARGEST)).toBe(200);
});

test("a body whose connection ends returns its budget, also after a request that has no response yet", async () => {
  const api = await startApi();
  const { outgoing } = await api.reserve(1, LARGEST);
  outgoing.write(bodyOf(MEGABYTE));
  outgoing.destroy();
  await eventually("its room", async () => (await api.post(1, LARGEST)) === 200);

  const socket = dial(api.url);
  const head = "POST /v1/generations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer 1\r\ncontent-length: ";
  const small = bodyOf(20, "hold");
  socket.write(`${head}${small.length}\r\n\r\n${small}${head}${LARGEST}\r\n\r\n{`);
  await eventually("the first of them", () => api.held.length > 0);
  // A client that has only ended its side would still wait for both answers.
  socket.resetAndDestroy();
  await eventually("its room", async () => (await api.post(1, LARGEST)) === 200);
});

test("a body that is rejected for its key or its size takes no budget", async () => {
  const api = await startApi();
  const tooLarge = api.begin(1, { "content-length": LARGEST + 1 });
  expect(await tooLarge.answered).toMatchObject({ status: 413, error: "payload_too_large" });
  const ofNobody = api.begin(1, { authorization: "Bearer", "content-length": LARGEST });
  expect(await ofNobody.answered).toMatchObject({ status: 401 });
  const declared = await api.reserve(1, LARGEST);
  finish(declared, LARGEST);
  expect((await declared.answered).status).toBe(200);
});
