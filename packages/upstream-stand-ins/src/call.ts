import type { IncomingHttpHeaders } from "node:http";
import type { Json } from "./json.js";

/** A part of a multipart body that is a file. */
export interface FilePart {
  name: string;
  fileName: string;
  mime: string;
  bytes: Buffer;
}

/** A request, read to its end. */
export interface Call {
  method: string;
  path: string;
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
