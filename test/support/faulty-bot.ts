import { bigPng } from "./big-png.js";
import { Chatter } from "./chatter.js";
import { eventually } from "./eventually.js";
import { type Behaviour, json, startFaultyService } from "./faulty-service.js";
import { type FrontEndOptions, startFrontEnd } from "./remote-core.js";
import { ANN } from "./service.js";

export const MODEL = {
  type: "image",
  model_key: "fox-9",
  title: "Fox Nine",
  price_rub: 10,
  defaults: {},
  parameters: { prompt: { type: "string", required: true } },
};
export const PNG = bigPng({ width: 64, height: 64 });

/** Ann at the bot of a service that breaks as the test says, order by order. */
export async function openFaultyBot({
  retentionSec,
  ...options
}: { retentionSec?: number } & Pick<FrontEndOptions, "clock" | "environment"> = {}) {
  const service = await startFaultyService();
  service.retentionSec = retentionSec;
  const world = {
    models: [MODEL] as object[],
    /** How the next POST is answered. */
    post: undefined as Behaviour | undefined,
    /** How the next looks at a job are answered. */
    looks: [] as Behaviour[],
    /** How the next requests for its file are answered. */
    files: [] as Behaviour[],
  };
  const behaviourOf = (path: string, method: string | undefined): Behaviour => {
    if (path === "/models") return json(200, { ok: true, models: world.models });
    if (path.startsWith("/file")) return world.files.shift() ?? file;
    if (path.startsWith("/generations/"))
      return world.looks.shift() ?? job(path.slice("/generations/".length), {});
    const fault = method === "POST" ? world.post : undefined;
    if (method === "POST") world.post = undefined;
    return fault ?? service.serve;
  };
  service.behave = (response, request, body) => {
    const path = (request.url ?? "").replace("/api/v1", "");
    behaviourOf(path, request.method)(response, request, body);
  };
  const file: Behaviour = (response) => response.writeHead(200, { "content-type": "image/png" }).end(PNG);
  /** A job that is done, but for the fields that differ. */
  const job = (id: string | number, change: object): Behaviour => {
    const result = { url: `${service.url}/file`, mime: "image/png" };
    const usual = { job_id: id, type: "image", status: "done", cost_rub: 10, result, error: null };
    return json(200, { ok: true, job: { ...usual, ...change } });
  };
  const front = await startFrontEnd({ url: service.url, key: "foreign-key", ...options });
  const ann = new Chatter(front.sandbox.person(ANN.id));
  let orders = 0;
  /** Draws a card and pays it. Returns what Ann reads from the tap on, growing. */
  async function pay(beforeTap = () => {}): Promise<() => string[]> {
    orders += 1;
    const prompt = `a fox number ${orders}.`;
    ann.say(`/image ${prompt}`);
    const card = await ann.seeButton("✅", prompt);
    beforeTap();
    const { text = "" } = (await (await ann.press("✅", prompt)).answered()) ?? {};
    const later = () => ann.heard().filter(({ message_id }) => message_id >= card.message_id);
    return () => [text, ...later().map((message) => message.text ?? (message.photo ? "PHOTO" : ""))];
  }
  const reads = (read: () => string[], words: RegExp, which: string) =>
    eventually(`${which}: ${words}`, () => read().some((text) => words.test(text))).catch((error: Error) => {
      throw new Error(`${error.message}; read: ${read().join(" | ")}`);
    });
  return { service, world, front, ann, pay, reads, job };
}
