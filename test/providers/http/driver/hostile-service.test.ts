import { expect, test } from "vitest";
import { isUnwieldy } from "../../../../src/platform/json.js";
import { answer, DONE } from "./fake-service.js";
import { openFake } from "./harness.js";

/** What SQLite says of a row that breaks a rule. */
function refusedByTheDatabase(): Error {
  return Object.assign(new Error("CHECK constraint failed: attempt"), { code: "SQLITE_CONSTRAINT_CHECK" });
}

test("a task id that another attempt has delivers nothing: the second job fails, flagged for the operator", async () => {
  const { service, world } = await openFake();
  service.onPost = (response) => answer(response, 200, { task: "same" });
  service.status = DONE;
  expect(await world.outcomeOf(1)).toMatchObject({ files: [{}] });
  expect(await world.outcomeOf(2)).toMatchObject({ failure: "provider" });
  expect(world.fetched).toHaveLength(1);
  expect(world.attempt(1)).toMatchObject({ state: "stored", flagged: 0 });
  expect(world.attempt(2)).toMatchObject({ state: "ambiguous", flagged: 1, due_at: null });
  expect(world.logged("attempt ambiguous")).toMatchObject([{ job_id: 2, level: 50 }]);
  await world.restart();
  expect(await world.outcomeOf(2)).toMatchObject({ failure: "provider" });
  expect(service.posts).toHaveLength(2);
});

test("a row that the database refuses is not tried again: the job fails, and the operator is told", async () => {
  const { service, world } = await openFake();
  const write = world.database.write.bind(world.database);
  world.database.write = (label, work) =>
    label === "attempt:accepted" ? Promise.reject(refusedByTheDatabase()) : write(label, work);
  service.onPost = (response, _request, id) => answer(response, 200, { task: service.accept(id) });
  expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
  expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
  expect(world.logged("the database refuses an attempt")).toHaveLength(1);
  expect(service.posts).toHaveLength(1);
});

test("an end that the database refuses is not asked for again", async () => {
  const { service, world } = await openFake();
  const write = world.database.write.bind(world.database);
  world.database.write = (label, work) =>
    label === "attempt:ready" ? Promise.reject(refusedByTheDatabase()) : write(label, work);
  service.status = DONE;
  expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
  expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1, due_at: null });
  expect(service.gets).toHaveLength(1);
});

test("large answers are held one at a time: the next is read when the job of the one before has ended", async () => {
  const rooms: string[] = [];
  const text = JSON.stringify({ files: ["data:image/png;base64,aGVsbG8="] });
  const { world } = await openFake({
    exchange: async ({ method, room }) => {
      rooms.push("asked");
      await room?.();
      rooms.push("given");
      return { status: method === "POST" ? 200 : 404, headers: new Map(), text, fault: undefined };
    },
  });
  world.isFetchHanging = true;
  const first = world.run(1);
  await world.until("it is fetched", () => world.fetched.length === 1);
  const second = world.run(2);
  await world.until("it asks for room", () => rooms.length >= 3);
  expect(rooms).toEqual(["asked", "given", "asked"]);
  world.isFetchHanging = false;
  first.interrupt();
  expect(await world.endOf(second)).toMatchObject({ files: [{}] });
});

test("a large answer that is never whole keeps no room from the answers about other tasks", async () => {
  const gets: string[] = [];
  let posts = 0;
  const { world } = await openFake({
    exchange: async ({ method, url, room }) => {
      const told = { status: 200, headers: new Map<string, string>(), fault: undefined };
      if (method === "POST") {
        posts += 1;
        return { ...told, text: JSON.stringify({ task: `task-${posts}` }) };
      }
      await room?.();
      gets.push(url.pathname);
      const fault = url.pathname.endsWith("1") ? new Error("answer of more than 64 bytes") : undefined;
      return { ...told, text: JSON.stringify(DONE), fault };
    },
  });
  const first = world.run(1);
  await world.until("it is asked about", () => gets.length === 1);
  expect(await world.outcomeOf(2)).toMatchObject({ files: [{}] });
  expect([first.hasEnded, gets.at(-1)]).toEqual([false, "/tasks/task-2"]);
});

test("an answer without end is read no further than a task's may be long", async () => {
  const { service, world } = await openFake();
  let written = 0;
  service.onPost = (response) => {
    const part = " ".repeat(16_384);
    const more = () => {
      while (!response.destroyed && response.write(part)) written += part.length;
      response.once("drain", more);
    };
    more();
  };
  expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
  expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
  expect(written).toBeLessThan(16_000_000);
});

test("an endless task id reaches neither the row nor the log", async () => {
  const { service, world } = await openFake();
  service.onPost = (response) => answer(response, 200, { task: "x".repeat(500_000) });
  expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
  expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1, reference: undefined });
  for (const line of world.lines) expect(JSON.stringify(line).length).toBeLessThan(10_000);
});

test.each([1e300, 81, -1])("a cost of %s for what is expected to cost 0.08 is not believed", async (cost) => {
  const { service, world } = await openFake();
  service.status = { ...DONE, cost };
  expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
  expect(world.attempt()?.cost).toEqual({ amount: 0.08, currency: "USD", source: "catalogue" });
  expect(world.logged("cost told by the service cannot be")).toHaveLength(1);
});

test("a cost below a thousand times what is expected is recorded", async () => {
  const { service, world } = await openFake();
  service.status = { ...DONE, cost: 79 };
  await world.outcomeOf();
  expect(world.attempt()?.cost).toMatchObject({ amount: 79, source: "upstream" });
});

test("an answer that is nested without end is none: the submit is in doubt, the poll says nothing", async () => {
  const { service, world } = await openFake();
  const deep = `{"task":"t","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  service.onPost = (response) => answer(response, 200, deep);
  expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
  expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
});

test("the depth of JSON is that of its brackets outside of texts", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  expect(isUnwieldy(nested(100))).toBe(false);
  expect(isUnwieldy(nested(101))).toBe(true);
  expect(isUnwieldy(JSON.stringify({ text: nested(1000), quoted: `"${"{".repeat(1000)}\\` }))).toBe(false);
  expect(isUnwieldy(JSON.stringify(Array.from({ length: 1000 }, () => ({ a: [1] }))))).toBe(false);
  expect(isUnwieldy(`"${"[".repeat(1000)}`)).toBe(false);
});

test("the values of JSON are those outside of texts", () => {
  const values = (count: number) => JSON.stringify(Array.from({ length: count }, () => "a,[{"));
  expect(isUnwieldy(values(20_000))).toBe(false);
  expect(isUnwieldy(values(20_001))).toBe(true);
  expect(isUnwieldy(values(20_001), 200_000)).toBe(false);
});

test("a task with thousands of files brings what its job takes, and the log tells of the others", async () => {
  const { service, world } = await openFake();
  const files = Array.from({ length: 3000 }, (_, index) => `https://files.fake.example/${index}.png`);
  service.status = { status: "done", files };
  expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
  expect(world.fetched).toEqual([[{ kind: "image", source: { url: files[0] } }]]);
  expect(world.logged("more files than its job takes")).toMatchObject([{ told: 3000, taken: 1 }]);
});

test("a byte order mark before its answers hides none of them", async () => {
  const { service, world } = await openFake();
  const marked = (body: object) => `\uFEFF${JSON.stringify(body)}`;
  service.onPost = (response, _request, id) => answer(response, 200, marked({ task: service.accept(id) }));
  service.onGet = (response) => answer(response, 200, marked(DONE));
  expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
});
