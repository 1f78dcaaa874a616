import { beforeEach, describe, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { pushMessage } from "../support/messages.js";
import { ADMIN, ANN, BORIS, openSandbox, startTestService, type TestService } from "../support/service.js";

let service: TestService;

const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);

/** Boris and the admin have both written to the bot. */
async function startWithBoris(): Promise<{ boris: Chatter; vera: Chatter }> {
  service = await startTestService();
  const [boris, vera] = [chatter(BORIS.id), chatter(ADMIN.id)];
  boris.say("/start");
  await boris.see("Здравствуйте");
  vera.say("/start");
  await vera.see("Your balance");
  return { boris, vera };
}

describe("a person that an admin names by @name", () => {
  test("is credited when Telegram confirms the name, and the answer shows id, @name and display name", async () => {
    const { boris, vera } = await startWithBoris();
    vera.say("/credit @BORIS 50 за идею");
    const answer = await vera.see("50\u00a0₽ added");
    expect(answer.text).toContain(`Борис (@boris, id ${BORIS.id})`);
    await boris.see("за идею");
    expect(service.balanceOf(BORIS.id)).toBe(150);
  });

  test("is neither credited nor debited when the name belongs to another person now, and the admin is asked for the id", async () => {
    const { vera } = await startWithBoris();
    // The last message came while Boris had another name.
    const from = {
      id: BORIS.id,
      is_bot: false,
      first_name: "Борис",
      username: "boris_was",
      language_code: "ru",
    };
    pushMessage(service, chatter(BORIS.id).person, { text: "/language", from });
    await chatter(BORIS.id).seeButton("English");
    for (const command of ["/credit @boris_was 50", "/debit @boris_was 50"]) {
      vera.say(command);
      const answer = await vera.see("no longer belongs", vera.heard().at(-1)?.message_id);
      expect(answer.text).toContain("@boris_was");
      expect(answer.text).toContain("id");
    }
    expect(service.balanceOf(BORIS.id)).toBe(100);
    vera.say(`/credit ${BORIS.id} 50`);
    await vera.see("50\u00a0₽ added");
    expect(service.balanceOf(BORIS.id)).toBe(150);
  });

  test("is not credited when Telegram cannot resolve the name", async () => {
    const { vera } = await startWithBoris();
    const description = "Bad Request: chat not found";
    service.sandbox.faults.add({ method: "getChat", answer: { type: "status", code: 400, description } });
    vera.say("/credit @boris 50");
    const answer = await vera.see("can’t check");
    expect(answer.text).toContain("id");
    expect(service.balanceOf(BORIS.id)).toBe(100);
  });

  test("is credited once where the request to Telegram has to be repeated", async () => {
    const { vera } = await startWithBoris();
    service.sandbox.faults.add({ method: "getChat", answer: { type: "reset", when: "after" } });
    vera.say("/credit @boris 50");
    await vera.see("50\u00a0₽ added");
    expect(service.sandbox.calls.filter(({ method }) => method === "getChat")).toHaveLength(2);
    expect(service.balanceOf(BORIS.id)).toBe(150);
  });

  test("is credited once by a message that arrives twice, also when the name has moved in between", async () => {
    const { vera } = await startWithBoris();
    const message = { message_id: 900_001, text: "/credit @boris 50" };
    pushMessage(service, vera.person, message);
    const first = await vera.see("50\u00a0₽ added");
    const ann = chatter(ANN.id);
    ann.say("/start");
    await ann.see("Hello");
    const renamed = { id: ANN.id, is_bot: false, first_name: "Ann", username: "boris", language_code: "en" };
    pushMessage(service, ann.person, { text: "/balance", from: renamed });
    await ann.see(`Your id: ${ANN.id}`);
    // As after a crash before the update was marked: the same message comes again.
    pushMessage(service, vera.person, message);
    const second = await vera.see("50\u00a0₽ added", first.message_id);
    expect(second.text).toContain(`id ${BORIS.id}`);
    expect([service.balanceOf(BORIS.id), service.balanceOf(ANN.id)]).toEqual([150, 100]);
  });
});

describe("/balance", () => {
  test("of a name that Telegram does not confirm is not shown", async () => {
    const { vera } = await startWithBoris();
    const description = "Bad Request: chat not found";
    service.sandbox.faults.add({ method: "getChat", answer: { type: "status", code: 400, description } });
    vera.say("/balance @boris");
    expect((await vera.see("can’t check")).text).not.toContain("100\u00a0₽");
  });

  test("with a @name from anyone else shows their own balance, says so, and gives the id to ask an admin with", async () => {
    service = await startTestService();
    const ann = chatter(ANN.id);
    ann.say("/balance @boris");
    const answer = await ann.see("Your balance: 100\u00a0₽");
    expect(answer.text).toContain("only show you your own balance");
    expect(answer.text).toContain(`Your id: ${ANN.id}`);
  });
});

describe("the command menu of an admin", () => {
  const isOfAdmin = ({ params }: { params: object }) =>
    JSON.stringify(params).includes(`"chat_id":${ADMIN.id}`);
  beforeEach(async () => {
    const sandbox = await openSandbox();
    const description = "Bad Request: chat not found";
    const answer = { type: "status", code: 400, description } as const;
    sandbox.faults.add({ method: "setMyCommands", matches: isOfAdmin, answer });
    service = await startTestService({ sandbox });
    await sandbox.waitForCall("setMyCommands", (call) => isOfAdmin(call) && call.status === 400);
  });

  test("is set once at the admin's first message where it could not be set at startup", async () => {
    const { sandbox } = service;
    const vera = chatter(ADMIN.id);
    vera.say("/start");
    const set = await sandbox.waitForCall("setMyCommands", (call) => isOfAdmin(call) && call.status === 200);
    expect(JSON.stringify(set.params)).toContain("credit");
    vera.say("/balance");
    await vera.see("Your balance: 100\u00a0₽", vera.heard().at(-1)?.message_id);
    const calls = sandbox.calls.filter((call) => call.method === "setMyCommands" && isOfAdmin(call));
    expect(calls).toHaveLength(2);
  });

  test("is not set for others at their first message", async () => {
    const ann = chatter(ANN.id);
    ann.say("/start");
    await ann.see("Hello");
    ann.say("/balance");
    await ann.see("Your balance", ann.heard().at(-1)?.message_id);
    const scoped = service.sandbox.calls.filter(({ params }) => JSON.stringify(params).includes('"scope"'));
    expect(scoped.every(isOfAdmin)).toBe(true);
  });
});
