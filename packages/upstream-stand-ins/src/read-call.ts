import type { IncomingMessage } from "node:http";
import busboy from "busboy";
import type { Call, FilePart } from "./call.js";
import { type Json, parseRecord } from "./json.js";

const BYTES_MAX = 64 * 1024 * 1024;

/** Reads a request to its end. @throws Error for a body that is too large or cut */
export async function readCall(request: IncomingMessage, url: URL): Promise<Call> {
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
