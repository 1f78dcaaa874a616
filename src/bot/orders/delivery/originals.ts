import type { Gateway } from "../../../ports/gateway.js";
import type { BotGround } from "../../bot-ground.js";
import { inTopicOrGroup, isInGroup } from "../../telegram/place.js";
import type { Language } from "../../texts/texts.js";
import type { Order } from "../order.js";
import { type Delivery, isSameResult, type ResultRef, type SentFile } from "../order-store.js";
import { undeliverableText } from "./deliver.js";
import { FileSender, openFiles } from "./file-sender.js";
import {
  isGivenUp,
  isNew,
  isUndeliverable,
  keptFilesOf,
  type NewFile,
  type OutgoingFile,
  plannedDocument,
  resultRefs,
  type UndeliverableFile,
  undeliverable,
  uploadFaultOf,
  withFault,
} from "./outgoing-file.js";
import { linkKeyboard } from "./result-keyboard.js";

interface Handover {
  /** `chatId` is the target chat. */
  order: Order;
  delivery: Delivery;
  gateway: Gateway;
  language: Language;
  /** Called after the last file was sent. Not called when that file cannot be sent. */
  onArrived: () => void;
}

/** Sends files as documents in their original format, and tries again: a person waits for the answer to a tap. */
export async function sendOriginals(handover: Handover, bot: BotGround): Promise<void> {
  const { order, delivery, gateway, onArrived } = handover;
  const { orders, requestBytesMax } = bot;
  const sender = new FileSender(bot.api, requestBytesMax);
  const send = (file: OutgoingFile) =>
    sender.send({ order, files: [file], caption: undefined, keyboard: undefined });
  const jobs = await Promise.all(order.jobIds.map((id) => gateway.job(id)));
  const keptOf = await keptFilesOf(gateway, jobs);
  const undelivered: UndeliverableFile[] = [];
  let { originals, upload_failures: uploadFailures } = delivery;
  const wanted = resultRefs(jobs);

  async function upload(planned: NewFile, number: number | undefined): Promise<SentFile[]> {
    // One of a known size may pass as a document.
    const opened = await openFiles(
      [planned],
      requestBytesMax,
      (file) => file.size === undefined && isGivenUp(uploadFailures, file),
    );
    try {
      undelivered.push(...opened.undeliverable);
      const [file] = opened.files;
      return file ? await send({ ...file, fileName: numberedName(file.fileName, number) }) : [];
    } catch (error) {
      const fault = uploadFaultOf(error, [planned]);
      // What a group refuses may be its right, and no fault of the file.
      if (fault === "too_large" || (fault === "refused" && !isInGroup(order))) {
        undelivered.push(undeliverable(planned, "not_taken"));
        return [];
      }
      if (fault !== "beyond_limit") throw error;
      uploadFailures = withFault(uploadFailures, [planned], "beyond_limit");
      await orders.saveUploadFailures(order.id, uploadFailures);
      undelivered.push(undeliverable(planned, "too_large"));
      return [];
    } finally {
      opened.close();
    }
  }

  for (const [place, ref] of wanted.entries()) {
    const kept = keptOf(ref);
    // A delivered document shows the result: where an original is kept, that is wanted.
    const known = documentOf(originals, ref) ?? (kept.original ? undefined : documentOf(delivery.files, ref));
    const facts = { failures: uploadFailures, requestBytesMax };
    const file = known ?? plannedDocument(ref, kept, jobs[ref.index], facts);
    if (isUndeliverable(file)) {
      undelivered.push(file);
      continue;
    }
    const isNumbered = wanted.length > 1 && order.request.type !== "music";
    const sent = isNew(file) ? await upload(file, isNumbered ? place + 1 : undefined) : await send(file);
    if (sent.length === 0) continue;
    if (ref === wanted.at(-1)) onArrived();
    if (known) continue;
    originals = [...originals, ...sent];
    await orders.saveOriginals(order.id, originals, order.chatId);
  }
  if (undelivered.length === 0) return;
  const { language } = handover;
  const { supportContact } = bot;
  const lines = undelivered.map((one) =>
    one.reason === "gone"
      ? language.t("originals-gone")
      : undeliverableText(one, { order, language, supportContact, requestBytesMax }),
  );
  const hasLink = undelivered.some(({ link }) => link !== undefined);
  await inTopicOrGroup(order.threadId, (place) =>
    bot.api.sendMessage(order.chatId, [...new Set(lines)].join("\n"), {
      ...place,
      parse_mode: "HTML",
      ...(hasLink && { reply_markup: linkKeyboard(order, language) }),
      // A preview would fetch the linked file.
      link_preview_options: { is_disabled: true },
    }),
  );
}

function documentOf(files: readonly SentFile[], ref: ResultRef): SentFile | undefined {
  return files.find((file) => file.as === "document" && file.fileId !== "" && isSameResult(file, ref));
}

/** Numbers the files of one order from 1: their own names carry the ids of jobs. */
function numberedName(fileName: string, number: number | undefined): string {
  if (number === undefined) return fileName;
  const extension = /\.[^.]*$/.exec(fileName)?.[0] ?? "";
  return `atelier-${number}${extension}`;
}
