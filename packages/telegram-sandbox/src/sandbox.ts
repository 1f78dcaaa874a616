import { fileURLToPath } from "node:url";
import type { TelegramMessage, TelegramUpdate, TelegramUser } from "@gramio/types";
import { Actions } from "./actions.js";
import { Breaches } from "./breaches.js";
import type { LoggedCall } from "./call-log.js";
import { ChatRoutes } from "./chat-routes.js";
import { createState, type SandboxOptions } from "./create-state.js";
import type { FaultCall, Faults, Hold } from "./faults.js";
import { Keeper } from "./keeper.js";
import { readKeptState } from "./kept-state.js";
import { SandboxPerson } from "./person.js";
import { startServer } from "./server.js";
import type { SandboxState } from "./state.js";
import { openTopic, openTopics } from "./topic.js";
import type { UpdateKind } from "./updates.js";
import { Waiting } from "./waiting.js";
import type { Content, PersonSpec } from "./world.js";

/** A running sandbox: the Bot API server, the chat page, and everything a test needs to drive them. */
export class Sandbox {
  readonly #people = new Map<number, SandboxPerson>();

  constructor(
    /** Address of the server, such as `http://127.0.0.1:40123`; also the API root for a bot. */
    readonly url: string,
    private readonly state: SandboxState,
    private readonly actions: Actions,
    private readonly waiting: Waiting,
    private readonly problems: Breaches,
    private readonly stop: () => Promise<void>,
  ) {}

  get token(): string {
    return this.state.token;
  }

  get bot(): TelegramUser {
    return this.state.world.bot;
  }

  /** The id of the group. */
  get groupId(): number {
    return this.state.world.group.id;
  }

  /** Every request to the Bot API, in the order they came. */
  get calls(): readonly LoggedCall[] {
    return this.state.calls.list;
  }

  /** Orders of faults: `faults.add({ method: "sendMessage", answer: { type: "429", retryAfter: 1 } })`. */
  get faults(): Faults {
    return this.state.faults;
  }

  /** Breaches of the schema so far. */
  get breaches(): readonly string[] {
    return this.problems.list;
  }

  /** @throws Error listing every breach of the schema */
  assertNoBreaches(): void {
    this.problems.assertNone();
  }

  /** Takes the breaches that a test caused on purpose. */
  takeBreaches(): string[] {
    return this.problems.take();
  }

  /** @throws Error for somebody who is not in the sandbox */
  person(id: number): SandboxPerson {
    this.actions.person(id);
    return this.#people.getOrInsertComputed(
      id,
      () => new SandboxPerson(id, this.state, this.actions, this.waiting),
    );
  }

  /** Adds somebody to the sandbox and to its group. */
  addPerson(spec: PersonSpec): SandboxPerson {
    this.state.world.addPerson(spec);
    return this.person(spec.id);
  }

  /** All messages of a chat from the oldest to the newest. */
  messages(chatId: number): TelegramMessage[] {
    return this.#chat(chatId).messages();
  }

  /** Resolves with the first call of a method that ended and matches. */
  waitForCall(method: string, matches: (call: LoggedCall) => boolean = () => true): Promise<LoggedCall> {
    return this.waiting.forCall(method, matches);
  }

  /** Resolves once `find` gives a value; it is asked after every event and every call. */
  waitUntil<T>(find: () => T | undefined): Promise<T> {
    return this.waiting.until(find, () => `the condition ${String(find).slice(0, 200)} did not come true`);
  }

  /** Resolves once the bot's poller waits for updates and all that came were confirmed. */
  async waitForPoller(): Promise<void> {
    const { updates } = this.state;
    const find = () => (updates.hasPoller && updates.pendingCount === 0) || undefined;
    await this.waiting.until(find, () => "no getUpdates waits for updates");
  }

  /** Calls of `method` that match wait until they are released: a test stops time at that place. */
  hold(method: string, matches?: (call: FaultCall) => boolean): Hold {
    return this.state.faults.hold(method, matches);
  }

  /**
   * Queues an update as it is, such as a channel post or an inline query.
   * @returns the update with its id, or undefined when the bot did not ask for its kind or it is too old
   */
  pushUpdate(kind: UpdateKind, payload: object): TelegramUpdate | undefined {
    return this.actions.push(kind, payload);
  }

  /**
   * Puts a message into a chat as it is, with any sender and any fields: service messages, messages of
   * other bots, of channels and anonymous admins, messages via bots. The bot gets it if it may see it.
   */
  post(chatId: number, message: Content & { from: TelegramUser }): TelegramMessage {
    return this.actions.post(this.#chat(chatId), message);
  }

  /** The next `count` payments are made, and the bot gets no update of them. */
  losePayments(count: number): void {
    this.state.stars.lostPayments = count;
  }

  /** A person opens a topic in the group, which must be a forum; returns its thread id. */
  openTopic(personId: number, name: string): number {
    const { world } = this.state;
    return openTopic(world, world.group, this.actions.person(personId).user, name).id;
  }

  /**
   * Stops the server and ends every connection and wait.
   * @throws Error when there are breaches that no `assertNoBreaches` or `takeBreaches` met before
   */
  async close(): Promise<void> {
    this.state.faults.clear();
    this.state.updates.endPoll();
    this.waiting.close();
    await this.stop();
    this.problems.assertReported();
  }

  #chat(id: number) {
    const chat = this.state.world.chats.get(id);
    if (!chat) throw new Error(`the sandbox has no chat ${id}`);
    return chat;
  }
}

/** Starts a sandbox on 127.0.0.1. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const problems = new Breaches(options.onBreach ?? (() => {}));
  const { directory } = options;
  const kept = directory === undefined ? undefined : readKeptState(directory);
  const state = createState(options, problems, kept);
  if (!kept) openTopics(state.world, options.group?.topics ?? []);
  const keeper = directory === undefined ? undefined : new Keeper(directory, state);
  const actions = new Actions(state);
  const waiting = new Waiting(state.world, state.calls, state.updates);
  const pageDirectory = options.pageDirectory ?? fileURLToPath(new URL("../dist/page", import.meta.url));
  const { services } = options;
  const chat = new ChatRoutes(state, actions, services !== undefined);
  const { server, url } = await startServer({ state, chat, services, pageDirectory }, options.port ?? 0);
  const stop = () =>
    new Promise<void>((resolve) => {
      chat.close();
      server.close(() => {
        keeper?.close();
        resolve();
      });
      server.closeAllConnections();
    });
  return new Sandbox(url, state, actions, waiting, problems, stop);
}
