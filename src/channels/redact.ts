/** Masks the values of locked variables and headers in requests and attempts. */
import type { Message, SendOutcome } from '#domain/deliveries/delivery.ts';
import { mask } from '#domain/deliveries/shown-url.ts';
import type { TemplateValue, TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { createMasker } from '#lib/text-masker.ts';
import { decodedUriPart } from '#lib/net/uri.ts';
import Handlebars from 'handlebars';
import type { ChannelKind } from './kind.ts';
import { headerText } from './templates/text-helpers.ts';
import { reshapes } from './templates/reshaping.ts';

/** Replaces a text in which a locked value might go unrecognized. */
export const withheld =
  'Not shown: the template transforms a locked variable with a helper, so its value cannot be masked.';
/** Replaces the response to such a request. */
export const withheldAnswer =
  'Not shown: a template of this channel transforms a locked variable with a helper, and the response may repeat it.';

/** What to mask. */
export interface Locked {
  /** Values of locked and secret variables. */
  readonly values: readonly string[];
  /** Lower case. */
  readonly headers: ReadonlySet<string>;
  readonly queryParameters: ReadonlySet<string>;
  /** Parts (`url`, `body`, `header <name>`) whose template transforms a locked value. */
  readonly reshaped: ReadonlySet<string>;
  /** The same parts, by field path. */
  readonly reshapedFields: ReadonlySet<string>;
}

/** Collects what to mask in a channel's deliveries: also its own secrets, which a response may repeat. */
export function lockedOf(
  { templatesOf }: Pick<ChannelKind, 'templatesOf'>,
  config: JsonObject,
  variables: readonly EnvironmentVariable[],
  secrets: JsonObject = {},
): Locked {
  const hidden = variables.filter(({ locked, secret }) => locked || secret);
  const names = new Set(hidden.map(({ key }) => key));
  const reshaped = templatesOf(config).filter(({ source }) => reshapes(source, names));
  return {
    values: [
      ...hidden.map(({ value }) => value),
      ...Object.values(secrets).filter((value) => typeof value === 'string'),
    ],
    reshaped: new Set(reshaped.map(({ target }) => target)),
    reshapedFields: new Set(reshaped.map(({ path }) => path)),
    headers: new Set(lockedKeys(config['headers']).map((key) => key.toLowerCase())),
    queryParameters: new Set(lockedKeys(config['queryParameters'])),
  };
}

function lockedKeys(pairs: JsonValue | undefined): string[] {
  if (!Array.isArray(pairs)) return [];
  return (pairs as readonly JsonObject[]).flatMap(({ key, locked }) =>
    locked === true && typeof key === 'string' ? key : [],
  );
}

/** Returns a copy of a request with masked values (decisions: Log). */
export function redactRequest(request: Message, locked: Locked): Message {
  const hide = hider(request, locked);
  return {
    method: request.method,
    url: locked.reshaped.has('url') ? withheld : hideQuery(hide(request.url), locked, hide),
    headers: hideHeaders(request.headers, locked, hide),
    body: locked.reshaped.has('body') ? withheld : hide(request.body),
  };
}

/** Returns variables with masked values, so that nothing rendered from them needs to be masked. */
export function redactVariables(variables: TemplateVariables, locked: Locked): TemplateVariables {
  const hide = hider(null, locked);
  const hidden = (value: TemplateValue): TemplateValue => {
    if (typeof value === 'string') return hide(value);
    return Array.isArray(value) ? (value as readonly string[]).map(hide) : value;
  };
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, hidden(value)]));
}

/** Returns a copy of an attempt with masked values, including values the receiver echoes. */
export function redactAttempt<A extends SendOutcome>(attempt: A, request: Message | null, locked: Locked): A {
  const hide = hider(request, locked);
  const { response, error } = attempt;
  const isAny = locked.reshaped.size > 0;
  const hideEcho: Hide = isAny ? () => mask : hide;
  return {
    ...attempt,
    headers: hideHeaders(attempt.headers, locked, hide),
    response:
      response === null
        ? null
        : {
            status: response.status,
            headers: Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [name, hideEcho(value)]),
            ),
            body: isAny ? withheldAnswer : hide(response.body),
          },
    error: error === null ? null : { class: error.class, message: isAny ? withheldAnswer : hide(error.message) },
  };
}

/** Masks a template error, which may quote rendered text (docs/decisions/0060). */
export function redactFault(path: string, message: string, locked: Locked): string {
  return locked.reshapedFields.has(path) ? withheld : hider(null, locked)(message);
}

type Hide = (text: string) => string;

function hideHeaders(headers: Message['headers'], locked: Locked, hide: Hide): [string, string][] {
  return headers.map(([name, value]) => {
    const key = name.toLowerCase();
    if (locked.headers.has(key) || hidesInBasic(value, hide)) return [name, mask];
    // User info of the URL becomes a header.
    const isReshaped = locked.reshaped.has(`header ${key}`) || (key === 'authorization' && locked.reshaped.has('url'));
    return [name, isReshaped ? withheld : hide(value)];
  });
}

/** Basic credentials are base64, so decode them first. */
function hidesInBasic(value: string, hide: Hide): boolean {
  const encoded = /^basic\s+(\S+)$/i.exec(value)?.[1];
  if (encoded === undefined) return false;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return hide(text) !== text;
}

function hideQuery(url: string, locked: Locked, hide: Hide): string {
  const question = url.indexOf('?');
  if (question === -1) return url;
  const parts = url.slice(question + 1).split('&');
  const shown = parts.map((part) => {
    const [key = ''] = part.split('=', 1);
    return locked.queryParameters.has(decodedUriPart(key)) ? `${key}=${mask}` : hide(part);
  });
  return `${url.slice(0, question)}?${shown.join('&')}`;
}

/** Rendered values of locked headers and query parameters, to recognize them elsewhere. */
function renderedValues(request: Message | null, locked: Locked): string[] {
  if (request === null) return [];
  const fromHeaders = request.headers
    .filter(([name]) => locked.headers.has(name.toLowerCase()))
    .map(([, value]) => value);
  const { searchParams } = new URL(request.url);
  return [...fromHeaders, ...[...locked.queryParameters].flatMap((key) => searchParams.getAll(key))];
}

/** Returns a function that masks each value, in any case and in its encoded forms (HTML, URL, JSON). */
function hider(request: Message | null, locked: Locked): Hide {
  const forms = new Set([...locked.values, ...renderedValues(request, locked)].flatMap(formsOf));
  forms.delete('');
  if (forms.size === 0) return (text) => text;
  return createMasker(forms, mask);
}

function formsOf(value: string): string[] {
  const wellFormed = value.toWellFormed();
  const escaped = Handlebars.escapeExpression(value);
  return [
    value,
    escaped,
    headerText(value),
    headerText(escaped),
    encodeURIComponent(wellFormed),
    encodeURI(wellFormed),
    JSON.stringify(value).slice(1, -1),
    new URLSearchParams([['', wellFormed]]).toString().slice(1),
  ];
}
