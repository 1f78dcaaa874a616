import { registerHooks } from "node:module";
import ts from "typescript-5";
import { expect, onTestFinished, test } from "vitest";
import { reference } from "./judge.js";

const HEAD = `
import type { components, operations } from "./api.js";
type Body = operations["createGeneration"]["requestBody"]["content"]["application/json"];
type Answer = operations["getGeneration"]["responses"][200]["content"]["application/json"];
type Refusal = components["schemas"]["CreateGenerationBadRequest"];
declare function post(body: Body): void;
`;

/** Programs of an integrator that the compiler takes, and those that it must refuse, with what it says. */
const RIGHT = `
post({ prompt: "a fox" });
post({ type: "image", model_key: "nano-banana-2", prompt: "a fox", count: 2, reference_urls: ["https://a.example/a.png"] });
post({ type: "video", prompt_text: "waves", duration_sec: 8, sound: true });
post({ type: "music", description: "a slow song about the sea", style_weight: 0.5 });
export const isImage = (request: components["schemas"]["ImageRequest"]) => request.type !== undefined;
export const link = ({ job }: Answer): string | null | undefined => job.status === "done" ? job.result?.url : undefined;
export const tracks = ({ job }: Answer): string[] => (job.result?.tracks ?? []).map(({ title, index }) => title + index);
export const isPoor = (refusal: components["schemas"]["CreateGenerationPaymentRequired"]) => refusal.error === "insufficient_funds";
export const told = ({ error, message, param }: Refusal): string => error === "bad_model" ? param ?? "" : message;
`;
const WRONG = {
  noPrompt: [
    'post({ type: "image", model_key: "nano-banana-2" });',
    /'prompt_text' is missing|not assignable/,
  ],
  mistyped: ['post({ type: "image", promt: "a cat", prompt: "a fox" });', /'promt' does not exist/],
  unknownType: ['post({ type: "audio", prompt: "a fox" });', /"audio"' is not assignable/],
  otherKind: ['post({ type: "music", description: "a slow song", count: 2 });', /'count' does not exist/],
  oneLink: [
    'post({ type: "image", prompt: "a fox", reference_urls: "https://a.example/a.png" });',
    /string\[\]/,
  ],
  noSuchCode: ['export const is = ({ error }: Refusal) => error === "bad_modell";', /no overlap/],
  noSuchStatus: ['export const is = ({ job }: Answer) => job.status === "finished";', /no overlap/],
} as const;

/** Writes what openapi-typescript makes of a document. It is built on TypeScript 5, whose place here our own has. */
async function typesOf(document: object): Promise<string> {
  const hooks = registerHooks({
    resolve: (name, context, next) => next(name === "typescript" ? "typescript-5" : name, context),
  });
  onTestFinished(() => hooks.deregister());
  const { astToString, default: generate } = await import("openapi-typescript");
  return astToString(await generate(document as Parameters<typeof generate>[0] & object, { silent: true }));
}

/**
 * Compiles programs that import the types as `./api.js`, strictly.
 * @returns for each program, by its name, what the compiler says of it; of the types themselves, as `api`
 */
function faultsOf(
  types: string,
  programs: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly string[]>> {
  const files = new Map(
    Object.entries({ api: types, ...programs }).map(([name, text]) => [`${name}.ts`, text]),
  );
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile, readFile } = host;
  const own = (path: string) => files.get(path.replace(/^.*\//, ""));
  host.getSourceFile = (path, languageVersion, ...rest) => {
    const text = own(path);
    if (text === undefined) return getSourceFile(path, languageVersion, ...rest);
    return ts.createSourceFile(path, text, languageVersion);
  };
  host.fileExists = (path) => own(path) !== undefined || fileExists(path);
  host.readFile = (path) => own(path) ?? readFile(path);
  const program = ts.createProgram([...files.keys()], options, host);
  return Object.fromEntries(
    [...files.keys()].map((path) => {
      const file = program.getSourceFile(path);
      const faults = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
      const texts = faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
      return [path.replace(/\.ts$/, ""), texts];
    }),
  );
}

test("types that are generated of the document take right calls, and no wrong one", async () => {
  const wrong = Object.entries(WRONG).map(([name, [code]]) => [name, HEAD + code] as const);
  const faults = faultsOf(await typesOf(reference), { right: HEAD + RIGHT, ...Object.fromEntries(wrong) });
  expect(faults).toMatchObject({ api: [], right: [] });
  for (const [name, [, words]] of Object.entries(WRONG)) {
    expect(faults[name], name).toHaveLength(1);
    expect(faults[name]?.[0], name).toMatch(words);
  }
});
