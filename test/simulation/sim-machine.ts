import type { JobId } from "../../src/contract/job.js";
import { fingerprintOf } from "../../src/http/read-json.js";
import type { Random } from "./random.js";
import type { SimProcess } from "./sim-process.js";

const MODELS = [
  { type: "image", model_key: "nano-banana-2", count: 2 },
  { type: "image", model_key: "nano-banana-2-lite" },
  { type: "video", model_key: "kling-2-5-turbo" },
] as const;
/** Beyond the ids of people, so that nobody gets what a machine has ordered. */
const NUMBERS_FROM = 9000;

/** A request of a machine, and what it was answered each time that it was sent. */
export interface MachinePost {
  name: string;
  key: string | undefined;
  body: object;
  count: number;
  accepted: (readonly JobId[])[];
  /** How often nothing was heard. */
  lost: number;
  /** The data that knew of it was lost. */
  isLost: boolean;
}

/** A program with a key of a person's account: it orders by the HTTP API, and sends again what was not answered. */
export class SimMachine {
  readonly posts: MachinePost[] = [];
  readonly #userId: number;
  readonly #random: Random;
  readonly #process: () => SimProcess;
  #key: string | undefined;

  /** @param process the one that runs */
  constructor(userId: number, random: Random, process: () => SimProcess) {
    this.#userId = userId;
    this.#random = random;
    this.#process = process;
  }

  /** Does one thing, and tells what. Its answers come later. */
  act(): string {
    const random = this.#random;
    const keyed = this.posts.filter(({ key, isLost }) => key !== undefined && !isLost);
    if (this.#key === undefined) {
      void this.#makeKey();
      return `${this.#userId} makes a key`;
    }
    const again = random.chance(0.4) ? random.pick(keyed) : undefined;
    const post = again ?? this.#newPost();
    const times = random.chance(0.3) ? 2 : 1;
    for (let time = 1; time <= times; time += 1) void this.#send(post, this.#key);
    return `the machine of ${this.#userId} sends ${post.name} with key ${post.key}, ${times} times`;
  }

  /** The data was lost: what it has sent may be unknown, and its key too. */
  forget(): void {
    this.#key = undefined;
    for (const post of this.posts) post.isLost = true;
  }

  async #makeKey(): Promise<void> {
    const process = this.#process();
    const user = { id: this.#userId, name: `P${this.#userId}` };
    const make = async () => {
      const accounts = process.service?.accounts;
      return accounts?.kind === "managed" ? accounts.keys.create(user, "machine") : undefined;
    };
    // Where the database has no room, it is made another time.
    const made = await process.whileAlive(make).catch(() => undefined);
    this.#key = made?.key;
  }

  #newPost(): MachinePost {
    const number = this.posts.length + 1;
    const name = `number ${NUMBERS_FROM + this.#userId} of ${number}`;
    const model = this.#random.pick(MODELS) ?? MODELS[0];
    const key = this.#random.chance(0.7) ? `key-${number}` : undefined;
    const body = { ...model, prompt: `machine ${name}` };
    const count = "count" in model ? model.count : 1;
    const post = { name, key, body, count, accepted: [], lost: 0, isLost: false };
    this.posts.push(post);
    return post;
  }

  async #send(post: MachinePost, secret: string): Promise<void> {
    const process = this.#process();
    const isLost = this.#random.chance(0.2);
    post.lost += 1;
    try {
      const ids = await process.whileAlive(() => submit(process, secret, post));
      if (isLost) return;
      post.accepted.push(ids);
    } catch (error) {
      // Refused: nothing was made.
      if (!(error instanceof Error)) throw error;
    }
    post.lost -= 1;
  }
}

/** As the endpoint does it. */
async function submit(process: SimProcess, secret: string, post: MachinePost): Promise<readonly JobId[]> {
  const api = process.service?.routes.api;
  const caller = api?.authenticate(secret);
  if (!api || !caller) throw new Error("the key is not known");
  const { accountId } = caller;
  const { key, body } = post;
  if (key === undefined) return (await api.submit(accountId, body)).job_ids;
  return (await api.submitKeyed({ accountId, key, body, fingerprint: fingerprintOf(body) })).accepted.job_ids;
}
