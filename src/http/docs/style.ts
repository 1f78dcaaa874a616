export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #15171b);
  --side: light-dark(#f6f6f3, #1b1d22);
  --well: light-dark(#f5f6f8, #1e2127);
  --ink: light-dark(#1e2126, #e6e7ea);
  --soft: light-dark(#5a606b, #a3a9b4);
  --line: light-dark(#e2e4e8, #31353d);
  --accent: light-dark(#2450b8, #8fb1ff);
  --mark: light-dark(#fff4cc, #3b3415);
  --get: light-dark(#17693c, #6fd497);
  --post: light-dark(#8a4b00, #f2b264);
  --string: light-dark(#17693c, #9bd8a8);
  --number: light-dark(#9b3210, #f0a884);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace;
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif;
  scroll-padding-top: 1rem;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: break-word; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--accent);
  color: var(--paper); border-radius: 0 0 8px 8px; z-index: 2; }
.skip:focus { top: 0; }

.layout { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); }
.side { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1.25rem 3rem;
  background: var(--side); border-right: 1px solid var(--line); font-size: .875rem; }
.brand { margin: 0 0 1.25rem; font-weight: 650; font-size: 1rem; }
.toc, .toc ul { list-style: none; margin: 0; padding: 0; }
.toc > li { margin-bottom: .9rem; }
.toc > li > a { font-weight: 600; color: var(--ink); }
.toc ul { margin-top: .2rem; }
.toc li li a { display: block; padding: .08rem .5rem; margin-left: -.5rem; border-radius: 6px; color: var(--soft); }
.toc li li a:hover { background: var(--line); color: var(--ink); text-decoration: none; }
main { max-width: 64rem; width: 100%; margin: 0 auto; padding: 2.5rem 3rem 6rem; }
.contents { display: none; }

h1 { margin: 0 0 1rem; font-size: 2.1rem; line-height: 1.2; letter-spacing: -.02em; }
h1 small, .brand small { color: var(--soft); font-weight: 400; }
h2 { margin: 4rem 0 1rem; padding-top: 1.5rem; border-top: 1px solid var(--line); font-size: 1.6rem;
  line-height: 1.25; letter-spacing: -.01em; }
h3 { margin: 2.75rem 0 .6rem; font-size: 1.25rem; line-height: 1.3; }
h4 { margin: 1.9rem 0 .6rem; font-size: 1rem; }
h5 { margin: 1.6rem 0 .5rem; font-size: .9375rem; color: var(--soft); }
h2 a, h3 a, h5 a { color: inherit; }
h2 a:hover::after, h3 a:hover::after, h5 a:hover::after { content: " #"; color: var(--soft); }
:is(h2, h3, h5):target > a, tr:target > * { background: var(--mark); }
p, ul, ol { margin: .6rem 0; }
main p, main li { max-width: 46rem; }
ul, ol { padding-left: 1.4rem; }
li { margin: .25rem 0; }
.after { color: var(--soft); }
.operation + .operation { margin-top: 4rem; }

code { font: .86em/1.5 var(--mono); background: var(--well); padding: .1em .35em; border-radius: 5px;
  overflow-wrap: anywhere; }
th code, .toc code, summary code, a code { background: none; padding: 0; }
.code { margin: .75rem 0; min-width: 0; border: 1px solid var(--line); border-radius: 10px; overflow: hidden;
  background: var(--well); }
.code figcaption { padding: .35rem .9rem; border-bottom: 1px solid var(--line); font-size: .78rem;
  color: var(--soft); }
pre { margin: 0; padding: .8rem .9rem; overflow: auto; max-height: 27rem; font-size: .84rem; line-height: 1.55;
  white-space: pre-wrap; overflow-wrap: anywhere; }
pre:focus-visible { outline-offset: -2px; border-radius: 0 0 10px 10px; }
pre code { font-size: inherit; background: none; padding: 0; }
.k { color: var(--accent); }
.s { color: var(--string); }
.n { color: var(--number); }
.examples { display: grid; gap: .25rem 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr));
  align-items: start; }
.examples .code { margin: .25rem 0; }

.route { font-size: 1rem; }
.route code { background: none; padding: 0; font-weight: 600; font-size: .95em; }
.method { font: 700 .68rem/1 var(--mono); color: var(--get); border: 1px solid; padding: .2em .45em;
  border-radius: 5px; vertical-align: .1em; }
.method.post { color: var(--post); }
.key { margin-left: .5rem; padding-left: .75rem; border-left: 1px solid var(--line); color: var(--soft);
  font-size: .85rem; }

table { width: 100%; border-collapse: collapse; font-size: .9rem; line-height: 1.5; }
caption { padding: 1.1rem 0 .4rem; text-align: left; color: var(--soft); font-size: .875rem; }
th, td { padding: .5rem .75rem .5rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--soft); font-size: .78rem; padding-block: .3rem; }
table code { font-size: .9em; }
tbody th code { font-weight: 600; }
th small { display: block; color: var(--soft); }
.fields th:first-child { width: 23%; }
.fields th:nth-child(2) { width: 17%; }
.with-need th:nth-child(3) { width: 11%; }
.aliases th:first-child { width: 27%; }
.errors th:first-child { width: 4.5rem; }
.errors th:nth-child(2) { width: 33%; }
.errors .status { font-variant-numeric: tabular-nums; }
.catalogue th:first-child { width: 26%; }
.catalogue th:nth-child(2) { width: 6.5rem; }
.price { white-space: nowrap; }
.catalogue th[scope="row"] a { display: block; font-weight: 600; }
.catalogue th[scope="row"] code { color: var(--soft); font-weight: 400; }
td > span { display: block; }
.constraints { color: var(--soft); font-size: .95em; }
.type, .need { color: var(--soft); }
.scroll { overflow-x: auto; }
.prices { width: auto; font-variant-numeric: tabular-nums; }
.prices :is(th, td) { padding-right: 1.75rem; white-space: nowrap; }
.model { margin: .6rem 0; border: 1px solid var(--line); border-radius: 10px; }
.catalogue + .model { margin-top: 1.25rem; }
.model summary { padding: .6rem .9rem; cursor: pointer; }
.model summary .title { font-weight: 600; margin-right: .4rem; }
.model summary code { color: var(--soft); }
.model .inside { padding: 0 1rem .75rem; scroll-margin-top: 4rem; }
.model h4 { margin-top: 1rem; }
.model tbody tr:last-child > * { border-bottom: 0; }

@media (max-width: 60rem) {
  .layout { display: block; }
  .side { display: none; }
  main { padding: 1.5rem 1.1rem 4rem; }
  .contents { display: block; margin: 1rem 0; border: 1px solid var(--line); border-radius: 10px;
    background: var(--side); }
  .contents summary { padding: .65rem .9rem; cursor: pointer; font-weight: 600; }
  .contents nav { padding: 0 1rem .25rem; }
  .toc li li a { padding-block: .4rem; }
}
@media (max-width: 40rem) {
  h1 { font-size: 1.7rem; }
  h2 { margin-top: 3rem; font-size: 1.4rem; }
  .key { display: block; margin: .3rem 0 0; padding: 0; border: 0; }
  :is(.fields, .aliases, .errors, .catalogue) thead { position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%); }
  :is(.fields, .aliases, .errors, .catalogue) :is(tbody, caption) { display: block; }
  :is(.fields, .aliases, .errors, .catalogue) tbody tr { display: flex; flex-wrap: wrap; gap: .1rem .75rem;
    padding: .6rem 0; border-bottom: 1px solid var(--line); }
  :is(.fields, .aliases, .errors, .catalogue) tbody tr > :is(th, td):nth-child(n) { display: block; width: auto;
    padding: 0; border: 0; }
  :is(.fields, .aliases, .errors, .catalogue) tbody tr > :last-child { flex: 1 0 100%; }
  .errors .status { color: var(--soft); }
  .catalogue tbody th { margin-right: auto; }
  .need::before { content: "required: "; }
  .price::after { content: "\\00a0₽"; }
  th small { display: inline; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  :root { color-scheme: light; font-size: 10.5pt; }
  .side, .contents, .skip { display: none; }
  .layout { display: block; }
  main { max-width: none; padding: 0; }
  pre { max-height: none; }
  .examples { display: block; }
  tr, .code { break-inside: avoid; }
  h2, h3, h4, h5 { break-after: avoid; }
  .model::details-content { content-visibility: visible; block-size: auto; }
}
`;
