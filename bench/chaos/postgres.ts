// Ten processes on PostgreSQL with every kind of fault. In the end all guarantees must hold, and work must have
// continued.
import { judgeGaps } from './answered.ts';
import type { Audit } from './audit.ts';
import { createFaults, type Fault, faultKinds, faultNames, judgeCuts, judgeDrops, judgeFaults } from './faults.ts';
import type { Fleet } from './fleet.ts';
import { judgeConservation, judgeGrouped, judgeRecords, judgeSettled, judgeWrites } from './judge.ts';
import { judgeNotified } from './notified.ts';
import { firstOf, onFleet } from './on-fleet.ts';
import { createRandom } from './random.ts';
import { bringStorms, judgeWork, maxResumeMs, resumedAfter, type Span, stormMs, type Work } from './resumed.ts';
import type { ChaosOptions, Verdict } from './verdict.ts';
import type { Writer } from './writer.ts';

const scriptedChecks = 80;

export function chaosOfPostgres({ dataDir, length: minutes, seed, say }: ChaosOptions): Promise<Verdict[]> {
  return onFleet({ dataDir, checks: scriptedChecks }, say, async (on) => {
    const { proxy, server, fleet, audit, recorded, installation, writer } = on;
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
    const witnessed = await on.witnessed(until);
    on.keep(witnessed, { faults: faults.done, storms, installation: [installation] });
    const works = worksOf(fleet, audit, writer);
    for (const line of resumptions(faults.done, works)) say(line);
    return [
      ...judgeNotified(installation, witnessed.requests, storms, until),
      judgeGaps(installation, recorded.results(), storms, until),
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
  });
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
