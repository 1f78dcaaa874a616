import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { extensionOf, headOfFile } from "../media/picture-check.js";
import type { PublishedReferences } from "../media/reference-store.js";
import type { Clock } from "../platform/clock.js";
import { isPublicHost } from "../platform/guarded-fetch.js";
import { exchange, type HttpAnswer } from "../platform/http-exchange.js";
import type { Ids } from "../platform/ids.js";
import type { OutgoingAgent } from "../platform/outgoing-agent.js";
import { sniffPicture } from "../platform/picture-size.js";
import { retry } from "../platform/retry.js";
import { MINUTE_MS } from "../platform/units.js";
import { GenerationError } from "../workers/generation-error.js";
import type { UpstreamAdapter, UpstreamCall } from "./adapter.js";
import { type FileHosts, isFileAddress } from "./fetch-outputs.js";
import { detailOf, isSuccess, judgeSubmit } from "./judge-status.js";

/** Sends a file. The error has no address, which gives access to the file. */
type FilePut = (url: string, file: { mime: string; bytes: Buffer }, signal: AbortSignal) => Promise<void>;

const TIMEOUT_MS = 2 * MINUTE_MS;
const ANSWER_BYTES_MAX = 64 * 1024;

/** Sends files to addresses on the service's file hosts, which its answers name. */
export function createFilePut({
  dispatcher,
  clock,
  ...hosts
}: FileHosts & { dispatcher: OutgoingAgent; clock: Clock }): FilePut {
  return async (address, { mime, bytes }, signal) => {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (!url || !isFileAddress(url, hosts)) throw new Error("the upload's address is on a foreign host");
    const answer = await exchange({
      dispatcher,
      clock,
      method: "PUT",
      url,
      headers: { "content-type": mime },
      body: bytes,
      timeoutMs: TIMEOUT_MS,
      bodyBytesMax: ANSWER_BYTES_MAX,
      signal,
    });
    if (!isSuccess(answer)) throw new Error(`upload refused: ${detailOf(answer)}`);
  };
}

export interface ReferencePublisherOptions {
  adapter: Pick<UpstreamAdapter, "upload" | "filesBytesMax" | "readsLinks">;
  /** Gives links of ours that live longer than any attempt; absent where PUBLIC_URL is no public https address. */
  published?: Pick<PublishedReferences, "publish"> | undefined;
  ask: (call: UpstreamCall, signal: AbortSignal) => Promise<HttpAnswer>;
  put: FilePut;
  clock: Clock;
  ids: Pick<Ids, "file">;
}

const TRIES_MAX = 3;
const NO_PICTURE = "it is no PNG, JPEG or WebP picture";
const BACK_OFF = { firstMs: 500, maxMs: 4000 };

class UploadError extends Error {
  override readonly name = "UploadError";
}

/** Reports a picture that the service does not take because of what it shows. */
export class RefusedPictureError extends Error {
  override readonly name = "RefusedPictureError";
}

/** Gives pictures to one service: as links of ours, by its upload, or as files of the submit. */
export class ReferencePublisher {
  constructor(private readonly options: ReferencePublisherOptions) {}

  /**
   * Resolves with an address for each of the local pictures `paths`, in their order.
   * @throws GenerationError `reference` where the service cannot take a picture, and RefusedPictureError where it does not
   *   want what one shows; other errors may pass
   */
  publish(paths: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const { filesBytesMax } = this.options.adapter;
    if (filesBytesMax !== undefined) return fileAddresses(paths, filesBytesMax);
    return Promise.all(paths.map((path, index) => this.#publish(path, index + 1, signal)));
  }

  async #publish(path: string, number: number, signal: AbortSignal): Promise<string> {
    const { adapter, published } = this.options;
    signal.throwIfAborted();
    const mime = await pictureType(path);
    if (mime === undefined) throw unusable(number, NO_PICTURE);
    if (!published || adapter.readsLinks === false) return this.#upload(path, mime, signal);
    // It reports an error to whoever reads it, which may not be yet.
    const stream = createReadStream(path).on("error", () => {});
    try {
      return await published.publish(stream);
    } catch (error) {
      if (adapter.upload && !signal.aborted) return await this.#upload(path, mime, signal);
      throw error;
    } finally {
      // One that was refused unread would stay open.
      stream.destroy();
    }
  }

  /** Uploads a picture: free, so it may be repeated. Names are random: a service keeps one file a name. */
  async #upload(path: string, mime: string, signal: AbortSignal): Promise<string> {
    const { adapter, ask, put, clock, ids } = this.options;
    const { upload } = adapter;
    if (!upload) throw new UploadError("the service takes links only, and PUBLIC_URL is not public");
    const until = (error: unknown) => error instanceof RefusedPictureError;
    const tries = { clock, backOff: BACK_OFF, maxTries: TRIES_MAX, signal, onFailure: () => {}, until };
    return retry(tries, async () => {
      signal.throwIfAborted();
      const fileName = `${ids.file()}.${extensionOf(mime)}`;
      const answer = await ask(upload.begin({ path, mime, fileName }), signal);
      const begun = upload.readBegin(answer);
      if (!begun) {
        const judged = judgeSubmit(answer);
        const isOfContent = judged.kind === "refused" && judged.refusal === "policy";
        if (isOfContent) throw new RefusedPictureError(detailOf(answer));
        throw new UploadError(`no address for a reference: ${detailOf(answer)}`);
      }
      if (begun.put) await put(begun.put.url, { mime, bytes: await readFile(path) }, signal);
      return begun.url;
    });
  }
}

async function fileAddresses(paths: readonly string[], bytesMax: number): Promise<readonly string[]> {
  let bytes = 0;
  for (const [index, path] of paths.entries()) {
    bytes += (await stat(path)).size;
    if ((await pictureType(path)) === undefined) throw unusable(index + 1, NO_PICTURE);
    if (bytes > bytesMax) throw unusable(index + 1, "the pictures are too large together");
  }
  return paths.map((path) => pathToFileURL(path).href);
}

async function pictureType(path: string): Promise<string | undefined> {
  return sniffPicture(await headOfFile(path));
}

function unusable(number: number, reason: string): GenerationError {
  return new GenerationError("reference", `Reference picture ${number} could not be used: ${reason}.`);
}

/** Tells whether services elsewhere can read links below a `PUBLIC_URL`. */
export function isReadableElsewhere(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return protocol === "https:" && isPublicHost(host);
}
