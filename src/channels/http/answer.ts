// The recorded part of a receiver's response: status, headers, and the first 16 kB of its body (decisions: Log).
import type { SendOutcome } from '#domain/deliveries/delivery.ts';

/** Bytes of a body to record. */
const kept = 16 * 1024;
/** Further bytes to read and discard before closing the connection. */
const discarded = 48 * 1024;

/** A response that is still being read. */
export class Answer {
  readonly #chunks: Buffer[] = [];
  readonly #status: number;
  readonly #headers: Record<string, string>;
  #size = 0;

  constructor(status: number, headers: Readonly<Record<string, string | string[] | undefined>>) {
    this.#status = status;
    this.#headers = flat(headers);
  }

  get status(): number {
    return this.#status;
  }

  /** Adds a chunk of the body; false = the read limit is exceeded. */
  add(chunk: Buffer): boolean {
    if (this.#size < kept) this.#chunks.push(chunk.subarray(0, kept - this.#size));
    this.#size += chunk.length;
    return this.#size <= kept + discarded;
  }

  /** The recorded form. */
  get recorded(): NonNullable<SendOutcome['response']> {
    return { status: this.#status, headers: this.#headers, body: bodyText(this.#chunks, this.#size > kept) };
  }
}

/** Text of the recorded body. Drops a partial character at the end; databases reject NUL, so it becomes U+FFFD. */
function bodyText(chunks: readonly Buffer[], isCut: boolean): string {
  if (chunks.length === 0) return '';
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  const text = isCut ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString('utf8');
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined && name !== '__proto__')
      single[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return single;
}
