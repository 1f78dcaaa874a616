import { bigPng } from "./big-png.js";
import { Chatter } from "./chatter.js";
import { type Behaviour, json, startFaultyService } from "./faulty-service.js";
import { startFrontEnd } from "./remote-core.js";
import { ANN } from "./service.js";

export const MODEL = {
  type: "image",
  model_key: "fox-9",
  title: "Fox Nine",
  price_rub: 10,
  defaults: {},
  parameters: { prompt: { type: "string", required: true } },
};
const PNG = bigPng({ width: 64, height: 64 });

/** Ann at the bot of a service that has the models and the jobs that the test says. */
export async function openFaultyBot() {
  const service = await startFaultyService();
  const world = { models: [MODEL] as object[] };
  /** A job that is done, but for the fields that differ. */
  const job = (id: string | number, change: object): Behaviour => {
    const result = { url: `${service.url}/file`, mime: "image/png" };
    const usual = { job_id: id, type: "image", status: "done", cost_rub: 10, result, error: null };
    return json(200, { ok: true, job: { ...usual, ...change } });
  };
  const behaviourOf = (path: string): Behaviour => {
    if (path === "/models") return json(200, { ok: true, models: world.models });
    if (path.startsWith("/file"))
      return (response) => response.writeHead(200, { "content-type": "image/png" }).end(PNG);
    return path.startsWith("/generations/") ? job(path.slice("/generations/".length), {}) : service.serve;
  };
  service.behave = (response, request, body) =>
    behaviourOf((request.url ?? "").replace("/api/v1", ""))(response, request, body);
  const front = await startFrontEnd({ url: service.url, key: "foreign-key" });
  const ann = new Chatter(front.sandbox.person(ANN.id));
  return { service, world, ann, job };
}
