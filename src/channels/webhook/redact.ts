/** Hides the values of locked variables and headers wherever a request or an attempt is shown. */
import type { RenderedRequest, SendOutcome } from '#domain/delivery.ts';
import type { EnvironmentVariable } from '#domain/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import Handlebars from 'handlebars';
import { readConfig } from './config.ts';

/** What stands in the place of a hidden value. */
export const mask = '********';

/** What must not be shown. */
export interface Locked {
  /** Values of locked and secret variables. */
  readonly values: readonly string[];
  /** Lower case. */
  readonly headers: ReadonlySet<string>;
  readonly queryParameters: ReadonlySet<string>;
}

/** What must not be shown of a channel's deliveries: its locked pairs, and the variables that may stand in its templates. */
export function lockedOf(config: JsonObject, variables: readonly EnvironmentVariable[]): Locked {
  const { headers, queryParameters } = readConfig(config);
  return {
    values: variables.filter(({ locked, secret }) => locked || secret).map(({ value }) => value),
    headers: new Set(headers.filter(({ locked }) => locked).map(({ key }) => key.toLowerCase())),
    queryParameters: new Set(queryParameters.filter(({ locked }) => locked).map(({ key }) => key)),
  };
}

/** A copy of a request that may be shown (decisions: Log). */
export function redactRequest(request: RenderedRequest, locked: Locked): RenderedRequest {
  const hide = hider(request, locked);
  return {
    method: request.method,
    url: hideQuery(hide(request.url), locked, hide),
    headers: hideHeaders(request.headers, locked, hide),
    body: hide(request.body),
  };
}

/** A copy of an attempt that may be shown: what the receiver echoes is hidden too. */
export function redactAttempt<A extends SendOutcome>(attempt: A, request: RenderedRequest | null, locked: Locked): A {
  const hide = hider(request, locked);
  const { response, error } = attempt;
  return {
    ...attempt,
    headers: hideHeaders(attempt.headers, locked, hide),
    response:
      response === null
        ? null
        : {
            status: response.status,
            headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, hide(value)])),
            body: hide(response.body),
          },
    error: error === null ? null : { class: error.class, message: hide(error.message) },
  };
}

type Hide = (text: string) => string;

function hideHeaders(headers: RenderedRequest['headers'], locked: Locked, hide: Hide): [string, string][] {
  return headers.map(([name, value]) => {
    const isLocked = locked.headers.has(name.toLowerCase()) || hidesInBasic(value, hide);
    return [name, isLocked ? mask : hide(value)];
  });
}

/** Basic credentials are base64: looked into before they are shown. */
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
    return locked.queryParameters.has(decodedQuery(key)) ? `${key}=${mask}` : hide(part);
  });
  return `${url.slice(0, question)}?${shown.join('&')}`;
}

function decodedQuery(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The rendered values of locked headers and query parameters, so that they are recognised elsewhere. */
function renderedValues(request: RenderedRequest | null, locked: Locked): string[] {
  if (request === null) return [];
  const fromHeaders = request.headers
    .filter(([name]) => locked.headers.has(name.toLowerCase()))
    .map(([, value]) => value);
  const { searchParams } = new URL(request.url);
  return [...fromHeaders, ...[...locked.queryParameters].flatMap((key) => searchParams.getAll(key))];
}

/** Replaces each value, as it stands and in the forms that templates, URLs and JSON give it. */
function hider(request: RenderedRequest | null, locked: Locked): Hide {
  const forms = new Set<string>();
  for (const value of [...locked.values, ...renderedValues(request, locked)]) {
    const wellFormed = value.toWellFormed();
    forms.add(value).add(Handlebars.escapeExpression(value)).add(encodeURIComponent(wellFormed));
    forms.add(encodeURI(wellFormed)).add(JSON.stringify(value).slice(1, -1));
    forms.add(new URLSearchParams([['', wellFormed]]).toString().slice(1));
  }
  forms.delete('');
  // The longest first: a value that holds another one must not leave its rest behind.
  const all = [...forms].sort((a, b) => b.length - a.length);
  return (text) => all.reduce((shown, form) => shown.replaceAll(form, mask), text);
}
