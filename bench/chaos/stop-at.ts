// Preloaded into the service with `--import` by `npm run chaos -- deliver`: ends the process with SIGKILL at one point of
// a delivery, which it recognizes by statements and requests. Not part of the product.
import { channel } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { StatementSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';
import { readStop, type Stop, type Transaction } from './points.ts';

/** First statement of each transaction, as sent to either engine. */
const writes: Readonly<Record<Transaction, RegExp>> = {
  claim: /^UPDATE deliveries SET next_attempt_at = \S+ leased_by = \S+ attempt_started_at = /,
  settle: /^UPDATE deliveries (?:d )?SET status = .* attempts = /s,
  replay: /^insert into "deliveries"/i,
};

/** Diagnostics channels of the HTTP client: before and after it writes a request. */
const requests = { 'before-request': 'undici:client:sendHeaders', 'after-request': 'undici:request:bodySent' } as const;

const stop = readStop(process.env);
let passed = 0;
if (stop !== null && 'transaction' in stop) {
  if (isMainThread) watchStatements(stop);
} else if (stop !== null && !isMainThread) {
  channel(requests[stop.at]).subscribe(() => pass(stop));
  watchMails(stop);
}

function pass({ times }: Stop): void {
  if (++passed < times) return;
  process.kill(process.pid, 'SIGKILL');
  // Any thread may receive the signal; this one blocks until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** First and last write of a message by SMTP. */
const mails = { 'before-request': /^MAIL FROM:/, 'after-request': /(?:^|\r\n)\.\r\n$/ } as const;

function watchMails(wanted: Extract<Stop, { at: 'before-request' | 'after-request' }>): void {
  const passAt = (at: keyof typeof mails, bytes: Buffer): void => {
    if (wanted.at === at && mails[at].test(bytes.toString('latin1'))) pass(wanted);
  };
  watchWrites(
    (_, bytes) => passAt('before-request', bytes),
    (bytes) => passAt('after-request', bytes),
  );
}

function watchStatements(wanted: Extract<Stop, { transaction: Transaction }>): void {
  const isWrite = (text: string): boolean => writes[wanted.transaction].test(text);
  const marked = new WeakSet<object>();
  /** Whether the end of this statement is the point. */
  const begins = (connection: object, text: string): boolean => {
    if (/^begin/i.test(text)) marked.delete(connection);
    if (!isWrite(text)) return /^commit/i.test(text) && marked.has(connection);
    if (wanted.at === 'before') pass(wanted);
    else marked.add(connection);
    return false;
  };
  watchSqlite(begins, () => pass(wanted));
  watchPostgres(begins, () => pass(wanted));
}

type Begins = (connection: object, text: string) => boolean;

function watchSqlite(begins: Begins, reached: () => void): void {
  // The file has a single writing connection.
  const file = {};
  for (const name of ['run', 'get', 'all'] as const) {
    const original = StatementSync.prototype[name] as (this: StatementSync, ...values: unknown[]) => unknown;
    const watched = function (this: StatementSync, ...values: unknown[]): unknown {
      const isEnd = begins(file, this.sourceSQL);
      const answer = original.apply(this, values);
      if (isEnd) reached();
      return answer;
    };
    Object.defineProperty(StatementSync.prototype, name, { value: watched });
  }
}

/** The service bundles its driver, so statements are read from what it writes to the server. */
function watchPostgres(begins: Begins, reached: () => void): void {
  watchWrites((socket, bytes) => {
    const isEnd = statementsIn(bytes).some((text) => begins(socket, text));
    if (!isEnd) return;
    const read = (answer: Buffer): void => {
      if (!answer.includes('COMMIT\0')) return;
      socket.off('data', read);
      reached();
    };
    socket.prependListener('data', read);
  });
}

/** Texts of the Query and Parse messages in a write (PostgreSQL 55.7). */
function statementsIn(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at + 5 <= bytes.length;) {
    const type = bytes.toString('latin1', at, at + 1);
    const length = bytes.readInt32BE(at + 1);
    // The first message of a connection has no type.
    if (length < 4 || at + 1 + length > bytes.length) break;
    const [first = '', second = ''] = bytes.toString('utf8', at + 5, at + 1 + length).split('\0', 2);
    if (type === 'Q') texts.push(first);
    else if (type === 'P') texts.push(second);
    at += 1 + length;
  }
  return texts;
}

/** Calls back before each write of a socket. */
function watchWrites(before: (socket: Socket, bytes: Buffer) => void, after: (bytes: Buffer) => void = () => {}): void {
  const original = Reflect.get(Socket.prototype, 'write') as (this: Socket, ...words: unknown[]) => boolean;
  const watched = function (this: Socket, ...words: unknown[]): boolean {
    const bytes = Buffer.from(words[0] as Buffer | string);
    before(this, bytes);
    const isDrained = original.apply(this, words);
    after(bytes);
    return isDrained;
  };
  Object.defineProperty(Socket.prototype, 'write', { value: watched, writable: true, configurable: true });
}
