import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createUpstreams } from "@atelier/upstream-stand-ins";
import { expect, onTestFinished, test } from "vitest";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/restore-data.js";
import { Chatter } from "../support/chatter.js";
import { ChildService } from "../support/child-service.js";
import { eventually } from "../support/eventually.js";
import { hastyCatalogue } from "../support/hasty-catalogue.js";
import { ANN, openSandbox, TOKEN } from "../support/service.js";

/** A chat with the service, whose pictures the stand-in of fal makes. */
async function start() {
  const [stand, sandbox] = [await createUpstreams(), await openSandbox()];
  const dataDir = mkdtempSync(join(tmpdir(), "atelier-originals-"));
  const service = new ChildService({
    TEST_RENDERER: "1",
    DATA_DIR: dataDir,
    CATALOGUE_FILE: hastyCatalogue(dataDir),
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: sandbox.url,
    WELCOME_CREDIT_RUB: "100",
    ...stand.environment(["fal"]),
  });
  onTestFinished(async () => {
    await service.kill();
    await Promise.all([stand.close(), sandbox.close()]);
  });
  const url = await service.ready();
  const ann = new Chatter(sandbox.person(ANN.id));
  const bytesOf = async (address: string) => Buffer.from(await (await fetch(address)).arrayBuffer());
  const sentFile = async (fileId: string) => {
    const address = `${sandbox.url}/bot${TOKEN}/getFile?file_id=${fileId}`;
    const { result } = (await (await fetch(address)).json()) as { result: { file_path: string } };
    return bytesOf(`${sandbox.url}/file/bot${TOKEN}/${result.file_path}`);
  };
  /** What the service made, as it sent it. */
  const madeFile = () =>
    bytesOf(`${stand.url}${stand.calls.find(({ kind }) => kind === "file")?.path ?? ""}`);
  /** The result of the same request over the API. */
  const apiFile = async () => {
    const database = openDatabase({ dataDir }, "tool");
    const admin = createAdminService(database, systemClock);
    const { key } = await admin.createKey(admin.accounts()[0]?.id ?? 0, null);
    await database.close();
    const headers = { authorization: `Bearer ${key}` };
    const body = JSON.stringify({ type: "image", model_key: "nano-banana-2", prompt: "a red fox" });
    const accepted = await fetch(`${url}/v1/generations`, { method: "POST", headers, body });
    const { job_id: id } = (await accepted.json()) as { job_id: number };
    const { url: link, mime } = await eventually("the end of the job", async () => {
      const answer = await fetch(`${url}/v1/generations/${id}`, { headers });
      const { job } = (await answer.json()) as { job: { result: { url: string; mime: string } | null } };
      return job.result ?? false;
    });
    return { mime, content: await bytesOf(link.replace(/^https?:\/\/[^/]+/, url)) };
  };
  return { ann, sentFile, madeFile, apiFile };
}

test("the original in the chat is the service's file with its provenance; the API gives the WebP", async () => {
  const { ann, sentFile, madeFile, apiFile } = await start();
  ann.say("a red fox");
  await ann.press(/^✅/);
  await ann.seePhoto();
  await ann.press("As a file");
  const { document } = await ann.see((message) => message.document !== undefined);
  const made = await madeFile();
  expect(made.includes("c2pa")).toBe(true);
  expect(document).toMatchObject({ file_name: "atelier-1.jpg", mime_type: "image/jpeg" });
  expect((await sentFile(document?.file_id ?? "")).equals(made)).toBe(true);
  const { mime, content } = await apiFile();
  expect(mime).toBe("image/webp");
  expect(content.toString("latin1", 8, 12)).toBe("WEBP");
});
