// CPU (schedstat) per turn and claim: node and postgres backends
import { readFileSync, readdirSync } from 'node:fs';
import { openChurned, perStep, stepMs } from './support/churn.ts';
import { planRuns } from '#domain/plan-runs.ts';
const ns = (pid: string) => { try { return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]); } catch { return 0; } };
const stat = (pid: string) => { try { const s = readFileSync(`/proc/${pid}/stat`, 'utf8'); return s.slice(s.lastIndexOf(')') + 2).split(' '); } catch { return []; } };
const pg = () => { const all = readdirSync('/proc').filter((p) => /^\d+$/.test(p)); const mine = new Set(all.filter((p) => stat(p)[1] === String(process.pid))); return all.filter((p) => mine.has(stat(p)[1] ?? '')); };
const node = () => { let s = 0; for (const t of readdirSync('/proc/self/task')) s += ns(`self/task/${t}`); return s; };
const engine = (process.argv[2] ?? 'postgres') as 'postgres';
await using c = await openChurned(engine, { schedules: Number(process.argv[3] ?? 100000), folder: '/work/wt/claim/data/zz' });
for (let i = 0; i < 250; i++) await c.step();
const measure = async (what: string, out: Map<string, number[]>, work: () => Promise<unknown>) => {
  const pids = pg(); const n0 = node(); const p0 = pids.map(ns); const t0 = performance.now();
  await work();
  const t1 = performance.now(); const n1 = node(); const p1 = pids.map(ns);
  const add = (k: string, v: number) => out.set(k, [...(out.get(k) ?? []), v]);
  add(what + ' wall', t1 - t0); add(what + ' node', (n1 - n0) / 1e6); add(what + ' pg', p1.reduce((s, v, i) => s + v - (p0[i] ?? 0), 0) / 1e6);
};
const out = new Map<string, number[]>();
for (let i = 0; i < 120; i++) {
  c.now += stepMs; const now = c.now;
  const o = i < 20 ? new Map() : out;
  await measure('turn', o, () => c.path.scheduleDue({ now, most: perStep, plan: (s) => planRuns(s, now, ['local']), missedReason: () => 'overload' }));
  const claim = () => c.path.claimRuns({ location: 'local', owner: 'one', now, leaseMs: 10_000, most: perStep });
  await measure('cold', o, async () => { const r = await claim(); await c.path.returnRuns(r.runs.map(({ run }) => run), 'one'); });
  await measure('warm', o, claim);
  await c.end('one');
}
for (const [k, x] of out) { x.sort((p, q) => p - q); console.log(k.padEnd(12), [x[0]!, x[x.length >> 2]!, x[x.length >> 1]!, x[Math.floor(x.length * .95)]!].map((v) => v.toFixed(1)).join('  ')); }
