// Reads a mail as a recipient does: headers, and the parts of multipart/alternative (RFC 2045, 2047, 5322).

/** A received mail. */
export interface ReadMail {
  /** By name in lower case, unfolded and decoded. A name that occurs twice is an error. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

/** Reads the raw text of a mail. */
export function readMail(raw: string): ReadMail {
  const { headers, body } = split(raw);
  const type = headers['content-type'] ?? '';
  const boundary = /^multipart\/alternative;.*boundary="([^"]+)"/s.exec(type)?.[1];
  if (boundary === undefined) throw new Error(`the mail is ${type}`);
  const [, ...rest] = `\r\n${body}`.split(`\r\n--${boundary}`);
  const closing = rest.pop();
  if (closing === undefined || !/^--\s*$/.test(closing)) throw new Error('the mail has no end');
  const parts = rest.map((part) => split(part.replace(/^\r\n/, '')));
  const partOf = (name: string): string => {
    const found = parts.filter((part) => part.headers['content-type'] === `${name}; charset=utf-8`);
    if (found.length !== 1 || found[0] === undefined) throw new Error(`the mail has ${found.length} parts ${name}`);
    return decodedBody(found[0]);
  };
  return { headers, text: partOf('text/plain'), html: partOf('text/html') };
}

interface Entity {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function split(entity: string): Entity {
  const at = entity.indexOf('\r\n\r\n');
  if (at === -1) throw new Error('the headers do not end');
  const headers: Record<string, string> = {};
  for (const line of entity
    .slice(0, at)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const [, name, value] = /^([!-9;-~]+): (.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`a header is "${line}"`);
    const key = name.toLowerCase();
    if (key in headers) throw new Error(`the header ${key} occurs twice`);
    headers[key] = decodedWords(value);
  }
  return { headers, body: entity.slice(at + 4) };
}

function decodedWords(value: string): string {
  const words = /=\?utf-8\?([qb])\?([^?]*)\?=/gi;
  return value.replace(/(\?=)\s+(=\?utf-8\?[qb]\?)/gi, '$1$2').replace(/(?:=\?utf-8\?[qb]\?[^?]*\?=)+/gi, (run) => {
    const bytes = [...run.matchAll(words)].map(([, encoding = '', text = '']) =>
      encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : unquoted(text.replaceAll('_', ' ')),
    );
    return Buffer.concat(bytes).toString('utf8');
  });
}

function decodedBody({ headers, body }: Entity): string {
  const encoding = headers['content-transfer-encoding'] ?? '7bit';
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? unquoted(body.replace(/=[ \t]*\r\n/g, ''))
        : Buffer.from(body, 'latin1');
  return bytes.toString('utf8').replaceAll('\r\n', '\n');
}

function unquoted(text: string): Buffer {
  return Buffer.from(
    text.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}
