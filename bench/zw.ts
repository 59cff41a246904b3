// CPU of the backend by statement of the path, by wrapping Client.prototype.query
import { readFileSync } from 'node:fs';
import pgm from 'pg';
import { openChurned, perStep, stepMs } from './support/churn.ts';
import { planRuns } from '#domain/plan-runs.ts';
const ns = (pid: number) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
await using c = await openChurned('postgres', { schedules: Number(process.argv[2] ?? 100000), folder: '/work/wt/claim/data/zz' });
for (let i = 0; i < 250; i++) await c.step();
const out = new Map<string, number[]>();
const proto = pgm.Client.prototype as any; const orig = proto.query; let tail: Promise<unknown> = Promise.resolve();
let on = false;
proto.query = function (this: any, text: any, values: any, cb: any) {
  if (!on || typeof text !== 'string') return orig.call(this, text, values, cb);
  const self = this;
  const run = tail.then(async () => { const a = ns(self.processID); try { return await orig.call(self, text, values); } finally { const k = text.replace(/\s+/g, ' ').slice(0, 70); out.set(k, [...(out.get(k) ?? []), (ns(self.processID) - a) / 1e6]); } });
  tail = run.catch(() => {});
  return run;
};
for (let i = 0; i < 80; i++) {
  c.now += stepMs; const now = c.now; on = i >= 10;
  await c.path.scheduleDue({ now, most: perStep, plan: (s) => planRuns(s, now, ['local']), missedReason: () => 'overload' });
  await c.path.claimRuns({ location: 'local', owner: 'one', now, leaseMs: 10_000, most: perStep });
  on = false;
  await c.end('one');
}
for (const [k, x] of out) { x.sort((p, q) => p - q); console.log([x[0]!, x[x.length >> 1]!, x[Math.floor(x.length * .95)]!].map((v) => v.toFixed(2).padStart(6)).join('  '), k); }
