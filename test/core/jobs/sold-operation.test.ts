import { expect, test } from "vitest";
import { Catalogue, type CatalogueEntry } from "../../../src/catalogue/catalogue.js";
import { filledOperation } from "../../../src/catalogue/operation.js";
import { table } from "../../../src/database/table.js";
import { IMAGE, MUSIC, openTestCore, order, type TestCore } from "../../support/core.js";
import { catalogueWith, serviceMapping } from "../../support/service-mappings.js";
import { createStubService, readNamed, type StubProvider } from "../../support/stub-provider.js";

const SOLD = serviceMapping({
  endpoint: "sold",
  input: { text: "$prompt", seed: "$seed", pictures: { omit: "$reference_urls" } },
  output: { kind: "image", files: "/sold/*" },
});
const DEAR = { ...IMAGE, resolution: "4K" };

const allOperations = () => table("job_operation").all(world.database, {});

let world: TestCore;
/** Links of references, by their place. */
const fetched: string[] = [];

const service = () => createStubService("a");

function open(provider: StubProvider, catalogue: Catalogue, directory?: string) {
  world = openTestCore({
    providers: [provider],
    catalogue,
    readReference: (wish, signal) => {
      fetched[wish.index] = wish.link;
      return readNamed(wish, signal);
    },
    ...(directory !== undefined && { directory }),
  });
  return world;
}

const mappingd = (...mappings: ReturnType<typeof serviceMapping>[]) =>
  catalogueWith({ [IMAGE.model_key]: { a: mappings } });
const edited = (change: (entry: CatalogueEntry) => CatalogueEntry[]) => {
  const sold = mappingd(SOLD);
  const entries = sold.entries.flatMap((entry) =>
    entry.model_key === IMAGE.model_key ? change(entry) : [entry],
  );
  return new Catalogue(entries, sold);
};

/** The edits of an operator while sold jobs wait, with the one that the service runs on afterwards. */
const EDITS: Readonly<Record<string, Catalogue>> = {
  "another endpoint, and another place of its files": mappingd(
    serviceMapping({ ...SOLD, endpoint: "another", output: { kind: "image", files: "/wrong" } }),
  ),
  "no mapping": mappingd(),
  "another price": edited((entry) => [{ ...entry, model: { ...entry.model, price_rub: 999 } }]),
  "a disabled model": edited((entry) => [{ ...entry, status: "disabled" }]),
  "no such model": edited(() => []),
};

test.each(Object.keys(EDITS))(
  "what was sold is what is made, whatever the catalogue says later with %s",
  async (name) => {
    const first = open(service(), mappingd(SOLD));
    const ann = await first.person(1, 1000_00);
    const { job_ids, cost_rub } = await order(ann, "one", { ...DEAR, count: 3 });
    const before = await ann.balance();
    await first.close();

    const made = service();
    const again = open(made, EDITS[name] ?? mappingd(), first.directory);
    const same = await again.begun();
    for (const id of job_ids)
      expect(await again.ended(same, id)).toMatchObject({
        status: "done",
        model_title: "Nano Banana 2.1",
        cost_rub: cost_rub / 3,
      });
    expect(await same.balance()).toEqual(before);
    const sold = made.tasks.map(({ operation, seed }) => ({ seed, ...operation }));
    expect(sold).toHaveLength(3);
    for (const { seed, operation } of sold)
      expect(operation).toMatchObject({
        endpoint: "sold",
        input: { text: "a red fox", seed },
        output: { files: "/sold/*" },
      });
    expect(new Set(sold.map(({ seed }) => seed)).size).toBe(3);
  },
);

test("links of references are filled in when the job runs, each in its place, and no text of a person is taken for one", async () => {
  const made = service();
  const frames = { first: { omit: "$start_frame_url" }, last: { omit: "$end_frame_url" } };
  const input = { ...SOLD.input, ...frames };
  const film = serviceMapping({ ...SOLD, input, output: { kind: "video", files: "/sold" } });
  const sold = open(made, catalogueWith({ "veo-3-1": { a: [film] } }));
  const ann = await sold.begun(1000_00);
  const prompt = "https://atelier-mark-0-0.invalid/ and https://atelier-mark-0-1.invalid/";
  const [start, end, other] = ["https://a.example/1", "https://a.example/2", "https://a.example/3"];
  const pictures = { start_frame_url: start, reference_urls: [other, end] };
  const { job_id } = await order(ann, "one", { type: "video", model_key: "veo-3-1", prompt, ...pictures });
  await sold.ended(ann, job_id);
  const read = made.tasks[0]?.operation;
  expect(fetched).toEqual([start, end, other]);
  expect(made.tasks[0]?.references.map((path) => path.at(-1))).toEqual(["0", "1", "2"]);
  expect(made.tasks[0]?.accountId).toBe(1);
  if (!read) throw new Error("nothing was stored");
  expect(
    filledOperation(
      read,
      ["x", "y", "z"].map((name) => `https://ours.example/${name}`),
    ).input,
  ).toEqual({
    text: prompt,
    seed: made.tasks[0]?.seed,
    first: "https://ours.example/x",
    last: "https://ours.example/y",
    pictures: ["https://ours.example/z"],
  });
  expect(() => filledOperation(read, [])).toThrow("one link");
});

test("what was sold is stored until its job has ended", async () => {
  const made = service();
  const sold = open(made, mappingd(SOLD));
  const ann = await sold.person(1, 1000_00);
  const { job_id } = await order(ann, "one", DEAR);
  expect(allOperations()).toHaveLength(1);
  await sold.core.start();
  await sold.ended(ann, job_id);
  expect(allOperations()).toEqual([]);
});

test("a song has as many tracks as it was sold with", async () => {
  world = openTestCore();
  const ann = await world.person(1, 1000_00);
  const { job_id } = await order(ann, "song", MUSIC);
  await world.database.write("test", (tx) => table("job").update(tx, { id: 1 }, { tracks: 1 }));
  await world.core.start();
  expect((await world.ended(ann, job_id)).result?.tracks).toHaveLength(1);
});
