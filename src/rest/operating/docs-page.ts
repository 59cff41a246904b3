// The page at /docs: the OpenAPI document, to be read by people. Made once, at start.
import type { JsonSchema } from '#contract/json-schemas.ts';
import { type Html, html, page } from '../html.ts';
import { bounds, schemaTable, schemaType, words } from './schema-table.ts';

interface Described {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly 'x-beta'?: boolean;
  readonly 'x-permission'?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { $ref?: string; description?: string; content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;

interface Place extends Described {
  readonly method: string;
  readonly path: string;
}

interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

/** What holds for every operation that asks for a key, and is told once: how to name the account, and what refuses. */
const ofKeys = { parameter: 'x-service-account', responses: ['Unauthorized', 'Forbidden', 'TooManyRequests'] };

/** The page of a document made by `openApiDocument`. */
export function docsPage(document: JsonSchema): string {
  // The document is our own: its shape is that of contract/openapi.ts.
  const { info, servers, tags, paths, components } = document as unknown as {
    info: { title: string; version: string; description: string };
    servers: readonly [{ url: string }];
    tags: readonly { name: string }[];
    paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
    components: Components;
  };
  const places: Place[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  );
  const sections = tags.map(({ name }) => ({ name, places: places.filter((place) => place.tags[0] === name) }));
  const schemas = Object.entries(components.schemas);
  return page(
    `${info.title} API`,
    html`<div class="docs">
      <nav aria-label="Operations">
        <a href="#top"><strong>${info.title} API</strong></a>
        ${sections.map(
          ({ name, places }) =>
            html`<b>${name}</b>${places.map((place) => html`<a href="#${place.operationId}">${place.summary}</a>`)}`,
        )}
        <b>Schemas</b>${schemas.map(([name]) => html`<a href="#schema-${name}">${name}</a>`)}
      </nav>
      <main id="top">
        <h1>${info.title} API</h1>
        <p class="soft">
          Version ${info.version} · <a href="/v1/openapi.json">OpenAPI 3.1 document</a> · ${servers[0].url}
        </p>
        ${paragraphs(info.description)} ${ofEveryKey(places, components)}
        ${sections.map(
          ({ name, places }) =>
            html`<h2>${name}</h2>
              ${places.map((place) => operationCard(place, servers[0].url, components))}`,
        )}
        <h2>Schemas</h2>
        ${schemas.map(
          ([name, schema]) =>
            html`<section class="card" id="schema-${name}">
              <h3>${name}</h3>
              ${paragraphs(words(schema['description']))}${schemaTable(schema)}
            </section>`,
        )}
      </main>
    </div>`,
  );
}

/** Paragraphs, and `code` between back quotes. */
function paragraphs(text: string): Html[] {
  return text
    .split('\n\n')
    .filter((each) => each !== '')
    .map((each) => html`<p>${inline(each)}</p>`);
}

function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** What is left out at the operations. */
function ofEveryKey(places: readonly Place[], { responses }: Components): Html {
  const keyed = places.find((place) => place['x-permission'] !== undefined);
  const parameters = keyed?.parameters.filter(({ name }) => name === ofKeys.parameter) ?? [];
  const answers = Object.entries(keyed?.responses ?? {}).filter(([, { $ref }]) => isOfKeys($ref));
  return html`<section class="card" id="every-operation">
    <h3>Every operation with a key</h3>
    <h4>Parameters</h4>
    ${parameterTable(parameters)}
    <h4>Answers</h4>
    ${answerTable(answers, responses)}
  </section>`;
}

function isOfKeys($ref: string | undefined): boolean {
  return $ref !== undefined && ofKeys.responses.includes(nameOf($ref));
}

function nameOf($ref: string): string {
  return $ref.split('/').at(-1) ?? '';
}

/** The fields of a body, in place also where the schema has a name. */
function bodyTable(schema: JsonSchema, { schemas }: Components): Html {
  const { $ref } = schema;
  const named = typeof $ref === 'string' ? schemas[nameOf($ref)] : undefined;
  return named === undefined
    ? schemaTable(schema)
    : html`<p>${schemaType(schema)}</p>
        ${schemaTable(named)}`;
}

function operationCard(place: Place, server: string, components: Components): Html {
  const body = place.requestBody?.content['application/json'];
  const parameters = place.parameters.filter(({ name }) => name !== ofKeys.parameter);
  const answers = Object.entries(place.responses).filter(([, { $ref }]) => !isOfKeys($ref));
  return html`<section class="card" id="${place.operationId}">
    <div class="head">
      <span class="method ${place.method}">${place.method}</span><code class="path">${place.path}</code>
      <span class="chip">${place['x-permission'] ?? 'no key'}</span>
      ${place['x-beta'] && html`<span class="chip strong">beta</span>`}
      ${place.deprecated && html`<span class="chip strong">deprecated</span>`}
    </div>
    <h3>${place.summary}</h3>
    ${paragraphs(place.description ?? '')}
    ${
      parameters.length > 0 &&
      html`<h4>Parameters</h4>
        ${parameterTable(parameters)}`
    }
    ${
      body &&
      html`<h4>Body</h4>
        ${bodyTable(body.schema, components)}`
    }
    <h4>Answers</h4>
    ${answerTable(answers, components.responses)}
    <details>
      <summary>curl</summary>
      <pre>${curlOf(place, server, body?.example)}</pre>
    </details>
  </section>`;
}

function parameterTable(parameters: Place['parameters']): Html {
  return html`<table class="fields">
    ${parameters.map(
      ({ name, in: where, required, description, schema }) =>
        html`<tr>
          <td><code>${name}</code> ${required && html`<span class="need" title="required">*</span>`}</td>
          <td>
            <span class="soft">${where} · ${schemaType(schema)}${bounds(schema)}</span>
            ${description !== undefined && html`<br />${inline(description)}`}
          </td>
        </tr>`,
    )}
  </table>`;
}

function answerTable(
  answers: readonly (readonly [status: string, answer: Described['responses'][string]])[],
  shared: Components['responses'],
): Html {
  const rows = answers.map(([status, { $ref, description, content }]) => {
    const text = $ref === undefined ? description : shared[nameOf($ref)]?.description;
    const media = Object.entries(content ?? {})[0];
    const shape = status < '300' && media && html` Answers with ${answerShape(...media)}.`;
    return html`<tr>
      <td><code>${status}</code></td>
      <td>${inline(text ?? '')}${shape}</td>
    </tr>`;
  });
  return html`<table class="codes">
    ${rows}
  </table>`;
}

/** What an answer holds, as it ends a sentence. */
function answerShape(media: string, { schema }: Content[string]): Html {
  if (media === 'application/octet-stream') return html`a file`;
  if (media !== 'application/json') return html`${media}`;
  const article = { array: 'a ', object: 'an ' }[words(schema['type'])] ?? '';
  return html`${article}${schemaType(schema)}`;
}

function curlOf(place: Place, server: string, example: unknown): string {
  const query = place.parameters.filter((each) => each.in === 'query' && each.required).map((each) => `${each.name}=…`);
  const lines = [
    `curl${place.method === 'GET' ? '' : ` -X ${place.method}`} '${server}${place.path}${query.length > 0 ? `?${query.join('&')}` : ''}'`,
  ];
  if (place['x-permission'] !== undefined) lines.push("-H 'authorization: Bearer <API_KEY>'");
  if (example !== undefined) {
    lines.push(
      "-H 'content-type: application/json'",
      `-d '${JSON.stringify(example, null, 2).replaceAll("'", String.raw`'\''`)}'`,
    );
  }
  return lines.join(' \\\n  ');
}
