/** Makes the one request of a delivery out of its channel's templates and variables (decisions: Render once). */
import type { Message } from '#domain/alerts/delivery.ts';
import type { JsonObject } from '#domain/json.ts';
import { systemVariableNames } from '#domain/alerts/template-variables.ts';
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import { limits, Rendering } from '../../templates/budget.ts';
import { compileTemplate } from '../../templates/compile.ts';
import { hasBody, readConfig } from './config.ts';
import type { WebhookConfig } from './config.ts';
import { contextOf, ownsAllNames } from '../../templates/context.ts';
import type { RenderFacts, TemplateContext } from '../../templates/context.ts';
import { headerText } from '../../templates/header-text.ts';
import { sizeOf } from '../../templates/text-helpers.ts';
import { inField, quoted, TemplateError } from '../../templates/template-error.ts';

type Render = (path: string, source: string) => string;

/**
 * Renders URL, headers and body (spec §6.2, §6.3; decisions: Webhook templates).
 *
 * @param config as stored; what `validateConfig` lets through
 * @throws TemplateError that names the field: the delivery ends as failed, nothing is sent
 */
export function renderWebhook(config: JsonObject, variables: TemplateVariables, facts: RenderFacts): Message {
  const webhook = readConfig(config);
  const context = contextOf(variables, facts);
  const rendering = new Rendering(facts.createdAt, limits.output, ownsAllNames(context));
  const render: Render = (path, source) =>
    inField(path, () => {
      const most = path === 'config.template' ? limits.output : limits.line;
      return compileTemplate(source).renderNext(context, rendering, most);
    });
  const body = webhook.template === null ? standardBody(webhook, context, rendering) : renderBody(webhook, render);
  const { url, authorization } = renderUrl(webhook, render);
  const headers: [string, string][] = webhook.headers.map(({ key, value }, index) => [
    key,
    headerText(render(`config.headers[${index}].value`, value)),
  ]);
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const ours: [string, string][] = [];
  if (hasBody(webhook.method) && !own.has('content-type')) ours.push(['content-type', contentType(webhook, body)]);
  if (!own.has('user-agent')) ours.push(['user-agent', facts.userAgent]);
  if (authorization !== null && !own.has('authorization')) ours.push(['authorization', authorization]);
  return { method: webhook.method, url, headers: [...ours, ...headers], body };
}

function renderBody({ method, template }: WebhookConfig, render: Render): string {
  return template === null || !hasBody(method) ? '' : render('config.template', template);
}

/** The body without a template: every variable. It is the first that a rendering prints. */
function standardBody({ method }: WebhookConfig, context: TemplateContext, rendering: Rendering): string {
  if (!hasBody(method)) return '';
  // Not applicable is '' here, so that every receiver sees the same keys.
  const values = Object.fromEntries(systemVariableNames.map((name) => [name, context[name] ?? '']));
  const body = sizeOf(values) > limits.output ? null : JSON.stringify(values);
  if (body !== null && body.length <= limits.output) {
    rendering.print(start, body);
    return body;
  }
  throw new TemplateError(`the body is longer than ${limits.output / 1024} kB`, start, 'config.template');
}

function contentType({ template }: WebhookConfig, body: string): string {
  return template === null || isJson(body) ? 'application/json' : 'text/plain; charset=utf-8';
}

/** Characters of a text that is parsed without a look at its brackets. */
const readAtOnce = 8192;

/** Arrays and objects within each other that a text may have to be taken for JSON: no receiver reads as many. */
const depthMost = 10_000;

/**
 * Whether a text ends every array and object that it begins, and does not begin too many within each other: a hundred thousand
 * would take a parser twenty milliseconds, to refuse them or not.
 */
function canClose(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '[' || char === '{') {
      if (++depth > depthMost) return false;
    } else if (char === ']' || char === '}') depth--;
  }
  return depth === 0;
}

/** Whether a text is one JSON value. */
export function isJson(text: string): boolean {
  // Most texts that are not JSON show it in their first character, and asking that is cheaper than a thrown error.
  if (!/^\s*["[{\dtfn-]/.test(text) || (text.length > readAtOnce && !canClose(text))) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function renderUrl(webhook: WebhookConfig, render: Render): { url: string; authorization: string | null } {
  const text = render('config.url', webhook.url);
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TemplateError(`${quoted(text, 200)} is not an http or https URL`, start, 'config.url');
  }
  const authorization = basicAuthorization(url);
  // Each of these writes the whole URL anew.
  if (authorization !== null) {
    url.username = '';
    url.password = '';
  }
  if (url.href.includes('#')) url.hash = '';
  const pairs = webhook.queryParameters.map(({ key, value }, index) => {
    const rendered = render(`config.queryParameters[${index}].value`, value);
    return `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(rendered.toWellFormed())}`;
  });
  // Joined as text: searchParams would write the URL's own query anew and break what was signed or encoded on purpose.
  if (pairs.length > 0) url.search = [url.search.slice(1), ...pairs].filter((part) => part !== '').join('&');
  return { url: url.href, authorization };
}

const start = { line: 1, column: 1 };

/** User-info of a URL as a header: the HTTP client would drop it silently (decisions: User-info in a rendered URL). */
function basicAuthorization(url: URL): string | null {
  if (url.username === '' && url.password === '') return null;
  return `Basic ${Buffer.from(`${decoded(url.username)}:${decoded(url.password)}`).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
