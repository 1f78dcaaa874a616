import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import busboy from "busboy";
import { z } from "zod";

/** An address of a file, or the file itself as `data:`. */
export const link = z.string().regex(/^(https?:\/\/|data:)/);

export function links(max: number) {
  return z.array(link).min(1).max(max);
}

/** A required text. */
export function text(max: number, min = 1) {
  return z.string().min(min).max(max);
}

export function choice<const Values extends readonly [string, ...string[]]>(...values: Values) {
  return z.enum(values).optional();
}

export function whole(min: number, max: number) {
  return z.int().min(min).max(max).optional();
}

export const flag = z.boolean().optional();
export const seed = z.int().min(0).optional();

/** A part of a multipart body that is a file. */
interface FilePart {
  name: string;
  fileName: string;
  mime: string;
  bytes: Buffer;
}

/** A request, read to its end. */
export interface Call {
  method: string;
  path: string;
  /** What the path names, such as a task. */
  named: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The address that the client used, such as `http://127.0.0.1:40123`. */
  root: string;
  /** The body as JSON, or the text fields of a form; undefined where it is neither. */
  json: Json | undefined;
  files: readonly FilePart[];
  bytes: Buffer;
}

export interface Answer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  /** Sent instead of `json`. */
  bytes?: Buffer;
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, json: value, headers };
}

/** What a proxy in front of the service says. */
export function html(status: number, title: string): Answer {
  const bytes = Buffer.from(
    `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
  );
  return { status, bytes, headers: { "content-type": "text/html" } };
}

export function bearerOf({ headers }: Call): string | undefined {
  return /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
}

/** A value that came as JSON; read with the functions below. */
export type Json = Record<string, unknown>;

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The object that a text is, as JSON; undefined for anything else. */
function parseRecord(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const BYTES_MAX = 64 * 1024 * 1024;

/** Reads a request to its end. @throws Error for a body that is too large or cut */
export async function readCall(request: IncomingMessage, url: URL, named = ""): Promise<Call> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BYTES_MAX) throw new Error("the body is too large");
    chunks.push(chunk as Buffer);
  }
  const bytes = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  const form = type.startsWith("multipart/form-data") ? await readForm(request, bytes) : undefined;
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    named,
    query: url.searchParams,
    headers: request.headers,
    root: `http://${request.headers.host ?? "127.0.0.1"}`,
    json: form?.values ?? parseRecord(bytes.toString("utf8")),
    files: form?.files ?? [],
    bytes,
  };
}

function readForm(request: IncomingMessage, bytes: Buffer): Promise<{ values: Json; files: FilePart[] }> {
  return new Promise((resolve, reject) => {
    const values: Json = {};
    const files: FilePart[] = [];
    const parser = busboy({ headers: request.headers, defParamCharset: "utf8" });
    parser.on("field", (name, value) => {
      values[name] = value;
    });
    parser.on("file", (name, stream, { filename, mimeType }) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () =>
        files.push({ name, fileName: filename ?? "", mime: mimeType, bytes: Buffer.concat(parts) }),
      );
    });
    parser.on("error", reject);
    parser.on("close", () => resolve({ values, files }));
    parser.end(bytes);
  });
}

/** How an answer is sent: whole, half and then a cut, or not at all. */
export type Delivery = "whole" | "half" | "cut" | "never";

/** Ends the exchange; `never` leaves the connection open until the client or the server closes it. */
export function sendAnswer(response: ServerResponse, answer: Answer, delivery: Delivery = "whole"): void {
  if (response.destroyed || delivery === "never") return;
  if (delivery === "cut") return void response.destroy();
  const body = answer.bytes ?? Buffer.from(answer.json === undefined ? "" : JSON.stringify(answer.json));
  const type = answer.json === undefined ? {} : { "content-type": "application/json" };
  response.writeHead(answer.status, { ...type, ...answer.headers, "content-length": body.length });
  if (delivery === "whole") return void response.end(body);
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy());
}
