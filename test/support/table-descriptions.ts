import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";

/** Describes the tables of the database itself. */
export const SCHEMA_FILE = "database/prepared.ts";

export interface Source {
  /** Below src. */
  path: string;
  text: string;
}

/** What the service runs, without the schema that it describes. */
export const sources: readonly Source[] = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && path !== "database/schema.ts")
  .map((path) => ({ path, text: readFileSync(posix.join("src", path), "utf8") }));

/** One column: its type without `Generated`, and whether the database may fill it in or hold NULL. */
interface Column {
  name: string;
  isNumber: boolean;
  isNullable: boolean;
  isGenerated: boolean;
}

export interface Description {
  table: string;
  path: string;
  columns: Column[];
}

function bodiesOf(text: string, head: string): string[] {
  const [, ...rest] = text.split(head);
  return rest.map((body) => body.split("\n}", 1)[0] ?? "");
}

/** A description is an interface of its own, without `extends`, in the file that adds the table to `Schema`. */
function describe({ path, text }: Source): Description[] {
  const head =
    path === SCHEMA_FILE ? "\nexport interface Schema {\n" : '/prepared.js" {\n  interface Schema {\n';
  const added = bodiesOf(text, head).join("\n");
  return [...added.matchAll(/^ +(\w+): (\w+);$/gm)].map(([, table = "", type = ""]) => {
    const [body] = bodiesOf(text, `interface ${type} {\n`);
    if (body === undefined) throw new Error(`${path} does not describe the columns of ${table} as ${type}`);
    return { table, path, columns: [...body.matchAll(/^ {2}(\w+): (.+);$/gm)].map(columnOf) };
  });
}

function columnOf([, name = "", type = ""]: RegExpMatchArray): Column {
  const [, generated] = /^Generated<(.+)>$/.exec(type) ?? [];
  const values = (generated ?? type).split(" | ");
  return {
    name,
    isNumber: values.some((value) => /^(?:number|Integer|Kopecks|\d+)$/.test(value)),
    isNullable: values.includes("null"),
    isGenerated: generated !== undefined,
  };
}

export const descriptions: readonly Description[] = sources.flatMap(describe);
