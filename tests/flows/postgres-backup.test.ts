// A dump by PostgreSQL's own tools is a complete installation, as docs/backup.md says.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { openSide } from '#cli/move-sides.ts';
import { sumOf } from '#store/copy/copy-table.ts';
import { isCarried } from '#store/copy/table.ts';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { openPostgresStore } from '#store/postgres-store.ts';
import { paste } from '../support/service/command.ts';
import { fill } from '../support/store/every-table.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { dumpingBinaries } from '../support/postgres/postgres-binaries.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { openRawPostgres } from '../support/store/raw-rows.ts';

const bin = dumpingBinaries();
const page = readPage('docs/backup.md');
const lines = { dump: blockOf(page, 'sh', 'postgres-backup'), restore: blockOf(page, 'sh', 'postgres-restore') };
const secretKey = new Uint8Array(32).fill(7);

/** Row counts and sums of every table. */
async function sumsOf(url: string): Promise<string[]> {
  const side = await openSide({ kind: 'postgres', address: readPostgresAddress(url) }, 'copy');
  const sums: string[] = [];
  for (const table of side.tables.filter(isCarried)) {
    const sum = await sumOf({ side }, table);
    sums.push(`${table.name} ${sum.rows} ${sum.text()}`);
  }
  await side.close();
  return sums;
}

const noTools = bin === null && 'no server with pg_dump and pg_restore is on this machine';

describe('about PostgreSQL: a backup of it', () => {
  it('is documented with pg_dump and pg_restore', () => {
    assert.match(lines.dump, /^pg_dump /);
    assert.match(lines.restore, /pg_restore /);
  });

  it('is the same installation after pg_dump and pg_restore', { skip: noTools }, async (t) => {
    assert.ok(bin !== null);
    t.diagnostic(`PostgreSQL ${basename(dirname(bin))}`);
    const server = await startPostgres(null, bin);
    const folder = mkdtempSync(join(tmpdir(), 'tocsin-dump-'));
    t.after(async () => {
      await server.stop();
      rmSync(folder, { recursive: true });
    });
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'backups'));
    const [from, to] = [await server.newDatabase(), await server.newDatabase()];
    const clock = { now: () => Date.UTC(2026, 2, 10, 12) };
    const open = (url: string) => openPostgresStore({ address: readPostgresAddress(url), secretKey, clock });
    await (await open(from.url)).close();
    const raw = openRawPostgres(from.url);
    const side = await openSide({ kind: 'postgres', address: readPostgresAddress(from.url) }, 'copy');
    const { tables } = side;
    await side.close();
    for (const table of tables.filter(isCarried)) fill(raw, table, 7, clock.now());
    raw.close();

    const environment = { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
    const dumped = await paste(lines.dump, folder, { ...environment, DATABASE_URL: from.url });
    assert.equal(dumped.code, 0, dumped.err);
    const restored = await paste(lines.restore, folder, { ...environment, EMPTY_URL: to.url });
    assert.equal(restored.code, 0, restored.err);
    assert.ok(existsSync(join(folder, 'backups')));
    assert.deepEqual(await sumsOf(to.url), await sumsOf(from.url));
    await (await open(to.url)).close();
  });
});
