import { type Api, InputFile } from "grammy";
import type { Job } from "../../../contract/job.js";
import type { Gateway } from "../../../ports/gateway.js";
import { inTopicOrGroup } from "../../telegram/topic.js";
import { uploadOf } from "../../telegram/upload.js";
import type { Language } from "../../texts.js";
import type { Delivery, SentFile } from "../store/delivery.js";
import { isSameResult, type ResultRef } from "../store/delivery.js";
import type { Order } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";
import { describeDocument, isUndeliverable } from "./describe-result.js";
import { jobIdOf, sentFile } from "./file-sender.js";
import { resultRefs, type UndeliverableFile } from "./outgoing-file.js";
import { withResultsReadOnce } from "./read-once.js";
import { findResult, openResult } from "./result-files.js";
import { linkKeyboard } from "./result-keyboard.js";
import { undeliverableText } from "./summary.js";

interface OriginalsParts {
  /** With retries: a person waits for the answer to a tap. */
  api: Api;
  orders: OrderStore;
  gateway: Gateway;
  language: Language;
  supportContact: string | undefined;
  /** Called after the last file was sent. Not called when that file cannot be sent. */
  onArrived: () => void;
}

/** Sends files as documents in their original format. `order.chatId` is the target chat. */
export async function sendOriginals(parts: OriginalsParts, order: Order, delivery: Delivery): Promise<void> {
  const { orders, api } = parts;
  const gateway = withResultsReadOnce(parts.gateway);
  const jobs = await Promise.all(order.jobIds.map((id) => gateway.job(id)));
  const undeliverable: UndeliverableFile[] = [];
  let originals: readonly SentFile[] = delivery.originals;
  const wanted = resultRefs(jobs);
  for (const [place, ref] of wanted.entries()) {
    const known = documentOf(originals, ref) ?? (await deliveredDocument(gateway, order, delivery, ref));
    const number = wanted.length > 1 ? place + 1 : undefined;
    const document = known?.fileId ?? (await originalOf(gateway, order, jobs, ref, delivery, number));
    if (typeof document !== "string" && !(document instanceof InputFile)) {
      undeliverable.push(document);
      continue;
    }
    const message = await inTopicOrGroup(order.threadId, (place) =>
      api.sendDocument(order.chatId, document, { ...place, disable_content_type_detection: true }),
    );
    if (ref === wanted.at(-1)) parts.onArrived();
    if (known) continue;
    originals = [...originals, sentFile(message, ref)];
    await orders.saveOriginals(order.id, originals, order.chatId);
  }
  if (undeliverable.length > 0) await tellUndeliverable(parts, order, undeliverable);
}

function documentOf(files: readonly SentFile[], ref: ResultRef): SentFile | undefined {
  return files.find((file) => file.as === "document" && file.fileId !== "" && isSameResult(file, ref));
}

/** It shows the result: where an original is kept, that is wanted. */
async function deliveredDocument(
  gateway: Gateway,
  order: Order,
  { files }: Delivery,
  ref: ResultRef,
): Promise<SentFile | undefined> {
  const sent = documentOf(files, ref);
  const original = sent && (await findResult(gateway, jobIdOf(order, ref), ref.track, "original"));
  return original ? undefined : sent;
}

async function originalOf(
  gateway: Gateway,
  order: Order,
  jobs: readonly Job[],
  ref: ResultRef,
  { uploadFailures }: Delivery,
  number: number | undefined,
): Promise<InputFile | UndeliverableFile> {
  const described = await describeDocument(gateway, order, jobs, ref, uploadFailures);
  if (isUndeliverable(described)) return described;
  const { fileName } = described;
  const hasTitle = order.request.type === "music";
  return uploadOf(
    () => openResult(gateway, jobIdOf(order, ref), described),
    number === undefined || hasTitle ? fileName : numberedName(fileName, number),
  );
}

/** The files of one order are numbered from 1: their own names carry the ids of jobs. */
function numberedName(fileName: string, number: number): string {
  const extension = /\.[^.]*$/.exec(fileName)?.[0] ?? "";
  return `atelier-${number}${extension}`;
}

async function tellUndeliverable(
  { api, language, supportContact }: OriginalsParts,
  order: Order,
  undeliverable: readonly UndeliverableFile[],
): Promise<void> {
  const lines = undeliverable.map((ref) =>
    ref.reason === "gone"
      ? language.t("originals-gone")
      : undeliverableText(ref, { order, language, supportContact }),
  );
  const text = [...new Set(lines)].join("\n");
  const hasLink = undeliverable.some(({ link }) => link !== undefined);
  await inTopicOrGroup(order.threadId, (place) =>
    api.sendMessage(order.chatId, text, {
      ...place,
      parse_mode: "HTML",
      ...(hasLink && { reply_markup: linkKeyboard(order, language) }),
      // A preview would fetch the linked file.
      link_preview_options: { is_disabled: true },
    }),
  );
}
