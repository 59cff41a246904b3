// Ten processes on PostgreSQL with every kind of fault. In the end all guarantees must hold, and work must have
// continued.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../../tests/support/postgres/postgres.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import type { Answered } from '../peers/chaos-target.ts';
import { startPeer } from '../support/peer.ts';
import { judgeGaps } from './answered.ts';
import { type Audit, openAudit } from './audit.ts';
import { judgeConservation, judgeSettled, judgeGrouped, judgeRecords, judgeWrites } from './judge.ts';
import { createRandom } from './random.ts';
import { createFaults, type Fault, faultKinds, faultNames, judgeCuts, judgeDrops, judgeFaults } from './faults.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { install, secrets } from './installation.ts';
import type { ChaosOptions, Verdict } from './verdict.ts';
import { openRecordedPostgres } from './recorded.ts';
import { judgeWork, maxResumeMs, resumedAfter, type Span, type Work, bringStorms, stormMs } from './resumed.ts';
import { judgeNotified } from './notified.ts';
import { createWriter, type Writer } from './writer.ts';

const scriptedChecks = 80;
/** Pause between two writes of the API client, ms: ten processes share this machine. */
const writePauseMs = 200;
/** Receivers respond slowly, ms, so that a fault of one deliverer is likely to interrupt attempts. */
const longestAnswerMs = 1500;

export async function chaosOfPostgres({ dataDir, length: minutes, seed, say }: ChaosOptions): Promise<Verdict[]> {
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
    const receiverAddress = await receiver.ask<string>('listen', secrets);
    await receiver.ask('takeLonger', longestAnswerMs);
    const client = firstOf(fleet);
    const installation = await install(client, await target.ask('listen'), receiverAddress, scriptedChecks);
    say(`${scriptedChecks} checks, a group and three channels through the API`);
    const writer = createWriter(installation.groupId, writePauseMs);
    const onStarted = (): void => writer.writeTo(fleet.serving('api'));
    onStarted();

    const from = Date.now();
    const faults = createFaults({ fleet, proxy, server, random: createRandom(seed), say, onStarted });
    let lost = 0;
    const end = async (): Promise<void> => {
      await faults.end();
      lost = await proxy.ask<number>('stopDropping');
    };
    const storms = await bringStorms(minutes * 60_000, { next: () => faults.next(), end, say });
    say(`${lost} successful commits lost their response`);
    await writer.finish(firstOf(fleet));
    const until = Date.now();
    const judged: Span = { from, to: until };
    say('settling');
    const settled = await judgeSettled(recorded, until);
    const written = await judgeWrites(firstOf(fleet), writer.acknowledged);
    const conserved = await judgeConservation(firstOf(fleet));
    await fleet.stop();
    const requests = await receiver.ask<Request[]>('requests');
    const answered = await target.ask<Answered[]>('answered');
    const results = recorded.results();

    const works = worksOf(fleet, audit, writer);
    // Kept for troubleshooting; removed if all guarantees hold.
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
      ...judgeGrouped(recorded.grouped(), until, maxResumeMs + stormMs),
      ...written,
      audit.judgeOwners(),
      judgeDrops(faults.done, lost),
      judgeCuts(faults.done, faults.cut),
      ...judgeFaults(faults),
      ...works.map((work) => judgeWork(work.name, [work], faults.outages, judged)),
      judgeWork('each process sends heartbeats', ownWorks(fleet, audit), faults.outages, judged),
      { guarantee: 'no process exits unexpectedly', checked: fleet.members.length, violations: fleet.complaints },
      conserved,
      settled,
    ];
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

/** Work of each role according to the audit log, and that of the API according to its client. */
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
    { name: 'deliveries are attempted', groups: [schedulers, runners, deliverers], instants: instantsOf('attempted') },
    { name: 'writes are acknowledged', groups: [membersOf('api')], instants: writer.acknowledged.instants },
    // Retention has nothing to do in these minutes, so only heartbeats show that upkeep works.
    { name: 'upkeep sends heartbeats', groups: [membersOf('upkeep')], instants: signsOf('upkeep') },
  ];
}

/** The heartbeats of each process resume after every fault. */
function ownWorks(fleet: Fleet, audit: Audit): Work[] {
  const signs = audit.notes().filter(({ what }) => what === 'sign');
  return fleet.members.map(({ name, pids }) => {
    const own = signs.filter(({ pid }) => pids.has(pid)).map(({ at }) => at);
    return { name, groups: [[name]], instants: own };
  });
}

/** Longest time from the end of a fault to the first work after it, by kind of fault. */
function resumptions(faults: readonly Fault[], works: readonly Work[]): string[] {
  return faultKinds.flatMap((kind) => {
    const ends = faults.filter((fault) => fault.kind === kind).map(({ to }) => to);
    const longest = works.map((work) => {
      const times = ends.map((end) => resumedAfter(end, work));
      return times.includes(null)
        ? `${work.name} never again`
        : `${work.name} after ${(Math.max(...times.map(Number)) / 1000).toFixed(1)} s`;
    });
    return ends.length === 0 ? [] : [`${ends.length} × ${faultNames[kind]}: ${longest.join(', ')} at most`];
  });
}

/** Formats as lines of JSON. */
export function linesOf(rows: readonly unknown[]): string {
  return rows.map((row) => JSON.stringify(row)).join('\n');
}
