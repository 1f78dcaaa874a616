import { describe, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { startFrontEnd, startRemoteCore } from "../support/remote-core.js";
import { CLIP } from "../support/results.js";
import { ADMIN, ANN, BORIS } from "../support/service.js";

const SHARED = /balance you share/;

async function start(rubles = 500) {
  const core = await startRemoteCore(rubles);
  const front = await startFrontEnd(core);
  const ann = new Chatter(front.sandbox.person(ANN.id));
  return { core, front, ann };
}

describe("the bot in front of a service elsewhere", () => {
  test("makes a video and a song, and everybody shares the balance", async () => {
    const { core, ann, front } = await start(2000);
    ann.say("/video a train in the snow");
    await ann.press(/^✅/);
    const { video } = await ann.see((message) => message.video !== undefined);
    expect(video).toMatchObject({ width: CLIP.width, height: CLIP.height, duration: CLIP.durationSec });
    const { params } = await front.sandbox.waitForCall("sendVideo");
    expect(params).toMatchObject({ supports_streaming: true });
    const boris = new Chatter(front.sandbox.person(BORIS.id));
    boris.say("/music медленная песня о поезде");
    await boris.press(/^✅/);
    const tracks = () => boris.heard().filter(({ audio }) => audio !== undefined);
    await eventually("both tracks have come", () => tracks().length === 2);
    expect(tracks().every(({ audio }) => audio?.thumbnail !== undefined)).toBe(true);
    ann.say("/balance");
    const told = await ann.see(SHARED);
    expect(told.text?.split("\n", 1)[0]?.replace(/\D/g, "")).toBe(String(core.balance()));
  });

  test("says where balances are kept, and serves no API of its own", async () => {
    const { front } = await start();
    const vera = new Chatter(front.sandbox.person(ADMIN.id));
    vera.say(`/credit ${ANN.id} 100`);
    await vera.see(/dashboard/);
    const statusOf = async (path: string) => (await fetch(`${front.httpAddress}${path}`)).status;
    expect(await statusOf("/v1/models")).toBe(404);
    expect(await statusOf("/docs")).toBe(404);
    expect(await statusOf("/healthz")).toBe(200);
    const metrics = await (await fetch(`${front.httpAddress}/metrics`)).text();
    expect(metrics).toContain('atelier_core_requests_total{method="GET",outcome="answered"}');
  });

  test("is not ready while the service is down, and tells people that it does not answer", async () => {
    const { core, front, ann } = await start();
    const isReady = async () => (await fetch(`${front.httpAddress}/readyz`)).ok;
    await eventually("the front-end is ready", isReady);
    await core.stop();
    ann.say("/balance");
    await ann.see(/isn’t answering/);
    await eventually("the front-end is not ready", async () => !(await isReady()));
  });
});
