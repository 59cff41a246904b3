// Reads and validates the settings of API checks.
import type { JsonObject } from '#domain/json.ts';
import type { HttpKind } from '../../parts/http/plan.ts';
import { type HttpSettings, httpSources, noDefaults, readDefaults, withoutEmptyAuth } from '../../parts/http/schema.ts';
import { readerOf } from '../../schema.ts';
import { apiSchema } from './schema.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { domainProblem } from '../../parts/connection/named-certificate.ts';
import { framing, urlProblem } from '../../parts/http/request.ts';
import type { SettingsProblem } from '../../kind.ts';
import { hasPlaceholder } from '../../parts/placeholders.ts';

const read = readerOf(apiSchema);

export function readSettings(settings: JsonObject): HttpSettings {
  const { request, ...others } = read(settings);
  return { ...withoutEmptyAuth(request), ...others };
}

export const http: HttpKind = {
  read: readSettings,
  defaultsOf: (group) => (group === null ? noDefaults : readDefaults(group.apiCheckDefaults)),
  sources: httpSources,
};

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Returns all problems with their paths; empty if valid. Values of variables are not known yet. */
export function validateApiSettings(settings: JsonObject): SettingsProblem[] {
  const read = readSettings(settings);
  const problems: SettingsProblem[] = [];
  const report = (path: string, message: string | null): void => {
    if (message !== null) problems.push({ path, message });
  };
  report('request.url', urlProblem(read.url));
  for (const [index, { key }] of read.headers.entries()) report(`request.headers[${index}].key`, headerProblem(key));
  report('sslCheckDomain', domainProblem(read.sslCheckDomain ?? ''));
  problems.push(...assertionProblems(read.assertions, httpSources, 'request.assertions'));
  return [...problems, ...timeProblems(read)];
}

function headerProblem(name: string): string | null {
  if (name === '' || hasPlaceholder(name)) return null;
  if (!headerName.test(name.trim())) return `"${name}" is not a header name`;
  return framing.has(name.trim().toLowerCase()) ? `${name} is set by Tocsin` : null;
}
