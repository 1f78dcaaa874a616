import { InputFile } from "grammy";
import { expect, test } from "vitest";
import { sendOriginals } from "../../../../src/bot/orders/delivery/originals.js";
import type { SentFile } from "../../../../src/bot/orders/order-store.js";
import type { JobId } from "../../../../src/contract/job.js";
import type { ResultFile } from "../../../../src/ports/gateway.js";
import { openBotGround } from "../../../support/bot-ground.js";
import { openBotWorld, refusal } from "../../../support/bot-world.js";
import { texts } from "../../../support/drafts.js";
import { FakeService } from "../../../support/fake-gateway.js";
import { fakeFile } from "../../../support/fake-job.js";
import { type ApiCall, FakeTelegram } from "../../../support/fake-telegram.js";

const photo = (index: number, fileId = `photo-${index}`): SentFile => ({
  index,
  track: 0,
  messageId: index,
  fileId,
  as: "photo",
});

/** An order of two pictures that arrived as `files`; `lost` are the jobs whose file is kept no more. */
async function openOriginals(files: readonly SentFile[], lost: readonly JobId[] = []) {
  const world = openBotWorld();
  const { orders, finishedOrder } = world;
  const order = { ...(await finishedOrder("one")), jobIds: [1, 2] };
  await orders.saveFiles(order.id, files, 7);
  const telegram = new FakeTelegram();
  const { calls } = telegram;
  const service = new FakeService();
  for (const id of order.jobIds)
    service.addJob({ id }).finish([fakeFile({ mime: "image/webp", fileName: `atelier-${500 + id}.png` })]);
  for (const id of lost) service.loseFiles(id);
  /** The picture of a job was made of another file. */
  const addOriginal = (id: JobId, facts: Partial<ResultFile> = {}) => {
    const names = {
      kind: "original",
      mime: "image/png",
      fileName: `atelier-${500 + Number(id)}.jpg`,
    } as const;
    service.jobs.get(id)?.files.push(fakeFile({ ...names, ...facts }));
  };
  const delivery = () => {
    const row = orders.findDelivery(order.id);
    if (!row) throw new Error("no delivery");
    return row;
  };
  const language = texts.in("en");
  /** The number of calls before the files had arrived. */
  let arrivedAfter = 0;
  const onArrived = () => {
    arrivedAfter = calls.length;
  };
  const gateway = service.gateway();
  const bot = openBotGround({ world, telegram, service });
  /** The names of the files of the last tap. */
  const names = () =>
    calls.flatMap(({ payload: { document } }) =>
      document instanceof InputFile ? [(document.filename ?? "").replaceAll('"', "")] : [],
    );
  /** What is sent for one more tap. */
  async function tap(): Promise<string[]> {
    calls.length = 0;
    await sendOriginals({ order, delivery: delivery(), gateway, language, onArrived }, bot);
    const sent = calls.map(contentOf);
    return [...sent.slice(0, arrivedAfter), "arrived", ...sent.slice(arrivedAfter)];
  }
  return { tap, delivery, language, names, service, addOriginal, calls, telegram };
}

/** A text, or what goes as a document: its file id, or `upload`. */
function contentOf({ payload: { text, document } }: ApiCall): string {
  return String(text ?? (typeof document === "string" ? document : "upload"));
}

test("originals are uploaded once, and have arrived when the last of them has", async () => {
  const { tap, delivery, names } = await openOriginals([photo(0), photo(1)]);
  expect(await tap()).toEqual(["upload", "upload", "arrived"]);
  expect(names(), "numbered within the order").toEqual(["atelier-1.png", "atelier-2.png"]);
  const { originals } = delivery();
  expect(originals.map(({ index, fileId }) => [index, fileId])).toEqual([
    [0, "document-1"],
    [1, "document-2"],
  ]);
  expect(await tap()).toEqual(["document-1", "document-2", "arrived"]);
  expect(delivery().originals).toEqual(originals);
});

test("what came as a document before is not uploaded again, unless its file id is not known", async () => {
  const known = { ...photo(0, "known"), as: "document" as const };
  const unknown = { ...photo(1, ""), as: "document" as const };
  const { tap } = await openOriginals([known, unknown]);
  expect(await tap()).toEqual(["known", "upload", "arrived"]);
});

test("of an original that is kept no more its person is told, and gets the others", async () => {
  const { tap, language } = await openOriginals([photo(0), photo(1)], [1]);
  expect(await tap()).toEqual(["upload", "arrived", language.t("originals-gone")]);
});

test("what a picture was made of is sent in its place, also where the picture came as a document", async () => {
  const converted = { ...photo(1, "converted"), as: "document" as const };
  const { tap, names, telegram, addOriginal } = await openOriginals([photo(0), converted]);
  telegram.readsUploads = true;
  for (const id of [1, 2]) addOriginal(id);
  expect(await tap()).toEqual(["upload", "upload", "arrived"]);
  expect(names()).toEqual(["atelier-1.jpg", "atelier-2.jpg"]);
  expect(telegram.uploads.map(({ content }) => content)).toEqual(["atelier-501.jpg", "atelier-502.jpg"]);
  expect(await tap()).toEqual(["document-1", "document-2", "arrived"]);
});

test("an original that is too large to upload comes as its own link, or as the picture where it has none", async () => {
  const { tap, names, calls, addOriginal } = await openOriginals([photo(0), photo(1)]);
  const size = 60 * 1024 * 1024;
  addOriginal(1, { size, link: "https://files.example/own?1" });
  addOriginal(2, { size, link: "http://127.0.0.1:8080/own?2" });
  expect(await tap()).toEqual(["upload", "arrived", expect.stringContaining("https://files.example/own?1")]);
  expect(names()).toEqual(["atelier-2.png"]);
  expect(JSON.stringify(calls.at(-1)?.payload.reply_markup)).toContain("New link");
});

test.each([
  ["refuses for good", refusal(400, "Bad Request: MEDIA_INVALID")],
  ["finds too large", refusal(413, "Request Entity Too Large")],
])("of an original that Telegram %s its person is told, and gets the others", async (_what, fault) => {
  const { tap, telegram, delivery } = await openOriginals([photo(0), photo(1)]);
  telegram.failNext("sendDocument", fault);
  expect(await tap()).toEqual(["upload", "upload", "arrived", expect.stringContaining("Image 1 is ready")]);
  expect(delivery().originals).toMatchObject([{ index: 1 }]);
});

test("a lost original leaves the picture", async () => {
  const { tap, names, service, addOriginal } = await openOriginals([photo(0), photo(1)]);
  addOriginal(1);
  const lost = service.jobs.get(1)?.files.at(-1);
  if (lost) lost.state = "lost";
  expect(await tap()).toEqual(["upload", "upload", "arrived"]);
  expect(names()).toEqual(["atelier-1.png", "atelier-2.png"]);
});

test("a file of unknown size that is beyond the limit comes as a link, and is not read again", async () => {
  const { tap, service, telegram, delivery } = await openOriginals([photo(0), photo(1)]);
  telegram.readsUploads = true;
  const chunk = Buffer.alloc(1024 * 1024);
  const file = fakeFile({ mime: "image/webp" }, () => Array<Buffer>(60).fill(chunk));
  const { size: _, ...facts } = file.facts;
  service.jobs.get(1)?.files.splice(0, 1, { ...file, facts });
  const words = expect.stringContaining("over 48\u00a0MB");
  expect(await tap()).toEqual(["upload", "upload", "arrived", words]);
  expect(delivery().upload_failures).toMatchObject([{ index: 0, isTooLarge: true }]);
  const before = service.opened;
  expect(await tap()).toEqual(["document-1", "arrived", words]);
  expect(service.opened).toBe(before);
});
