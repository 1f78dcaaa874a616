import type { ServerResponse } from "node:http";
import { type Answer, type Call, sendAnswer } from "./call.js";
import { FAULTS, type FaultName } from "./faults.js";
import { extensionOf, type FileSpec, mimeOf } from "./files.js";
import { isServiceName, type ServiceName } from "./service-name.js";
import type { UpstreamState } from "./state.js";
import type { Task } from "./task.js";

const DOWNLOAD_FAULTS = (Object.keys(FAULTS) as FaultName[]).filter((name) => FAULTS[name].at === "download");
const HUGE_BYTES = 10 * 1024 ** 3;

/** The address of a result. @param extension what the service says that it is */
export function fileUrl(root: string, task: Task, file: FileSpec, extension = extensionOf(file)): string {
  const host = (task.faults["foreign-output"] ?? 0) > 0 ? "https://files.example.invalid" : root;
  return `${host}/files/${task.service}/${file.id}.${extension}`;
}

interface Found {
  service: ServiceName;
  task: Task;
  file: FileSpec;
}

function find(state: UpstreamState, path: string): Found | undefined {
  const [, service, id] = /^\/files\/(\w+)\/(\w+)\.\w+$/.exec(path) ?? [];
  const task = state.fileOwners.get(id ?? "");
  const file = task?.files.find((one) => one.id === id);
  return task && file && isServiceName(service) && task.service === service
    ? { service, task, file }
    : undefined;
}

/** Sends a result's bytes, or what was ordered instead. */
export async function sendFile(state: UpstreamState, call: Call, response: ServerResponse): Promise<void> {
  const upload = /^\/uploads\/(\w+)/.exec(call.path)?.[1];
  if (upload !== undefined) return sendUpload(state, upload, response);
  const found = find(state, call.path);
  if (call.headers.authorization !== undefined)
    state.breach(`a key was sent to the files' host: ${call.path}`);
  if (!found) return sendAnswer(response, { status: 404 });
  const fault = faultOf(state, found, call);
  if (fault === "expired-output")
    return sendAnswer(response, { status: found.service === "kie" ? 403 : 410 });
  if (fault === "gone-output") return sendAnswer(response, { status: 404 });
  if (fault === "redirect") {
    const location = "http://169.254.169.254/latest/meta-data/";
    return sendAnswer(response, { status: 302, headers: { location } });
  }
  if (fault === "wrong-kind") {
    const headers = { "content-type": mimeOf(found.file) };
    return sendAnswer(response, { status: 200, headers, bytes: Buffer.from("<html>not here</html>") });
  }
  const bytes = fault === "zero-byte" ? Buffer.alloc(0) : await state.files.make(found.file, found.service);
  const headers = { "content-type": fault === "wrong-mime" ? "application/octet-stream" : mimeFor(found) };
  if (fault === "huge-output") {
    response.writeHead(200, { ...headers, "content-length": HUGE_BYTES });
    return void response.write(bytes);
  }
  if (fault === "hang-download") {
    response.writeHead(200, { ...headers, "content-length": bytes.length });
    return response.flushHeaders();
  }
  sendAnswer(response, { status: 200, headers, bytes }, fault === "cut-download" ? "half" : "whole");
}

/** A result by its id; undefined where there is none. */
export async function fileAnswer(
  state: UpstreamState,
  id: string,
  maker: string,
): Promise<Answer | undefined> {
  const file = state.fileOwners.get(id)?.files.find((one) => one.id === id);
  if (!file) return undefined;
  return {
    status: 200,
    headers: { "content-type": mimeOf(file) },
    bytes: await state.files.make(file, maker),
  };
}

/** fal gives films a type that says nothing. */
function mimeFor({ service, file }: Found): string {
  return service === "fal" && file.kind === "video" ? "application/octet-stream" : mimeOf(file);
}

function faultOf(state: UpstreamState, { service, task }: Found, call: Call): FaultName | undefined {
  // A link that was asked for anew is good; the old ones of kie stay as they are.
  if (Number(call.query.get("fresh")) > state.time.now()) return undefined;
  if (service === "kie" && (task.faults["expired-output"] ?? 0) > 0) return "expired-output";
  if ((task.faults["gone-output"] ?? 0) > 0) return "gone-output";
  return (
    DOWNLOAD_FAULTS.find((fault) => state.strike(task, fault)) ?? state.faults.take("download", service)[0]
  );
}

function sendUpload(state: UpstreamState, id: string, response: ServerResponse): void {
  const upload = state.uploads.get(id);
  const headers = { "content-type": upload?.mime ?? "text/plain" };
  const bytes = Buffer.from(upload?.base64 ?? "", "base64");
  sendAnswer(response, { status: upload ? 200 : 404, headers, bytes });
}
