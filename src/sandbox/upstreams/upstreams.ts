import type { Server } from "node:http";
import { type Clock, systemClock } from "../../platform/clock.js";
import { aceStepDialect } from "./ace-step/dialect.js";
import type { LoggedCall } from "./call-log.js";
import { Callbacks } from "./callbacks.js";
import { comfyuiDialect } from "./comfyui/dialect.js";
import { Control } from "./control.js";
import { falDialect } from "./fal/dialect.js";
import type { FaultOrder } from "./faults/fault-orders.js";
import type { AccountState } from "./journal.js";
import { kieDialect } from "./kie/dialect.js";
import type { LedgerEntry } from "./ledger.js";
import { openaiDialect } from "./openai/dialect.js";
import { polzaDialect } from "./polza/dialect.js";
import { replicateDialect } from "./replicate/dialect.js";
import { listen, type Parts } from "./server.js";
import type { ServiceName } from "./service-name.js";
import { type SubmitLimit, UpstreamState } from "./state.js";
import type { Task } from "./task.js";
import type { Timing } from "./time.js";

export interface UpstreamsOptions {
  /** 0, which is the default, for any. */
  port?: number;
  clock?: Clock;
  /** How long a task takes: a few ms by default. */
  timing?: Timing;
  /** Where tasks and money outlive the process. */
  directory?: string;
  keys?: Readonly<Partial<Record<ServiceName, string>>>;
  /** The services' own by default: kie takes 20 new tasks in 10 s. */
  submitLimits?: Readonly<Partial<Record<ServiceName, SubmitLimit>>>;
}

const FAST: Timing = { queueMs: 4, runMs: 8 };
/** Source: https://docs.kie.ai, section on rate limits. */
const SUBMIT_LIMITS = { kie: { count: 20, perMs: 10_000 } } as const;
const PAID_SERVICES: readonly ServiceName[] = ["fal", "kie", "polza"];
const WAIT_DEADLINE_MS = 10_000;

/** Stand-ins of generation services at one address: real HTTP, judged requests, and a ledger. */
export class Upstreams {
  #server: Server | undefined;

  constructor(
    /** The root of every service, such as `http://127.0.0.1:40123`; that of OpenAI has `/v1` behind it. */
    readonly url: string,
    private readonly parts: Parts,
    server: Server,
  ) {
    this.#server = server;
  }

  /** What a service on this machine needs in its environment to use the stand-ins. */
  environment(services: readonly ServiceName[] = PAID_SERVICES): Record<string, string> {
    const { keys } = this.parts.state.options;
    const variables = services.flatMap((service) => [
      [`${service.toUpperCase()}_API_ROOT`, service === "openai" ? `${this.url}/v1` : this.url],
      ...(service === "comfyui" ? [] : [[`${service.toUpperCase()}_API_KEY`, keys[service] ?? "stand-in"]]),
    ]);
    return { PROVIDERS: services.join(), ...Object.fromEntries(variables) };
  }

  /** Accepted POSTs. */
  get ledger(): readonly LedgerEntry[] {
    return this.parts.state.ledger;
  }

  get tasks(): readonly Task[] {
    return [...this.parts.state.tasks.values()];
  }

  get calls(): readonly LoggedCall[] {
    return this.parts.state.calls.list;
  }

  get breaches(): readonly string[] {
    return this.parts.state.breaches;
  }

  /** Takes the breaches that a test caused on purpose. */
  takeBreaches(): string[] {
    return this.parts.state.breaches.splice(0);
  }

  /** Orders a fault of the next requests. */
  order(order: FaultOrder): void {
    this.parts.state.faults.add(order);
  }

  setAccount(service: ServiceName, state: AccountState): void {
    this.parts.state.setAccount(service, state);
  }

  /** Moves all tasks on. */
  advance(ms: number): void {
    this.parts.state.time.skip(ms);
    this.parts.state.calls.changed();
  }

  /** The service loses its tasks, as those that keep them in memory do in a restart. */
  forgetTasks(service: ServiceName): void {
    this.parts.state.forgetTasks(service);
  }

  /**
   * Resolves once `find` gives a value; it is asked after every request.
   * @throws Error after 10 s
   */
  waitUntil<T>(find: () => T | undefined | false): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const value = find();
        if (value === undefined || value === false) return;
        stop();
        clearTimeout(timer);
        resolve(value);
      };
      const stop = this.parts.state.calls.onChange(look);
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`the condition ${String(find).slice(0, 200)} did not come true`));
      }, WAIT_DEADLINE_MS);
      look();
    });
  }

  /** Refuses connections, as a machine that is down. What the services know stays. */
  async stopListening(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) await closeServer(server);
  }

  /** Takes connections again, at the same address. */
  async startListening(): Promise<void> {
    this.#server ??= (await listen(this.parts, Number(new URL(this.url).port))).server;
  }

  async close(): Promise<void> {
    this.parts.callbacks.close();
    await this.stopListening();
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Starts the services on 127.0.0.1. */
export async function createUpstreams(options: UpstreamsOptions = {}): Promise<Upstreams> {
  const { port = 0, clock = systemClock, timing = FAST, directory, keys = {} } = options;
  const { submitLimits = SUBMIT_LIMITS } = options;
  const state = new UpstreamState({ clock, timing, directory, keys, submitLimits });
  // That of fal takes every other path.
  const dialects = [
    kieDialect,
    polzaDialect,
    openaiDialect,
    replicateDialect,
    comfyuiDialect,
    aceStepDialect,
    falDialect,
  ].map((create) => create(state));
  const parts: Parts = { state, callbacks: new Callbacks(state), dialects, control: new Control(state) };
  const { server, url } = await listen(parts, port);
  return new Upstreams(url, parts, server);
}
