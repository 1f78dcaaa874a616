import { mkdtempSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ApiAccount, installAccounts } from "../support/api-accounts.js";
import { ChildService } from "../support/child-service.js";
import { eventually } from "../support/eventually.js";
import { startHttpsServer } from "../support/https-server.js";
import { markedWebp } from "../support/picture.js";

const LINKS = 16;
/** How long trickling links may be held, ms: the pool gives them up after 21 s. */
const PATIENCE_MS = 60_000;
const RUBLES = 1000;

/** The signature of a PNG and its header, of one pixel. */
const PNG_START = Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex");

test("two jobs with 16 trickling links each delay no job of another account, and are refunded", async () => {
  const trickling = new Set<ServerResponse>();
  let most = 0;
  const { origin } = await startHttpsServer((request, response) => {
    if (request.url?.startsWith("/good")) {
      response.end(markedWebp("good"));
      return;
    }
    trickling.add(response);
    most = Math.max(most, trickling.size);
    response.once("close", () => trickling.delete(response));
    response.write(PNG_START);
  });
  const drip = setInterval(() => {
    for (const response of trickling) response.write("x");
  }, 100);
  onTestFinished(() => clearInterval(drip));

  const directory = mkdtempSync(join(tmpdir(), "atelier-slow-"));
  const { keys, balanceOf } = await installAccounts(directory, 2, RUBLES);
  const service = new ChildService({ DATA_DIR: directory, RUNNER_CONCURRENCY: "1" });
  onTestFinished(() => service.kill());
  const url = await service.ready();
  const [ann, bob] = keys.map((key) => new ApiAccount(url, key)) as [ApiAccount, ApiAccount];

  const request = { type: "image", model_key: "gpt-image-2-5", prompt: "a red fox" };
  const reference_urls = Array.from({ length: LINKS }, (_, n) => `${origin}/slow/${n}`);
  const slow = [
    await ann.post({ ...request, reference_urls }),
    await ann.post({ ...request, reference_urls }),
  ];
  await eventually("every link is held", () => trickling.size === 2 * LINKS);

  for (let n = 0; n < 6; n += 1) {
    const good = n % 2 === 0 ? {} : { reference_urls: [`${origin}/good`] };
    const { job_id } = await bob.post({ ...request, ...good });
    expect(await bob.ended(job_id, PATIENCE_MS)).toMatchObject({ status: "done" });
  }
  // All of that while nothing of the other account had ended or was at work.
  expect(trickling.size).toBe(2 * LINKS);
  for (const { job_id } of slow) expect(await ann.job(job_id)).toMatchObject({ status: "queued" });

  for (const { job_id } of slow) {
    expect(await ann.ended(job_id, PATIENCE_MS)).toMatchObject({
      status: "error",
      error: expect.stringMatching(
        /^Reference picture \d+ could not be read: the server sent it too slowly\.$/,
      ),
    });
  }
  expect(balanceOf(1)).toBe(RUBLES);
  expect(most).toBe(2 * LINKS);
  await eventually("no link is held", () => trickling.size === 0);
});
