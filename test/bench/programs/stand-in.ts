import { createUpstreams, FileMaker } from "@atelier/upstream-stand-ins";
import { bigPng } from "../../support/big-png.js";

/** The stand-in of the services. Tasks take QUEUE_MS and RUN_MS; a picture is one of 2 MB, unless its side and bytes are given. */
const { HTTP_PORT, QUEUE_MS, RUN_MS, PICTURE_SIDE = 1024, PICTURE_BYTES = 2_000_000 } = process.env;
const side = Number(PICTURE_SIDE);
const picture = bigPng({ width: side, height: side, bytes: Number(PICTURE_BYTES), isColoured: true });
const others = new FileMaker();
const upstreams = await createUpstreams({
  port: Number(HTTP_PORT),
  timing: { queueMs: Number(QUEUE_MS), runMs: Number(RUN_MS) },
  files: { make: async (spec, maker) => (spec.kind === "image" ? picture : others.make(spec, maker)) },
});
process.on("SIGTERM", () => void upstreams.close().then(() => process.exit(0)));
process.send?.("listening");
