/** Draws the chart of its argument to standard output, and ends: the service itself loads no canvas. */
import { drawBars } from "./draw-bars.js";

process.stdout.write(drawBars(JSON.parse(process.argv[2] ?? "")));
