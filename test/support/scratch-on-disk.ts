import { tmpdir } from "node:os";
import { makeScratch } from "./scratch.js";

/** For tests of crashes and of how long the disk holds the event loop. */
export default (): (() => void) => makeScratch(tmpdir());
