import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from "fastify";
import { GENERATION_TYPES, type Model, type ModelParameter, type PriceTable } from "../contract/model.js";
import { pricesIn } from "../contract/price.js";
import type { Api } from "../jobs/api.js";
import { MEGABYTE } from "../platform/units.js";
import { StaticBody } from "./compression.js";
import { URL_LENGTH_MAX } from "./errors.js";
import { ACCOUNT_BODY_BYTES_MAX, ALL_BODY_BYTES_MAX, BODY_BYTES_MAX, SMALL_BODY_BYTES } from "./read-body.js";
import { perOffer } from "./v1/endpoint.js";
import { API_ERRORS } from "./v1/errors.js";
import type { OpenApiDocument } from "./v1/openapi.js";

/** The program of the page, which the build takes out of the package of Scalar. */
const PROGRAM = new URL("../../dist/reference.js.gz", import.meta.url);
const GUIDE = new URL("../../data/api-guide.md", import.meta.url);

/** What the program of the page may do: run from here, and style what it shows. It calls nobody, not even this service. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Settings of Scalar: nothing of its maker's services, and no form that a key could be typed into. */
const SETTINGS = JSON.stringify({
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  hideTestRequestButton: true,
  hideClientButton: true,
  documentDownloadType: "none",
  showDeveloperTools: "never",
  modelsSectionLabel: "Schemas",
  orderSchemaPropertiesBy: "preserve",
  // No link to the maker; names in tables stay whole, and a table that is too wide scrolls.
  customCss: [
    'a[href^="https://scalar.com"] { display: none }',
    ".markdown table { display: block !important; overflow-x: auto }",
    ".markdown :is(th, td:first-child code) { white-space: nowrap }",
  ].join("\n"),
});

/** Serves `/openapi.json`, and `/docs`: the API reference with its program. `/` and `/docs/` redirect to it. */
export function docsRoutes(
  app: FastifyInstance,
  documentOf: (models: Api["models"]) => OpenApiDocument,
  api: Pick<Api, "models">,
  rateLimitPerMinute: number,
): void {
  const openApi = perOffer(api, (models) => new StaticBody(Buffer.from(JSON.stringify(documentOf(models)))));
  const page = perOffer(api, (models) => {
    const document = documentOf(models);
    const description = [
      document.info.description,
      readFileSync(GUIDE, "utf8").replaceAll("{base_url}", () => document.servers[0].url),
      modelChapter(models),
      ERROR_CHAPTER,
      limitChapter(rateLimitPerMinute),
    ].join("\n\n");
    return new StaticBody(Buffer.from(pageOf({ ...document, info: { ...document.info, description } })));
  });
  let program: StaticBody | undefined;
  const serve = (url: string, handler: RouteHandlerMethod) =>
    app.route({ method: ["GET", "HEAD"], url, handler });
  serve("/openapi.json", (request, reply) =>
    openApi().answer(request, revalidated(reply, "application/json")),
  );
  serve("/docs", (request, reply) => {
    reply.header("content-security-policy", POLICY);
    return page().answer(request, revalidated(reply, "text/html"));
  });
  serve("/docs/reference.js", async (request, reply) => {
    program ??= new StaticBody(await readFile(PROGRAM), { isGzipped: true });
    return program.answer(request, revalidated(reply, "text/javascript"));
  });
  // Addresses are relative: a proxy may serve the page under a path of its own.
  serve("/", (_request, reply) => reply.redirect("docs"));
  serve("/docs/", (_request, reply) => reply.redirect("../docs"));
}

/** Lets browsers and proxies keep an answer, and ask each time whether it is still the same. */
function revalidated(reply: FastifyReply, type: string): FastifyReply {
  return reply.header("cache-control", "no-cache").type(`${type}; charset=utf-8`);
}

/** The document stands in the page as data, which no browser runs. */
function pageOf(document: OpenApiDocument): string {
  const { title, version } = document.info;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} ${version}</title>
</head>
<body>
<noscript>This page needs JavaScript. The endpoints are in <a href="openapi.json">openapi.json</a>, too.</noscript>
<script id="api-reference" type="application/json" data-configuration="${SETTINGS.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">
${JSON.stringify(document).replaceAll("<", "\\u003c")}
</script>
<script src="docs/reference.js"></script>
</body>
</html>
`;
}

function modelChapter(models: readonly Model[]): string {
  const kinds = GENERATION_TYPES.flatMap((type) => {
    const ofType = models.filter((model) => model.type === type);
    const title = { image: "Images", video: "Videos", music: "Music" }[type];
    return ofType.length === 0 ? [] : [`## ${title}`, ...ofType.map(modelPart)];
  });
  return [
    "# Models",
    "As `GET /models` lists them now. Their order and content may change: read the list before you integrate a model.",
    ...kinds,
  ].join("\n\n");
}

function modelPart({ type, model_key, title, about, price_rub, parameters }: Model): string {
  const unit = {
    image: "for one image",
    video: "for one video, without sound and at standard speed",
    music: "for one job",
  };
  const lines = Object.entries(parameters).flatMap(([name, parameter]) =>
    parameter === null ? [] : [parameterLine(name, parameter)],
  );
  return [
    `### ${plain(title)}`,
    `${code(model_key)}${about ? `: ${plain(about.en)}` : ""}`,
    `Rubles ${unit[type]}:`,
    priceTable(price_rub, type === "video" ? " s" : ""),
    lines.join("\n"),
  ].join("\n\n");
}

function parameterLine(name: string, parameter: ModelParameter): string {
  const { type, required, values, min, max, default: standard, note } = parameter;
  const unit = {
    string: " characters",
    "array<string>": max === 1 ? " element" : " elements",
    number: "",
    integer: "",
    boolean: "",
  };
  const facts = [
    values && `${values.length === 1 ? "only" : "one of"} ${values.map(code).join(", ")}`,
    max !== undefined && `${min === undefined ? "at most" : `${min} to`} ${max}${unit[type]}`,
    standard !== undefined && standard !== null && `default ${code(standard)}`,
  ];
  const told = [facts.filter(Boolean).join("; "), note ? prose(note) : ""].filter(Boolean).join(". ");
  return `- ${code(name)} (${plain(type)}${required ? ", required" : ""})${told && ": "}${told}`;
}

/** A price table of any shape of section 2.2. */
function priceTable(prices: PriceTable, unit: string): string {
  if (typeof prices === "number") return `**${prices}\u00a0₽**`;
  const all = pricesIn(prices).map(({ path, rubles }) => ({
    row: path.slice(0, -1).join(", "),
    column: path.at(-1) ?? "",
    rubles,
  }));
  const columns = [...new Set(all.map(({ column }) => column))];
  const isDeep = all.some(({ row }) => row !== "");
  return table(
    [...(isDeep ? ["₽"] : []), ...columns.map((name) => plain(`${name}${unit}`))],
    [...Map.groupBy(all, ({ row }) => row)].map(([row, priced]) => [
      ...(isDeep ? [plain(row)] : []),
      ...columns.map((name) => String(priced.find(({ column }) => column === name)?.rubles ?? "—")),
    ]),
  );
}

const ERROR_CHAPTER = [
  "# Errors",
  "An error has `ok` false and its code in `error`. Those of the server (a path or method that is unknown, a URL or " +
    "headers that are too long, an internal error) may answer any request.",
  "Extensions of this service: `message` says in English what is wrong, for developers, and `param` names the field " +
    "at fault where it is one, as the request has it, or the canonical one where a service refuses a value. So are the codes `content_refused`, `account_banned` and those " +
    "of `Idempotency-Key`.",
  Object.entries(API_ERRORS)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([name, { status, meaning }]) => `- ${code(name)} (${status}): ${prose(meaning)}`)
    .join("\n"),
].join("\n\n");

function limitChapter(rateLimitPerMinute: number): string {
  const rows = [
    ["Body of a POST", `${BODY_BYTES_MAX / MEGABYTE} MB of JSON in UTF-8; above it \`payload_too_large\``],
    [
      `Bodies over ${SMALL_BODY_BYTES / 1024} KB at once`,
      `${ACCOUNT_BODY_BYTES_MAX / MEGABYTE} MB of one account, above it \`rate_limited\`; ` +
        `${ALL_BODY_BYTES_MAX / MEGABYTE} MB of all, above it \`service_unavailable\``,
    ],
    ["URL", `${URL_LENGTH_MAX} characters`],
    [
      "POSTs of one account, whatever its keys",
      rateLimitPerMinute > 0 ? `${rateLimitPerMinute} a minute; above it \`rate_limited\`` : "Not limited",
    ],
    ["`prompt`", "As long as the model says, in characters"],
    ["`count`", "1 to 4 images a request"],
    ["`reference_urls`", "As many as the model says; the rest is cut"],
    [
      "Music texts",
      "`title` 120, `description` 8 to 1500, `lyrics` 20 to 4000, `custom_style` 700 characters",
    ],
    ["Music weights", "0 to 1, two decimals"],
    ["Signed links", "Valid for 1 hour"],
  ];
  return `# Limits\n\n${table(["What", "Limit"], rows)}`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Words with the Markdown of a note: code between backticks. */
function prose(text: string): string {
  return text
    .split("`")
    .map((part, at) => (at % 2 === 0 ? plain(part) : code(part)))
    .join("");
}

/** Words without any meaning in Markdown or HTML. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]()<>#+\-.!|~&:@/"'^$=]/g, "\\$&");
}

/** A value as code, in a fence that is longer than what it has of backticks. */
function code(value: unknown): string {
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " ");
  const fence = "`".repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  const inside = text.replaceAll("|", "\\|");
  return text === ""
    ? "(empty)"
    : text.includes("`")
      ? `${fence} ${inside} ${fence}`
      : fence + inside + fence;
}
