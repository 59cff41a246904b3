// Warns about valid settings of HTTP checks that have no useful effect.
import type { JsonObject } from '#domain/json.ts';
import type { AssertionSettings } from '../assertions/assertion.ts';
import { assertionWarnings, targetOf } from '../assertions/validate.ts';
import type { SettingsProblem } from '../../kind.ts';
import { type HttpSettings, plainRequest, readDefaults } from './schema.ts';

/**
 * Warnings for the settings of an HTTP check.
 *
 * @param at path of the request
 */
export function httpWarnings(read: HttpSettings, shouldFail: boolean, at = 'request'): SettingsProblem[] {
  const path = `${at}.assertions`;
  const ofAssertions = read.assertions.flatMap((assertion, index) => {
    const message = statusWarning(assertion, read.followRedirects, shouldFail) ?? bodyWarning(assertion, read.method);
    return message === null ? [] : [{ path: `${path}[${index}]`, message }];
  });
  const seen = new Set(ofAssertions.map((warning) => warning.path));
  const others = assertionWarnings(read.assertions, path, read.maxResponseTime).filter((each) => !seen.has(each.path));
  return [...ofAssertions, ...others, ...requestWarnings(read, at)];
}

const failsAnyway = 'a status of 400 or more fails the check unless shouldFail is true';

function statusWarning(assertion: AssertionSettings, followRedirects: boolean, shouldFail: boolean): string | null {
  const status = targetOf(assertion);
  if (assertion.source !== 'STATUS_CODE' || status === null) return null;
  const { comparison } = assertion;
  if (comparison === 'EQUALS') {
    if (!Number.isInteger(status) || status < 100 || status > 999) return 'never holds: no status has this value';
    if (status >= 400) return shouldFail ? null : `can never pass: ${failsAnyway}`;
    return followRedirects && [301, 302, 303, 307, 308].includes(status)
      ? 'is compared with the status after redirects: set followRedirects to false to see the redirect itself'
      : null;
  }
  if (comparison === 'GREATER_THAN' && status >= 399) return shouldFail ? null : `can never pass: ${failsAnyway}`;
  if (comparison === 'LESS_THAN' && status <= 100) return 'never holds: every status is at least 100';
  const allowsErrors = comparison === 'LESS_THAN' && status > 400;
  return allowsErrors && !shouldFail ? `does not allow a status of 400 or more: ${failsAnyway}` : null;
}

function bodyWarning({ source }: AssertionSettings, method: string): string | null {
  const isOfBody = source === 'JSON_BODY' || source === 'TEXT_BODY';
  return isOfBody && method === 'HEAD' ? 'checks a body, but the response to HEAD has none: use GET' : null;
}

function requestWarnings({ body, bodyType, headers, basicAuth }: HttpSettings, at: string): SettingsProblem[] {
  const warnings: SettingsProblem[] = [];
  if (body !== '' && bodyType === 'NONE') {
    warnings.push({ path: `${at}.body`, message: 'is not sent: bodyType is NONE' });
  }
  for (const [index, { key }] of headers.entries()) {
    const name = key.trim().toLowerCase();
    const path = `${at}.headers[${index}]`;
    if (name === 'authorization' && basicAuth !== null) {
      warnings.push({ path: `${at}.basicAuth`, message: `is not sent: ${path} sets the same header` });
    }
  }
  return warnings;
}

/** Warnings for assertions inherited from the group. */
export function inheritedWarnings(
  read: HttpSettings,
  shouldFail: boolean,
  apiCheckDefaults: JsonObject | null,
): SettingsProblem[] {
  if (apiCheckDefaults === null) return [];
  const { assertions } = readDefaults(apiCheckDefaults);
  const inherited = { ...read, assertions, body: '', headers: [], basicAuth: null };
  return httpWarnings(inherited, shouldFail, 'apiCheckDefaults');
}

/** Warnings for group defaults, independent of any check. */
export function defaultsWarnings(apiCheckDefaults: JsonObject): SettingsProblem[] {
  const noLimit = { degradedResponseTime: Number.POSITIVE_INFINITY, maxResponseTime: Number.POSITIVE_INFINITY };
  const request = { ...plainRequest, ...readDefaults(apiCheckDefaults), sslCheckDomain: null, ...noLimit };
  return httpWarnings(request, false, 'apiCheckDefaults');
}
