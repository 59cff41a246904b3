// Ten processes on PostgreSQL behind a proxy with the installation under test, and how a run on them ends.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OwnPostgres, startPostgres } from '../../tests/support/postgres/postgres.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import type { Answered } from '../peers/chaos-target.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { type Audit, openAudit } from './audit.ts';
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts';
import { install, type Installation, secrets } from './installation.ts';
import type { Witnessed } from './judge.ts';
import { openRecordedPostgres, type Recorded } from './recorded.ts';
import type { Verdict } from './verdict.ts';
import { createWriter, type Writer } from './writer.ts';

/** Pause between two writes of the API client, ms: ten processes share this machine. */
const writePauseMs = 200;
/** Receivers respond slowly, ms, so that a fault or a stop of a deliverer is likely to interrupt attempts. */
const longestAnswerMs = 1500;

/** What a run works on. */
export interface OnFleet {
  readonly url: string;
  readonly server: OwnPostgres;
  readonly proxy: Peer;
  readonly fleet: Fleet;
  readonly audit: Audit;
  readonly recorded: Recorded;
  readonly installation: Installation;
  readonly writer: Writer;
  /** What the peers have seen. */
  witnessed(until: number): Promise<Witnessed>;
  /** Stores the records for troubleshooting; removed if all guarantees hold. */
  keep(witnessed: Witnessed, more?: Readonly<Record<string, readonly unknown[]>>): void;
}

/** Starts everything, runs `work`, and stops everything. @param checks number of scripted checks */
export async function onFleet(
  { dataDir, checks, programOf }: Pick<FleetOptions, 'dataDir' | 'programOf'> & { readonly checks: number },
  say: (what: string) => void,
  work: (on: OnFleet) => Promise<Verdict[]>,
): Promise<Verdict[]> {
  mkdirSync(dataDir, { recursive: true });
  const server = await startPostgres();
  const peers = [startPeer('chaos-target'), startPeer('chaos-receiver'), startPeer('chaos-proxy')] as const;
  const [target, receiver, proxy] = peers;
  let begun: Fleet | null = null;
  try {
    const { url } = await server.newDatabase();
    const fleet = await startFleet({ dataDir, proxy, url, ...(programOf !== undefined && { programOf }) });
    begun = fleet;
    say(`${fleet.members.length} processes are ready`);
    using audit = openAudit(url);
    using recorded = openRecordedPostgres(url, () => audit.order());
    const receiverAddress = await receiver.ask<string>('listen', secrets);
    await receiver.ask('takeLonger', longestAnswerMs);
    const installation = await install(firstOf(fleet), await target.ask('listen'), receiverAddress, checks);
    say(`${checks} checks, a group and three channels through the API`);
    const writer = createWriter(installation.groupId, writePauseMs);
    return await work({
      url,
      server,
      proxy,
      fleet,
      audit,
      recorded,
      installation,
      writer,
      witnessed: async (until) => ({
        until,
        requests: await receiver.ask<Request[]>('requests'),
        answered: await target.ask<Answered[]>('answered'),
        calls: writer.acknowledged.triggers,
      }),
      keep({ requests, answered }, more = {}) {
        const found = { notes: audit.notes(), results: recorded.results(), requests, answered, ...more };
        for (const [name, rows] of Object.entries(found)) {
          writeFileSync(join(dataDir, `${name}.json`), rows.map((row) => JSON.stringify(row)).join('\n'));
        }
      },
    });
  } finally {
    // Stopped processes have already ended; after an error none must remain.
    await Promise.all(begun?.members.map((member) => member.kill()) ?? []);
    await Promise.all(peers.map((peer) => peer.stop()));
    await server.stop();
  }
}

/** A ready API process. @throws {Error} if there is none */
export function firstOf(fleet: Fleet) {
  const [first] = fleet.serving('api');
  if (first === undefined) throw new Error(`no process serves the API: ${fleet.complaints.join('\n')}`);
  return first;
}
