import { expect, test } from "vitest";
import { markedWebp } from "../support/picture.js";
import { ADMIN, ANN, BORIS, TOKEN } from "../support/service.js";
import { startUpstreamService, WELCOME_RUB } from "../support/upstream-service.js";

const ALL = "fal,kie,polza";
const PICTURE = { type: "image", model_key: "nano-banana-2", prompt: "a red fox" };
/** Made by fal and kie under one title: what one sold, the other may make. */
const SHARED = { ...PICTURE, model_key: "nano-banana-pro" };
/** A model that only fal makes. */
const SONG = { type: "music", model_key: "music:elevenlabs", description: "a march of the ants" };

test("a video begins with the photo of the chat, which its service gets as an upload", async () => {
  const { chatter, stand, sandbox } = await startUpstreamService(ALL);
  const ann = chatter(ANN);
  ann.say("/video");
  await ann.choose(/^Kling 4/);
  await ann.seeButton(/^Quality/);
  ann.person.sendPhoto(markedWebp("start"));
  await ann.see("1\u00a0photo attached");
  ann.say("a boat sails off");
  await ann.press(/^✅ Generate · 95/);
  const { video, caption } = await ann.see(({ video }) => video !== undefined);
  expect(caption).toContain("905\u00a0₽");
  expect(video).toMatchObject({ duration: 5, height: 720 });
  expect(video?.thumbnail, "its start frame").toBeDefined();
  const [{ body, endpoint } = { body: {}, endpoint: "" }] = stand.ledger;
  expect(endpoint).toBe("kling/v4/image-to-video");
  expect(Object.values(body).join()).toContain(`${stand.environment().FAL_API_ROOT}/uploads/`);
  expect(JSON.stringify(body), "no link of Telegram leaves the process").not.toContain(sandbox.url);
  expect(stand.calls.filter(({ kind }) => kind === "upload")).not.toHaveLength(0);
  expect(stand.ledger).toHaveLength(1);
});

test("a refusal by a service's rules is told as that in the chat, the API and the metrics, and paid back", async () => {
  const { chatter, make, metrics, ask, balanceOf } = await startUpstreamService(ALL);
  const boris = chatter(BORIS);
  boris.say("/image лиса [fault:policy-at-result]");
  await boris.press(/^✅ Создать · 10/);
  const [told, refused, failed] = await Promise.all([
    boris.see("Правила модели не разрешают такой запрос. Попробуйте другие слова.\n"),
    make({ ...PICTURE, prompt: "a fox [fault:policy-at-result]" }),
    make({ ...PICTURE, prompt: "a fox [fault:failed-at-result]" }),
  ]);
  expect(told.text).toContain("Деньги вернулись: 10\u00a0₽.");
  await boris.see("❌ Не получилось");
  expect(balanceOf(BORIS)).toBe(WELCOME_RUB);
  const words = "The service refused the request by its content rules.";
  expect(refused).toMatchObject({ status: "error", error: words, refunded: true });
  expect(failed).toMatchObject({ status: "error", error: "The generation failed.", refunded: true });
  expect(await ask("/v1/balance")).toMatchObject({ balance: { amount: WELCOME_RUB } });
  const text = await metrics();
  expect(text).toMatch(/outcome="refused"\} 2\n/);
  expect(text).toMatch(/type="image",outcome="(failed|error)"\} 1\n/);
});

test("a service without credit is passed over: one task, one charge, one word to admins, until it is resumed", async () => {
  const world = await startUpstreamService(ALL);
  const { stand, ask, make, models, metrics, ctl, chatter, balanceOf } = world;
  const [ann, admin] = [chatter(ANN), chatter(ADMIN)];
  admin.say("/balance");
  await admin.see("Your balance");
  stand.setAccount("fal", "no-credit");
  ann.say("a red fox");
  await ann.choose(/^Nano Banana Pro/);
  await ann.press(/^✅ Generate · 20/);
  await Promise.all([ann.seePhoto(), make(SHARED)]);
  expect(balanceOf(ANN)).toBe(WELCOME_RUB - 20);
  expect(await ask("/v1/balance")).toMatchObject({ balance: { amount: WELCOME_RUB - 20 } });
  expect(stand.ledger.map(({ service }) => service)).toEqual(["kie", "kie"]);

  await admin.see("fal takes no new tasks: its account is out of money");
  expect(await ask("/readyz")).toEqual({ ok: true, paused: ["fal"] });
  expect(await metrics()).toContain('atelier_provider_up{provider="fal"} 0');
  expect(await ask("/v1/generations", SONG)).toMatchObject({ ok: false, error: "model_disabled" });
  expect((await models()).some(({ model_key }) => model_key === SONG.model_key)).toBe(false);
  expect(await ctl("upstream", "list")).toMatchObject([
    { provider: "fal", state: "paused", paused_reason: "no_credit" },
    { provider: "kie", state: "up" },
    { provider: "polza", state: "up" },
  ]);

  expect(admin.heard().filter(({ text }) => text?.includes("takes no new tasks"))).toHaveLength(1);
  stand.setAccount("fal", "good");
  expect(await ctl("upstream", "resume", "fal")).toEqual({ provider: "fal", state: "up" });
  await admin.see("✅ fal takes tasks again.");
  expect(await ask("/readyz")).toEqual({ ok: true });
  expect(await make(SONG)).toMatchObject({ status: "done" });
  expect(stand.ledger.at(-1)).toMatchObject({ service: "fal" });
  expect(admin.heard().filter(({ text }) => /fal takes/.test(text ?? ""))).toHaveLength(1);
});

async function bytesOf(address: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(address)).arrayBuffer());
}

test("the original in the chat is the service's file with its provenance; the API gives the WebP", async () => {
  const ofOneAddress = { hasOwnAddresses: false };
  const { chatter, sandbox, stand, url, make } = await startUpstreamService("fal", {}, ofOneAddress);
  const ann = chatter(ANN);
  ann.say("a red fox");
  await ann.press(/^✅/);
  await ann.seePhoto();
  await ann.press("As a file");
  const { document } = await ann.see((message) => message.document !== undefined);
  const made = await bytesOf(`${stand.url}${stand.calls.find(({ kind }) => kind === "file")?.path ?? ""}`);
  expect(made.includes("c2pa")).toBe(true);
  expect(document).toMatchObject({ file_name: "atelier-1.jpg", mime_type: "image/jpeg" });
  const getFile = `${sandbox.url}/bot${TOKEN}/getFile?file_id=${document?.file_id}`;
  const { result: sent } = (await (await fetch(getFile)).json()) as { result: { file_path: string } };
  expect((await bytesOf(`${sandbox.url}/file/bot${TOKEN}/${sent.file_path}`)).equals(made)).toBe(true);
  const { result } = await make({ type: "image", model_key: "nano-banana-2", prompt: "a red fox" });
  const { url: link, mime } = result as { url: string; mime: string };
  expect(mime).toBe("image/webp");
  const content = await bytesOf(link.replace(/^https?:\/\/[^/]+/, url));
  expect(content.toString("latin1", 8, 12)).toBe("WEBP");
});
