import { createUpstreams } from "../../../src/sandbox/upstreams/index.js";
import { bigPng } from "../../support/big-png.js";

/** The stand-in of the services. Tasks take QUEUE_MS and RUN_MS; each result is a picture of 2 MB. */
const { HTTP_PORT, QUEUE_MS, RUN_MS } = process.env;
const picture = bigPng({ width: 1024, height: 1024, bytes: 2_000_000, isColoured: true });
const upstreams = await createUpstreams({
  port: Number(HTTP_PORT),
  timing: { queueMs: Number(QUEUE_MS), runMs: Number(RUN_MS) },
  files: { make: async () => picture },
});
process.on("SIGTERM", () => void upstreams.close().then(() => process.exit(0)));
process.send?.("listening");
