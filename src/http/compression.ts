import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gunzip, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { matchesEtag } from "./files.js";

type Encoding = "br" | "gzip";

const ENCODINGS: readonly Encoding[] = ["br", "gzip"];
/** Bytes from which an answer is compressed: a smaller one is one packet anyway. */
const COMPRESSED_MIN = 1024;
/** The types that are worth it. Files have others: they are compressed already, and read in ranges. */
const COMPRESSIBLE = /^(?:application\/json|text\/)/;
/** Quality of Brotli: of an answer that is made once, and of one that is sent many times. */
const QUALITY = { once: 4, often: 9 } as const;
const VARY = { vary: "accept-encoding" };

/** Returns the best of `known` that `Accept-Encoding` names (RFC 9110, section 12.5.3); undefined for plain bytes. */
export function acceptedEncoding(
  header: string | undefined,
  known: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  if (!header) return undefined;
  const weights = new Map(
    header.split(",").map((part) => {
      const [name = "", weight = "q=1"] = part.split(";").map((text) => text.trim().toLowerCase());
      return [name, Number(/^q=([\d.]+)$/.exec(weight)?.[1])] as const;
    }),
  );
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const [best] = known.filter((name) => weightOf(name) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  return best && weightOf(best) >= (weights.get("identity") ?? 0) ? best : undefined;
}

/* The calls with promises run in threads of libuv: they never hold the event loop. */
const withBrotli = promisify(brotliCompress);
const withGzip = promisify<Buffer, Buffer>(gzip);
const unzipped = promisify<Buffer, Buffer>(gunzip);

function compressed(bytes: Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  if (encoding === "gzip") return withGzip(bytes);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return withBrotli(bytes, { params });
}

/**
 * Compresses the JSON and text of every route, unless it already is. No answer repeats what a stranger sends beside a
 * secret, and keys are no cookies: lengths tell nobody anything.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const bytes = compressibleBytes(reply, payload);
    if (!bytes) {
      done(null, payload);
      return;
    }
    const encoding = acceptedEncoding(request.headers["accept-encoding"]);
    reply.headers(VARY);
    if (!encoding) {
      done(null, payload);
      return;
    }
    compressed(bytes, encoding, QUALITY.once).then(
      (smaller) => {
        reply.header("content-encoding", encoding);
        done(null, smaller);
      },
      // Without memory for it the answer goes as it is.
      () => done(null, payload),
    );
  });
}

function compressibleBytes(reply: FastifyReply, payload: unknown): Buffer | undefined {
  if (typeof payload !== "string" && !Buffer.isBuffer(payload)) return undefined;
  if (payload.length < COMPRESSED_MIN || reply.hasHeader("content-encoding")) return undefined;
  if (!COMPRESSIBLE.test(String(reply.getHeader("content-type") ?? ""))) return undefined;
  return typeof payload === "string" ? Buffer.from(payload) : payload;
}

/** A body that stays the same for long: it is hashed once, and compressed once in each way that is asked for. */
export class StaticBody {
  readonly #hash: string;
  readonly #encodings: readonly Encoding[];
  readonly #variants = new Map<Encoding | "identity", Promise<Buffer>>();

  constructor(bytes: Buffer, { isGzipped = false } = {}) {
    this.#hash = createHash("sha256").update(bytes).digest("base64");
    if (isGzipped) this.#encodings = ["gzip"];
    else this.#encodings = bytes.length < COMPRESSED_MIN ? [] : ENCODINGS;
    this.#variants.set(isGzipped ? "gzip" : "identity", Promise.resolve(bytes));
  }

  /** Sends it, or 304 to a client that has it. A tag is of the bytes as they are sent: each encoding has its own. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = acceptedEncoding(request.headers["accept-encoding"], this.#encodings);
    const etag = encoding ? `"${this.#hash}-${encoding}"` : `"${this.#hash}"`;
    reply.headers({ ...VARY, etag });
    if (matchesEtag(request.headers["if-none-match"], etag))
      return reply.removeHeader("content-type").code(304).send();
    const bytes = await this.#as(encoding ?? "identity");
    if (encoding) reply.header("content-encoding", encoding);
    return reply.send(bytes);
  }

  #as(variant: Encoding | "identity"): Promise<Buffer> {
    const known = this.#variants.get(variant);
    if (known) return known;
    const made =
      variant === "identity"
        ? this.#as("gzip").then(unzipped)
        : this.#as("identity").then((bytes) => compressed(bytes, variant, QUALITY.often));
    this.#variants.set(variant, made);
    // Without memory for it now, it is tried again.
    made.catch(() => this.#variants.delete(variant));
    return made;
  }
}
