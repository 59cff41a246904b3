// Reads the head of a receiver's response leniently, as browsers and curl do, and rewrites it for a strict parser. A complete
// head is the answer to a delivery, so a folded line or a repeated length must not cost the alert (docs/decisions/0064).

/** Bytes of header names and values that are passed on; headers beyond them are dropped, those that frame the body never. */
const keptHeaderBytes = 16 * 1024;

/** What the bytes so far amount to. */
export type HeadStep =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed'; readonly problem: string }
  | {
      readonly kind: 'complete';
      readonly status: number;
      /** The head in strict HTTP/1.1. */
      readonly head: Buffer;
      /** Bytes after the head. */
      readonly rest: Buffer;
      /** Why the length of the body is unknown although the head names one; null otherwise. */
      readonly framingProblem: string | null;
    };

/** Collects the bytes of one head. */
export class HeadReader {
  #chunks: Buffer[] = [];
  /** Bytes in the current line, line ends excluded. */
  #lineLength = 0;
  #lines = 0;

  /** Adds bytes; looks at each byte once, however small the pieces. */
  add(chunk: Buffer): HeadStep {
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (byte === 0x0a) {
        // Empty lines before the status line are skipped.
        if (this.#lineLength === 0 && this.#lines > 0) return this.#complete(chunk, i + 1);
        if (this.#lineLength > 0) this.#lines++;
        this.#lineLength = 0;
      } else if (byte !== 0x0d) this.#lineLength++;
    }
    this.#chunks.push(chunk);
    if (!couldBeHttp(this.#chunks)) return { kind: 'malformed', problem: 'did not answer in HTTP' };
    return { kind: 'incomplete' };
  }

  #complete(chunk: Buffer, end: number): HeadStep {
    const text = Buffer.concat([...this.#chunks, chunk.subarray(0, end)]).toString('latin1');
    return parseHead(text, chunk.subarray(end));
  }
}

/** Whether what has come may become a status line. */
function couldBeHttp(chunks: readonly Buffer[]): boolean {
  return 'HTTP/'.startsWith(Buffer.concat(chunks.slice(0, 8)).toString('latin1').trimStart().slice(0, 5));
}

function parseHead(text: string, rest: Buffer): HeadStep {
  const [statusLine = '', ...lines] = text.trimStart().split(/\r?\n/);
  const [, minor, code = ''] = /^HTTP\/\d\.(\d)[ \t]+(\d{3})(?:[ \t\r]|$)/.exec(statusLine) ?? [];
  const status = Number(code);
  if (minor === undefined) return { kind: 'malformed', problem: 'did not answer in HTTP' };
  if (status < 100) return { kind: 'malformed', problem: `returned the invalid status ${code}` };
  const { framing, framingProblem, headers } = framed(headersOf(lines));
  let size = 0;
  const kept = headers.filter(([name, value]) => (size += name.length + value.length) <= keptHeaderBytes);
  const head = [`HTTP/1.${minor === '0' ? 0 : 1} ${code} `, ...[...framing, ...kept].map((pair) => pair.join(': '))];
  return {
    kind: 'complete',
    status,
    head: Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    rest,
    framingProblem,
  };
}

type Header = readonly [name: string, value: string];

const token = /^[!#$%&'*+\-.^_`|~\w]+$/;

/** Header lines, folded ones joined, control characters replaced by spaces; lines that name no header are dropped. */
function headersOf(lines: readonly string[]): Header[] {
  const unfolded: string[] = [];
  for (const line of lines) {
    // oxlint-disable-next-line no-control-regex -- these are what a strict parser refuses
    const plain = line.replaceAll(/[\0-\x08\x0b-\x1f\x7f]/g, ' ');
    if (/^[ \t]/.test(plain) && unfolded.length > 0) unfolded.push(`${unfolded.pop()} ${plain.trim()}`);
    else unfolded.push(plain);
  }
  return unfolded.flatMap((line): Header[] => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim();
    return token.test(name) ? [[name, line.slice(colon + 1).trim()]] : [];
  });
}

/** Separates the headers that frame the body: chunks win over a length, equal lengths are one, others are ignored. */
function framed(all: readonly Header[]) {
  const valuesOf = (wanted: string): string[] =>
    all.flatMap(([name, value]) => (name.toLowerCase() === wanted ? value.split(',').map((each) => each.trim()) : []));
  const codings = valuesOf('transfer-encoding').filter(
    (coding) => coding !== '' && coding.toLowerCase() !== 'identity',
  );
  const lengths = new Set(valuesOf('content-length'));
  const [length = ''] = lengths;
  const isLength = lengths.size === 1 && /^\d{1,15}$/.test(length);
  const framing: Header[] = [];
  if (codings.length > 0) framing.push(['transfer-encoding', codings.join(', ')]);
  else if (isLength) framing.push(['content-length', length]);
  const framingProblem = codings.length > 0 || lengths.size === 0 || isLength ? null : 'its content-length is invalid';
  const own = new Set(['transfer-encoding', 'content-length']);
  return { framing, framingProblem, headers: all.filter(([name]) => !own.has(name.toLowerCase())) };
}
