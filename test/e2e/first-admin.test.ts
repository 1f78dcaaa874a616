import { expect, test } from "vitest";
import { AdminStore } from "../../src/accounts/admin-store.js";
import { systemClock } from "../../src/platform/clock.js";
import { Chatter } from "../support/chatter.js";
import { startFrontEnd, startRemoteCore } from "../support/remote-core.js";
import { ADMIN, ANN, BORIS, startTestService } from "../support/service.js";

const WITHOUT_ADMIN = { ADMIN_IDS: "" };

function codesIn(lines: readonly Record<string, unknown>[]): string[] {
  return lines.flatMap(({ msg }) => /sends it \/start ([0-9a-f]{16}) in/.exec(String(msg))?.[1] ?? []);
}

test("the first who sends the code of the log is an admin over restarts, until the operator removes them", async () => {
  const service = await startTestService({ environment: WITHOUT_ADMIN });
  const ann = new Chatter(service.sandbox.person(ANN.id));
  const boris = new Chatter(service.sandbox.person(BORIS.id));
  const [code = ""] = codesIn(service.lines);
  boris.say(`/start ${code.replace(/./g, "0")}`);
  await boris.see("Этот код не подходит");
  ann.say(`/start ${code}`);
  await ann.see("You are an admin");
  boris.say(`/start ${code}`);
  await boris.see("Этот код не подходит");

  await service.restart();
  expect(codesIn(service.lines)).toEqual([code]);
  ann.say("/orders");
  const { message_id } = await ann.see(/orders/i);
  const admins = new AdminStore(service.database, systemClock, []);
  expect(admins.kept()).toMatchObject([{ user_id: ANN.id, name: "Ann" }]);
  await admins.remove(ANN.id, "ctl");
  ann.say("/balance 102");
  await ann.see("I can only show you your own balance", message_id);

  await service.restart();
  expect(codesIn(service.lines)).toHaveLength(2);
});

test("where there is an admin no code is printed", async () => {
  const service = await startTestService();
  expect(codesIn(service.lines)).toEqual([]);
});

test("in front of a service elsewhere the code makes an admin too", async () => {
  const core = await startRemoteCore(10);
  const front = await startFrontEnd({ ...core, environment: WITHOUT_ADMIN });
  const vera = new Chatter(front.sandbox.person(ADMIN.id));
  vera.say(`/start ${codesIn(front.lines)[0]}`);
  await vera.see("You are an admin");
});
