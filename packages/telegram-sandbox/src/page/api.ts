import type { PageState, PostBodies, SendBody, SentMessage } from "../protocol.js";

const REQUEST_TIMEOUT_MS = 30_000;
const UPLOAD_TIMEOUT_MS = 180_000;

/** The sandbox said no, or did not answer; the message is for the reader. */
export class RequestFailed extends Error {}

/** No answer came: whether the request was heard is unknown. */
export class ConnectionLost extends RequestFailed {}

/** Address of a file's bytes. */
export function fileUrl(fileId: string): string {
  return `/chat/files/${encodeURIComponent(fileId)}`;
}

/** Reads everything that the page shows. Throws RequestFailed. */
export async function fetchState(): Promise<PageState> {
  const response = await request("/chat/state", {}, REQUEST_TIMEOUT_MS);
  return (await response.json()) as PageState;
}

/** Sends one message as a person. Throws RequestFailed. */
export async function postMessage(body: SendBody, files: readonly File[]): Promise<SentMessage> {
  if (files.length === 0)
    return (await (await sendJson("POST", "/chat/messages", body)).json()) as SentMessage;
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value !== undefined) form.append(name, String(value));
  }
  for (const file of files) form.append("file", file, file.name);
  const response = await request("/chat/messages", { method: "POST", body: form }, UPLOAD_TIMEOUT_MS);
  return (await response.json()) as SentMessage;
}

/** Posts what the page needs no answer to: what becomes of it arrives as an event. Throws RequestFailed. */
export async function post<N extends keyof PostBodies>(name: N, body: PostBodies[N]): Promise<void> {
  await sendJson("POST", `/chat/${name}`, body);
}

/** Reads what the services' control API tells. Throws RequestFailed. */
export async function fetchServices<T>(name: "summary" | "faults"): Promise<T> {
  return (await (await request(`/services/${name}`, {}, REQUEST_TIMEOUT_MS)).json()) as T;
}

/** Changes something by the services' control API. Throws RequestFailed. */
export async function changeServices(method: "POST" | "DELETE", name: string, body: object): Promise<void> {
  await sendJson(method, `/services/${name}`, body);
}

function sendJson(method: "POST" | "DELETE", path: string, body: object): Promise<Response> {
  const init = {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return request(path, init, REQUEST_TIMEOUT_MS);
}

async function request(path: string, init: RequestInit, timeoutMs: number): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, cache: "no-store", signal: AbortSignal.timeout(timeoutMs) });
  } catch {
    throw new ConnectionLost("The sandbox does not answer");
  }
  if (!response.ok) throw new RequestFailed(await refusal(response));
  return response;
}

async function refusal(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null) {
      for (const name of ["description", "message", "error"]) {
        const value: unknown = Reflect.get(body, name);
        if (typeof value === "string") return value;
      }
    }
  } catch {
    // Not JSON: the status says enough.
  }
  return `The sandbox refused (${response.status})`;
}
