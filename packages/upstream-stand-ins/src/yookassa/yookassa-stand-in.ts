import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../clock.js";
import { closeServer } from "../server.js";
import { missingPage, paymentPage } from "./payment-page.js";
import { Shop } from "./shop.js";
import { refusal, ShopApi } from "./shop-api.js";

/**
 * What goes wrong with a call: the connection ends before or after the work is done, the work is not done (500), done
 * and answered by 500, or the shop is asked too often.
 */
export type ShopFault = "cut-before" | "cut-after" | "error-before" | "error-after" | "throttled";

export interface YookassaOptions {
  /** 0, which is the default, for any. */
  port?: number;
  clock?: Clock;
}

const BODY_BYTES_MAX = 64 * 1024;
const SHOP_ID = "100500";
const SECRET_KEY = "test_stand-in-of-yookassa";

/** A stand-in of YooKassa: its API, the page where people pay, and its notifications. */
export class YookassaStandIn {
  readonly shop: Shop;
  /** Names the address that notifications are sent to. By default none are sent. */
  notifiedUrl: string | undefined;
  /** Calls of the API, as `POST /v3/payments`. */
  readonly calls: string[] = [];
  readonly #api: ShopApi;
  readonly #faults: { of: string; fault: ShopFault }[] = [];
  #server: Server | undefined;
  #url = "";

  constructor({ clock = systemClock }: YookassaOptions) {
    const notify = (event: string, object: object) => void this.#notify(event, object);
    this.shop = new Shop({ clock, pageRoot: () => this.#url, notify });
    this.#api = new ShopApi({ shop: this.shop, shopId: SHOP_ID, secretKey: SECRET_KEY, clock });
  }

  get url(): string {
    return this.#url;
  }

  /** What a service needs in its environment to use the stand-in. */
  environment(): Record<string, string> {
    return {
      TILL: "yookassa",
      YOOKASSA_SHOP_ID: SHOP_ID,
      YOOKASSA_SECRET_KEY: SECRET_KEY,
      YOOKASSA_API_ROOT: this.#url,
    };
  }

  /** Orders a fault of the next call of a kind, such as `POST /v3/payments`. */
  order(of: string, fault: ShopFault): void {
    this.#faults.push({ of, fault });
  }

  async listen(port = 0): Promise<void> {
    const server = createServer((request, response) => {
      response.on("error", () => response.destroy());
      this.#handle(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    this.#server = server;
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    if (this.#server) await closeServer(this.#server);
    this.#server = undefined;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/" } = request;
    const body = await readBody(request);
    const [, id] = /^\/pay\/([\w-]+)$/.exec(path) ?? [];
    if (id !== undefined) return this.#page(method, id, body, response);
    const kind = `${method} ${path.replace(/\?.*/, "").split("/", 3).join("/")}`;
    this.calls.push(kind);
    const place = this.#faults.findIndex(({ of }) => of === kind);
    const fault = place < 0 ? undefined : this.#faults.splice(place, 1)[0]?.fault;
    if (fault === "cut-before") return void request.socket.destroy();
    if (fault === "error-before") return send(response, refusal(500, "internal_server_error", "service"));
    if (fault === "throttled") return send(response, refusal(429, "too_many_requests", "service"));
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
    );
    const answer = this.#api.answer({ method, path, headers, body });
    if (fault === "cut-after") return void request.socket.destroy();
    send(response, fault === "error-after" ? refusal(500, "internal_server_error", "service") : answer);
  }

  #page(method: string, id: string, body: string, response: ServerResponse): void {
    const act = method === "POST" ? new URLSearchParams(body).get("act") : undefined;
    if (act === "pay") this.shop.pay(id);
    if (act === "refuse") this.shop.refuse(id);
    const payment = this.shop.payment(id);
    response.writeHead(payment ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(payment ? paymentPage(payment) : missingPage());
  }

  /** Source: https://yookassa.ru/developers/using-api/webhooks. One that is not taken is not repeated here. */
  async #notify(event: string, object: object): Promise<void> {
    const { notifiedUrl } = this;
    if (notifiedUrl === undefined) return;
    const body = JSON.stringify({ type: "notification", event, object });
    const headers = { "content-type": "application/json" };
    await fetch(notifiedUrl, { method: "POST", headers, body }).catch(() => {});
  }
}

/** Starts the stand-in on 127.0.0.1. */
export async function createYookassa(options: YookassaOptions = {}): Promise<YookassaStandIn> {
  const standIn = new YookassaStandIn(options);
  await standIn.listen(options.port);
  return standIn;
}

function send(response: ServerResponse, { status, json }: { status: number; json: object }): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(json));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
