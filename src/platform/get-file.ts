import type { Readable } from "node:stream";
import type { OutgoingAgent } from "./outgoing-agent.js";

export interface FileRequest {
  origin: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

export interface FileAnswer {
  status: number;
  /** Headers by lower-case name; the values of a repeated one are joined by commas. */
  headers: Readonly<Record<string, string>>;
  /** Stream to be read to its end or destroyed. Fails when the connection ends early or the request is aborted. */
  body: Readable;
}

/** Streams a file by GET, following no redirect and decompressing nothing. Rejects when there is no status line. */
export async function getFile(agent: OutgoingAgent, request: FileRequest): Promise<FileAnswer> {
  const { origin, path, headers = {}, signal } = request;
  const options = { origin, path, method: "GET", headers, ...(signal && { signal }) } as const;
  const { statusCode, headers: given, body } = await agent.request(options);
  // A body that is destroyed before its end emits an error, which ends the process where nobody listens.
  body.on("error", () => {});
  const joined = Object.entries(given).map(([name, value]) => [name, [value].flat().join(", ")]);
  return { status: statusCode, headers: Object.fromEntries(joined), body };
}
