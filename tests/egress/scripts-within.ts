// Runs in a network where every address has a listener: scripts that try to reach them all, contained under two
// policies and uncontained.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { keepsNothing } from '#domain/checks/script.ts';
import { parseCidr } from '#egress/address-class.ts';
import type { EgressPolicy } from '#egress/guard.ts';
import { hasGateway } from '#sandbox/containment/containment.ts';
import { findChromium } from '#sandbox/find-chromium.ts';
import { type Attempted, runAttempts } from '../support/scripts/script-attempts.ts';
import { containmentHere } from '../support/scripts/script-runs.ts';
import { startNameServer } from './name-server.ts';
import { changingHost, forbiddenHosts, port, publicHosts, unwritableHosts } from './spellings.ts';
import { startTrap } from './trap.ts';

/** Outcome of a script. */
export interface Tried extends Attempted {
  /** Addresses with connections. */
  readonly connected: readonly string[];
  /** Datagrams and connections to an abstract socket of this machine. */
  readonly others: number;
  /** Page errors in the report. */
  readonly pageErrors: readonly string[];
}

/** All outcomes. */
export interface SeenOfScripts {
  /** With public addresses allowed, including a browser. */
  readonly closed: Tried;
  /** With everything allowed. */
  readonly open: Tried;
  /** Uncontained, under the first policy. */
  readonly bare: Tried;
}

const abstract = 'tocsin-abstract-socket';

process.stdout.write(JSON.stringify(await inspectAll()));

async function inspectAll(): Promise<SeenOfScripts> {
  const { containment, refused } = await containmentHere();
  // Fail instead of skipping if it cannot be tested.
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
        // Only its connections matter.
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
