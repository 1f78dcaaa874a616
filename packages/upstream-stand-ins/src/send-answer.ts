import type { ServerResponse } from "node:http";
import type { Answer } from "./call.js";

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
