// The OpenAPI document and the API reference, which is Swagger UI served from our own files without inline scripts.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openApiInParts } from '#contract/openapi.ts';
import { packageFolder } from '#lib/package-files.ts';
import { createTimeSlices } from '#lib/time-slices.ts';
import { Answer, JsonText, type Route, route } from '../route.ts';
import { notFoundMessage } from '#actions/refusal.ts';

/** Relative URLs, because a reverse proxy may add a prefix. */
const reference = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex, nofollow" />
    <title>Tocsin API</title>
    <link rel="stylesheet" href="docs/reference.css" />
    <script src="docs/reference.js" defer></script>
  </head>
  <body>
    <div id="reference"></div>
    <noscript>The reference needs JavaScript. The same as <a href="v1/openapi.json">OpenAPI document</a>.</noscript>
  </body>
</html>
`;

/** Runs after Swagger UI's own script. Sends no requests to other hosts. */
const start = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: 'v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Next to the bundle, where the build copies it, or else in its package. */
function referenceFile(name: string): string {
  const built = join(import.meta.dirname, 'reference', name);
  if (existsSync(built)) return readFileSync(built, 'utf8');
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return readFileSync(join(folder, name), 'utf8');
}

/** A file that changes only with the version. As bytes, which all responses share. */
function file(type: string, text: string): Answer {
  return new Answer(200, Buffer.from(text), { 'content-type': type, 'cache-control': 'max-age=3600' });
}

/**
 * The routes of the documentation. @param service version and public URL for the document, read at the first request
 */
export function docsRoutes(service: { readonly version: string; readonly server: () => string }): Route[] {
  const inSlices = createTimeSlices();
  let json: Promise<JsonText> | null = null;
  let script: Answer | null = null;
  let style: Answer | null = null;
  let schema: Answer | null = null;
  const pages = new Map<string, Answer>();
  const page = (name: string, read: () => string): Answer => {
    const known = pages.get(name) ?? file('text/plain; charset=utf-8', read());
    pages.set(name, known);
    return known;
  };
  return [
    route('getOpenApi', () => {
      json ??= inSlices('', openApiInParts({ version: service.version, server: service.server() })).then(
        (document) => new JsonText(Buffer.from(JSON.stringify(document))),
      );
      return json;
    }),
    route('getFileSchema', () => {
      schema ??= file('application/schema+json', readFileSync(join(packageFolder, 'docs/schema.json'), 'utf8'));
      return schema;
    }),
    route('getDocsPage', ({ params }) => page(params.page, () => docsPage(params.page))),
    route('getLlmsIndex', () => page('/llms.txt', () => llmsIndex(service.server()))),
    route('getDocs', () => new Answer(200, reference, pageHeaders)),
    route('getDocsScript', () => {
      script ??= file('text/javascript; charset=utf-8', referenceFile('swagger-ui-bundle.js') + start);
      return script;
    }),
    route('getDocsStyle', () => (style ??= file('text/css; charset=utf-8', referenceFile('swagger-ui.css')))),
  ];
}

/** Code, which stays as it is, or a link or image whose target is neither a shipped page nor an address. */
const codeOrForeignLink =
  /(```[\s\S]*?^```|`[^`\n]*`)|!?\[((?:`[^`]*`|[^\]`])*)\]\((?!https?:|mailto:|#|(?:[a-z\d-]+|README)\.md(?:#|\)))[^)]*\)/gm;

/**
 * A page as the package contains it; links to files that it does not contain become their text.
 * @param name checked: it leads to no other folder
 */
function docsPage(name: string): string {
  const path = join(packageFolder, 'docs', name);
  if (!existsSync(path)) throw notFoundMessage(`Page ${name} not found.`);
  return readFileSync(path, 'utf8').replaceAll(codeOrForeignLink, (whole, code: string | undefined, label: string) =>
    code === undefined ? label : whole,
  );
}

/** The index of the pages in the form of llmstxt.org, with absolute links. */
function llmsIndex(publicUrl: string): string {
  const [, ...sections] = docsPage('README.md').split(/^(?=## )/m);
  const shipped = sections
    .filter((section) => !section.startsWith('## Contributing'))
    .map((section) => section.replaceAll(/\]\(([A-Za-z\d-]+\.md)/g, `](${publicUrl}/docs/$1`));
  return `# Tocsin

> Self-hosted synthetic monitoring: runs checks on a schedule, keeps their state, and notifies people when they fail.

This is the documentation of the version that runs at ${publicUrl}. Each page is Markdown. The operations of the API are in
[the OpenAPI document](${publicUrl}/v1/openapi.json). Assistants can connect to ${publicUrl}/mcp
([how](${publicUrl}/docs/agents.md)).

${shipped.join('')}`;
}
