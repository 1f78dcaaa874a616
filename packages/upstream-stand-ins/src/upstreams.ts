import type { Server } from "node:http";
import { aceStepDialect } from "./ace-step.js";
import type { Json } from "./call.js";
import type { LoggedCall } from "./call-log.js";
import { Callbacks, type PostCallback } from "./callbacks.js";
import { type Clock, systemClock } from "./clock.js";
import { comfyuiDialect } from "./comfyui.js";
import { Control } from "./control.js";
import { falDialect } from "./fal.js";
import type { FaultOrder } from "./faults.js";
import type { AccountState } from "./journal.js";
import { kieDialect } from "./kie.js";
import type { LedgerEntry } from "./ledger.js";
import { openaiDialect } from "./openai.js";
import { polzaDialect } from "./polza.js";
import { replicateDialect } from "./replicate.js";
import { closeServer, listen, type Parts } from "./server.js";
import type { ServiceName } from "./service-name.js";
import { type StateOptions, type SubmitLimit, UpstreamState } from "./state.js";
import type { Task } from "./task.js";
import type { Timing } from "./time.js";

interface OwnServer {
  url: string;
  /** Undefined while the service is down. */
  server: Server | undefined;
}

/** An address for each service, so that one can refuse connections alone. */
class OwnServers {
  readonly #servers = new Map<ServiceName, OwnServer>();
  /** One change after another. */
  #changing: Promise<void> = Promise.resolve();

  private constructor(private readonly parts: Parts) {}

  /** @param port of the first service; 0 for any */
  static async open(parts: Parts, names: readonly ServiceName[], port: number): Promise<OwnServers> {
    const own = new OwnServers(parts);
    try {
      for (const [index, name] of names.entries())
        own.#servers.set(name, await listen(parts, port === 0 ? 0 : port + index));
    } catch (error) {
      await own.close();
      throw error;
    }
    parts.state.onDown((name) => {
      own.#changing = own.#changing.then(() => own.#follow(name));
    });
    return own;
  }

  urlOf(name: ServiceName): string | undefined {
    return this.#servers.get(name)?.url;
  }

  async close(): Promise<void> {
    await this.#changing;
    await Promise.all([...this.#servers.values()].map(({ server }) => server && closeServer(server)));
  }

  async #follow(name: ServiceName): Promise<void> {
    const own = this.#servers.get(name);
    if (!own) return;
    const { server, url } = own;
    if (!this.parts.state.isDown(name)) {
      own.server ??= (await listen(this.parts, Number(new URL(url).port))).server;
      return;
    }
    own.server = undefined;
    if (server) await closeServer(server);
  }
}

export interface UpstreamsOptions {
  /** 0, which is the default, for any. */
  port?: number;
  /** Gives each service an address of its own, on the next ports. */
  hasOwnAddresses?: boolean;
  clock?: Clock;
  /** How long a task takes: a few ms by default. */
  timing?: Timing;
  /** Folder in which tasks and money outlive the process. */
  directory?: string;
  keys?: Readonly<Partial<Record<ServiceName, string>>>;
  /** The services' own by default: kie takes 20 new tasks in 10 s. */
  submitLimits?: Readonly<Partial<Record<ServiceName, SubmitLimit>>>;
  /** Makes the results. By default each is drawn from its task. */
  files?: StateOptions["files"];
  /** Sends callbacks. By default they go to addresses of this machine only. */
  postCallback?: PostCallback;
}

const FAST: Timing = { queueMs: 4, runMs: 8 };
/** Source: https://docs.kie.ai, section on rate limits. */
const SUBMIT_LIMITS = { kie: { count: 20, perMs: 10_000 } } as const;
const PAID_SERVICES: readonly ServiceName[] = ["fal", "kie", "polza"];
const WAIT_DEADLINE_MS = 10_000;

/** Stand-ins of generation services at one address: real HTTP, judged requests, and a ledger. */
export class Upstreams {
  constructor(
    /** The root of every service, such as `http://127.0.0.1:40123`; that of OpenAI has `/v1` behind it. */
    readonly url: string,
    private readonly parts: Parts,
    private readonly server: Server,
    private readonly own: OwnServers | undefined,
  ) {}

  /** What a service on this machine needs in its environment to use the stand-ins. */
  environment(services: readonly ServiceName[] = PAID_SERVICES): Record<string, string> {
    const { keys } = this.parts.state.options;
    const variables = services.flatMap((service) => {
      const root = this.own?.urlOf(service) ?? this.url;
      const prefix = service.toUpperCase();
      return [
        [`${prefix}_API_ROOT`, service === "openai" ? `${root}/v1` : root],
        ...(service === "comfyui" ? [] : [[`${prefix}_API_KEY`, keys[service] ?? "stand-in"]]),
      ];
    });
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

  /** The control API without HTTP. @param path such as `/control/ledger` */
  control(method: string, path: string, body?: Json): { status: number; json?: unknown } {
    return this.parts.control.answer({ method, path, json: body });
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

  async close(): Promise<void> {
    this.parts.callbacks.close();
    await this.own?.close();
    await closeServer(this.server);
  }
}

/** Starts the services on 127.0.0.1. */
export async function createUpstreams(options: UpstreamsOptions = {}): Promise<Upstreams> {
  const { port = 0, clock = systemClock, timing = FAST, directory, keys = {} } = options;
  const { submitLimits = SUBMIT_LIMITS, hasOwnAddresses = false, files, postCallback } = options;
  const state = new UpstreamState({ clock, timing, directory, keys, submitLimits, files });
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
  const shown = PAID_SERVICES.flatMap((name) => dialects.filter((dialect) => dialect.name === name));
  const control = new Control(state, shown);
  const parts: Parts = { state, callbacks: new Callbacks(state, postCallback), dialects, control };
  const { server, url } = await listen(parts, port);
  if (!hasOwnAddresses) return new Upstreams(url, parts, server, undefined);
  const opening = OwnServers.open(parts, PAID_SERVICES, port === 0 ? 0 : port + 1);
  const own = await opening.catch(async (error: unknown) => {
    await closeServer(server);
    throw error;
  });
  return new Upstreams(url, parts, server, own);
}
