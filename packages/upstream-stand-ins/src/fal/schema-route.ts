import { z } from "zod";
import { type Call, json } from "../call.js";
import type { DialectRoute } from "../dialect.js";
import { FAL_MODELS } from "./models.js";

/* Source: https://fal.ai/api/openapi/queue/openapi.json?endpoint_id=ENDPOINT, which each llms.txt names. */

const INPUT = "ModelInput";

/** The OpenAPI document of one endpoint, on fal.ai itself; needs no key. */
export const schemaRoute: DialectRoute = {
  kind: "plain",
  isFree: true,
  answer: ({ query, headers }: Call) => {
    const endpoint = query.get("endpoint_id") ?? "";
    const model = FAL_MODELS[endpoint];
    if (headers.authorization !== undefined) return json(400, { detail: "no key is needed here" });
    if (!model) return json(404, { detail: "Not Found" });
    const schema = z.toJSONSchema(model.schema, {
      io: "input",
      target: "openapi-3.0",
      unrepresentable: "any",
    });
    const content = { "application/json": { schema: { $ref: `#/components/schemas/${INPUT}` } } };
    return json(200, {
      openapi: "3.0.4",
      info: { title: `Queue OpenAPI for ${endpoint}`, version: "1.0.0" },
      components: { schemas: { QueueStatus: { type: "object" }, [INPUT]: schema } },
      paths: {
        [`/${endpoint}/requests/{request_id}/status`]: { get: {} },
        [`/${endpoint}`]: { post: { requestBody: { required: true, content } } },
      },
      servers: [{ url: "https://queue.fal.run" }],
    });
  },
};
