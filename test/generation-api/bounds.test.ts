import { describe, expect, test } from "vitest";
import { failureOf, ORDER, openService, REQUEST } from "../client/harness.js";
import { json } from "../support/faulty-service.js";

const JOB = { job_id: 5, type: "music", status: "done", cost_rub: 10, result: { url: null, mime: null } };
const TRACK = { url: "https://a.example/1", title: "T" };
const MODEL = { type: "image", model_key: "fox", title: "Fox", price_rub: 5, defaults: {}, parameters: {} };
const LONG = "👩‍🚀".repeat(1000);

const open = (body: object) => openService(json(200, { ok: true, ...body }));

/** What the log says that was left out. */
function problemsOf(lines: readonly Record<string, unknown>[]): unknown[] {
  return lines.filter(({ level }) => level === 50).flatMap(({ problem, problems }) => problem ?? problems);
}

describe("a job", () => {
  test("of 500 tracks has 20, and the log says so", async () => {
    const tracks = Array.from({ length: 500 }, () => TRACK);
    const { client, lines } = await open({ job: { ...JOB, result: { url: null, mime: null, tracks } } });
    expect((await client.job(5)).result?.tracks).toHaveLength(20);
    expect(problemsOf(lines)).toEqual(["result.tracks: more than 20"]);
    const odd = await open({ job: { ...JOB, result: { url: null, mime: null, tracks: [null, 7, TRACK] } } });
    expect((await odd.client.job(5)).result?.tracks).toMatchObject([TRACK]);
  });

  test.each([1e300, -1, 1e9 + 1, "10", undefined])("with the sum %s has none, logged", async (cost_rub) => {
    const { client, lines } = await open({ job: { ...JOB, cost_rub } });
    expect((await client.job(5)).cost_rub).toBe(0);
    expect(problemsOf(lines)).toEqual(["cost_rub: no amount"]);
  });

  test("has titles that fit into a caption, and no link that is longer than links are", async () => {
    const result = { url: "u", mime: "audio/mpeg", tracks: [{ ...TRACK, title: LONG, url: LONG.repeat(9) }] };
    const { client } = await open({ job: { ...JOB, model_title: LONG, result } });
    const job = await client.job(5);
    expect([...(job.model_title ?? "")].length).toBeLessThanOrEqual(100);
    expect(job.result?.tracks).toMatchObject([{ title: expect.stringMatching(/^.{50,400}…$/u), url: null }]);
  });
});

describe("an acceptance", () => {
  test("that names a job as a number and as a text has it once", async () => {
    const { client } = await open({ job_id: "1", job_ids: [1, 2, "2"], cost_rub: 10 });
    const accepted = await client.submit(REQUEST, { orderId: ORDER });
    expect(accepted.job_ids).toEqual(["1", 2]);
  });

  test("of 300 jobs has 10 of them, and the log says so", async () => {
    const job_ids = Array.from({ length: 300 }, (_, index) => index + 1);
    const { client, lines } = await open({ job_id: 1, job_ids, cost_rub: 10 });
    const accepted = await client.submit(REQUEST, { orderId: ORDER });
    expect(accepted.job_ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(problemsOf(lines)).toEqual(["job_ids: more than 10"]);
  });

  test.each([1e300, -5, "much"])("that costs %s names no sum, and the log says so", async (cost_rub) => {
    const { client, lines } = await open({ job_id: 1, job_ids: [1], cost_rub });
    const accepted = await client.submit(REQUEST, { orderId: ORDER });
    expect(accepted).toMatchObject({ job_ids: [1], cost_rub: undefined });
    expect(problemsOf(lines)).toEqual(["cost_rub: no amount"]);
  });
});

test("a balance that no account has is not shown", async () => {
  const { client } = await open({ balance: { currency: "RUB", amount: 1e300 } });
  const { error } = await failureOf(client.balance({ triesMax: 1 }));
  expect(error).toMatchObject({ name: "Unavailable" });
});

describe("a list of models", () => {
  test("of 10 000 and 12 MB is cut, and that is told once", async () => {
    const note = "n".repeat(1000);
    const models = Array.from({ length: 10_000 }, (_, index) => ({
      ...MODEL,
      model_key: `fox-${index}`,
      parameters: { prompt: { type: "string", note } },
    }));
    const { client, told, lines } = await open({ models });
    expect(await client.models()).toHaveLength(500);
    await client.modelsAnew();
    expect(told).toEqual([{ kind: "models_cut", shown: 500, all: 10_000 }]);
    expect(lines.filter(({ msg }) => String(msg).startsWith("too many models"))).toHaveLength(1);
  });

  test("names local previews as such, for a person's own language, and not in the title", async () => {
    const models = [{ ...MODEL, title: "Fox (local preview)" }, MODEL];
    const { client } = await open({ models });
    const [preview, other] = await client.models();
    expect(preview).toMatchObject({ title: "Fox", isPreview: true });
    expect(other).not.toHaveProperty("isPreview");
  });

  test("takes a prompt for images and videos, listed or not: section 4.4 requires it", async () => {
    const listed = [{}, { prompt: null }, { prompt: { type: "string", max: 9 } }];
    const models = [...listed.map((parameters) => ({ ...MODEL, parameters })), { ...MODEL, type: "music" }];
    const { client } = await open({ models });
    const prompt = { type: "string", required: true };
    const read = (await client.models()).map(({ parameters }) => parameters.prompt);
    expect(read).toEqual([prompt, prompt, { ...prompt, max: 9 }, undefined]);
  });

  test("takes an empty default for none, as section 2.2 takes null", async () => {
    const empty = { prompt: "", reference_urls: [], lyrics: null };
    const parameters = { prompt: { type: "string", required: true, default: "" } };
    const { client } = await open({ models: [{ ...MODEL, defaults: { ...empty, count: 0 }, parameters }] });
    const [model] = await client.models();
    expect(model?.defaults).toEqual({ prompt: null, reference_urls: null, lyrics: null, count: 0 });
    expect(model?.parameters.prompt?.default).toBeNull();
  });

  test("has titles that fit on a card, and no model of thousands of parameters", async () => {
    const parameters = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`p${index}`, null]));
    const models = [
      { ...MODEL, title: LONG },
      { ...MODEL, parameters },
    ];
    const { client } = await open({ models });
    const shown = await client.models();
    expect(shown).toHaveLength(1);
    expect([...(shown[0]?.title ?? "")].length).toBeLessThanOrEqual(100);
  });
});
