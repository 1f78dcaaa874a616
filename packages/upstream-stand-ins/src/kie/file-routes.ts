import { type Answer, type Call, json } from "../call.js";
import type { DialectRoute } from "../dialect.js";
import type { Upload } from "../journal.js";
import { textOf } from "../json.js";
import type { UpstreamState } from "../state.js";
import { done, refused } from "./body.js";

/*
 * Sources: docs.kie.ai, file upload API (as kept in henjicc/Henji-AI) and recorded answers, which have no `fileUrl`;
 * docs.kie.ai/common-api/download-url: a link of twenty minutes.
 */

const LINK_LIFE_MS = 20 * 60_000;

export function streamRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "upload",
    answer({ json: fields, files, root }) {
      const file = files.find(({ name }) => name === "file");
      if (!file || !textOf(fields?.uploadPath)) return refusedUpload("file and uploadPath are required");
      return keep(state, root, fields?.fileName ?? file.fileName, file.mime, file.bytes.toString("base64"));
    },
  };
}

export function base64Route(state: UpstreamState): DialectRoute {
  return {
    kind: "upload",
    answer({ json: body, root }) {
      const [, mime = "image/png", data] =
        /^(?:data:([^;]+);base64,)?(.+)$/s.exec(textOf(body?.base64Data) ?? "") ?? [];
      if (!data || !textOf(body?.uploadPath)) return refusedUpload("base64Data and uploadPath are required");
      return keep(state, root, body?.fileName, mime, data);
    },
  };
}

function refusedUpload(msg: string): Answer {
  return json(200, { success: false, code: 400, msg });
}

/** A file of the same name takes the place of the earlier one. */
function keep(state: UpstreamState, root: string, name: unknown, mime: string, base64: string): Answer {
  const fileName = textOf(name) ?? `${state.newId()}.bin`;
  const earlier = [...state.uploads.values()].find(
    (one) => one.service === "kie" && one.fileName === fileName,
  );
  const upload: Upload = { id: earlier?.id ?? state.newId(), service: "kie", fileName, mime, base64 };
  state.addUpload(upload);
  const data = {
    fileName,
    filePath: `kieai/uploads/${fileName}`,
    downloadUrl: `${root}/uploads/${upload.id}/${encodeURIComponent(fileName)}`,
    fileSize: Buffer.from(base64, "base64").length,
    mimeType: mime,
    uploadedAt: new Date(state.time.now()).toISOString(),
  };
  return json(200, { success: true, code: 200, msg: "File uploaded successfully", data });
}

/** A fresh link of a result, for twenty minutes. */
export function downloadUrlRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    answer({ json: body }: Call) {
      const url = textOf(body?.url);
      if (!url || !URL.canParse(url)) return refused(422, "url is required");
      const fresh = new URL(url);
      if (!/^\/files\/kie\//.test(fresh.pathname))
        return refused(422, "The url was not made by this service");
      fresh.searchParams.set("fresh", String(state.time.now() + LINK_LIFE_MS));
      return done(fresh.href);
    },
  };
}
