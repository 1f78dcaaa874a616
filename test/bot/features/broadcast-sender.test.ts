import { expect, onTestFinished, test, vi } from "vitest";
import { broadcastSender } from "../../../src/bot/features/broadcast/broadcast.js";
import { People, setNoNews } from "../../../src/bot/people/people.js";
import { asKopecks } from "../../../src/contract/price.js";
import { MAX, managedOf, openBotHarness } from "../../support/bot-harness.js";
import { brokenConnection, refusal } from "../../support/bot-world.js";
import { t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";

async function openBroadcast(people: number) {
  const { parts, managed, telegram, ...world } = openBotHarness();
  const { broadcasts, orderService } = managedOf(parts);
  const { clock } = world;
  for (let id = 1; id <= people; id += 1) {
    await parts.people.meet({ id, is_bot: false, first_name: `P${id}` }, () => (id % 2 === 0 ? "ru" : "en"));
    await managed.users.idOf({ id, name: `P${id}` });
    const credit = { userId: id, kopecks: asKopecks(100), reason: null, actor: "test" };
    if (id % 3 === 0) await managed.users.credit({ ...credit, idempotencyKey: `${id}` });
  }
  const moving = (what: string, isSo: () => boolean) =>
    eventually(what, async () => {
      await clock.advance(50);
      return isSo();
    });
  return {
    ...world,
    broadcasts,
    orderService,
    telegram,
    /** Whom it was sent to, or tried. */
    copied: () => telegram.payloadsOf("copyMessage").map(({ chat_id }) => chat_id),
    open: () => broadcastSender(managedOf(parts)),
    /** Sends until the end of the test. */
    send() {
      const sender = broadcastSender(managedOf(parts));
      sender.start();
      onTestFinished(() => sender.stop());
    },
    async start(change: object = {}) {
      const made = await broadcasts.compose(MAX.id, 1);
      await broadcasts.setAudience(made, { ...made.audience, ...change });
      const changed = broadcasts.find(made.id) ?? made;
      await broadcasts.start(changed, await broadcasts.count(changed.audience), () => {});
      return made.id;
    },
    /** Moves the clock until the broadcast is in the state. */
    until: (id: number, state: string) => moving(state, () => broadcasts.find(id)?.state === state),
    moving,
  };
}

test("each person gets the message once, at most 20 a second", async () => {
  const { send, start, until, copied, broadcasts, clock } = await openBroadcast(30);
  const id = await start();
  const before = clock.now();
  send();
  await until(id, "done");
  expect(copied()).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  expect(clock.now() - before).toBeGreaterThanOrEqual(29 * 50);
  expect(broadcasts.find(id)).toMatchObject({ total: 30, sent: 30, blocked: 0, failed: 0 });
});

test("who blocked the bot is counted apart from what failed, and neither is tried again", async () => {
  const { send, start, until, telegram, copied, broadcasts } = await openBroadcast(4);
  const blocked = refusal(403, "Forbidden: bot was blocked by the user");
  const gone = refusal(400, "Bad Request: chat not found");
  telegram.failNext("copyMessage", blocked, gone, brokenConnection());
  const id = await start();
  send();
  await until(id, "done");
  expect(copied()).toEqual([1, 2, 3, 4]);
  expect(broadcasts.find(id)).toMatchObject({ sent: 1, blocked: 2, failed: 1 });
});

test.each(["message to copy not found", "message can't be copied"])(
  "a broadcast whose message is gone stops, tells its admin why, and leaves the others untried: %s",
  async (reason) => {
    const { send, start, until, telegram, copied, broadcasts, clock } = await openBroadcast(5);
    telegram.refuse(
      "copyMessage",
      refusal(400, `Bad Request: ${reason}`),
      ({ chat_id }) => Number(chat_id) > 2,
    );
    const id = await start();
    await broadcasts.setScreen(id, 99);
    send();
    await until(id, "stopped");
    await clock.advance(10_000);
    expect(copied()).toEqual([1, 2, 3]);
    expect(broadcasts.find(id)).toMatchObject({ sent: 2, blocked: 0, failed: 0, last_user_id: 2 });
    const stopped = { total: 5, sent: 2, blocked: 0, failed: 0, left: 3 };
    expect(telegram.payloadsOf("editMessageText").at(-1)?.text).toBe(t("broadcast-stopped", stopped));
    const told = { chat_id: MAX.id, text: t("broadcast-message-gone") };
    expect(telegram.payloadsOf("sendMessage")).toEqual([told]);
  },
);

test("a pause that Telegram asks for is kept across a restart, and then the same person gets the message", async () => {
  const { open, send, start, until, telegram, copied, clock, broadcasts, moving } = await openBroadcast(3);
  const wait = refusal(429, "Too Many Requests: retry after 30", { retry_after: 30 });
  telegram.refuse("copyMessage", wait, ({ chat_id }) => chat_id === 2 && copied().length === 2);
  const id = await start();
  const first = open();
  first.start();
  await moving("the pause", () => (broadcasts.find(id)?.waits_until ?? 0) > clock.now());
  await first.stop();
  send();
  await clock.advance(20_000);
  expect(copied()).toEqual([1, 2]);
  await clock.advance(15_000);
  await until(id, "done");
  expect(copied()).toEqual([1, 2, 2, 3]);
});

test("after a crash nobody who was claimed gets the message again, and everybody else gets it", async () => {
  const { open, send, start, until, telegram, copied, broadcasts, moving } = await openBroadcast(5);
  const id = await start();
  // The process dies while the first message is on its way.
  telegram.hold("copyMessage");
  open().start();
  await moving("the first", () => copied().length > 0);
  telegram.hold("copyMessage")();
  send();
  await until(id, "done");
  expect(copied()).toEqual([1, 2, 3, 4, 5]);
  expect(broadcasts.find(id)).toMatchObject({ sent: 4 });
});

test("files of orders go first, but hold a message for a second at most", async () => {
  const { send, start, copied, orderService, clock, moving } = await openBroadcast(2);
  vi.spyOn(orderService, "isDelivering", "get").mockReturnValue(true);
  await start();
  send();
  await clock.advance(900);
  expect(copied()).toEqual([]);
  await moving("the first", () => copied().length > 0);
});

test.each([
  [{}, [1, 2, 3, 4, 5, 6]],
  [{ locale: "ru" }, [2, 4, 6]],
  [{ balance: "positive" }, [3, 6]],
  [{ balance: "empty", locale: "en" }, [1, 5]],
  [{ days: 7 }, [1, 2, 3, 4, 5, 6]],
])("for %o the recipients are %j", async (change, expected) => {
  const { send, start, until, copied, broadcasts } = await openBroadcast(6);
  const id = await start(change);
  expect(broadcasts.find(id)?.total).toBe(expected.length);
  send();
  await until(id, "done");
  expect(copied()).toEqual(expected);
});

test("people who want no news get important messages alone, and people who came later get none", async () => {
  const { send, start, until, copied, database, clock } = await openBroadcast(3);
  await setNoNews(database, 2, true);
  const id = await start();
  await clock.advance(1);
  await new People(database, clock).meet({ id: 50, is_bot: false, first_name: "Late" }, () => "en");
  send();
  await until(id, "done");
  expect(copied()).toEqual([1, 3]);
});
