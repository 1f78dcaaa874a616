import { json } from "../call.js";
import type { DialectRoute } from "../dialect.js";
import { mimeOf } from "../files/file-spec.js";
import type { UpstreamState } from "../state.js";

/* Source: comfyanonymous/ComfyUI, server.py (image_upload, view_image): another file of the same name gets a number. */

export function uploadRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "upload",
    answer({ json: fields, files }) {
      const file = files.find(({ name }) => name === "image");
      if (!file) return { status: 400 };
      const base64 = file.bytes.toString("base64");
      const subfolder = String(fields?.subfolder ?? "");
      const asked = subfolder === "" ? file.fileName : `${subfolder}/${file.fileName}`;
      const isOverwritten = fields?.overwrite === "true" || fields?.overwrite === "1";
      const name = isOverwritten ? asked : freeName(state, asked, base64);
      const known = uploadNamed(state, name);
      state.addUpload({
        id: known?.id ?? state.newId(),
        service: "comfyui",
        fileName: name,
        mime: file.mime,
        base64,
      });
      const ownName = name.slice(asked.length - file.fileName.length);
      return json(200, { name: ownName, subfolder, type: fields?.type ?? "input" });
    },
  };
}

function uploadNamed(state: UpstreamState, name: string) {
  return [...state.uploads.values()].find(
    ({ service, fileName }) => service === "comfyui" && fileName === name,
  );
}

function freeName(state: UpstreamState, fileName: string, base64: string): string {
  const [, stem = fileName, extension = ""] = /^(.*?)(\.[^.]*)?$/.exec(fileName) ?? [];
  for (let number = 0; ; number++) {
    const name = number === 0 ? fileName : `${stem} (${number})${extension}`;
    const known = uploadNamed(state, name);
    if (!known || known.base64 === base64) return name;
  }
}

export function viewRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    async answer({ query }) {
      const id = /^(\w+)\.png$/.exec(query.get("filename") ?? "")?.[1] ?? "";
      const file = state.fileOwners.get(id)?.files.find((one) => one.id === id);
      if (!file) return { status: 404 };
      return {
        status: 200,
        headers: { "content-type": mimeOf(file) },
        bytes: await state.files.make(file, "comfyui"),
      };
    },
  };
}
