import { afterEach, describe, expect, test } from "vitest";
import {
  EPISODE_MS,
  LOOK_MS,
  PauseAlerts,
  resumeData,
  TRY_AGAIN_MS,
} from "../../../src/bot/features/upstreams.js";
import type { ProviderState } from "../../../src/catalogue/choose-provider.js";
import { integer } from "../../../src/platform/integer.js";
import type { Recurring } from "../../../src/platform/retry.js";
import { MINUTE_MS } from "../../../src/platform/units.js";
import type { OperatorNotice } from "../../../src/ports/operator-notices.js";
import { StateStore } from "../../../src/providers/service-state.js";
import { ANN, MAX, openBotHarness } from "../../support/bot-harness.js";
import { brokenConnection, openBotWorld, refusal } from "../../support/bot-world.js";
import { t, texts } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { turnOfEvents } from "../../support/manual-clock.js";
import { paused, throttled, UP } from "../../support/provider-states.js";
import { noticesTo } from "../../support/told-notices.js";

const RESUME = resumeData.encode({ provider: "fal" });
const ENGLISH = MAX.id;
const RUSSIAN = 2;

let events: OperatorNotice[] = [];

let alerts: Recurring;
afterEach(async () => {
  events = [];
  await alerts.stop();
});

/** The bot after one start, in front of one service, with the alerts begun. */
function start({ state = UP, models = { count: 2, off: 0 }, world = openBotWorld() } = {}) {
  const store = new StateStore(world.database, "fal");
  const service = {
    name: "fal",
    state,
    models,
    resumed: 0,
    /** Its row follows its state. */
    async become(state: ProviderState) {
      service.state = state;
      if (state.kind === "up") return store.remove();
      const reason = state.kind === "paused" ? state.reason : null;
      const since_at = integer(state.since);
      await store.insert({ state: state.kind, reason, since_at, next_try_at: null, balance: null });
    },
    resume() {
      service.resumed += 1;
      service.state = UP;
    },
  };
  const harness = openBotHarness({
    world,
    adminIds: [ENGLISH, RUSSIAN],
    eventsChat: { chatId: -100, threadId: null },
    notices: noticesTo(events),
    upstreams: () => [service],
  });
  const { parts, telegram, clock, database } = harness;
  const languageOf = (id: number) => texts.in(id === RUSSIAN ? "ru" : "en");
  alerts = new PauseAlerts({ ...parts, languageOf }).looks;
  alerts.start();
  return {
    ...harness,
    service,
    async poll(ms = LOOK_MS) {
      await clock.advance(ms);
      for (let turn = 0; turn < 5; turn += 1) {
        await turnOfEvents();
        // Commits what the look wrote.
        await database.write("test", () => {});
      }
    },
    /** What the message to an admin says now. */
    shown: (id: number) => telegram.calls.findLast(({ payload }) => payload.chat_id === id)?.payload.text,
    /** How many messages were sent, or tried. */
    sent: () => telegram.callsOf("sendMessage").length,
  };
}

test("a pause whose row cannot be written is told within a minute", async () => {
  const { service, poll, shown } = start();
  await poll();
  service.state = paused("no_credit");
  await poll(MINUTE_MS);
  expect(shown(ENGLISH)).toContain("fal takes no new tasks");
});

test("a service that flaps within an hour is one message to each admin, in the own language, which says what is so", async () => {
  const { service, poll, shown, sent, buttons, calls } = start();
  for (let time = 0; time < 3; time += 1) {
    await service.become(paused("no_credit"));
    await poll();
    expect(shown(ENGLISH)).toContain("fal takes no new tasks");
    expect(shown(RUSSIAN)).toContain("кончились деньги");
    expect(buttons().size).toBe(1);
    const told = calls.length;
    await poll(10 * LOOK_MS);
    expect(calls).toHaveLength(told);
    await service.become(UP);
    await poll();
    expect([shown(ENGLISH), buttons().size]).toEqual(["✅ fal takes tasks again.", 0]);
  }
  expect(sent()).toBe(2);
  await poll(EPISODE_MS);
  await poll();
  await service.become(paused("no_credit"));
  await poll();
  expect(sent()).toBe(4);
});

test("a restart repeats nothing, and tells what ended meanwhile", async () => {
  const state = paused("locked");
  const before = start({ state });
  await eventually("both", () => before.sent() === 2);
  await alerts.stop();
  const { poll, calls } = start({ world: before, state });
  await poll();
  expect(calls).toEqual([]);
  await alerts.stop();
  const later = start({ world: before });
  const gone = refusal(400, "Bad Request: message to edit not found");
  later.telegram.failNext("editMessageText", gone, gone);
  await eventually("both again", () => later.sent() === 2);
  expect(later.shown(ENGLISH)).toContain("takes tasks again");
});

test("an admin who cannot be reached is tried again later, not at every look", async () => {
  const { poll, telegram, sent } = start({ state: paused("key_refused") });
  telegram.failNext("sendMessage", brokenConnection(), brokenConnection());
  await eventually("both tries", () => sent() === 2);
  await poll();
  expect(sent()).toBe(2);
  await poll(TRY_AGAIN_MS);
  await eventually("both again", () => sent() === 4);
});

describe("what admins read", () => {
  async function read(state: ProviderState, models = { count: 2, off: 0 }) {
    const { poll, shown } = start({ state, models });
    await poll();
    return [ENGLISH, RUSSIAN].map(shown);
  }

  test.each([
    [{ count: 2, off: 0 }, "Its models go to another service.", "Его модели делает другой сервис."],
    [{ count: 2, off: 2 }, "Its models are off for now.", "Его модели пока выключены."],
    [
      { count: 5, off: 1 },
      "One of its 5 models is off for now, the others go to another service.",
      "Пока выключена 1 модель из 5, остальные делает другой сервис.",
    ],
  ])("what becomes of its models: %j, without a command for a shell", async (models, english, russian) => {
    const told = await read(paused("no_credit"), models);
    expect(told).toEqual([expect.stringContaining(english), expect.stringContaining(russian)]);
    expect(told.join()).not.toMatch(/npm|ctl/);
  });

  test("when it is tried again, and that an admin must act where it is not", async () => {
    const nextTryAt = Date.UTC(2026, 10, 23, 14, 5);
    const state: ProviderState = { kind: "paused", reason: "no_credit", since: 0, nextTryAt };
    expect((await read(state))[0]).toContain("Next try: 14:05 UTC.");
    expect((await read(paused("no_credit")))[0]).toContain("Resume it once it is fixed");
    expect((await read(throttled()))[0]).toContain("asks to be left alone");
    expect((await read(throttled(true)))[0]).toContain("The next order will try it.");
  });
});

test("a service that is away for seconds, such as for a restart, is not told of", async () => {
  const { service, poll, shown, calls, clock, buttons } = start();
  const unreachable = (): ProviderState => ({ kind: "unreachable", since: clock.now(), nextTryAt: 0 });
  await service.become(unreachable());
  await poll(20_000);
  await service.become(UP);
  await poll();
  expect(calls).toEqual([]);
  await service.become(unreachable());
  await poll(40_000);
  expect([calls.length, buttons().size]).toEqual([2, 0]);
  expect(shown(RUSSIAN)).toContain("не отвечает");
});

test("the event chat is told of the beginning and the end of a pause once, over restarts too", async () => {
  const state = paused("no_credit");
  const first = start({ state });
  await first.poll();
  expect(events).toEqual([{ kind: "provider_away", provider: "fal", reason: "no_credit" }]);
  await alerts.stop();
  const { service, poll } = start({ world: first, state });
  await poll(3 * LOOK_MS);
  await service.become(UP);
  await poll();
  expect(events.slice(1)).toEqual([{ kind: "provider_back", provider: "fal" }]);
});

test("an admin's ▶️ resumes the service once, and nobody else's; an unknown name does nothing", async () => {
  const { tap, service, answered } = start({ state: paused("no_credit") });
  await tap(RESUME, 50, ANN);
  await tap(resumeData.encode({ provider: "kie" }), 50, MAX);
  expect(service.resumed).toBe(0);
  await tap(RESUME, 50, MAX);
  await tap(RESUME, 50, MAX);
  expect(service.resumed).toBe(1);
  expect(answered().slice(-2)).toEqual([t("provider-resuming"), t("provider-is-up")]);
});
