// Reads a curl command, as browsers copy it, into the request of an API check.
import type { FormValue } from '#lib/schema/form.ts';
import type { LineCheck } from '../../form.ts';

/** A check from a command; null if the text is none. What a check cannot do is in its notes. */
export function fromCurl(text: string): LineCheck | null {
  const words = wordsOf(text.trim());
  if (words[0] !== 'curl') return null;
  const command: Command = { headers: [], data: [], urlData: [], flags: new Set(), values: new Map(), notes: [] };
  for (let index = 1; index < words.length; index += 1) index += readWord(words, index, command);
  const { url, notes } = command;
  if (url === undefined) return null;
  const address = /^[a-z]+:\/\//i.test(url) ? url : `http://${url}`;
  const host = URL.parse(address);
  return {
    name: host === null ? address : host.host + (host.pathname === '/' ? '' : host.pathname),
    body: { request: requestOf(command, address) },
    notes,
  };
}

interface Command {
  url?: string;
  readonly headers: { readonly key: string; readonly value: string }[];
  readonly data: string[];
  readonly urlData: string[];
  readonly flags: Set<string>;
  readonly values: Map<string, string>;
  readonly notes: string[];
}

function requestOf({ headers, data, urlData, flags, values }: Command, url: string) {
  const body = [...data, ...urlData].join('&');
  const isQuery = flags.has('get') && body !== '';
  const hasBody = !isQuery && (data.length > 0 || urlData.length > 0);
  const method = (values.get('request') ?? (flags.has('head') ? 'HEAD' : hasBody ? 'POST' : 'GET')).toUpperCase();
  const [username = '', ...password] = (values.get('user') ?? '').split(':');
  const sent = [...headers];
  const add = (key: string, value: string | undefined): void => {
    if (value !== undefined && !sent.some((each) => each.key.toLowerCase() === key)) sent.push({ key, value });
  };
  add('user-agent', values.get('user-agent'));
  add('referer', values.get('referer'));
  add('cookie', values.get('cookie'));
  const type = sent.find(({ key }) => key.toLowerCase() === 'content-type')?.value ?? '';
  const isJson = flags.has('json') || /json/i.test(type);
  if (flags.has('json')) add('accept', 'application/json');
  const bodyType = isJson ? 'JSON' : /^$|x-www-form-urlencoded/i.test(type) && isForm(body) ? 'FORM' : 'RAW';
  return {
    method,
    url: isQuery ? `${url}${url.includes('?') ? '&' : '?'}${body}` : url,
    headers: sent,
    ...(hasBody && { body, bodyType }),
    ...(values.has('user') && { basicAuth: { username, password: password.join(':') } }),
    // curl follows redirects only if it is asked to.
    followRedirects: flags.has('location'),
    ...(flags.has('insecure') && { skipSSL: true }),
    ...(flags.has('ipv4') && { ipFamily: 'IPv4' }),
    ...(flags.has('ipv6') && { ipFamily: 'IPv6' }),
  } satisfies { readonly [name: string]: FormValue };
}

const isForm = (body: string): boolean => /^[^=&\s{]+=[^&]*(&[^=&\s]+=[^&]*)*$/.test(body);

/** Long names of options by their letters. */
const letters: Readonly<Record<string, string>> = {
  X: 'request',
  H: 'header',
  d: 'data',
  u: 'user',
  A: 'user-agent',
  e: 'referer',
  b: 'cookie',
  k: 'insecure',
  L: 'location',
  G: 'get',
  I: 'head',
  4: 'ipv4',
  6: 'ipv6',
  s: 'silent',
  S: 'show-error',
  v: 'verbose',
  i: 'include',
  f: 'fail',
  o: 'output',
  m: 'max-time',
  F: 'form',
  x: 'proxy',
  w: 'write-out',
};

/** Options without an effect on a check. The others with a value take the next word. */
const silent = new Set(
  'silent show-error verbose include fail compressed http1.1 http2 http3 no-progress-meter globoff location-trusted fail-with-body'.split(
    ' ',
  ),
);
const flagNames = new Set(['insecure', 'location', 'get', 'head', 'ipv4', 'ipv6']);
const valueNames = new Set(['request', 'user', 'user-agent', 'referer', 'cookie']);
const ignoredWithValue = new Set(['output', 'write-out', 'max-time', 'connect-timeout', 'retry', 'proxy', 'form']);

/** Reads a word. @returns number of further words that belong to it */
function readWord(words: readonly string[], index: number, command: Command): number {
  const word = words[index] ?? '';
  if (!word.startsWith('-') || word === '-') {
    if (command.url === undefined) command.url = word;
    else command.notes.push(`${word} (a check has one URL)`);
    return 0;
  }
  if (word.startsWith('--')) {
    const [name = '', ...value] = word.slice(2).split('=');
    if (value.length > 0) return readOption(name, value.join('='), command) && 0;
    return readOption(name, words[index + 1], command);
  }
  // Letters without values may stand together: -sSL, and a value may follow its letter: -XPOST.
  for (let at = 1; at < word.length; at += 1) {
    const name = letters[word[at] ?? ''] ?? word[at] ?? '';
    const rest = word.slice(at + 1);
    const takes = readOption(name, rest === '' ? words[index + 1] : rest, command);
    if (takes > 0) return rest === '' ? takes : 0;
  }
  return 0;
}

/** @returns 1 if the option takes the value, otherwise 0 */
function readOption(name: string, value: string | undefined, command: Command): number {
  const { headers, data, urlData, flags, values, notes } = command;
  if (silent.has(name)) {
    if (name === 'location-trusted') flags.add('location');
    return 0;
  }
  if (flagNames.has(name)) {
    flags.add(name);
    return 0;
  }
  const text = value ?? '';
  if (name === 'url') command.url = text;
  else if (name === 'header') {
    const [key = '', ...rest] = text.split(':');
    // A browser's own encodings and lengths would contradict what is sent.
    if (!/^(accept-encoding|content-length|connection|host)$/i.test(key.trim()))
      headers.push({ key: key.trim(), value: rest.join(':').trim() });
  } else if (valueNames.has(name)) values.set(name, text);
  else if (/^data(-raw|-binary|-ascii)?$|^json$/.test(name)) {
    if (text.startsWith('@') && name !== 'data-raw') notes.push(`${text} (a file cannot be read here)`);
    else data.push(text);
    if (name === 'json') flags.add('json');
  } else if (name === 'data-urlencode') {
    const [key = '', ...rest] = text.split('=');
    urlData.push(rest.length === 0 ? encodeURIComponent(key) : `${key}=${encodeURIComponent(rest.join('='))}`);
  } else if (ignoredWithValue.has(name)) {
    if (name === 'form' || name === 'proxy') notes.push(`--${name}`);
  } else {
    notes.push(`${name.length === 1 ? '-' : '--'}${name}`);
    return 0;
  }
  return 1;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Splits a command as a shell does, without expanding anything. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  const part = /\s+|\\\r?\n|\$'((?:[^'\\]|\\[^])*)'|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\$]+|\$)/gy;
  let word: string | null = null;
  for (const [all, ansi, single, double, escaped, plain] of text.matchAll(part)) {
    if (/^\s/.test(all) || /^\\\r?\n$/.test(all)) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    const unescaped =
      ansi !== undefined
        ? ansi.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([^]))/gi, (_, four?: string, two?: string, one = '') =>
            four !== undefined || two !== undefined
              ? String.fromCharCode(Number.parseInt(four ?? two ?? '', 16))
              : (escapes[one] ?? one),
          )
        : double?.replace(/\\(["\\$`]|\r?\n)/g, (_, one: string) => (one.endsWith('\n') ? '' : one));
    word = (word ?? '') + (unescaped ?? single ?? escaped ?? plain ?? '');
  }
  return word === null ? words : [...words, word];
}
