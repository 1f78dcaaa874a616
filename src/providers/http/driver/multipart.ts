import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { extensionOf, sniffPicture } from "../../../media/file-type.js";
import type { FormPart } from "../adapter.js";

/** Encodes a form. @param boundary stands in none of the parts */
export async function encodeForm(
  parts: readonly FormPart[],
  boundary: string,
): Promise<{ type: string; body: Buffer }> {
  const chunks: Buffer[] = [];
  for (const part of parts) {
    const { head, content } = await encodedPart(part);
    chunks.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), content, Buffer.from("\r\n"));
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return { type: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(chunks) };
}

async function encodedPart(part: FormPart): Promise<{ head: string; content: Buffer }> {
  if ("value" in part) return { head: disposition(part.name), content: Buffer.from(part.value) };
  if ("file" in part) return { head: fileHead(part), content: await readFile(part.file) };
  const content = await readFile(part.picture);
  const mime = sniffPicture(content);
  if (mime === undefined) throw new Error("a reference is no PNG, JPEG or WebP picture");
  const fileName = `${basename(part.picture)}.${extensionOf(mime)}`;
  return { head: fileHead({ name: part.name, mime, fileName }), content };
}

function fileHead({ name, mime, fileName }: { name: string; mime: string; fileName: string }): string {
  return `${disposition(name)}; filename="${quoted(fileName)}"\r\nContent-Type: ${mime}`;
}

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${quoted(name)}"`;
}

function quoted(text: string): string {
  return text.replace(/["\r\n]/g, (character) => encodeURIComponent(character));
}
