import { measureApi } from "./figures/api.js";
import { measurePace } from "./figures/pace.js";
import { measureSoak } from "./figures/soak.js";
import { measureStart } from "./figures/start.js";
import { measureWay } from "./figures/way.js";
import { describeMachine } from "./machine.js";
import { type Figure, printTable, say } from "./report.js";
import { isShort } from "./scale.js";

/**
 * `npm run bench [-- NAME …]` measures the service and prints the figures; with names, only those.
 * Ratios are of one run, each the median of five; nothing is rendered. `--short` measures each for about a second, to
 * show that it can be measured: its figures are judged by no goal. `way --list` names the files of an order's way.
 */
const MEASURES: Readonly<Record<string, () => Promise<Figure[]>>> = {
  pace: measurePace,
  start: measureStart,
  api: measureApi,
  way: measureWay,
  soak: measureSoak,
};

const OPTIONS = ["--short", "--list"];

const wanted = process.argv.slice(2).filter((word) => !OPTIONS.includes(word));
const unknown = wanted.filter((word) => !(word in MEASURES));
if (unknown.length > 0) {
  process.stderr.write(
    `cannot measure ${unknown.join(", ")}: there are ${Object.keys(MEASURES).join(", ")}\n`,
  );
  process.exit(1);
}
say(describeMachine());
const chosen = Object.entries(MEASURES).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const measured = new Map<string, Figure[]>();
const left = [...chosen];
/** What is no measurement may share the machine. */
const AT_ONCE = isShort() ? 3 : 1;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [name, measure] = next;
      process.stderr.write(`measuring ${name}\n`);
      measured.set(name, await measure());
    }
  }),
);
const figures = chosen.flatMap(([name]) => measured.get(name) ?? []);
printTable(isShort() ? figures.map(({ what, measured }) => ({ what, measured })) : figures);
