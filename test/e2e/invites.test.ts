import { afterEach, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
afterEach(() => service.close());

test("a person who comes new by a link and tops up brings both their sums, and both are told", async () => {
  service = await startTestService({
    environment: { WELCOME_CREDIT_RUB: "0", TOPUP_STARS: "250:270", INVITE_RUB: "30:50" },
  });
  const ann = new Chatter(service.sandbox.person(ANN.id));
  const boris = new Chatter(service.sandbox.person(BORIS.id));
  ann.say("/invite");
  const { text = "" } = await ann.see("?start=");
  boris.say(`/start ${/start=(\S+)/.exec(text)?.[1]}`);
  await boris.see("Вы пришли по ссылке друга");
  boris.person.fillPurse(1000);
  boris.say("/topup");
  await boris.press("250 →");
  await boris.press("Принимаю");
  await boris.person.pay(await boris.see(({ invoice }) => invoice !== undefined));
  await boris.see("За приход по ссылке друга вам зачислено 50");
  await ann.see("Someone you invited has topped up: 30");
  expect([service.balanceOf(ANN.id), service.balanceOf(BORIS.id)]).toEqual([30, 320]);
  boris.say("/balance");
  await boris.see("Приглашение · +50");
});
