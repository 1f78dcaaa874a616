import { expect, test } from "vitest";
import { GenerationError } from "../../src/workers/generation-error.js";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { startFrontEnd, startRemoteCore } from "../support/remote-core.js";
import { ADMIN, ANN, BORIS } from "../support/service.js";

/** Ann and Boris spend one account of a service elsewhere; Ann may spend 15 rubles of it a month. */
async function start() {
  const core = await startRemoteCore(500);
  const front = await startFrontEnd(core);
  const [ann, boris, olga] = [ANN, BORIS, ADMIN].map(({ id }) => new Chatter(front.sandbox.person(id)));
  if (!ann || !boris || !olga) throw new Error("nobody is there");
  ann.say("/start");
  await ann.seeButton(/Image/);
  olga.say(`/limit ${ANN.id} 15`);
  await olga.see(/up to 15\u00a0₽ a month/);
  const order = async (who: Chatter, words: string) => {
    who.say(`/image ${words}`);
    return who.press(/^✅/);
  };
  return { core, front, ann, boris, olga, order };
}

test("a limit holds for one person of a shared account, and across a restart", async () => {
  const { core, front, ann, boris, order } = await start();
  await order(ann, "a red fox");
  await ann.seePhoto();
  await front.restart();
  const refused = await (await order(ann, "a grey owl")).answered();
  expect(refused.text).toContain("5\u00a0₽ of your monthly limit left");
  expect(core.balance()).toBe(490);
  await order(boris, "рыжая лиса");
  await boris.seePhoto();
  expect(core.balance()).toBe(480);
});

test("what the service gives back can be spent again", async () => {
  const { core, ann, order } = await start();
  core.provider.holds = true;
  await order(ann, "a red fox");
  const held = await eventually("the job is begun", () => core.provider.held[0]);
  ann.say("/balance");
  await ann.see(/5\u00a0₽ of 15\u00a0₽ is left/);
  held.fail(new GenerationError("provider", "Broken."));
  await ann.see(/money is back/);
  ann.say("/balance");
  await ann.see(/15\u00a0₽ of 15\u00a0₽ is left/);
});
