import { expect, test } from "vitest";
import { FairSlots } from "../../src/platform/slots.js";
import { turnOfEvents } from "../support/manual-clock.js";

const never = new AbortController().signal;

/** Work that waits for slots, and the order in which it got them. */
function openWork(size: number) {
  const slots = new FairSlots(size);
  const begun: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    slots,
    begun,
    ask(name: string, account: number, signal = never) {
      const asked = slots.acquire(account, signal).then((release) => {
        begun.push(name);
        releases.set(name, release);
      });
      asked.catch(() => {});
      return asked;
    },
    async end(name: string) {
      releases.get(name)?.();
      await turnOfEvents();
    },
  };
}

test("accounts take turns, whoever came first", async () => {
  const { begun, ask, end } = openWork(1);
  for (const name of ["a1", "a2", "a3"]) void ask(name, 1);
  for (const name of ["b1", "b2"]) void ask(name, 2);
  void ask("c1", 3);
  await turnOfEvents();
  for (let count = 0; count < 6; count += 1) await end(begun.at(-1) ?? "");
  expect(begun).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("an account alone takes all slots; beside others one is kept from it", async () => {
  const { begun, ask, end } = openWork(3);
  for (const name of ["a1", "a2", "a3", "a4"]) void ask(name, 1);
  await turnOfEvents();
  expect(begun).toEqual(["a1", "a2", "a3"]);
  void ask("b1", 2);
  void ask("b2", 2);
  await end("a1");
  await end("b1");
  expect(begun.slice(3)).toEqual(["b1", "b2"]);
  await end("a2");
  expect(begun.at(-1)).toBe("a4");
});

test("work that is aborted leaves the queue, and a slot is given back once", async () => {
  const { begun, ask, end } = openWork(1);
  const stop = new AbortController();
  void ask("a1", 1);
  const left = ask("a2", 1, stop.signal);
  void ask("a3", 1);
  stop.abort(new Error("stopped"));
  await expect(left).rejects.toThrow("stopped");
  await end("a1");
  await end("a1");
  void ask("a4", 1);
  await turnOfEvents();
  expect(begun).toEqual(["a1", "a3"]);
  await expect(ask("a5", 1, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
});
