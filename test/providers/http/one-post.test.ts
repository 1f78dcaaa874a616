import { createHash } from "node:crypto";
import { createUpstreams, type FaultName } from "@atelier/upstream-stand-ins";
import { describe, expect, onTestFinished, test } from "vitest";
import { openai } from "../../../src/providers/services/openai.js";
import { startHttpServer } from "../../support/http-server.js";
import { newFiles, plainPicture } from "../../support/render-tasks.js";
import { openProvider } from "./stand-in-provider.js";

const PICTURE = { type: "image", model_key: "gpt-image-2-5", prompt: "a cat", aspect_ratio: "1:1" };
const LINKS = ["https://files.example.com/1.png", "https://files.example.com/2.png"];

async function openStandIn() {
  const stand = await createUpstreams();
  onTestFinished(() => stand.close());
  const service = await openProvider(openai, new URL("/v1", stand.url));
  return { stand, ...service };
}

const digestOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

describe("a synchronous service", () => {
  test.each<FaultName>(["drop-after-accept", "truncate-after-accept", "html-after-accept"])(
    "whose answer is no picture (%s) leaves it open: one POST, and a record",
    async (fault) => {
      const { stand, make, attempt } = await openStandIn();
      stand.order({ fault });
      expect(await make(PICTURE)).toMatchObject({ failure: "provider" });
      expect(attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
      expect(await make(PICTURE)).toMatchObject({ failure: "provider" });
      expect(stand.ledger).toHaveLength(1);
      expect(stand.calls.filter(({ kind }) => kind === "submit")).toHaveLength(1);
    },
  );

  test("whose whole answer has no picture has failed: there is no task that might still make one", async () => {
    const { stand, make, attempt } = await openStandIn();
    stand.order({ fault: "no-id" });
    expect(await make(PICTURE)).toMatchObject({ failure: "provider" });
    expect(attempt()).toMatchObject({ state: "refused", refusal: "request" });
    expect(stand.ledger).toHaveLength(1);
  });

  test("gets the pictures of an edit as they are, each as a part of its own", async () => {
    const { stand, make, attempt } = await openStandIn();
    const contents = [plainPicture("#e01010", 640, 480), plainPicture("#1010e0", 480, 640)];
    const paths = await newFiles(...contents);
    const made = await make({ ...PICTURE, reference_urls: LINKS }, paths);
    expect(made).toMatchObject({ files: [{ mime: "image/webp" }] });
    expect(stand.ledger).toMatchObject([{ body: { images: 2, digests: contents.map(digestOf), n: 1 } }]);
    expect(stand.breaches).toEqual([]);
    // The row names the files and holds none of them.
    expect(JSON.stringify(attempt()?.operation).length).toBeLessThan(2000);
  });

  test("is paid by its tokens", async () => {
    const { stand, make, attempt } = await openStandIn();
    await make(PICTURE);
    expect(stand.ledger).toHaveLength(1);
    // 1056 of output at 30 dollars a million, 2 of text at 5.
    expect(attempt()?.cost).toEqual({ amount: 0.03169, currency: "USD", source: "units" });
  });
});

test("a compatible server below a path of its own may answer with the address of the picture", async () => {
  const paths: string[] = [];
  const keys: (string | undefined)[] = [];
  const { origin } = await startHttpServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    keys.push(request.headers.authorization);
    request.resume().on("end", () => {
      const url = `${origin}/generated-images/a.png`;
      const made = JSON.stringify({ created: 1, data: [{ url }] });
      response.end(request.method === "GET" ? plainPicture("#e01010", 640, 480) : made);
    });
  });
  const { make, attempt } = await openProvider(openai, new URL("/llm/v1", origin));
  expect(await make(PICTURE)).toMatchObject({ files: [{ mime: "image/webp", width: 640 }] });
  expect(paths).toEqual(["POST /llm/v1/images/generations", "GET /generated-images/a.png"]);
  expect(keys).toEqual(["Bearer secret", undefined]);
  expect(attempt()?.cost).toMatchObject({ source: "catalogue" });
});
