import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { StartError } from "../../src/platform/errors.js";
import { Chatter } from "../support/chatter.js";
import { startHttpServer } from "../support/http-server.js";
import { newFolder } from "../support/new-folder.js";
import { ANN, startTestService } from "../support/service.js";

const REFUSED = "The rules of this service don’t allow this description";

/** An endpoint that flags what has the word "flagged" in it. */
async function startEndpoint() {
  const { origin } = await startHttpServer(async (request, response) => {
    const { input } = (await json(request)) as { input: string[] };
    response.end(JSON.stringify({ results: input.map((text) => ({ flagged: text.includes("flagged") })) }));
  });
  return `${origin}/v1`;
}

test("refused words cost nothing in the chat and in the API, by the list and by the endpoint", async () => {
  const environment = {
    MODERATION_FILE: "data/moderation/sexual.txt,data/moderation/minors.txt",
    MODERATION_API_ROOT: await startEndpoint(),
    MODERATION_WHEN_DOWN: "closed",
  };
  const service = await startTestService({ environment });
  const ann = new Chatter(service.sandbox.person(ANN.id));
  ann.say("p.o.r.n of a fox");
  await ann.see(REFUSED);
  const last = ann.heard().at(-1)?.message_id;
  ann.say("a flagged fox");
  await ann.see(REFUSED, last);
  ann.say("a red fox");
  await ann.press(/^✅/);
  await ann.seePhoto();
  expect(service.balanceOf(ANN.id)).toBe(90);

  const { key } = await service.adminService.createKey(1, null);
  const post = async (prompt: string) => {
    const response = await fetch(`${service.httpAddress}/v1/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ type: "image", prompt }),
    });
    return [response.status, await response.json()];
  };
  const refusal = [400, { ok: false, error: "content_refused", message: expect.any(String) }];
  expect(await post("naked woman")).toEqual(refusal);
  expect(await post("a flagged fox")).toEqual(refusal);
  expect(service.balanceOf(ANN.id)).toBe(90);
  const metrics = await (await fetch(`${service.httpAddress}/metrics`)).text();
  expect(metrics).toContain('atelier_content_refused_total{place="chat",by="list"} 1');
  expect(metrics).toContain('atelier_content_refused_total{place="submit",by="endpoint"} 1');
  expect(JSON.stringify(service.lines)).not.toContain("naked woman");
});

test("a file with a wrong rule stops the start with one line", () => {
  const file = join(newFolder(), "rules.txt");
  writeFileSync(file, "fine\n/(a+)+/\n");
  const { config, secrets } = readConfig({ MODERATION_FILE: file });
  expect(() => createApp(config, secrets)).toThrow(
    new StartError(`MODERATION_FILE: ${file}: line 2: + repeats without an end: write {0,40} or the like`),
  );
});
