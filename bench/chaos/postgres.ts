// Ten processes over a real PostgreSQL, and everything that can go wrong between them; in the end all that was promised must
// hold, and work must have gone on.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../../tests/support/postgres/postgres.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import type { Answered } from '../peers/chaos-target.ts';
import { startPeer } from '../support/peer.ts';
import { pause } from '../support/service.ts';
import { judgeGaps } from './answered.ts';
import { type Audit, openAudit } from './audit.ts';
import { createDice } from './dice.ts';
import { createFaults, type Fault, faultKinds, faultNames, judgeCuts, judgeDoubts, judgeFaults } from './faults.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { channels, install } from './installation.ts';
import { judgeRecords, judgeWrites } from './judge.ts';
import type { Verdict } from './verdict.ts';
import { openRecordedPostgres, type Recorded } from './recorded.ts';
import { judgeWork, resumedAfter, type Span, type Work } from './resumed.ts';
import { bringStorms } from './storms.ts';
import { judgeNotified } from './notified.ts';
import { createWriter, type Writer } from './writer.ts';

/** For how long, and by which dice. */
export interface PostgresOptions {
  readonly dataDir: string;
  readonly minutes: number;
  readonly seed: number;
  readonly say: (what: string) => void;
}

const scriptedChecks = 80;
/** Between two writes of the API's client, ms: this machine has ten processes to feed. */
const writePauseMs = 200;
/** Receivers take their time, ms: a fault of one deliverer in ten processes should meet open attempts. */
const longestAnswerMs = 1500;
const maxSettleMs = 60_000;

export async function chaosOfPostgres({ dataDir, minutes, seed, say }: PostgresOptions): Promise<Verdict[]> {
  mkdirSync(dataDir, { recursive: true });
  const server = await startPostgres();
  const peers = [startPeer('chaos-target'), startPeer('chaos-receiver'), startPeer('chaos-proxy')] as const;
  const [target, receiver, proxy] = peers;
  let begun: Fleet | null = null;
  try {
    const { url } = await server.newDatabase();
    const fleet = await startFleet({ dataDir, proxy, url });
    begun = fleet;
    say(`${fleet.members.length} processes are ready`);
    using audit = openAudit(url);
    using recorded = openRecordedPostgres(url, () => audit.order());
    const secrets = Object.fromEntries(channels.map(({ id, secret }) => [id, secret]));
    const receiverAddress = await receiver.ask<string>('listen', secrets);
    await receiver.ask('takeLonger', longestAnswerMs);
    const door = firstOf(fleet);
    const installation = await install(door, await target.ask('listen'), receiverAddress, scriptedChecks);
    say(`${scriptedChecks} checks, a group and two channels through the API`);
    const writer = createWriter(installation.groupId, writePauseMs);
    const onStarted = (): void => writer.writeTo(fleet.serving('api'));
    onStarted();

    const from = Date.now();
    const faults = createFaults({ fleet, proxy, server, dice: createDice(seed), say, onStarted });
    let lost = 0;
    const end = async (): Promise<void> => {
      await faults.end();
      lost = await proxy.ask<number>('trust');
    };
    const storms = await bringStorms(minutes * 60_000, { next: () => faults.next(), end, say });
    say(`${lost} commits were made whose answer got lost`);
    await writer.finish(firstOf(fleet));
    const until = Date.now();
    const judged: Span = { from, to: until };
    say('settling');
    const isSettled = await settle(recorded, until);
    const written = await judgeWrites(firstOf(fleet), writer.acknowledged);
    const difference = await conservationOf(fleet);
    await fleet.stop();
    const requests = await receiver.ask<Request[]>('requests');
    const answered = await target.ask<Answered[]>('answered');
    const results = recorded.results();

    const works = worksOf(fleet, audit, writer);
    // For whoever has to find out why: it goes when every promise was kept.
    const found = {
      faults: faults.done,
      storms,
      installation: [installation],
      notes: audit.notes(),
      results,
      requests,
      answered,
    };
    for (const [name, rows] of Object.entries(found)) writeFileSync(join(dataDir, `${name}.json`), linesOf(rows));
    for (const line of resumptions(faults.done, works)) say(line);
    const witnessed = { until, requests, answered, calls: writer.acknowledged.triggers };
    return [
      ...judgeNotified(installation, requests, storms, until),
      judgeGaps(installation, results, storms, until),
      ...judgeRecords(installation, recorded, witnessed),
      ...written,
      audit.judgeOwners(),
      judgeDoubts(faults.done, lost),
      judgeCuts(faults.done, faults.cut),
      ...judgeFaults(faults),
      ...works.map((work) => judgeWork(work.name, [work], faults.outages, judged)),
      judgeWork('each process gives signs of life', ownWorks(fleet, audit), faults.outages, judged),
      { promise: 'no process ends by itself', tried: fleet.members.length, breaches: fleet.complaints },
      {
        promise: 'asked for = outcomes + open runs',
        tried: 1,
        breaches: difference === 0 ? [] : [`the difference is ${difference}`],
      },
      {
        promise: 'it settles: no open slot, no pending delivery',
        tried: 1,
        breaches: isSettled
          ? []
          : [`${recorded.pending()} deliveries pending, open ${recorded.openSlots().join(', ')}`],
      },
    ];
  } finally {
    // Those that were stopped are gone already; after an error nothing stays behind.
    await Promise.all(begun?.members.map((member) => member.kill()) ?? []);
    await Promise.all(peers.map((peer) => peer.stop()));
    await server.stop();
  }
}

/** A process that answers. @throws {Error} when there is none */
export function firstOf(fleet: Fleet) {
  const [first] = fleet.serving('api');
  if (first === undefined) throw new Error(`no process serves the API: ${fleet.complaints.join('\n')}`);
  return first;
}

/** The work of each role, by what the database noted of it; that of the API by what its client was told. */
function worksOf(fleet: Fleet, audit: Audit, writer: Writer): Work[] {
  const notes = audit.notes();
  const membersOf = (role: string): string[] =>
    fleet.members.flatMap((member) => (member.role === role ? [member.name] : []));
  const instantsOf = (what: string): number[] =>
    notes.flatMap((note) => (note.what === what ? [note.at] : [])).sort((a, b) => a - b);
  const [schedulers, runners, deliverers] = [membersOf('scheduler'), membersOf('runner'), membersOf('deliverer')];
  const signsOf = (role: string): number[] => {
    const pids = new Set(fleet.members.flatMap((member) => (member.role === role ? [...member.pids] : [])));
    return notes.flatMap(({ what, pid, at }) => (what === 'sign' && pids.has(pid) ? [at] : []));
  };
  return [
    { name: 'runs are planned', groups: [schedulers], instants: instantsOf('planned') },
    { name: 'results are recorded', groups: [schedulers, runners], instants: instantsOf('recorded') },
    { name: 'deliveries are tried', groups: [schedulers, runners, deliverers], instants: instantsOf('attempted') },
    { name: 'writes are acknowledged', groups: [membersOf('api')], instants: writer.acknowledged.instants },
    // Retention has nothing to do in these minutes: that upkeep could is all that can be seen.
    { name: 'upkeep gives signs of life', groups: [membersOf('upkeep')], instants: signsOf('upkeep') },
  ];
}

/** Each process by itself: its signs of life come again, whatever was done to it. */
function ownWorks(fleet: Fleet, audit: Audit): Work[] {
  const signs = audit.notes().filter(({ what }) => what === 'sign');
  return fleet.members.map(({ name, pids }) => {
    const own = signs.filter(({ pid }) => pids.has(pid)).map(({ at }) => at);
    return { name, groups: [[name]], instants: own };
  });
}

/** For each kind of fault the longest it took from its end to the first work after it. */
function resumptions(faults: readonly Fault[], works: readonly Work[]): string[] {
  return faultKinds.flatMap((kind) => {
    const ends = faults.filter((fault) => fault.kind === kind).map(({ to }) => to);
    const longest = works.map((work) => {
      const times = ends.map((end) => resumedAfter(end, work));
      return times.includes(null)
        ? `${work.name} never again`
        : `${work.name} again after ${(Math.max(...times.map(Number)) / 1000).toFixed(1)} s`;
    });
    return ends.length === 0 ? [] : [`${ends.length} × ${faultNames[kind]}: ${longest.join(', ')} at most`];
  });
}

/** Waits until every slot up to `until` is closed and every delivery has ended. */
export async function settle(recorded: Recorded, until: number): Promise<boolean> {
  const deadline = performance.now() + maxSettleMs;
  while (performance.now() < deadline) {
    const isOpen = recorded.openSlots().some((slotAt) => slotAt <= until);
    if (!isOpen && recorded.pending() === 0 && Date.now() > until + 2000) return true;
    await pause(50);
  }
  return false;
}

/** What is asked for less what came of it, as the service measures it itself. */
export async function conservationOf(fleet: Fleet): Promise<number> {
  const { body } = await firstOf(fleet).call('GET', '/metrics');
  return Number(/^tocsin_conservation_difference (\S+)$/m.exec(String(body))?.[1] ?? Number.NaN);
}

/** As lines of JSON. */
export function linesOf(rows: readonly unknown[]): string {
  return rows.map((row) => JSON.stringify(row)).join('\n');
}
