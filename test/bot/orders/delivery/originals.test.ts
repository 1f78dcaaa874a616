import { type Api, InputFile } from "grammy";
import { expect, test } from "vitest";
import { sendOriginals } from "../../../../src/bot/orders/delivery/originals.js";
import type { SentFile } from "../../../../src/bot/orders/store/delivery.js";
import { ContractError } from "../../../../src/contract/errors.js";
import type { JobId } from "../../../../src/contract/job.js";
import type { Gateway } from "../../../../src/ports/gateway.js";
import { openBotWorld } from "../../../support/bot-world.js";
import { texts } from "../../../support/drafts.js";

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
  const events: string[] = [];
  const names: string[] = [];
  const api = {
    async sendDocument(_chat: number, document: unknown) {
      events.push(typeof document === "string" ? document : "upload");
      if (document instanceof InputFile) names.push((document.filename ?? "").replaceAll('"', ""));
      return { message_id: 10 + events.length, document: { file_id: `document-${events.length}` } };
    },
    async sendMessage(_chat: number, text: string) {
      events.push(text);
    },
  } as unknown as Api;
  const gateway = {
    job: async (id: JobId) => ({ job_id: id, type: "image", status: "done" }),
    async results(id: JobId) {
      const open = async () => {
        if (lost.includes(id)) throw new ContractError("job_not_found");
        return { destroy() {} };
      };
      const fileName = `atelier-${500 + Number(id)}.png`;
      return [{ kind: "result", index: 0, mime: "image/webp", size: 1000, fileName, open }];
    },
  } as unknown as Gateway;
  const delivery = () => {
    const row = orders.findDelivery(order.id);
    if (!row) throw new Error("no delivery");
    return row;
  };
  const language = texts.in("en");
  const onArrived = () => events.push("arrived");
  const parts = { api, orders, gateway, language, supportContact: undefined, onArrived };
  /** What is sent for one more tap. */
  async function tap(): Promise<string[]> {
    events.length = 0;
    await sendOriginals(parts, order, delivery());
    return [...events];
  }
  return { tap, delivery, language, names };
}

test("originals are uploaded once, and have arrived when the last of them has", async () => {
  const { tap, delivery, names } = await openOriginals([photo(0), photo(1)]);
  expect(await tap()).toEqual(["upload", "upload", "arrived"]);
  expect(names, "numbered within the order").toEqual(["atelier-1.png", "atelier-2.png"]);
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
