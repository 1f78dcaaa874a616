import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../platform/make-directory.js";

const SECRET_LENGTH_MIN = 32;

/** Reads the secret, or creates it atomically with 256 random bits and mode 0600. Throws when it is too short. */
export function readOrMakeSecret(file: string): string {
  const secret = read(file) ?? make(file);
  if (secret.length < SECRET_LENGTH_MIN)
    throw new Error(`${file} holds no secret: remove it to get a new one`);
  return secret;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function make(file: string): string {
  makeDirectory(dirname(file));
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  const handle = openSync(draft, "wx", 0o600);
  try {
    writeSync(handle, `${randomBytes(32).toString("hex")}\n`);
    fsyncSync(handle);
    // Unlike a rename, a link never replaces a secret that another process has just created.
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    closeSync(handle);
    unlinkSync(draft);
  }
  return readFileSync(file, "utf8").trim();
}
