import { Readable } from "node:stream";
import type { Job } from "../../src/contract/job.js";
import type { Gateway } from "../../src/ports/gateway.js";

/** Makes every job a finished one whose picture is kept. Each look at a job gives a new link. */
export function keepResults(gateway: Gateway): void {
  let links = 0;
  gateway.results = async (id) => [
    {
      kind: "result",
      index: 0,
      mime: "image/webp",
      size: 7,
      fileName: `${id}.webp`,
      open: async () => Readable.from([Buffer.from("picture")]),
    },
  ];
  gateway.job = async (id) => {
    links += 1;
    const result = { url: `https://own/${id}?${links}`, mime: "image/webp" };
    return { job_id: id, type: "image", status: "done", result } as Job;
  };
}
