import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { openChurned, stepMs, raws } from './support/churn.ts';
const ns = (pid: number) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
await using c = await openChurned('postgres', { schedules: Number(process.argv[2] ?? 100000), folder: '/work/wt/claim/data/zz' });
for (let i = 0; i < 250; i++) await c.step();
const client = new Client({ connectionString: raws.url }); client.on('error', () => {}); await client.connect(); process.on('uncaughtException', (e) => console.log(e));
console.log((await client.query("select version(), current_setting('debug_assertions') d, current_setting('data_checksums') c, current_setting('wal_compression') w")).rows);
await client.query('SET enable_seqscan=off; SET enable_hashjoin=off; SET enable_mergejoin=off; SET enable_bitmapscan=off; SET jit=off');
const out = new Map<string, number[]>();
const q = async (what: string, text: string, v: unknown[] = []) => { const pid = (client as any).processID; const a = ns(pid); const r = await client.query(text, v); out.set(what, [...(out.get(what) ?? []), (ns(pid) - a) / 1e6]); return r.rows; };
await client.query(`CREATE TABLE r2 (LIKE runs INCLUDING ALL); ALTER TABLE r2 DROP CONSTRAINT r2_pkey; CREATE TABLE r3 (LIKE runs)`);
await client.query(`CREATE TABLE s2 (LIKE schedules, PRIMARY KEY (account_id, check_id)) WITH (fillfactor=70); INSERT INTO s2 SELECT * FROM schedules`);
await client.query(`CREATE TABLE s3 (LIKE schedules, PRIMARY KEY (check_id)) WITH (fillfactor=70); CREATE INDEX ON s3 (next_due_at); INSERT INTO s3 SELECT * FROM schedules`);
const cols = 'account_id, id, check_id, location, source, slot_at, interval_ms, attempt, due_at, available_at';
const sel = `SELECT a, overlay(c placing substr(int8send($3::bigint),3) from 1), c, 'local', 0, $3::bigint, 60000, 1, $3, $3 FROM unnest($1::bytea[], $2::bytea[]) u (a, c)`;
for (let k = 0; k < 40; k++) {
  c.now += stepMs; const now = c.now;
  await client.query('BEGIN');
  const due = await q('select nolock 5s', 'SELECT ctid AS place, * FROM schedules WHERE next_due_at >= $1 AND next_due_at <= $2 ORDER BY next_due_at LIMIT 500', [now - 5000, now]);
  await q('select nolock 1s', 'SELECT ctid AS place, * FROM schedules WHERE next_due_at >= $1 AND next_due_at <= $2 ORDER BY next_due_at LIMIT 500', [now - 1000, now]);
  await q('select lock 1s', 'SELECT ctid AS place, * FROM schedules WHERE next_due_at >= $1 AND next_due_at <= $2 ORDER BY next_due_at LIMIT 500 FOR UPDATE SKIP LOCKED', [now - 1000, now]);
  const A = due.map((d) => d.account_id), C = due.map((d) => d.check_id), P = due.map((d) => d.place), N = due.map((d) => Number(d.next_due_at) + 60000);
  const PS = due.map((d) => d.place);
  await q('parse arrays', 'SELECT count(*) FROM unnest($1::bytea[], $2::bytea[])', [A, C]);
  await q('update tid', 'UPDATE schedules s SET next_due_at = m.n, moved_to = m.n, turn = turn+1 FROM unnest($1::tid[], $2::bigint[]) AS m (p, n) WHERE s.ctid = m.p', [PS, N]);
  await q('update pk hot', 'UPDATE s2 s SET next_due_at = m.n, turn = turn+1 FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS m (a, c, n) WHERE s.account_id = m.a AND s.check_id = m.c', [A, C, N]);
  await q('update pk16', 'UPDATE s3 s SET next_due_at = m.n, turn = turn+1 FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS m (a, c, n) WHERE s.check_id = m.c', [A, C, N]);
  await q('insert r3 (no index)', `INSERT INTO r3 (${cols}) ${sel}`, [A, C, now]);
  await q('insert r2 (avail only)', `INSERT INTO r2 (${cols}) ${sel}`, [A, C, now]);
  if (k % 2) await q('insert runs', `INSERT INTO runs (${cols}) ${sel}`, [A, C, now]);
  else await q('insert runs on conflict', `INSERT INTO runs (${cols}) ${sel} ON CONFLICT DO NOTHING`, [A, C, now]);
  await client.query('COMMIT');
  await client.query(`DELETE FROM runs`);
}
for (const [k, x] of out) { x.sort((p, q) => p - q); console.log([x[0]!, x[x.length >> 1]!, x[Math.floor(x.length * .95)]!].map((v) => v.toFixed(2).padStart(6)).join('  '), k); }
await client.end();
