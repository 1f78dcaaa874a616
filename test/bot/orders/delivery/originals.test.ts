import { InputFile } from "grammy";
import { expect, test } from "vitest";
import { sendOriginals } from "../../../../src/bot/orders/delivery/originals.js";
import type { SentFile } from "../../../../src/bot/orders/store/delivery.js";
import type { JobId } from "../../../../src/contract/job.js";
import { openBotWorld } from "../../../support/bot-world.js";
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
  const { orders, finishedOrder } = openBotWorld();
  const order = { ...(await finishedOrder("one")), jobIds: [1, 2] };
  await orders.saveFiles(order.id, files, 7);
  const { api, calls } = new FakeTelegram();
  const service = new FakeService();
  for (const id of order.jobIds)
    service.addJob({ id }).finish([fakeFile({ mime: "image/webp", fileName: `atelier-${500 + id}.png` })]);
  for (const id of lost) service.loseFiles(id);
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
  const parts = { api, orders, gateway, language, supportContact: undefined, onArrived };
  /** The names of the files of the last tap. */
  const names = () =>
    calls.flatMap(({ payload: { document } }) =>
      document instanceof InputFile ? [(document.filename ?? "").replaceAll('"', "")] : [],
    );
  /** What is sent for one more tap. */
  async function tap(): Promise<string[]> {
    calls.length = 0;
    await sendOriginals(parts, order, delivery());
    const sent = calls.map(contentOf);
    return [...sent.slice(0, arrivedAfter), "arrived", ...sent.slice(arrivedAfter)];
  }
  return { tap, delivery, language, names };
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
