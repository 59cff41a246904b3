// Preloaded into the service with `--import` by `npm run chaos -- deliver`: ends the process with SIGKILL at one point of
// a delivery, which it recognizes by statements and requests. Not part of the product.
import { channel } from 'node:diagnostics_channel';
import { StatementSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';
import { Client } from 'pg';
import { readStop, type Stop, type Transaction } from './stop.ts';

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
} else if (stop !== null && !isMainThread) channel(requests[stop.at]).subscribe(() => pass(stop));

function pass({ times }: Stop): void {
  if (++passed < times) return;
  process.kill(process.pid, 'SIGKILL');
  // Any thread may receive the signal; this one blocks until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
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

function watchPostgres(begins: Begins, reached: () => void): void {
  const query = Reflect.get(Client.prototype, 'query') as (this: Client, ...words: unknown[]) => unknown;
  const watched = function (this: Client, ...words: unknown[]): unknown {
    const isEnd = typeof words[0] === 'string' && begins(this, words[0]);
    const answer = query.apply(this, words);
    return isEnd && answer instanceof Promise ? answer.then(reached) : answer;
  };
  Object.defineProperty(Client.prototype, 'query', { value: watched });
}
