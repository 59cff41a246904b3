// Runs in a network where every address leads to a listener: scripts of checks that try to reach them all, contained as
// services contain them under two policies, and not contained at all.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { keepsNothing } from '#domain/checks/script.ts';
import { parseCidr } from '#egress/cidr.ts';
import type { EgressPolicy } from '#egress/guard.ts';
import { hasGateway } from '#sandbox/containment/containment.ts';
import { findChromium } from '#sandbox/find-chromium.ts';
import { type Attempted, runAttempts } from '../support/script-attempts.ts';
import { containmentHere } from '../support/script-runs.ts';
import { startNameServer } from './name-server.ts';
import { changingHost, forbiddenHosts, port, publicHosts, unwritableHosts } from './spellings.ts';
import { startTrap } from './trap.ts';

/** What came of a script. */
export interface Tried extends Attempted {
  /** Addresses that were connected to. */
  readonly connected: readonly string[];
  /** Datagrams that came, and connections to an abstract socket of this machine. */
  readonly others: number;
  /** What the report says went wrong in pages. */
  readonly pageErrors: readonly string[];
}

/** All that was seen. */
export interface SeenOfScripts {
  /** Where the policy allows the public addresses; in a browser, too. */
  readonly closed: Tried;
  /** Where it allows everything. */
  readonly open: Tried;
  /** Of a process that is not contained, under the policy of the first. */
  readonly bare: Tried;
}

const abstract = 'tocsin-abstract-socket';

process.stdout.write(JSON.stringify(await lookAtAll()));

async function lookAtAll(): Promise<SeenOfScripts> {
  const { containment, refused } = await containmentHere();
  // A promise that cannot be tried must not seem kept.
  if (!hasGateway(containment)) throw new Error(`scripts cannot be contained here: ${refused.join('; ')}`);
  const stopNames = await startNameServer();
  const trap = await startTrap(port);
  let others = 0;
  const datagrams = createSocket({ type: 'udp6' }).on('message', () => others++);
  const server = createServer((socket) => {
    others++;
    socket.destroy();
  });
  await Promise.all([
    new Promise<void>((resolve) => void server.listen(`\0${abstract}`, resolve)),
    new Promise<void>((resolve) => datagrams.bind(port, '::', resolve)),
  ]);
  const attempt = async (egress: EgressPolicy, pages: boolean, level = containment): Promise<Tried> => {
    others = 0;
    const targets = { hosts: [...forbiddenHosts, ...publicHosts], unwritable: unwritableHosts, port, pages };
    const script = join(import.meta.dirname, 'script-attempts.mjs');
    const tried = await runAttempts(
      script,
      { ...targets, changing: changingHost, abstract },
      {
        egress,
        level,
        browser: pages ? findChromium(null) : null,
        // It is there to connect, not to be looked at.
        keeps: keepsNothing,
        limits: { wallClockMs: 270_000, memoryBytes: 2 ** 31, processes: 128 },
      },
    );
    const { outcome, problem, attempts } = tried;
    return {
      problem,
      attempts,
      connected: trap.take(),
      others,
      pageErrors: outcome.pageLines.filter(({ sort }) => sort === 'error').map(({ text }) => text),
    };
  };
  const everything = ['0.0.0.0/0', '::/0'].map(parseCidr);
  const onlyPublic: EgressPolicy = { mode: 'public', allow: [] };
  const seen = {
    closed: await attempt(onlyPublic, true),
    open: await attempt({ mode: 'any', allow: everything }, false),
    bare: await attempt(onlyPublic, false, 'process'),
  };
  stopNames();
  trap.close();
  server.close();
  datagrams.close();
  return seen;
}
