import type { IncomingMessage } from "node:http";
import busboy from "busboy";
import { BotApiError, badRequest } from "./errors.js";
import { CLOUD_LIMITS, type Limits } from "./limits.js";
import { isRecord, type Json } from "./params.js";
import type { Upload } from "./upload.js";

export interface RequestBody {
  values: Json;
  uploads: Map<string, Upload>;
}

const TEXT_BYTES_MAX = 1024 * 1024;

/** Called with the bytes of the body that have come so far. */
export type SizeListener = (bytes: number) => void;

/**
 * Reads the query and a body of JSON, of a form or of multipart, whatever came. A body that is too
 * large is read to its end: a client sends all of it before it listens.
 * @throws BotApiError 413 over the limits, 400 for a body that cannot be read
 */
export async function readBody(
  request: IncomingMessage,
  query: URLSearchParams,
  onSize: SizeListener = () => {},
  { requestBytesMax }: Limits = CLOUD_LIMITS,
): Promise<RequestBody> {
  const values: Json = Object.fromEntries(query);
  const type = request.headers["content-type"]?.toLowerCase() ?? "";
  if (type.startsWith("multipart/form-data")) return readMultipart(request, values, onSize, requestBytesMax);
  const bytes = await readBytes(request, TEXT_BYTES_MAX, onSize);
  if (bytes.length === 0) return { values, uploads: new Map() };
  const text = bytes.toString("utf8");
  const body = type.startsWith("application/json") ? parseObject(text) : parseForm(text);
  return { values: { ...values, ...body }, uploads: new Map() };
}

function tooLarge(): BotApiError {
  return new BotApiError(413, "Request Entity Too Large");
}

async function readBytes(request: IncomingMessage, bytesMax: number, onSize: SizeListener): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    onSize(size);
    if (size <= bytesMax) chunks.push(chunk as Buffer);
  }
  if (size > bytesMax) throw tooLarge();
  return Buffer.concat(chunks);
}

function parseForm(text: string): Json {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Reads JSON that must be an object. */
export function parseObject(text: string): Json {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badRequest("can't parse JSON object");
  }
  if (!isRecord(body)) throw badRequest("object expected as JSON value");
  return body;
}

function readMultipart(
  request: IncomingMessage,
  values: Json,
  onSize: SizeListener,
  bytesMax: number,
): Promise<RequestBody> {
  return new Promise((resolve, refuse) => {
    const reject = (error: Error) => {
      request.unpipe();
      request.resume();
      if (request.readableEnded || request.destroyed) return refuse(error);
      request.once("end", () => refuse(error));
      request.once("close", () => refuse(error));
    };
    const uploads = new Map<string, Upload>();
    const parser = startParser(request, reject);
    if (!parser) return;
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      const isFirstOver = size <= bytesMax && size + chunk.length > bytesMax;
      size += chunk.length;
      onSize(size);
      if (isFirstOver) reject(tooLarge());
    });
    parser.on("field", (name, value) => {
      values[name] = value;
    });
    parser.on("file", (name, stream, info) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", () => reject(badRequest("can't read the file part")));
      stream.on("end", () => {
        const fileName = info.filename ?? "";
        // The page sends several files under one name; the Bot API's names differ anyway.
        const key = uploads.has(name) ? `${name}#${uploads.size}` : name;
        uploads.set(key, { bytes: Buffer.concat(chunks), fileName, mimeType: info.mimeType });
      });
    });
    parser.on("error", () => reject(badRequest("can't parse multipart/form-data")));
    parser.on("close", () => resolve({ values, uploads }));
    request.on("error", reject);
    request.on("aborted", () => reject(badRequest("request aborted")));
    request.pipe(parser);
  });
}

function startParser(request: IncomingMessage, reject: (error: Error) => void): busboy.Busboy | undefined {
  const limits = { fieldSize: TEXT_BYTES_MAX };
  try {
    return busboy({ headers: request.headers, limits, defParamCharset: "utf8" });
  } catch {
    reject(badRequest("can't parse multipart/form-data"));
    return undefined;
  }
}
