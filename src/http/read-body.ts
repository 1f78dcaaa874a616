import type { IncomingMessage, ServerResponse } from "node:http";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { ContractError } from "../contract/errors.js";
import { MEGABYTE } from "../platform/units.js";
import { type JsonRead, readJson } from "./read-json.js";
import { ApiError } from "./v1/errors.js";

/** Bytes of a body that needs no reservation: the number of connections bounds those. */
export const SMALL_BODY_BYTES = 32 * 1024;
/** The most bytes of one account: one body of 12 MB and some smaller ones. */
export const ACCOUNT_BODY_BYTES_MAX = 16 * MEGABYTE;
export const ALL_BODY_BYTES_MAX = 36 * MEGABYTE;
/** Seconds within which most bodies are read and answered. */
const RETRY_AFTER_SEC = 5;

/** Limits the bytes of bodies that are being read or processed, per account and in total. */
class BodyBudget {
  readonly #byAccount = new Map<number, number>();
  #taken = 0;

  /** Reserves bytes. Throws ApiError; nothing was reserved then. */
  take(accountId: number, bytes: number): void {
    const ofAccount = (this.#byAccount.get(accountId) ?? 0) + bytes;
    if (ofAccount > ACCOUNT_BODY_BYTES_MAX) throw new ApiError("rate_limited", RETRY_AFTER_SEC);
    if (this.#taken + bytes > ALL_BODY_BYTES_MAX) throw new ApiError("service_unavailable", RETRY_AFTER_SEC);
    this.#taken += bytes;
    this.#byAccount.set(accountId, ofAccount);
  }

  giveBack(accountId: number, bytes: number): void {
    this.#taken -= bytes;
    const left = (this.#byAccount.get(accountId) ?? 0) - bytes;
    if (left > 0) this.#byAccount.set(accountId, left);
    else this.#byAccount.delete(accountId);
  }
}

/** The most bytes of a body: 12 MB (section 8). */
export const BODY_BYTES_MAX = 12 * 1024 * 1024;
/** The compiled program in the service, and the source in tests, which imports nothing. */
const WORKER_FILE = new URL(`./read-json${extname(import.meta.url)}`, import.meta.url);

/** The body of a POST. */
interface JsonBody {
  /**
   * A body above 32 KB has the fields of a request, and the names of some others: too long texts and lists are cut,
   * deeper values are empty.
   */
  json: object;
  /** Hash of the whole body, the same for any order of keys. */
  fingerprint: string;
}

type Wait = (read: JsonRead | undefined) => void;

/** Reads bodies as JSON: small ones at once, others in a thread, so that none holds the event loop. */
export class JsonBodies {
  readonly #budget = new BodyBudget();
  #worker: Worker | undefined;
  readonly #waiting: Wait[] = [];

  /** @param names of the fields that are read: of a large body, others lose their values */
  constructor(private readonly names: ReadonlySet<string>) {}

  /**
   * Reads the body of a POST. Its bytes count as the account's until the response or its connection ends.
   * @throws ContractError, ApiError, and the error of the connection
   */
  async read(request: IncomingMessage, response: ServerResponse, accountId: number): Promise<JsonBody> {
    return this.parse(await readBody(request, new ReservedBuffer(this.#budget, accountId, response)));
  }

  /**
   * Parses a body in strict UTF-8, whatever its content type. Skips a byte order mark. Takes the bytes away.
   * @throws ContractError `invalid_json`, also if it is no object; `payload_too_large` for too many values.
   *   ApiError where there is no memory for it
   */
  async parse(bytes: Buffer<ArrayBuffer>): Promise<JsonBody> {
    const read = bytes.length > SMALL_BODY_BYTES ? await this.#readInThread(bytes) : readJson(bytes);
    if (!read) throw new ApiError("service_unavailable", RETRY_AFTER_SEC);
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
      const message = { bytes: new Uint8Array(buffer, byteOffset, length), names: this.names };
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

/**
 * Reads a body into one buffer. Reserves its declared length first, otherwise bytes as they arrive. Throws
 * ContractError `payload_too_large`, ApiError, and the error of the connection.
 */
async function readBody(request: IncomingMessage, body: ReservedBuffer): Promise<Buffer<ArrayBuffer>> {
  body.growTo(Number(request.headers["content-length"] ?? SMALL_BODY_BYTES));
  try {
    // The connection stays for the answer to a refused body.
    const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) body.append(chunk);
    return body.bytes();
  } finally {
    // Discards the rest of a refused body.
    request.resume();
  }
}

/** The bytes of one body. Their room is reserved until the response or its connection ends. */
class ReservedBuffer {
  #buffer = Buffer.alloc(0);
  #length = 0;
  #reserved = 0;

  constructor(
    private readonly budget: BodyBudget,
    private readonly accountId: number,
    private readonly response: ServerResponse,
  ) {}

  /** Throws ContractError | ApiError; all stays as it was then. */
  growTo(size: number): void {
    if (size > BODY_BYTES_MAX) throw new ContractError("payload_too_large");
    if (size > Math.max(this.#reserved, SMALL_BODY_BYTES)) this.#reserve(size);
    const larger = Buffer.allocUnsafe(size);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length)
      this.growTo(Math.max(length, Math.min(2 * this.#buffer.length, BODY_BYTES_MAX)));
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  bytes(): Buffer<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(size: number): void {
    this.budget.take(this.accountId, size - this.#reserved);
    if (this.#reserved === 0) {
      this.response.once("close", this.#end);
      // A response queued after another one on its connection gets no close event of the connection.
      this.response.req.socket.once("close", this.#end);
    }
    this.#reserved = size;
  }

  readonly #end = (): void => {
    this.response.off("close", this.#end);
    this.response.req.socket.off("close", this.#end);
    this.budget.giveBack(this.accountId, this.#reserved);
    this.#reserved = 0;
  };
}
