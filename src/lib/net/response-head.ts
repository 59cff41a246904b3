// Parses HTTP/1 response heads as leniently as browsers and curl, and rewrites them for strict parsers.

/** For a larger head, `ResponseHeadFilter` passes on only the status line. */
const maxHeadBytes = 64 * 1024;

/** Why the received data is not an HTTP/1 response. */
export type NotHttp1 = 'NOT_HTTP' | 'ONLY_HTTP2' | 'ONLY_TLS';

/** The first bytes of the peer are not an HTTP/1 response. */
export class NotHttp1Error extends Error {
  readonly code: NotHttp1;

  constructor(code: NotHttp1) {
    super(code);
    this.code = code;
  }
}

type LengthProblem = 'HPE_INVALID_CONTENT_LENGTH' | 'HPE_UNEXPECTED_CONTENT_LENGTH';

/** Why a head is invalid, as a code that the parser or the connection uses. */
export type HeadProblem = LengthProblem | 'HPE_INVALID_HEADER_TOKEN' | 'HPE_HEADER_OVERFLOW' | 'ECONNRESET';

/**
 * A complete head. Folded lines are joined, control characters become spaces, equal lengths are merged, and a length is
 * dropped if there is a transfer encoding (RFC 9112 §2.2, §5, §6.3). Invalid lines are dropped.
 */
export interface ResponseHead {
  readonly statusLine: string;
  /** null = the status line has none. */
  readonly status: number | null;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Why the length of the body is unknown although the head names one. */
  readonly lengthProblem: LengthProblem | null;
  /** Lines without a valid header name were dropped. */
  readonly isMalformed: boolean;
  /** Bytes on the wire. */
  readonly size: number;
}

/** Collects the bytes of one head. Empty lines before it are skipped. */
export class HeadReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes in the current line, without line ends. */
  #lineLength = 0;
  #lines = 0;
  #isHttp = false;

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** The head so far. */
  get text(): string {
    return Buffer.concat(this.#chunks).toString('latin1');
  }

  /** Adds bytes, and examines each only once, however small the chunks. null = incomplete. Throws `NotHttp1Error`. */
  add(chunk: Buffer): { readonly head: ResponseHead; readonly rest: Buffer } | null {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (byte === 0x0a) {
        if (this.#lineLength === 0 && this.#lines > 0) {
          this.#keep(chunk.subarray(start, i + 1), i + 1);
          if (!this.#isHttp) throw new NotHttp1Error('NOT_HTTP');
          return { head: parsed(this.text, this.#size), rest: chunk.subarray(i + 1) };
        }
        if (this.#lineLength > 0) this.#lines++;
        this.#lineLength = 0;
      } else if (byte !== 0x0d) this.#lineLength++;
      if (this.#lines === 0 && this.#lineLength === 0) start = i + 1;
    }
    this.#keep(chunk.subarray(start), chunk.length);
    return null;
  }

  #keep(bytes: Buffer, size: number): void {
    this.#size += size;
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#isHttp ||= startsHttp1(this.text);
  }
}

/** A head in strict HTTP/1. */
export function encodeHead(statusLine: string, fields: ResponseHead['fields']): Buffer {
  const lines = [statusLine, ...fields.map((field) => field.join(': '))];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/**
 * Filters the bytes of one response, including interim responses, on their way to a parser. Rewrites heads and passes
 * bodies unchanged. Of an invalid head, the parser gets the valid part: see `problem`.
 */
export class ResponseHeadFilter {
  #reader = new HeadReader();
  #isPassThrough = false;
  #problem: HeadProblem | null = null;

  /** Why the final head is invalid. Known once it was passed on. */
  get problem(): HeadProblem | null {
    return this.#problem;
  }

  /** Bytes to parse now, possibly none. Throws `NotHttp1Error`. */
  push(chunk: Buffer): Buffer {
    if (this.#isPassThrough) return chunk;
    const ready: Buffer[] = [];
    let rest = chunk;
    while (!this.#isPassThrough) {
      const complete = this.#reader.add(rest);
      if ((complete?.head.size ?? this.#reader.size) > maxHeadBytes) {
        ready.push(this.#statusAlone('HPE_HEADER_OVERFLOW'));
      } else if (complete === null) break;
      else {
        const { head } = complete;
        ({ rest } = complete);
        ready.push(encodeHead(head.statusLine, head.fields));
        if (isInterim(head.status)) this.#reader = new HeadReader();
        else {
          ready.push(rest);
          this.#isPassThrough = true;
          this.#problem = head.isMalformed ? 'HPE_INVALID_HEADER_TOKEN' : head.lengthProblem;
        }
      }
    }
    return Buffer.concat(ready);
  }

  /** The buffered bytes when the peer ends the connection. */
  end(): Buffer {
    return this.#isPassThrough ? Buffer.alloc(0) : this.#statusAlone('ECONNRESET');
  }

  /** The status line of an incomplete head; otherwise the bytes unchanged. */
  #statusAlone(problem: HeadProblem): Buffer {
    this.#isPassThrough = true;
    const { text } = this.#reader;
    const end = text.search(/\r?\n/);
    if (end < 0) return Buffer.from(text, 'latin1');
    this.#problem = problem;
    return encodeHead(text.slice(0, end), []);
  }
}

/** 101 is final. */
function isInterim(status: number | null): boolean {
  return status !== null && status >= 100 && status < 200 && status !== 101;
}

/** Enough bytes to recognize a protocol. */
const signatureBytes = 9;
const http2Frames: ReadonlySet<string> = new Set(['\x04\0\0\0\0\0', '\x07\0\0\0\0\0']);
const tlsAlert = '\x15\x03';

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

const statusOf = /^HTTP\/\d\.\d[ \t]+(\d{3})(?:[ \t]|$)/;
const token = /^[!#$%&'*+\-.^_`|~\w]+$/;

function parsed(text: string, size: number): ResponseHead {
  const lines: string[][] = [];
  for (const raw of text.trimEnd().split(/\r?\n/)) {
    // oxlint-disable-next-line no-control-regex -- the control characters that HTTP does not allow
    const line = raw.replaceAll(/[\0-\x08\x0b-\x1f\x7f]/g, ' ');
    const isFolded = /^[ \t]/.test(line) && lines.length > 1;
    if (isFolded) lines.at(-1)?.push(line.trim());
    else lines.push([line]);
  }
  const [statusLine = '', ...rest] = lines.map((parts) => parts.join(' '));
  const named = rest.map(splitField);
  const valid = named.filter(([name]) => token.test(name));
  const code = statusOf.exec(statusLine)?.[1];
  const status = code === undefined ? null : Number(code);
  return { statusLine, status, ...framed(valid), isMalformed: valid.length < named.length, size };
}

type Field = ResponseHead['fields'][number];

/** The name of a line without a colon is empty. */
function splitField(line: string): Field {
  const colon = line.indexOf(':');
  return [line.slice(0, Math.max(colon, 0)).trimEnd(), line.slice(colon + 1).trim()];
}

/** Chunks win over a length, equal lengths are one. */
function framed(all: readonly Field[]): Pick<ResponseHead, 'fields' | 'lengthProblem'> {
  const valuesOf = (wanted: string): string[] =>
    all.flatMap(([name, value]) => (name.toLowerCase() === wanted ? value.split(',').map((each) => each.trim()) : []));
  const codings = valuesOf('transfer-encoding').filter((each) => each !== '' && each.toLowerCase() !== 'identity');
  const [length, ...others] = new Set(codings.length > 0 ? [] : valuesOf('content-length'));
  const isLength = length !== undefined && others.length === 0 && /^\d{1,15}$/.test(length);
  const invalid = others.length > 0 ? 'HPE_UNEXPECTED_CONTENT_LENGTH' : 'HPE_INVALID_CONTENT_LENGTH';
  // Keeps their original order.
  const framing = new Map<string, Field | null>([
    ['transfer-encoding', codings.length > 0 ? ['Transfer-Encoding', codings.join(', ')] : null],
    ['content-length', isLength ? ['Content-Length', length] : null],
  ]);
  const fields = all.flatMap((field): Field[] => {
    const name = field[0].toLowerCase();
    const own = framing.get(name);
    if (own === undefined) return [field];
    framing.set(name, null);
    return own === null ? [] : [own];
  });
  return { fields, lengthProblem: length === undefined || isLength ? null : invalid };
}
