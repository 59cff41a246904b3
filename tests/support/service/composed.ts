// The whole service composed in this process, on a free port and a folder of its own: what is logged can be looked at.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { compose, type Tocsin } from '#app/compose.ts';
import { readConfig } from '#config/config.ts';
import type { Log } from '#lib/log.ts';

/** A test, as far as this file needs one. */
interface Cleanup {
  after(work: () => void | Promise<void>): void;
}

/** One line of the log. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The running service. */
export interface Composed {
  readonly tocsin: Tocsin;
  /** `http://127.0.0.1:port`. */
  readonly address: string;
  readonly port: number;
  readonly apiKey: string;
  readonly accountId: string;
  readonly logged: readonly LogLine[];
  /** The same database from outside, to look. */
  readonly raw: DatabaseSync;
}

const apiKey = `tsn_${'composed'.repeat(5)}`;
const accountId = '7f1f0c1e-5a52-4c4f-9d2c-0d6f9a4f1c11';

/** Composes and starts it, with every response checked against the contract; all of it is gone when the test is over. */
export async function startComposed(
  t: Cleanup,
  environment: Readonly<Record<string, string>> = {},
  clocks?: Parameters<typeof compose>[2],
  random?: Parameters<typeof compose>[3],
): Promise<Composed> {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-composed-'));
  const config = readConfig({
    PORT: '0',
    TOCSIN_DATA_DIR: folder,
    TOCSIN_BOOTSTRAP_API_KEY: apiKey,
    TOCSIN_SCRIPTS_WARM: '0',
    TOCSIN_BOOTSTRAP_ACCOUNT_ID: accountId,
    TOCSIN_RATE_LIMIT: '0',
    TOCSIN_PROBE_THREADS: '1',
    ...environment,
  });
  const logged: LogLine[] = [];
  const tocsin = await compose(config, collectingLog(logged), clocks, random, true);
  assert.equal(config.database.kind, 'sqlite');
  const raw = new DatabaseSync(config.database.path, { timeout: 5000 });
  t.after(async () => {
    raw.close();
    await tocsin.stop('the test is over');
    rmSync(folder, { recursive: true });
  });
  return {
    tocsin,
    address: tocsin.address,
    port: Number(new URL(tocsin.address).port),
    apiKey,
    accountId,
    logged,
    raw,
  };
}

function collectingLog(lines: LogLine[]): Log {
  const at =
    (level: LogLine['level']) =>
    (name: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      void lines.push({ level, name, fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
