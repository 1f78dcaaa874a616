import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "./http-answer.js";
import type { Json } from "./params.js";
import { readBody } from "./request-body.js";

/** The control API of the services that make the files. */
export interface ServicesControl {
  control(method: string, path: string, body: Json): { status: number; json?: unknown };
}

/** Gives the page the services' control API at its own address. */
export async function answerServices(
  services: ServicesControl | undefined,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!services) return sendJson(response, 404, { error: "not found" });
  const { values } = await readBody(request, new URLSearchParams());
  const control = path.replace("/services/", "/control/");
  const { status, json = null } = services.control(request.method ?? "GET", control, values);
  sendJson(response, status, json);
}
