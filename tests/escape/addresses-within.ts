// Runs in its own network: scripts that try to reach cloud metadata and the port of the store, which both have
// listeners.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseCidr } from '#egress/address-class.ts';
import type { Place } from '#egress/closed-places.ts';
import type { EgressPolicy } from '#egress/guard.ts';
import type { Containment } from '#sandbox/containment/containment.ts';
import { startTrap } from '../egress/trap.ts';
import { nothingLeft, useOwnTmp } from '../support/scripts/left-behind.ts';
import { type Attempt as AnyAttempt, type Attempted, runAttempts } from '../support/scripts/script-attempts.ts';
import { strongContainments } from '../support/scripts/script-runs.ts';

/** Type of target. */
export type Sort = 'metadata' | 'store' | 'beside';

/** One attempt. */
export interface Attempt extends AnyAttempt {
  readonly sort: Sort;
}

/** Outcome of a script. */
export interface Tried extends Attempted<Attempt> {
  /** Addresses with connections. */
  readonly connected: Readonly<Record<Sort, readonly string[]>>;
}

/** Outcomes at one contained level. */
export interface TriedAt {
  readonly level: Containment;
  /** Like a service on loopback. */
  readonly usual: Tried;
  /** With every network allowed explicitly. */
  readonly allowed: Tried;
  /** With every network allowed and nothing closed. */
  readonly open: Tried;
}

/** All outcomes. */
export interface SeenOfAddresses {
  /** For each level that works here. */
  readonly contained: readonly TriedAt[];
  /** Uncontained. */
  readonly bare: Tried;
}

const ports: Readonly<Record<Sort, number>> = { metadata: 80, store: 5432, beside: 5433 };
const onThisMachine = `127.0.0.1 localhost [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] 127.9.9.9 0x7f000001 0.0.0.0 [::]
  10.9.8.7 [::ffff:10.9.8.7] store.test STORE.test other-name.test`.split(/\s+/);
const hosts: Readonly<Record<Sort, readonly string[]>> = {
  metadata: ['169.254.169.254', '0xa9fea9fe', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]', 'metadata.test'],
  store: onThisMachine,
  beside: ['127.0.0.1', 'localhost'],
};
const sorts = Object.keys(ports) as Sort[];

const folder = useOwnTmp();
process.stdout.write(JSON.stringify(await inspectAll()));
rmSync(folder, { recursive: true });

async function inspectAll(): Promise<SeenOfAddresses> {
  const strong = await strongContainments();
  const levels = strong.filter(({ problem }) => problem === null).map(({ level }) => level);
  const refused = strong.map(({ problem }) => problem).join('; ');
  // Fail instead of skipping if it cannot be tested.
  if (levels.length === 0) throw new Error(`scripts cannot be contained here: ${refused}`);
  for (const address of ['169.254.169.254/32', 'fd00:ec2::254/128', '10.9.8.7/32']) {
    execFileSync('ip', ['address', 'add', address, 'dev', 'lo']);
  }
  const traps = await Promise.all(sorts.map((sort) => startTrap(ports[sort])));
  const taken = (): Tried['connected'] =>
    Object.fromEntries(sorts.map((sort, n) => [sort, traps[n]?.take() ?? []])) as unknown as Tried['connected'];
  const targets = sorts.flatMap((sort) => hosts[sort].map((host) => ({ sort, host, port: ports[sort] })));
  const script = join(import.meta.dirname, 'address-attempts.mjs');
  const attempt = async (egress: EgressPolicy, closed: readonly Place[], level: Containment): Promise<Tried> => {
    const { problem, attempts } = await runAttempts<Attempt>(script, { targets }, { egress, closed, level });
    return { problem, attempts, connected: taken() };
  };
  const usual: EgressPolicy = { mode: 'any', allow: [] };
  const everything: EgressPolicy = { mode: 'any', allow: ['0.0.0.0/0', '::/0'].map(parseCidr) };
  const ours: Place[] = [{ host: 'store.test', port: ports.store, owner: 'database' }];
  const contained: TriedAt[] = [];
  for (const level of levels) {
    contained.push({
      level,
      usual: await attempt(usual, ours, level),
      allowed: await attempt(everything, ours, level),
      open: await attempt(everything, [], level),
    });
  }
  const bare = await attempt(usual, ours, 'process');
  for (const trap of traps) trap.close();
  await nothingLeft();
  return { contained, bare };
}
