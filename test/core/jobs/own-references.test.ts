import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { LINK_LIFETIME_MS } from "../../../src/media/links.js";
import { markMediaRemoved } from "../../../src/media/media-store.js";
import type { Gateway } from "../../../src/ports/gateway.js";
import { IMAGE, openTestCore, order, quote, type TestCore } from "../../support/core.js";
import { PNG } from "../../support/picture.js";
import { makeFiles } from "../../support/stub-provider.js";

let world: TestCore;

function publish(gateway: Gateway): Promise<string> {
  return gateway.publishReference(Readable.from([PNG]));
}

function orderFrom(gateway: Gateway, link: string) {
  return order(gateway, "one", { ...IMAGE, reference_urls: [link] }, (url) => url === link);
}

describe("a link of this service", () => {
  test("is read from the store, also after its hour, if it was valid at the order", async () => {
    world = openTestCore();
    const ann = await world.person(1, 100_00);
    const link = await publish(ann);
    const { job_id } = await orderFrom(ann, link);
    await world.clock.advance(2 * LINK_LIFETIME_MS);
    let content: Buffer | undefined;
    world.provider.make = async (task) => {
      content = await readFile(task.references[0] ?? "");
      return makeFiles(task);
    };
    await world.core.start();
    expect((await world.ended(ann, job_id)).status).toBe("done");
    expect(content).toEqual(PNG);
    const late = ann.submit(
      { ...IMAGE, reference_urls: [link] },
      { id: "two", quotedKopecks: quote(IMAGE).totalKopecks },
    );
    await expect(late).rejects.toMatchObject({ code: "reference_url_must_be_https" });
  });

  test("that had expired at the order is fetched like any other address", async () => {
    const read: string[] = [];
    world = openTestCore({
      settings: { publicUrl: "https://atelier.example.com" },
      readReference: async ({ link }) => {
        read.push(link);
        throw new Error("no such address");
      },
    });
    const ann = await world.person(1, 100_00);
    const link = await publish(ann);
    await world.clock.advance(LINK_LIFETIME_MS);
    const { job_id } = await orderFrom(ann, link);
    await world.core.start();
    expect((await world.ended(ann, job_id)).status).toBe("error");
    expect(read).toEqual([link]);
  });

  test("to a result that is no picture fails the job with a refund and the reason", async () => {
    world = openTestCore();
    const ann = await world.begun(1000_00);
    const film = await order(ann, "film", { type: "video", model_key: "veo-3-1", prompt: "a fox" });
    const link = (await world.ended(ann, film.job_id)).result?.url ?? "";
    const { job_id } = await orderFrom(ann, link);
    expect(await world.ended(ann, job_id)).toMatchObject({
      failure: "reference",
      refunded: true,
      error: "Reference picture 1 could not be read: it is no PNG, JPEG or WebP picture.",
    });
  });

  test("to a picture that was deleted fails the job with a refund and the reason", async () => {
    world = openTestCore();
    const ann = await world.person(1, 100_00);
    const { job_id } = await orderFrom(ann, await publish(ann));
    await world.database.write("test:give-up", (tx) => markMediaRemoved(tx, 1, world.clock.now()));
    await world.core.start();
    expect(await world.ended(ann, job_id)).toMatchObject({
      failure: "reference",
      refunded: true,
      error: "Reference picture 1 could not be read: it is no longer kept.",
    });
  });
});
