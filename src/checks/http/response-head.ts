// Repairs heads of HTTP/1 responses that browsers and curl accept and Node's parsers refuse.

/** Of a larger head the status line is passed on. */
const maxHeadBytes = 64 * 1024;

/** Why what was received is not an HTTP/1 response. */
export type NotHttp1 = 'NOT_HTTP' | 'ONLY_HTTP2' | 'ONLY_TLS';

/** The first bytes of the peer are not those of an HTTP/1 response. */
export class NotHttp1Error extends Error {
  readonly code: NotHttp1;

  constructor(code: NotHttp1) {
    super(code);
    this.code = code;
  }
}

/** Why a head is invalid, as a code that the parser or the connection uses. */
export type HeadProblem =
  | 'HPE_INVALID_HEADER_TOKEN'
  | 'HPE_INVALID_CONTENT_LENGTH'
  | 'HPE_UNEXPECTED_CONTENT_LENGTH'
  | 'HPE_HEADER_OVERFLOW'
  | 'ECONNRESET';

/**
 * Filters the bytes of one response, interim responses included, on their way to a parser. It joins folded header lines,
 * ends every line with CRLF, removes space before a colon, replaces control characters by spaces, keeps one of several equal
 * `Content-Length` values and drops `Content-Length` beside `Transfer-Encoding` (RFC 9112 §2.2, §5, §6.3). Headers that are
 * invalid are left out, so that the parser reads the status: see `problem`. Bodies pass unchanged.
 */
export class ResponseHeadFilter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isHttp = false;
  #isPassing = false;
  #problem: HeadProblem | null = null;

  /** Why the final head is invalid. Known once it is passed on. */
  get problem(): HeadProblem | null {
    return this.#problem;
  }

  /** Bytes to parse now, possibly none. Throws `NotHttp1Error`. */
  push(chunk: Buffer): Buffer {
    if (this.#isPassing) return chunk;
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#isHttp && this.#heldBytes <= maxHeadBytes && !this.#mayEnd()) return empty;
    return this.#read();
  }

  /** The bytes still held when the peer ends the connection. */
  end(): Buffer {
    const rest = Buffer.concat(this.#held);
    this.#held = [];
    return this.#isHttp ? this.#statusAlone(rest, 'ECONNRESET') : rest;
  }

  /** Whether the last bytes complete a head, with those before them. */
  #mayEnd(): boolean {
    const last = this.#held.at(-1)?.length ?? 0;
    return headEnd.test(
      Buffer.concat(this.#held.slice(-4))
        .toString('latin1')
        .slice(-last - 3),
    );
  }

  /** The status line of a head that is not complete; the bytes as they are if even that is not. */
  #statusAlone(bytes: Buffer, problem: HeadProblem): Buffer {
    const text = bytes.toString('latin1', 0, maxHeadBytes).replace(/^[\r\n]+/, '');
    const end = text.search(/\r?\n/);
    if (end < 0) return bytes;
    this.#problem = problem;
    return Buffer.from(`${text.slice(0, end)}\r\n\r\n`, 'latin1');
  }

  #read(): Buffer {
    const ready: Buffer[] = [];
    let rest: Buffer = Buffer.concat(this.#held);
    while (!this.#isPassing) {
      const text = rest.toString('latin1', 0, maxHeadBytes).replace(/^[\r\n]+/, '');
      this.#isHttp = startsHttp1(text);
      const end = this.#isHttp ? headEnd.exec(text) : null;
      if (end === null) {
        if (rest.length <= maxHeadBytes) break;
        this.#isPassing = true;
        rest = this.#statusAlone(rest, 'HPE_HEADER_OVERFLOW');
        break;
      }
      const head = text.slice(0, end.index);
      const { lines, problem } = repaired(head);
      ready.push(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
      rest = rest.subarray(Math.min(rest.length, maxHeadBytes) - text.length + end.index + end[0].length);
      this.#isPassing = !interim.test(head);
      if (this.#isPassing) this.#problem = problem;
    }
    this.#held = this.#isPassing ? [] : [rest];
    this.#heldBytes = rest.length;
    if (this.#isPassing) ready.push(rest);
    return ready.length === 1 ? (ready[0] ?? empty) : Buffer.concat(ready);
  }
}

const empty = Buffer.alloc(0);
const headEnd = /\r?\n\r?\n/;
/** The status line of an interim response; 101 is final. */
const interim = /^HTTP\/\d\.\d +1(?!01)\d\d/;
/** Enough bytes to recognize a protocol. */
const signatureBytes = 9;

/** Whether an HTTP/1 response starts here; false = too few bytes to tell. Throws `NotHttp1Error`. */
function startsHttp1(text: string): boolean {
  if (text.startsWith('HTTP/')) return true;
  // An HTTP/2 server begins with SETTINGS or GOAWAY: length, type, no flags, stream 0.
  if (text.startsWith('\0') && http2Frames.has(text.slice(3, signatureBytes))) throw new NotHttp1Error('ONLY_HTTP2');
  if (text.startsWith(tlsAlert)) throw new NotHttp1Error('ONLY_TLS');
  const mayStart = ['HTTP/', tlsAlert].some((start) => start.startsWith(text)) || text.startsWith('\0');
  if (text.length >= signatureBytes || !mayStart) throw new NotHttp1Error('NOT_HTTP');
  return false;
}

const http2Frames: ReadonlySet<string> = new Set(['\x04\0\0\0\0\0', '\x07\0\0\0\0\0']);
const tlsAlert = '\x15\x03';

interface Repaired {
  readonly lines: readonly string[];
  readonly problem: HeadProblem | null;
}

function repaired(head: string): Repaired {
  const lines: string[][] = [];
  for (const raw of head.split(/\r?\n/)) {
    // oxlint-disable-next-line no-control-regex -- the control characters that HTTP does not allow
    const line = raw.replaceAll(/[\0-\x08\x0b-\x1f\x7f]/g, ' ');
    const isFolded = /^[ \t]/.test(line) && lines.length > 1;
    if (isFolded) lines.at(-1)?.push(line.trim());
    else lines.push([line]);
  }
  const [statusLine = '', ...rest] = lines.map((parts) => parts.join(' '));
  const fields = rest.map(splitField);
  const valid = fields.filter(({ name }) => token.test(name));
  const framed = withOneLength(valid);
  const problem = valid.length < fields.length ? 'HPE_INVALID_HEADER_TOKEN' : framed.problem;
  return { lines: [statusLine, ...framed.lines], problem };
}

const token = /^[!#$%&'*+\-.^_`|~\w]+$/;

interface Field {
  readonly line: string;
  /** Lower case; empty for a line without a colon. */
  readonly name: string;
  readonly value: string;
}

function splitField(line: string): Field {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trimEnd();
  const value = line.slice(colon + 1).trim();
  return { line: `${name}: ${value}`, name: name.toLowerCase(), value };
}

function withOneLength(all: readonly Field[]): Repaired {
  const fields = all.filter(({ name, value }) => name !== 'transfer-encoding' || value.toLowerCase() !== 'identity');
  const isEncoded = fields.some(({ name }) => name === 'transfer-encoding');
  const lengths = fields.flatMap(({ name, value }) => (name === 'content-length' ? value.split(',') : []));
  const [length, ...others] = new Set(isEncoded ? [] : lengths.map((each) => each.trim()));
  const isValid = length !== undefined && others.length === 0 && /^\d{1,15}$/.test(length);
  const place = isValid ? fields.findIndex(({ name }) => name === 'content-length') : -1;
  return {
    lines: fields.flatMap(({ name, line }, index) => {
      if (name !== 'content-length') return [line];
      return index === place ? [`Content-Length: ${length}`] : [];
    }),
    problem:
      isValid || length === undefined
        ? null
        : others.length > 0
          ? 'HPE_UNEXPECTED_CONTENT_LENGTH'
          : 'HPE_INVALID_CONTENT_LENGTH',
  };
}
