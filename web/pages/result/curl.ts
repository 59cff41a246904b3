// A request as a command.
import { type Headers, headerLines } from '../../ui/text/http-text.ts';

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly data: string;
}

/** Headers that curl sets on its own. */
const ownHeaders = new Set(['host', 'content-length', 'connection', 'accept-encoding', 'user-agent']);

/** The request as a command for a POSIX shell, whatever its values contain. */
export function formatCurl({ method, url, headers, data }: SentRequest): string {
  return [
    // Without --globoff, brackets and braces of the URL would be patterns.
    `curl -i --globoff${methodOption(method, data !== '')} ${quoted(url)}`,
    ...headerLines(headers)
      .filter(([name]) => !ownHeaders.has(name.toLowerCase()))
      .map(([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(data === '' ? [] : [`--data-raw ${quoted(data)}`]),
  ].join(' \\\n  ');
}

/** With -X HEAD, curl would wait for a body. */
function methodOption(method: string, hasData: boolean): string {
  if (method === 'HEAD') return ' --head';
  return method === 'GET' && !hasData ? '' : ` -X ${quoted(method)}`;
}

function quoted(text: string): string {
  return /^[A-Z]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
