// Secrets with recognizable values, and the search for them in what a service puts out.
import assert from 'node:assert/strict';
import { createAuthority } from './targets/certificates.ts';
import { apiKey } from './service/service.ts';

/** The common prefix of its key type is no secret. */
export const identity = createAuthority().issue();

export const canaries = {
  'secret variable': 'canary+account/variable==7Q',
  'secret variable of the group': 'canary+group/variable==7Q',
  'secret variable of the check': 'canary+check/variable==7Q',
  'variable of a call': 'canary+call/variable==7Q',
  'locked variable': 'canary+locked/variable==7Q',
  'locked header of the check': 'canary+check/header==7Q',
  'password of basic auth': 'canary+basic/password==7Q',
  'password of a status page': 'canary+page/password==7Q',
  'webhook secret': 'canary+webhook/secret==7Q',
  'locked header of the channel': 'canary+channel/header==7Q',
  'key of the client certificate': identity.key.split('\n')[2]?.slice(0, 48) ?? '',
  'installation key': 'c0ffee'.padEnd(64, '7d'),
  'admin key': apiKey,
  'password of the first user': 'canary+first/password==7Q',
} as const;
export type Canary = keyof typeof canaries;

/** Tokens that the service made itself, by what they are. */
export const issued = new Map<string, string>();

/** Returns the value with its special characters escaped. */
function escaped(value: string, each: (code: string) => string): string {
  return value.replaceAll(/[^\w ]/g, (character) => each(character.charCodeAt(0).toString(16)));
}

/** Encodings that the target and the receiver use. */
export function spellingsOf(value: string): string[] {
  const url = encodeURIComponent(value);
  return [
    value,
    url,
    encodeURIComponent(url),
    url.replaceAll('%2F', '/'),
    value.replaceAll('/', '\\/'),
    escaped(value, (code) => `\\u00${code}`),
    escaped(value, (code) => `&#x${code.toUpperCase()};`),
    escaped(value, (code) => `&#${Number.parseInt(code, 16)};`),
    escaped(value, (code) => `&amp;#x${code};`),
    value.replaceAll('=', '&#x3D;').replaceAll('/', '&#x2F;'),
    value.replaceAll('+', '%2B').replaceAll('=', '\\u003d'),
  ];
}

/** The value in base64 at each alignment, and escaped for JSON, HTML and URLs, also within JSON. */
function formsOf(value: string): string[] {
  const inBase64 = ['', 'a', 'ab'].map((before) => {
    const text = Buffer.from(before + value).toString('base64');
    // The first and last characters depend on their neighbors.
    return text.slice(before.length === 0 ? 0 : 4, -4);
  });
  const spellings = spellingsOf(value);
  return [
    ...new Set([
      ...spellings,
      ...spellings.map((spelling) => JSON.stringify(spelling).slice(1, -1)),
      encodeURIComponent(value).toLowerCase(),
      new URLSearchParams({ v: value }).toString().slice(2),
      ...inBase64,
    ]),
  ];
}

/** Asserts that an output contains no canaries except allowed ones. */
export function assertClean(where: string, output: string, allowed: readonly Canary[] = []): void {
  for (const [name, value] of [...Object.entries(canaries), ...issued]) {
    if (allowed.some((one) => one === name)) continue;
    for (const form of formsOf(value)) {
      const at = output.indexOf(form);
      assert.ok(at === -1, `the ${name} stands in ${where}: …${output.slice(Math.max(0, at - 200), at + 100)}…`);
    }
  }
}
