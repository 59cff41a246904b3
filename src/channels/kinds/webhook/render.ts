/** Renders the request of a delivery from its channel's templates and variables (decisions: Render once). */
import type { Message } from '#domain/deliveries/delivery.ts';
import type { JsonObject } from '#domain/json.ts';
import { systemVariableNames } from '#domain/deliveries/template-variables.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { userInfoOf } from '#lib/net/uri.ts';
import { limits, Rendering } from '../../templates/budget.ts';
import { compileTemplate } from '../../templates/compile.ts';
import { hasBody, readConfig } from './config.ts';
import type { WebhookConfig } from './config.ts';
import { contextOf, ownsAllNames } from '../../templates/context.ts';
import type { RenderFacts, TemplateContext } from '../../templates/context.ts';
import { headerText } from '../../templates/text-helpers.ts';
import { sizeOf } from '../../templates/text-helpers.ts';
import { inField, quoted, TemplateError } from '../../templates/template-error.ts';

type Render = (path: string, source: string) => string;

/**
 * Renders URL, headers and body (spec §6.2, §6.3; decisions: Webhook templates).
 *
 * @param config stored configuration, already validated
 * @throws TemplateError that names the field; the delivery fails and nothing is sent
 */
export function renderWebhook(config: JsonObject, variables: TemplateVariables, facts: RenderFacts): Message {
  const webhook = readConfig(config);
  const context = contextOf(variables, facts);
  const rendering = new Rendering(facts.createdAt, limits.output, ownsAllNames(context), true, facts.timeZone);
  const render: Render = (path, source) =>
    inField(path, () => {
      const max = path === 'config.template' ? limits.output : limits.line;
      return compileTemplate(source).renderNext(context, rendering, max);
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

/** Body without a template: all variables. Must be the first field that a rendering prints. */
function standardBody({ method }: WebhookConfig, context: TemplateContext, rendering: Rendering): string {
  if (!hasBody(method)) return '';
  // Inapplicable variables are '', so that every receiver sees the same keys.
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

/** Texts up to this length are parsed without checking their brackets first. */
const readAtOnce = 8192;

/** Maximum nesting of JSON that is recognized as such. */
const maxDepth = 10_000;

/** Whether all brackets are balanced and not nested too deeply. A parser takes 20 ms for 100,000 levels. */
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
      if (++depth > maxDepth) return false;
    } else if (char === ']' || char === '}') depth--;
  }
  return depth === 0;
}

/** Whether a text is a single JSON value. */
export function isJson(text: string): boolean {
  // The first character rules out most texts; that is cheaper than a thrown error.
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
  // The HTTP client would drop user info silently (decisions: User-info in a rendered URL).
  const userInfo = userInfoOf(url);
  const authorization = userInfo === null ? null : `Basic ${Buffer.from(userInfo).toString('base64')}`;
  // Each assignment rewrites the whole URL.
  if (authorization !== null) {
    url.username = '';
    url.password = '';
  }
  if (url.href.includes('#')) url.hash = '';
  const pairs = webhook.queryParameters.map(({ key, value }, index) => {
    const rendered = render(`config.queryParameters[${index}].value`, value);
    return `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(rendered.toWellFormed())}`;
  });
  // Joined as text because `searchParams` would re-encode the URL's own query, which may be signed.
  if (pairs.length > 0) url.search = [url.search.slice(1), ...pairs].filter((part) => part !== '').join('&');
  return { url: url.href, authorization };
}

const start = { line: 1, column: 1 };
