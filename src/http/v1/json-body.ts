import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { ContractError } from "../../contract/errors.js";
import { SMALL_BODY_BYTES } from "./body-budget.js";
import { OverloadedError } from "./errors.js";
import { type JsonRead, readJson } from "./read-json.js";
import { FIELD_NAMES } from "./request-schema.js";

/** The most bytes of a body: 12 MB (section 8). */
export const BODY_BYTES_MAX = 12 * 1024 * 1024;
/** The compiled program in the service, and the source in tests, which imports nothing. */
const WORKER_FILE = new URL(`./read-json${extname(import.meta.url)}`, import.meta.url);

/** The body of a POST. */
export interface JsonBody {
  /** A body above 32 KB has the fields of a request alone: too long texts and lists are cut, deeper values are empty. */
  json: object;
  /** Hash of the whole body, the same for any order of keys. */
  fingerprint: string;
}

type Wait = (read: JsonRead | undefined) => void;

/** Reads bodies as JSON: small ones at once, others in a thread, so that none holds the event loop. */
export class JsonBodies {
  #worker: Worker | undefined;
  readonly #waiting: Wait[] = [];

  /**
   * Parses a body in strict UTF-8, whatever its content type. Skips a byte order mark. Takes the bytes away.
   * @throws ContractError `invalid_json`, also if it is no object; `payload_too_large` for too many values.
   *   OverloadedError where there is no memory for it
   */
  async parse(bytes: Buffer<ArrayBuffer>): Promise<JsonBody> {
    const read = bytes.length > SMALL_BODY_BYTES ? await this.#readInThread(bytes) : readJson(bytes);
    if (!read) throw new OverloadedError("service_unavailable");
    if (read.kind === "too_many") throw new ContractError("payload_too_large");
    if (read.kind === "invalid") throw new ContractError("invalid_json");
    return read;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #readInThread(bytes: Buffer<ArrayBuffer>): Promise<JsonRead | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#worker ??= this.#start();
      const { buffer, byteOffset, length } = bytes;
      const message = { bytes: new Uint8Array(buffer, byteOffset, length), names: FIELD_NAMES };
      this.#worker.postMessage(message, [buffer]);
    });
  }

  /** A thread answers in the order of its messages. One that ends is replaced at the next body. */
  #start(): Worker {
    const worker = new Worker(WORKER_FILE, {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    worker.unref();
    worker.on("message", (read: JsonRead) => this.#waiting.shift()?.(read));
    worker.on("error", () => {});
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const wait of this.#waiting.splice(0)) wait(undefined);
    });
    return worker;
  }
}
