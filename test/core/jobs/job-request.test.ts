import { expect, test } from "vitest";
import { referenceLinks } from "../../../src/jobs/job-store.js";

test.each([
  [{ start_frame_url: "a", end_frame_url: "b", reference_urls: ["c", "d"] }, ["a", "b", "c", "d"]],
  [{ end_frame_url: "b", start_frame_url: "a" }, ["a", "b"]],
  [{ reference_urls: ["c"] }, ["c"]],
  [{}, []],
])("a provider gets the pictures of %j as %j: frames first, start before end", (given, links) => {
  expect(referenceLinks({ type: "video", model_key: "veo-3-1", ...given })).toEqual(links);
});
