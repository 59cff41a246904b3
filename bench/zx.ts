import { Client } from 'pg';
import { openChurned, perStep, stepMs, raws } from './support/churn.ts';
import { planRuns } from '#domain/plan-runs.ts';
await using c = await openChurned('postgres', { schedules: Number(process.argv[2] ?? 100000), folder: '/work/wt/claim/data/zz' });
for (let i = 0; i < 220; i++) await c.step();
const client = new Client({ connectionString: raws.url }); await client.connect();
await client.query('SET enable_seqscan=off; SET enable_hashjoin=off; SET enable_mergejoin=off; SET jit=off');
const ex = async (q: string, v: unknown[] = []) => { const t = performance.now(); const r = await client.query('EXPLAIN (ANALYZE, BUFFERS) ' + q, v); console.log((performance.now() - t).toFixed(1), 'ms', q.slice(0, 90)); console.log(r.rows.map((x: any) => x['QUERY PLAN']).join('\n')); };
for (let k = 0; k < 2; k++) {
c.now += stepMs; const now = c.now;
await client.query('BEGIN');
await ex('SELECT * FROM schedules WHERE next_due_at <= $1 ORDER BY next_due_at LIMIT $2 FOR UPDATE SKIP LOCKED', [now, 500]);
await ex('SELECT next_due_at AS at FROM schedules WHERE next_due_at > $1 ORDER BY next_due_at LIMIT 1', [now]);
const due = (await client.query('SELECT * FROM schedules WHERE next_due_at <= $1 ORDER BY next_due_at LIMIT $2 FOR UPDATE SKIP LOCKED', [now, 500])).rows;
const accounts = due.map((d) => d.account_id), checks = due.map((d) => d.check_id);
await ex(`UPDATE schedules s SET next_due_at = m.next_due_at, moved_to = m.next_due_at, turn = m.turn
     FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[]) AS m (account_id, check_id, next_due_at, turn)
     WHERE s.account_id = m.account_id AND s.check_id = m.check_id`, [accounts, checks, due.map((d) => Number(d.next_due_at) + 60000), due.map(() => 3)]);
await ex(`INSERT INTO runs (account_id, id, check_id, location, source, slot_at, interval_ms, attempt, due_at, available_at) SELECT a, overlay(c placing substr(int8send($3::bigint),3) from 1), c, 'local', 0, $3::bigint, 60000, 1, $3, $3 FROM unnest($1::bytea[], $2::bytea[]) u (a, c)`, [accounts, checks, now]);
await client.query('COMMIT');
await client.query('BEGIN');
await ex(`WITH free AS (
         SELECT * FROM runs WHERE location = $1 AND available_at <= $2
         ORDER BY available_at LIMIT $3 FOR UPDATE SKIP LOCKED)
       UPDATE runs r SET available_at = $4, leased_by = $5, first_started_at = coalesce(r.first_started_at, $2)
       FROM free WHERE r.account_id = free.account_id AND r.id = free.id RETURNING free.*`, ['local', now, 500, now + 10000, 'one']);
await ex('SELECT available_at AS at FROM runs WHERE location = $1 AND available_at > $2 ORDER BY available_at LIMIT 1', ['local', now]);
await client.query('COMMIT');
await c.end('one');
}
await client.end();
