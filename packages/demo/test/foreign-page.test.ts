import { request } from "node:http";
import { createSandbox } from "@atelier/telegram-sandbox";
import { expect, onTestFinished, test } from "vitest";
import { startDemo } from "../../../test/support/demo.js";

/** The status of a GET with headers that only a browser sets. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });
}

async function openSandbox() {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  return sandbox;
}

test("a GET by a foreign page is rejected on every route, also by a page of another port", async () => {
  const sandbox = await openSandbox();
  const { url, token } = sandbox;
  const webhook = `/bot${token}/setWebhook?url=http://evil.example/`;
  for (const path of [webhook, "/control/calls", "/chat/state", `/file/bot${token}/photos/file_0.jpg`, "/"])
    for (const site of ["cross-site", "same-site", "unheard-of"])
      expect(await statusOf(`${url}${path}`, { "sec-fetch-site": site })).toBe(403);
  expect(sandbox.calls).toEqual([]);
});

test("the page itself, an address opened by a person and a program get answers", async () => {
  const { url } = await openSandbox();
  for (const headers of [{ "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }, {}])
    expect(await statusOf(`${url}/chat/state`, headers as Record<string, string>)).toBe(200);
});

test("the demo bot's token is not in the source code", async () => {
  const { token } = await openSandbox();
  const demo = await startDemo();
  onTestFinished(() => demo.stop());
  expect(await statusOf(`${demo.address}/bot${token}/getMe`, {})).toBe(401);
}, 60_000);
