import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";

/** Writes what openapi-typescript makes of a document: the text of a module. */
export async function typesOf(document: object): Promise<string> {
  return astToString(await openapiTypescript(document as OpenAPI3, { silent: true }));
}

/**
 * Compiles programs that import the types as `./api.js`, strictly.
 * @returns for each program, by its name, what the compiler says of it; of the types themselves, as `api`
 */
export function faultsOf(
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
