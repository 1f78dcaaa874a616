import { Agent, request } from "node:http";
import { EVERYTHING } from "./screens.js";

/**
 * The least that answers updates: node:http with connections kept alive and one message for each update. It
 * polls again without waiting for its messages; with `--by-batch` it waits until those of its batch have been sent.
 */
const { TELEGRAM_API_ROOT, BOT_TOKEN } = process.env;
const isByBatch = process.argv.includes("--by-batch");
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Update {
  update_id: number;
  message?: { chat: { id: number } };
  callback_query?: { message: { chat: { id: number } } };
}

function call(method: string, payload: object): Promise<unknown> {
  const body = JSON.stringify(payload);
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const outgoing = request(
      `${TELEGRAM_API_ROOT}/bot${BOT_TOKEN}/${method}`,
      { method: "POST", agent, headers },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve((JSON.parse(text) as { result: unknown }).result));
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

process.on("SIGTERM", () => process.exit(0));
for (let offset = 0; ; ) {
  const updates = (await call("getUpdates", { offset, limit: 100, timeout: 30 })) as Update[];
  const sending: Promise<unknown>[] = [];
  for (const { update_id, message, callback_query } of updates) {
    offset = update_id + 1;
    const chat_id = (message ?? callback_query?.message)?.chat.id;
    sending.push(call("sendMessage", { chat_id, parse_mode: "HTML", ...EVERYTHING }));
  }
  if (isByBatch) await Promise.all(sending);
}
