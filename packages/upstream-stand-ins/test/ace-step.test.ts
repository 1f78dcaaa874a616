import { expect, test } from "vitest";
import type { Upstreams } from "../src/index.js";
import { download, send, upstreams } from "./client.js";

const post = (stand: Upstreams, path: string, body: object, key?: string) =>
  send("POST", `${stand.url}${path}`, key === undefined ? undefined : `Bearer ${key}`, body);
const SONG = { prompt: "quiet pop", lyrics: "snow on the roof", batch_size: 2, audio_duration: 10 };

async function taskOf(stand: Upstreams, body: object = SONG): Promise<string> {
  return (await post(stand, "/release_task", body)).body.data.task_id;
}

async function told(stand: Upstreams, id: string) {
  const [task] = (await post(stand, "/query_result", { task_id_list: [id] })).body.data;
  return { ...task, result: JSON.parse(task.result) };
}

test("a task waits and runs under one status, and then tells its tracks by paths on the server", async () => {
  const stand = await upstreams();
  const id = await taskOf(stand);
  expect(await told(stand, id)).toMatchObject({ status: 0, result: [{ file: "", stage: "queued" }] });
  stand.advance(4000);
  expect(await told(stand, id)).toMatchObject({ status: 0, result: [{ file: "", stage: "running" }] });
  stand.advance(6000);
  const { status, result } = await told(stand, id);
  expect([status, result.length]).toEqual([1, 2]);
  expect(result[0].file).toMatch(/^\/v1\/audio\?path=%2Ftmp%2Fapi_audio%2F\w+\.mp3$/);
  expect(await download(`${stand.url}${result[0].file}`)).toMatchObject({ status: 200, mime: "audio/mpeg" });
  expect(stand.ledger).toHaveLength(1);
  expect(stand.breaches).toEqual([]);
});

test("without a number of tracks it makes two", async () => {
  const stand = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const id = await taskOf(stand, { sample_query: "a soft song", thinking: true });
  expect((await told(stand, id)).result).toHaveLength(2);
});

test("a task that it does not know has the status of one that runs, and an empty list", async () => {
  const stand = await upstreams();
  const id = await taskOf(stand);
  stand.forgetTasks("ace_step");
  expect(await told(stand, id)).toMatchObject({ task_id: id, status: 0, result: [] });
  expect(await told(stand, "never")).toMatchObject({ task_id: "never", status: 0, result: [] });
});

test("a failed task has status 2 and its error", async () => {
  const stand = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  stand.order({ fault: "failed-at-result" });
  expect(await told(stand, await taskOf(stand))).toMatchObject({
    status: 2,
    result: [{ error: expect.stringContaining("failed") }],
  });
});

test("started with a key, it takes that one alone, for its files too", async () => {
  const stand = await upstreams({ keys: { ace_step: "right" }, timing: { queueMs: 0, runMs: 0 } });
  for (const key of [undefined, "wrong"]) {
    expect(await post(stand, "/release_task", SONG, key)).toMatchObject({
      status: 401,
      body: { detail: expect.any(String) },
    });
  }
  const { body } = await post(stand, "/release_task", SONG, "right");
  const query = { task_id_list: [body.data.task_id] };
  const [task] = (await post(stand, "/query_result", query, "right")).body.data;
  const [{ file }] = JSON.parse(task.result);
  expect((await download(`${stand.url}${file}`)).status).toBe(401);
  expect((await send("GET", `${stand.url}/v1/stats`, "Bearer right")).status).toBe(200);
  expect((await send("GET", `${stand.url}/health`, undefined)).status).toBe(200);
});

test.each([
  [{ ...SONG, colour: 1 }, "ace_step default: unknown field colour"],
  [{ ...SONG, batch_size: 9 }, "ace_step default: batch_size is refused: large 8"],
  [{ ...SONG, seed: 5 }, "ace_step default: seed is refused: rule use_random_seed false with a seed"],
  [{ thinking: true }, "ace_step default: prompt is refused: rule a text"],
])("%j is a breach of its reference", async (body, breach) => {
  const stand = await upstreams();
  await post(stand, "/release_task", body);
  expect(stand.takeBreaches()).toEqual([breach]);
});
