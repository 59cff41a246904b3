import { openChurned, perStep, stepMs } from './support/churn.ts';
import { planRuns } from '#domain/plan-runs.ts';
const engine = (process.argv[2] ?? 'sqlite') as 'sqlite';
await using c = await openChurned(engine, { schedules: Number(process.argv[3] ?? 100000), folder: '/work/wt/claim/data/zz' });
for (let i = 0; i < 250; i++) await c.step();
const t: number[][] = [[], [], []];
for (let i = 0; i < 150; i++) {
  c.now += stepMs; const now = c.now;
  const a = performance.now();
  const cpu0 = process.cpuUsage();
  await c.path.scheduleDue({ now, most: perStep, plan: (s) => planRuns(s, now, ['local']), missedReason: () => 'overload' });
  const b = performance.now();
  t[2]!.push(process.cpuUsage(cpu0).user / 1000 + process.cpuUsage(cpu0).system / 1000);
  await c.path.claimRuns({ location: 'local', owner: 'one', now, leaseMs: 10_000, most: perStep });
  const d = performance.now();
  t[0]!.push(b - a); t[1]!.push(d - b);
  await c.end('one');
}
for (const x of t) { x.splice(0, 30); x.sort((p, q) => p - q); console.log(x[0]!.toFixed(1), x[x.length >> 1]!.toFixed(1), x[Math.floor(x.length * .95)]!.toFixed(1)); }
