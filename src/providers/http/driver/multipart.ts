import { readFile } from "node:fs/promises";
import type { FormPart } from "../adapter.js";

/** @param boundary stands in none of the parts */
export async function encodeForm(
  parts: readonly FormPart[],
  boundary: string,
): Promise<{ type: string; body: Buffer }> {
  const chunks: Buffer[] = [];
  for (const part of parts) {
    chunks.push(Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`));
    chunks.push("file" in part ? await readFile(part.file) : Buffer.from(part.value));
    chunks.push(Buffer.from("\r\n"));
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return { type: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(chunks) };
}

function headOf(part: FormPart): string {
  const name = `Content-Disposition: form-data; name="${quoted(part.name)}"`;
  if (!("file" in part)) return name;
  return `${name}; filename="${quoted(part.fileName)}"\r\nContent-Type: ${part.mime}`;
}

function quoted(text: string): string {
  return text.replace(/["\r\n]/g, (character) => encodeURIComponent(character));
}
