import { GrammyError } from "grammy";
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
import type { OperatorNotice } from "../../../src/ports/operator-notices.js";
import { StateStore } from "../../../src/providers/service-state.js";
import { ANN, MAX, openBotHarness } from "../../support/bot-harness.js";
import { type BotWorld, openBotWorld } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { turnOfEvents } from "../../support/manual-clock.js";
import { paused, throttled, UP } from "../../support/provider-states.js";
import { noticesTo } from "../../support/told-notices.js";

const { t } = texts.in("en");
const RESUME = resumeData.encode({ provider: "fal" });
const ENGLISH = 1;
const RUSSIAN = 2;
const EVENTS = -100;

let events: OperatorNotice[] = [];

let alerts: Recurring;
afterEach(async () => {
  events = [];
  await alerts.stop();
});

interface Message {
  to: number;
  text: string;
  /** The words before it was edited. */
  earlier: string[];
  buttons: number;
}

type Markup = { reply_markup: { inline_keyboard: unknown[][] } };
const buttonsOf = ({ reply_markup }: Markup) => reply_markup.inline_keyboard.flat().length;

/** A service, whose row follows its state. */
class Service {
  readonly #store: StateStore;
  models = { count: 2, off: 0 };

  constructor(
    { database }: BotWorld,
    public state: ProviderState = UP,
  ) {
    this.#store = new StateStore(database, "fal");
  }

  async become(state: ProviderState): Promise<void> {
    this.state = state;
    if (state.kind === "up") return this.#store.remove();
    const reason = state.kind === "paused" ? state.reason : null;
    const kept = {
      state: state.kind,
      reason,
      since_at: integer(state.since),
      next_try_at: null,
      balance: null,
    };
    await this.#store.insert(kept);
  }
}

/** The alerts of a first start. */
function begin(state?: ProviderState) {
  const world = openBotWorld();
  const service = new Service(world, state);
  return { world, service, told: start(world, service) };
}

/** The alerts of one start of the service. */
function start(world: BotWorld, service: Service, isReached = () => true): Message[] {
  const told: Message[] = [];
  const reach = () => {
    if (!isReached()) throw new Error("blocked");
  };
  const sendMessage = async (to: number, text: string, markup: Markup) => {
    reach();
    told.push({ to, text, earlier: [], buttons: buttonsOf(markup) });
    return { message_id: told.length };
  };
  const editMessageText = async (_to: number, id: number, text: string, markup: Markup) => {
    reach();
    const message = told[id - 1];
    const description = "Bad Request: message to edit not found";
    if (!message)
      throw new GrammyError("failed", { ok: false, error_code: 400, description }, "editMessageText", {});
    message.earlier.push(message.text);
    Object.assign(message, { text, buttons: buttonsOf(markup) });
  };
  const { parts } = openBotHarness({
    world,
    adminIds: [ENGLISH, RUSSIAN],
    eventsChat: { chatId: EVENTS, threadId: null },
    notices: noticesTo(events),
    upstreams: () => [{ name: "fal", state: service.state, models: service.models, resume: () => {} }],
  });
  const languageOf = (id: number) => texts.in(id === RUSSIAN ? "ru" : "en");
  const plainApi = { sendMessage, editMessageText } as never;
  alerts = new PauseAlerts({ ...parts, plainApi, languageOf }).looks;
  alerts.start();
  return told;
}

async function poll(world: BotWorld, ms = LOOK_MS): Promise<void> {
  await world.clock.advance(ms);
  for (let turn = 0; turn < 5; turn += 1) {
    await turnOfEvents();
    // Commits what the look wrote.
    await world.database.write("test", () => {});
  }
}

test("each admin is told once of a pause, in the own language, and the message tells its end", async () => {
  const { world, service, told } = begin();
  await poll(world);
  expect(told).toEqual([]);
  await service.become(paused("no_credit"));
  await poll(world);
  expect(told).toHaveLength(2);
  expect(told[0]).toMatchObject({ to: ENGLISH, text: expect.stringContaining("fal takes no new tasks") });
  expect(told[1]).toMatchObject({ to: RUSSIAN, text: expect.stringContaining("кончились деньги") });
  await poll(world, 10 * LOOK_MS);
  expect(told).toHaveLength(2);
  expect(told[0]).toMatchObject({ earlier: [], buttons: 1 });
  await service.become(UP);
  await poll(world);
  expect(told).toHaveLength(2);
  expect(told[0]).toMatchObject({ text: "✅ fal takes tasks again.", buttons: 0 });
});

test("a service that flaps within an hour has one message, which says what is so", async () => {
  const { world, service, told } = begin();
  for (let time = 0; time < 3; time += 1) {
    await service.become(paused("no_credit"));
    await poll(world);
    expect(told[0]?.text).toContain("fal takes no new tasks");
    await service.become(UP);
    await poll(world);
    expect(told[0]?.text).toContain("takes tasks again");
  }
  expect(told).toHaveLength(2);
  await poll(world, EPISODE_MS);
  await poll(world);
  await service.become(paused("no_credit"));
  await poll(world);
  expect(told).toHaveLength(4);
});

test("a restart repeats nothing, and tells what ended meanwhile", async () => {
  const world = openBotWorld();
  const service = new Service(world, paused("locked"));
  const before = start(world, service);
  await eventually("both", () => before.length === 2);
  await alerts.stop();
  const told = start(world, service);
  await poll(world);
  expect(told).toEqual([]);
  await alerts.stop();
  await service.become(UP);
  // The message is none of this start's: it is gone.
  const later = start(world, service);
  await eventually("both again", () => later.length === 2);
  expect(later[0]?.text).toContain("takes tasks again");
});

test("an admin who cannot be reached is tried again later, not at every look", async () => {
  const world = openBotWorld();
  const service = new Service(world, paused("key_refused"));
  let tries = 0;
  const told = start(world, service, () => {
    tries += 1;
    return tries > 2;
  });
  await eventually("both tries", () => tries === 2);
  await poll(world);
  expect(tries).toBe(2);
  await poll(world, TRY_AGAIN_MS);
  await eventually("both", () => told.length === 2);
});

describe("what admins read", () => {
  async function read(state: ProviderState, models = { count: 2, off: 0 }) {
    const world = openBotWorld();
    const service = new Service(world, state);
    service.models = models;
    const told = start(world, service);
    await poll(world);
    return told.map(({ text }) => text);
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
  const { world, service, told } = begin();
  const unreachable = (): ProviderState => ({ kind: "unreachable", since: world.clock.now(), nextTryAt: 0 });
  await service.become(unreachable());
  await poll(world, 20_000);
  await service.become(UP);
  await poll(world);
  expect(told).toEqual([]);
  await service.become(unreachable());
  await poll(world, 40_000);
  expect(told).toHaveLength(2);
  expect(told[1]).toMatchObject({ text: expect.stringContaining("не отвечает"), buttons: 0 });
});

test("the event chat is told of the beginning and the end of a pause once, over restarts too", async () => {
  const world = openBotWorld();
  const service = new Service(world, paused("no_credit"));
  start(world, service);
  await world.clock.advance(LOOK_MS);
  await eventually("it is told", () => events.length === 1);
  expect(events).toEqual([{ kind: "provider_away", provider: "fal", reason: "no_credit" }]);
  await alerts.stop();
  start(world, service);
  await world.clock.advance(3 * LOOK_MS);
  await turnOfEvents();
  await service.become(UP);
  await world.clock.advance(LOOK_MS);
  await eventually("its end is told", () => events.length === 2);
  expect(events[1]).toEqual({ kind: "provider_back", provider: "fal" });
});

/** A bot with one service. */
function openBot(state: ProviderState) {
  const service = { state, resumed: 0 };
  const harness = openBotHarness({
    upstreams: () => [
      {
        name: "fal",
        state: service.state,
        models: { count: 1, off: 1 },
        resume() {
          service.resumed += 1;
          service.state = UP;
        },
      },
    ],
  });
  return { ...harness, service };
}

test("an admin's ▶️ resumes the service once, and nobody else's; an unknown name does nothing", async () => {
  const { tap, service, answered } = openBot(paused("no_credit"));
  await tap(RESUME, 50, ANN);
  await tap(resumeData.encode({ provider: "kie" }), 50, MAX);
  expect(service.resumed).toBe(0);
  await tap(RESUME, 50, MAX);
  await tap(RESUME, 50, MAX);
  expect(service.resumed).toBe(1);
  expect(answered().slice(-2)).toEqual([t("provider-resuming"), t("provider-is-up")]);
});
