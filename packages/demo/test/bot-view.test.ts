import { expect, test } from "vitest";
import { upstreams } from "../../upstream-stand-ins/test/client.js";
import { type WatchedService, withBotView } from "../src/bot-view.js";

test("the summary says what the bot does about each service, and a resume reaches it", async () => {
  const stand = await upstreams();
  const resumed: string[] = [];
  const watched: WatchedService[] = [
    {
      name: "fal",
      state: { kind: "paused", reason: "no_credit", nextTryAt: 41_000 },
      resume: () => resumed.push("fal"),
    },
    { name: "kie", state: { kind: "up" }, resume: () => resumed.push("kie") },
  ];
  const control = withBotView(
    stand,
    () => watched,
    () => 1000,
  );
  const { json } = control.control("GET", "/control/summary", {});
  expect(json).toMatchObject({
    services: expect.arrayContaining([
      expect.objectContaining({
        name: "fal",
        bot: { state: "paused", reason: "no_credit", nextTryInMs: 40_000 },
      }),
      expect.objectContaining({ name: "kie", bot: { state: "up" } }),
    ]),
  });
  expect(control.control("POST", "/control/resume", { service: "fal" }).status).toBe(200);
  expect(control.control("POST", "/control/resume", { service: "none" }).status).toBe(404);
  expect(resumed).toEqual(["fal"]);
  expect(control.control("GET", "/control/faults", {}).status).toBe(200);
});
