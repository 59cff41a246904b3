// What is wrong with the settings of an API check beyond what the wire schema can say.
import type { JsonObject } from '#domain/json.ts';
import type { SettingsProblem } from '../kind.ts';
import { compileAssertion } from './assertion.ts';
import { fillIn, hasPlaceholder } from './placeholders.ts';
import { type AssertionSettings, methods, readSettings } from './settings.ts';
import { parseTarget } from './target.ts';

const framing: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
]);
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Every problem with its path; empty = the check can be run. What a variable will bring cannot be judged yet. */
export function validateApiSettings(settings: JsonObject): SettingsProblem[] {
  const read = readSettings(settings);
  const problems: SettingsProblem[] = [];
  const tell = (path: string, message: string | null): void => {
    if (message !== null) problems.push({ path, message });
  };
  if (!methods.some((method) => method === read.method)) {
    tell('request.method', `"${read.method}" is not a method: use one of ${methods.join(', ')}`);
  }
  tell('request.url', urlProblem(read.url));
  for (const [index, { key }] of read.headers.entries()) tell(`request.headers[${index}].key`, headerProblem(key));
  for (const [index, assertion] of read.assertions.entries()) {
    tell(`request.assertions[${index}]`, assertionProblem(assertion));
  }
  if (read.degradedResponseTime > read.maxResponseTime && settings['degradedResponseTime'] !== undefined) {
    tell('degradedResponseTime', `${read.degradedResponseTime} is more than maxResponseTime, ${read.maxResponseTime}`);
  }
  return problems;
}

/** Absolute http(s), or beginning with a variable (decisions: Methods, URL). */
function urlProblem(url: string): string | null {
  const right = 'write an absolute http:// or https:// URL, or one that starts with {{NAME}}';
  if (url === '') return `there is no URL: ${right}`;
  if (url.length > 2048) return 'a URL has at most 2048 characters';
  if (/^\s*\{\{/.test(url) && hasPlaceholder(url)) return null;
  const filled = fillIn(url, new Map(), new Set(), () => '1');
  return parseTarget(filled) === null ? `"${url}" is not a URL that can be requested: ${right}` : null;
}

function headerProblem(name: string): string | null {
  if (name === '' || hasPlaceholder(name)) return null;
  if (!headerName.test(name.trim())) return `"${name}" is not a header name`;
  return framing.has(name.trim().toLowerCase()) ? `${name} is set by Tocsin itself` : null;
}

function assertionProblem(assertion: AssertionSettings): string | null {
  const sample = (text: string, value: string): string => (hasPlaceholder(text) ? value : text);
  const compiled = compileAssertion({
    ...assertion,
    target: sample(assertion.target, '0'),
    property: sample(assertion.property, assertion.source === 'JSON_BODY' ? '$' : 'x'),
  });
  return typeof compiled === 'string' ? compiled : null;
}
