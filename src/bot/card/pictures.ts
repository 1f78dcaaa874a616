import type { Readable } from "node:stream";
import type { Message } from "grammy/types";
import { ContractError, isJobNotFound, Unavailable, type UnavailableReason } from "../../contract/errors.js";
import type { JobId } from "../../contract/job.js";
import type { GenerationRequest } from "../../contract/request.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import { type Clock, within } from "../../platform/clock.js";
import { FetchError, type GuardedFetch } from "../../platform/guarded-fetch.js";
import type { Logger } from "../../platform/logger.js";
import { type PictureSize, PictureSizeReader } from "../../platform/picture-size.js";
import { MEGABYTE } from "../../platform/units.js";
import type { Customer } from "../context.js";
import { connectedGateway, needsAccount } from "../people/balance-words.js";
import { FILE_BYTES_MAX, TelegramDownloadError } from "../telegram/files.js";
import type { Language } from "../texts/texts.js";
import type { Parameters } from "./form/fields.js";
import { allPictures, fileIdOf, resultJobOf } from "./form/picture-fields.js";
import { parseLinks } from "./form/typed-value.js";

/** The number of shapes kept: a picture whose shape is lost gets the model's own format. */
const REMEMBERED = 2000;

/** Remembers width divided by height of the pictures that arrived, in memory. */
export class PictureShapes {
  readonly #shapes = new BoundedMap<string, number>(REMEMBERED);

  /** Notes the shape of a picture, given in the format of a draft. */
  note(picture: string, size: PictureSize | number | undefined): void {
    const shape = typeof size === "object" ? size.width / size.height : size;
    if (shape !== undefined && Number.isFinite(shape) && shape > 0) this.#shapes.set(picture, shape);
  }

  of(picture: string | undefined): number | undefined {
    return picture === undefined ? undefined : this.#shapes.get(picture);
  }

  ofFirst(parameters: Parameters): number | undefined {
    return this.of(allPictures(parameters)[0]);
  }
}

/** Milliseconds that a chat waits for the heads of its links. A slower host is asked again by the order. */
const TIMEOUT_MS = 3000;
/** Limits what is read of a link. Where the size is not told by then, the order judges. */
const BYTES_MAX = 4 * MEGABYTE;
const CHECKED_MAX = 8;
/** The most checks at once in all chats. Further links are not looked at. */
const IN_FLIGHT_MAX = 32;
/** Statuses with which the host has nothing for the order either. Others may be back by then. */
const GONE = new Set([401, 403, 404, 410]);

/** Looks at the first bytes of links that people send as pictures. */
export class LinkChecks {
  #inFlight = 0;

  constructor(
    private readonly fetch: GuardedFetch,
    private readonly shapes: PictureShapes,
  ) {}

  /** Finds the first link of a text that surely leads to no picture. Undefined for other texts. Never rejects. */
  async wrongLinkIn(text: string): Promise<string | undefined> {
    const found = parseLinks(text);
    if (found?.kind !== "links") return undefined;
    const links = found.links.slice(0, CHECKED_MAX);
    const verdicts = await Promise.all(links.map((link) => this.#isPicture(link)));
    return links[verdicts.indexOf(false)];
  }

  /** Resolves to undefined when it is not known in time. */
  async #isPicture(link: string): Promise<boolean | undefined> {
    if (this.#inFlight >= IN_FLIGHT_MAX) return undefined;
    this.#inFlight += 1;
    const limits = { bytesMax: BYTES_MAX, timeoutMs: TIMEOUT_MS, signal: new AbortController().signal };
    try {
      const size = await this.fetch(link, limits, sizeIn);
      this.shapes.note(link, size);
      return size !== undefined;
    } catch (error) {
      return error instanceof FetchError && GONE.has(error.status ?? 0) ? false : undefined;
    } finally {
      this.#inFlight -= 1;
    }
  }
}

/** Reads up to where the size is told. Undefined for what is no picture to its end. */
async function sizeIn(bytes: AsyncIterable<Buffer>): Promise<PictureSize | undefined> {
  const reader = new PictureSizeReader();
  for await (const chunk of bytes) {
    const found = reader.push(chunk);
    if (found !== "more") return found === "none" ? undefined : found;
  }
  return undefined;
}

/** Matches what phones and programs call a picture. Their label is a hint: the bytes decide. */
const PICTURE_LABEL = /^image\//i;
const PICTURE_NAME = /\.(?:jpe?g|jfif|png|webp|hei[cf]|avif|bmp|tiff?|gif)$/i;
/** Matches labels that tell nothing. */
const NO_LABEL = /^(?:$|[^/]+\/octet-stream$)/i;

type FoundPicture =
  /** `size`: that of its thumbnail where no other is known. */
  /** `isLikely`: nothing says that it is something else. The bytes tell. */
  | { kind: "picture"; fileId: string; uniqueId: string; size: PictureSize | undefined; isLikely: boolean }
  | { kind: "too_large" }
  | { kind: "none" };

/** Finds a photo, in its largest size, or a document, which may be a picture whatever its sender says. */
export function pictureIn({ photo, document, animation }: Message): FoundPicture {
  const largest = photo?.at(-1);
  if (largest) return found(largest, largest, true);
  // Animations also have `document`.
  if (!document || animation) return { kind: "none" };
  const { mime_type: label = "", file_name: name = "", file_size: bytes = 0 } = document;
  const isNamed = PICTURE_LABEL.test(label) || PICTURE_NAME.test(name);
  if (!isNamed && bytes > FILE_BYTES_MAX) return { kind: "none" };
  return found(document, document.thumbnail, isNamed || NO_LABEL.test(label));
}

function found(
  file: { file_id: string; file_unique_id: string; file_size?: number },
  size: PictureSize | undefined,
  isLikely: boolean,
): FoundPicture {
  if ((file.file_size ?? 0) > FILE_BYTES_MAX) return { kind: "too_large" };
  return { kind: "picture", fileId: file.file_id, uniqueId: file.file_unique_id, size, isLikely };
}

/** Milliseconds that a person waits at a button for the file of a result. A slower host is asked again by the order. */
const OPEN_MS_MAX = 5000;
/** Milliseconds for which a published link is reused. It is valid for one hour. */
const FRESH_MS = 30 * 60 * 1000;

type PictureFault =
  | "too_large"
  | "gone"
  | "unreachable"
  | "not_picture"
  | "too_many"
  | "unkept"
  /** The remote service could not read a picture of this process. */
  | "links_only"
  | "expired";

export class PictureRefusedError extends Error {
  override readonly name = "PictureRefusedError";
  constructor(readonly fault: PictureFault) {
    super(`picture refused: ${fault}`);
  }
}

/** Returns what is said about a picture that a message shows and that cannot be taken. */
export function refusedPictureText(
  { document }: Pick<Message, "document">,
  fault: PictureFault,
  { t }: Language,
): string {
  const isGif = fault === "not_picture" && /^image\/gif$/i.test(document?.mime_type ?? "");
  return t(isGif ? "unreadable-gif" : `picture-${fault}`);
}

/**
 * Publishes images from the chat and results as links that a provider can read.
 * A draft keeps the Telegram file id or the job of the result. Links expire after one hour. They are made on
 * arrival, to validate the image, and again when an order needs a new one.
 */
export class Pictures {
  readonly #links = new BoundedMap<string, { link: string; at: number }>(REMEMBERED);

  constructor(
    private readonly files: { open(fileId: string): Promise<Readable> },
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Returns a link that is valid for at least half an hour. Throws PictureRefusedError. */
  async publish(customer: Customer, fileId: string): Promise<string> {
    const key = `${customer.person.id}:${fileId}`;
    const known = this.#links.get(key);
    if (known && this.clock.monotonic() - known.at < FRESH_MS) return known.link;
    const at = this.clock.monotonic();
    const link = await this.#orRefuse(customer, () => this.#publishAnew(customer, fileId));
    this.#links.set(key, { link, at });
    return link;
  }

  /** Returns a link to any picture of a draft, fresh unless the person gave a link. Throws PictureRefusedError. */
  async linkTo(customer: Customer, picture: string): Promise<string> {
    const fileId = fileIdOf(picture);
    if (fileId !== undefined) return this.publish(customer, fileId);
    const jobId = resultJobOf(picture);
    return jobId === undefined ? picture : this.#orRefuse(customer, () => this.#resultLink(customer, jobId));
  }

  /** Replaces pictures by links. Throws PictureRefusedError. */
  async published(customer: Customer, request: GenerationRequest): Promise<GenerationRequest> {
    const linked: GenerationRequest = { ...request };
    const linkFor = (value: string) => this.linkTo(customer, value);
    for (const [name, value] of Object.entries(request)) {
      if (typeof value === "string" && name.endsWith("_url")) linked[name] = await linkFor(value);
      if (Array.isArray(value)) linked[name] = await Promise.all((value as readonly string[]).map(linkFor));
    }
    return linked;
  }

  async #publishAnew(customer: Customer, fileId: string): Promise<string> {
    const gateway = connectedGateway(customer);
    const stream = await this.files.open(fileId);
    try {
      return await gateway.publishReference(stream, customer.person.id);
    } finally {
      stream.destroy();
    }
  }

  /** Returns the signed link of the result itself, which the service reads from its own store. */
  async #resultLink(customer: Customer, jobId: JobId): Promise<string> {
    const gateway = connectedGateway(customer);
    try {
      const job = await gateway.job(jobId);
      const file = (await gateway.results(job)).find(({ kind }) => kind === "result");
      if (!file) throw new PictureRefusedError("expired");
      const closed = file.open().then(({ stream }) => void stream.destroy());
      await within(this.clock, OPEN_MS_MAX, closed);
      if (job.result?.url) return job.result.url;
    } catch (error) {
      if (!isJobNotFound(error)) throw error;
    }
    throw new PictureRefusedError("expired");
  }

  /** Throws PictureRefusedError for every failure of `link`, but for an account that is not connected. */
  async #orRefuse(customer: Customer, link: () => Promise<string>): Promise<string> {
    try {
      return await link();
    } catch (error) {
      if (needsAccount(error)) throw error;
      const refused = refusalFor(error);
      if (refused.fault === "unkept")
        this.logger.error({ user_id: customer.person.id, err: error }, "picture not stored");
      else this.logger.info({ user_id: customer.person.id, fault: refused.fault }, "picture refused");
      throw refused;
    }
  }
}

const FAULT_OF: Partial<Record<UnavailableReason, PictureFault>> = {
  unreachable: "unreachable",
  links_only: "links_only",
  quota: "too_many",
};

function refusalFor(error: unknown): PictureRefusedError {
  if (error instanceof PictureRefusedError) return error;
  if (error instanceof TelegramDownloadError) return new PictureRefusedError(error.fault);
  if (error instanceof Unavailable) return new PictureRefusedError(FAULT_OF[error.reason] ?? "unkept");
  if (!(error instanceof ContractError)) return new PictureRefusedError("unkept");
  return new PictureRefusedError(error.code === "payload_too_large" ? "too_large" : "not_picture");
}
