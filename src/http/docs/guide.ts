import { BEARER_HEADER, codeBlock, curl } from "./code.js";
import { anchor, type Html, type HtmlContent, html, paragraphs, prose } from "./html.js";

export interface GuidePart {
  id: string;
  title: string;
  content: HtmlContent;
}

const AUTHENTICATION = `Every endpoint but \`GET /health\` needs an API key. A key belongs to one account: it
spends that account's balance and sees that account's jobs. It is shown once, when it is made (with \`/keys\` in
the bot, or by the operator), and can be revoked there at any time.

Send it in the header \`Authorization\` after the word Bearer, or in \`X-API-Key\`. Where both headers are sent,
Bearer decides alone, also when it is empty (\`api_key_required\`) or wrong (\`invalid_api_key\`). Any other
\`Authorization\`, such as Basic or a key without the word Bearer, is ignored, and \`X-API-Key\` counts. Each 401
has the header \`WWW-Authenticate: Bearer\`. A key in the query is not read. Keep keys on your server, outside the
source code.`;

const POLLING = `A submission answers at once with a \`job_id\`. Ask for the job with a pause of 5 seconds, longer
for long generations, until its status is \`done\` or \`error\`. After an answer 429 or a failure of the network,
make the pause longer and go on: a GET costs nothing.

Never repeat a POST automatically without an \`Idempotency-Key\`: each one may be a new paid job, also when the
connection broke before its answer came. Ending the wait on your side does not cancel the job.`;

const IDEMPOTENCY = `The header \`Idempotency-Key\` is an extension of this service. Send it with a POST, with a value
that you make for this one request (1 to 255 printable ASCII characters, best a random UUID), and repeat the POST with
the same key and the same body until it is answered: it is accepted and charged at most once.

A key belongs to the account and is remembered for 24 hours from the acceptance; every answer of the API says so in
the header \`Idempotency-Key-Retention: 86400\`. Within that time the same body gets the same answer again, with
\`Idempotent-Replayed: true\`, whatever has become of its jobs since. Bodies are compared as JSON: neither the order of
the names nor spaces count. Another body is refused with \`idempotency_key_reused\`, and a key whose first request is
not answered yet with \`idempotency_key_in_use\`.

Only acceptances are remembered. After a refusal, a 429 or a 503 the key is free: put the request right or wait, and
send it with the same key.`;

const STATUSES: readonly (readonly [string, string])[] = [
  ["queued", "Accepted and charged; waits for a free slot"],
  ["generating", "Is being made"],
  ["done", "The file is there: download `result.url`, for music every element of `result.tracks`"],
  [
    "error",
    "It failed, `error` says why, and `refunded` whether the cost was given back. The HTTP status is 200",
  ],
];

const REFUNDS = `A job that ends in \`error\` is refunded in full and at once, unless the operator has disabled
refunds: \`refunded\` in the job says which. \`cost_rub\` still shows what the job cost. With a \`count\`
above 1 each image is a separate job, so only the failed ones are refunded. \`refunded\` is an extension of
this service and appears in failed jobs only.`;

const VIDEO_LINKS = `A video takes a start frame, an end frame and references, as far as its model has them.
Without \`video_input_mode\`, and with \`frames\`, \`reference_urls\` fill the frames that are missing: the first link
becomes the start frame and the second the end frame, where the model takes that frame. Only what is left are
references. So one or two links in \`reference_urls\` become frames where the model has frames. To have all of them as
references, send \`video_input_mode\` with \`references\`; frames that are given then count beside them.`;

const CHECKS: readonly string[] = [
  "Path, then method: `not_found`, `method_not_allowed`",
  "Key: `api_key_required`, `invalid_api_key`",
  "Rate of POSTs, where the operator limits it: `rate_limited`",
  "Size of the body: `payload_too_large`, and room for it: `rate_limited`, `service_unavailable`",
  "JSON: `invalid_json`",
  "`Idempotency-Key`, where it is sent: `bad_idempotency_key`, `idempotency_key_in_use`, `idempotency_key_reused`",
  "Type: `unsupported_type`",
  "Model: `bad_model`, `bad_video_model`, `bad_music_model`, `model_disabled`, `model_not_supported_via_api`",
  "Prompt: `prompt_required`, `prompt_too_long`; for music its text and style: `bad_music_description`, " +
    "`bad_music_lyrics`, `bad_music_style`",
  "Generation mode: `bad_generation_mode`",
  "Aspect ratio: `bad_aspect_ratio`",
  "Duration: `bad_duration_sec`",
  "References: `bad_reference_url`, `reference_required`, `reference_url_must_be_https`, " +
    "`reference_url_not_allowed`",
  "Ban, where the operator has set one: `account_banned`",
  "Words, where the operator has rules for them: `content_refused`",
  "Price and balance: `insufficient_funds`",
];

const READING: readonly string[] = [
  "`null`, an empty text and a text of spaces count as absent, for every parameter and its other names.",
  "A canonical name that is present wins over its aliases.",
  "Texts are trimmed before they are counted. Lengths count Unicode code points.",
  "What a model lacks is ignored when it is sent. What is unknown in a list of values means the default, " +
    "except where an error of its own says otherwise.",
  "`count` is rounded down and clamped to 1 to 4. Numbers may be sent as texts.",
  "Booleans may be sent as true/false, 1/0, yes/no or on/off; another word means the default.",
];

const LINKS = `Results are links to files under \`/files\`, signed for 1 hour from the answer that showed them.
Anyone with such a link can read its file until it expires; an expired or altered link gets a 403. Every GET
of the job returns newly signed links. Files can be read in parts (\`Range\`).

The files of old jobs are removed after a time that the operator sets: the job stays, and its links are \`null\`.`;

const REFERENCES = `References and frames are links to pictures that anybody can read over HTTPS, without cookies or
headers of their own. Files, base64 and addresses of local or internal networks are refused. Links above the
model's limit are cut before the others are looked at. An unexpired result link of this service is a
reference too.

A link is judged when it is sent and again when it is read. One that cannot be read then ends the job in
\`error\`.`;

export function guideParts(baseUrl: string): readonly GuidePart[] {
  return [
    part("Base URL", [
      codeBlock("Every path of this page stands below it", baseUrl),
      paragraphs(
        "Every answer is JSON in UTF-8, also an error. A proxy on the way may answer otherwise: look at the HTTP " +
          "status first, then at `error`.",
      ),
    ]),
    part("Authentication", [paragraphs(AUTHENTICATION), keyExamples(baseUrl)]),
    part("Polling", [paragraphs(POLLING), statusTable()]),
    part("Failures and refunds", [paragraphs(REFUNDS)]),
    part("Repeating a POST", [paragraphs(IDEMPOTENCY)]),
    part("Order of checks", [
      paragraphs(
        "A request is judged in this order, and the first failure is the answer. A refused request changes nothing.",
      ),
      html`<ol class="checks">${CHECKS.map((check) => html`<li>${prose(check)}</li>`)}</ol>`,
    ]),
    part("How parameters are read", [html`<ul>${READING.map((rule) => html`<li>${prose(rule)}</li>`)}</ul>`]),
    part("References", [paragraphs(REFERENCES)]),
    part("Frames and references of a video", [paragraphs(VIDEO_LINKS)]),
    part("Signed links", [paragraphs(LINKS)]),
  ];
}

function part(title: string, content: HtmlContent): GuidePart {
  return { id: anchor("guide", title), title, content };
}

function keyExamples(baseUrl: string): Html {
  const call = { url: `${baseUrl}/balance` };
  return html`<div class="examples">
${codeBlock("Bearer", curl({ ...call, keyHeader: BEARER_HEADER }))}
${codeBlock("X-API-Key", curl({ ...call, keyHeader: "X-API-Key: $API_KEY" }))}</div>`;
}

function statusTable(): Html {
  const rows = STATUSES.map(
    ([status, meaning]) =>
      html`<tr><th scope="row"><code>${status}</code></th><td>${prose(meaning)}</td></tr>`,
  );
  return html`<table class="aliases"><thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody></table><p class="after">On any other status, go on polling. A link of a job that is
<code>done</code> may be <code>null</code> for a moment: ask again.</p>`;
}
