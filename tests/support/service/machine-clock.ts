// Loaded before a program (`--import`): its machine's clock is ahead by the milliseconds that stand in a file, now and
// whenever that is written anew. The steady clock is left alone, as a machine's is when its clock is set.
import { readFileSync } from 'node:fs';

const path = process.env['MACHINE_CLOCK_FILE'] ?? '';
const pollMs = 50;
const RealDate = Date;
let aheadMs = 0;

function inspect(): void {
  const found = Number(readFileSync(path, 'utf8'));
  if (Number.isFinite(found)) aheadMs = found;
}

inspect();
setInterval(inspect, pollMs).unref();
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [RealDate.now() + aheadMs] : given, made) as object,
  apply: () => new RealDate(RealDate.now() + aheadMs).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => RealDate.now() + aheadMs : (Reflect.get(target, name, receiver) as unknown),
});
