import { z } from "zod";
import { json } from "../call.js";
import type { DialectRoute } from "../dialect.js";
import { textOf } from "../json.js";
import type { UpstreamState } from "../state.js";
import { failure } from "./media-routes.js";
import { MODELS } from "./models.js";

/* Sources: https://polza.ai/docs/api-reference/{models/list,storage/upload}; the balance by third parties. */

const UPLOAD_LIFE_MS = 24 * 3_600_000;

/** The models with their parameters; needs no key. */
export const modelsRoute: DialectRoute = {
  kind: "plain",
  isFree: true,
  answer: () =>
    json(200, {
      data: Object.entries(MODELS).map(([id, { schema, unit, unitPrice }]) => ({
        id,
        name: id,
        type: unit === "images" ? "image" : "media",
        top_provider: { pricing: { currency: "RUB", per_request: String(unitPrice) } },
        parameters: Object.fromEntries(
          Object.entries(schema.shape).map(([name, field]) => [name, told(field)]),
        ),
      })),
    }),
};

function told(field: z.core.$ZodType): object {
  const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
  const values = inner instanceof z.ZodEnum ? { values: inner.options } : {};
  return { required: !(field instanceof z.ZodOptional), ...values };
}

/** An account without credit still has less than any task costs, as accounts usually run out. */
export function balanceRoute(state: UpstreamState): DialectRoute {
  const amount = () => (state.account("polza") === "good" ? "1000.00" : "0.40");
  return { kind: "plain", answer: () => json(200, { amount: amount() }) };
}

export function uploadRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "upload",
    answer({ json: fields, files, root }) {
      const [file] = files;
      const base64 = file?.bytes.toString("base64") ?? textOf(fields?.base64);
      if (!base64) return failure(400, "BAD_REQUEST", "file is required");
      const [id, mime] = [
        state.newId(),
        file?.mime ?? textOf(fields?.mimeType) ?? "application/octet-stream",
      ];
      const fileName = file?.fileName ?? id;
      const now = state.time.now();
      state.addUpload({ id, service: "polza", fileName, mime, base64 });
      return json(201, {
        id: `file_${id}`,
        fileType: "IMAGE",
        mimeType: mime,
        source: "USER_UPLOAD",
        storagePolicy: textOf(fields?.storagePolicy) ?? "TEMP_UPLOAD",
        url: `${root}/uploads/${id}/${encodeURIComponent(fileName)}`,
        size: Buffer.from(base64, "base64").length,
        createdAt: new Date(now).toISOString(),
        expiresAt: new Date(now + UPLOAD_LIFE_MS).toISOString(),
      });
    },
  };
}
