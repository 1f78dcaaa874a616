import { z } from "zod";
import type { Json } from "../../../catalogue/json.js";
import { detailOf, isSuccess, readJson } from "../../../providers/judge-status.js";
import { inputFields } from "./json-schema.js";
import { type PublishedEntry, unreadable } from "./published-model.js";
import { type AskPublisher, NoAnswerError, type Publisher } from "./publisher.js";

/*
 * Source: https://fal.ai/models/ENDPOINT/llms.txt, which names the OpenAPI document of each endpoint. Its POST at
 * /ENDPOINT takes the schema of the input. It needs no key; https://api.fal.ai/v1/models/pricing does.
 */

const PAGE = "https://fal.ai/api/openapi/queue/openapi.json";
const AT_ONCE = 4;

const post = z.looseObject({
  requestBody: z.looseObject({
    content: z.looseObject({ "application/json": z.looseObject({ schema: z.unknown() }) }),
  }),
});
const openApi = z.looseObject({
  paths: z.record(z.string(), z.unknown()),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});

/** The input of each endpoint of fal.ai. */
export const falSchemas: Publisher = {
  hosts: ["fal.ai"],
  page: `${PAGE}?endpoint_id=…`,
  notCompared: "fal tells prices only with a key: they are not compared",
  async read(ask, endpoints) {
    const found = new Map<string, PublishedEntry>();
    const waiting = [...endpoints];
    const next = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
        found.set(id, await one(ask, id));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    return found;
  },
};

async function one(ask: AskPublisher, endpoint: string): Promise<PublishedEntry> {
  const answer = await ask(`${PAGE}?endpoint_id=${encodeURIComponent(endpoint)}`).catch((error: unknown) => {
    if (error instanceof NoAnswerError) return error;
    throw error;
  });
  if (answer instanceof NoAnswerError) return unreadable(answer.message);
  if (answer.status === 404) return { kind: "missing" };
  const document = isSuccess(answer) ? readJson(answer) : undefined;
  return document === undefined ? unreadable(detailOf(answer)) : readOpenApi(document, endpoint);
}

function readOpenApi(document: Json, endpoint: string): PublishedEntry {
  const { success, data } = openApi.safeParse(document);
  if (!success) return unreadable("it is no OpenAPI document");
  const path = `/${endpoint}`;
  const item = Object.hasOwn(data.paths, path) ? data.paths[path] : undefined;
  const operation = z.looseObject({ post }).safeParse(item);
  if (!operation.success) return unreadable(`its document has no POST of ${path} with a JSON body`);
  const { schema } = operation.data.post.requestBody.content["application/json"];
  const fields = inputFields(schema, data.components?.schemas ?? {});
  if (!fields) return unreadable("the schema of its input has no properties");
  return { kind: "model", model: { fields, readsNoOther: true } };
}
