import { z } from "zod";
import { detailOf, isSuccess, numeric, readJson } from "../../../providers/judge-status.js";
import type { ListedPrice, PublishedEntry } from "./published-model.js";
import { type AskPublisher, NoCatalogueError, type Publisher } from "./publisher.js";

/*
 * The list behind https://kie.ai/pricing, as programs read it: a POST without a key, by pages of at most 100. A price
 * has a description such as "gpt image 2, image-to-image, 4k", and often an address that names the model's id.
 */

const PAGE = "https://api.kie.ai/client/v1/model-pricing/page";
const PAGE_SIZE = 100;
const PAGES_MAX = 30;
const CURRENCY = "kie_credit";

const text = z.string().nullish().catch(undefined);
const record = z.looseObject({
  modelDescription: z.string(),
  creditPrice: numeric,
  creditUnit: text,
  provider: text,
  anchor: text,
});
type PriceRecord = z.infer<typeof record>;
const page = z.looseObject({
  code: z.literal(200),
  data: z.looseObject({ records: z.array(z.unknown()), pages: z.number().nullish().catch(undefined) }),
});

/** The prices of kie.ai in credits. */
export const kiePrices: Publisher = {
  hosts: ["api.kie.ai"],
  page: "the list of https://kie.ai/pricing",
  notCompared: "kie describes no fields without a key: they are not compared",
  async read(ask, endpoints) {
    const prices = await pricesByName(ask);
    return new Map(
      endpoints.map((id): [string, PublishedEntry] => {
        const priceList = prices.get(nameOf(id));
        return [
          id,
          priceList
            ? { kind: "model", model: { readsNoOther: false, priceList } }
            : { kind: "untold", reason: "no price in the list names this model" },
        ];
      }),
    );
  },
};

async function pricesByName(ask: AskPublisher): Promise<ReadonlyMap<string, readonly ListedPrice[]>> {
  const byName = new Map<string, ListedPrice[]>();
  for (let number = 1; number <= PAGES_MAX; number += 1) {
    const { records, pages } = await onePage(ask, number);
    for (const given of records) {
      const { success, data } = record.safeParse(given);
      const per = success ? unitOf(data) : undefined;
      if (!success || !per) continue;
      const price = { amount: data.creditPrice, currency: CURRENCY, per };
      for (const name of namesOf(data)) byName.set(name, [...(byName.get(name) ?? []), price]);
    }
    if (typeof pages === "number" ? number >= pages : records.length < PAGE_SIZE) return byName;
  }
  throw new NoCatalogueError(`the list has more than ${PAGES_MAX} pages`);
}

async function onePage(ask: AskPublisher, number: number): Promise<z.infer<typeof page>["data"]> {
  const answer = await ask(PAGE, { pageNum: number, pageSize: PAGE_SIZE });
  const { success, data } = page.safeParse(isSuccess(answer) ? readJson(answer) : undefined);
  if (!success) throw new NoCatalogueError(`page ${number} is no list of prices: ${detailOf(answer)}`);
  if (number === 1 && data.data.records.length === 0) throw new NoCatalogueError("the list is empty");
  return data.data;
}

/** Reads a unit. Undefined for those of other models, such as tokens and characters. */
function unitOf({ creditUnit }: PriceRecord): ListedPrice["per"] | undefined {
  const unit = creditUnit ?? "";
  if (/token|character/i.test(unit)) return undefined;
  return /second/i.test(unit) ? "second" : "task";
}

/** Lists the ids under which the price may be looked for: by its address, and by the beginning of its description. */
function namesOf({ modelDescription, provider, anchor }: PriceRecord): ReadonlySet<string> {
  const [model = "", use = ""] = modelDescription.split(",");
  const maker = `${nameOf(provider ?? "")}-`;
  const told = [nameOf(model), nameOf(`${model} ${use}`)].flatMap((name) =>
    name.startsWith(maker) ? [name, name.slice(maker.length)] : [name],
  );
  return new Set([...told, addressed(anchor ?? "")].filter((name) => name !== ""));
}

function addressed(anchor: string): string {
  if (!URL.canParse(anchor)) return "";
  const { searchParams, pathname } = new URL(anchor);
  return nameOf(searchParams.get("model") ?? pathname);
}

/** Normalises an id: `seedream/5-lite` and "Seedream 5 lite" are one name. */
function nameOf(id: string): string {
  return id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
