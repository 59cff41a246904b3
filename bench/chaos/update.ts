// A rolling update as an operator makes it: ten processes of an older commit at work over a real PostgreSQL, replaced one at
// a time by the present code, while targets fail and recover; nothing may be lost by it, and there is no way back.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaVersion } from '#store/base/migrate.ts';
import { startPostgres } from '../../tests/support/postgres/postgres.ts';
import { openRawPostgres } from '../../tests/support/store/raw-rows.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import type { Answered } from '../peers/chaos-target.ts';
import { startPeer } from '../support/peer.ts';
import { pause, presentProgram, type Program, startService } from '../support/service.ts';
import { openAudit } from './audit.ts';
import { createDice, type Dice, shuffled } from './dice.ts';
import { type Fleet, type Member, startFleet } from './fleet.ts';
import { channels, install, type Installation } from './installation.ts';
import { judgeRecords, judgeWrites } from './judge.ts';
import type { Verdict } from './verdict.ts';
import { beforeNewestMigration, takeOut } from './older.ts';
import { conservationOf, firstOf, linesOf, settle } from './postgres.ts';
import { judgeReads, readAll, type Shown } from './reads.ts';
import { openRecordedPostgres, type Recorded } from './recorded.ts';
import { judgeNotified } from './notified.ts';
import { createWriter, type Writer } from './writer.ts';

/** From which code, for how long, and in which order. */
export interface UpdateOptions {
  readonly dataDir: string;
  /** A commit; null = the last one before the newest migration. */
  readonly from: string | null;
  /** From the first process that is replaced to the last one. */
  readonly minutes: number;
  readonly seed: number;
  readonly say: (what: string) => void;
}

const scriptedChecks = 40;
const writePauseMs = 200;
/** Receivers take their time, ms: a deliverer that is told to stop should have attempts open. */
const longestAnswerMs = 1500;
/** For so long all are old, and later all are new, ms: more than a slot, and than the failures of the script. */
const aroundMs = 25_000;

/** What processes of either version showed and logged while they were replaced. */
interface Seen {
  readonly older: Shown[];
  readonly newer: Shown[];
  readonly olderComplaints: string[];
  readonly newerComplaints: string[];
  /** The version of the schema once the first process was replaced; null before. */
  migratedTo: number | null;
}

/** What is updated. */
interface Fixture {
  readonly dataDir: string;
  readonly url: string;
  readonly fleet: Fleet;
  readonly installation: Installation;
  readonly writer: Writer;
  /** The names of the processes that run the present code, or are to. */
  readonly updated: Set<string>;
  readonly say: UpdateOptions['say'];
}

export async function chaosOfUpdate({ dataDir, from, minutes, seed, say }: UpdateOptions): Promise<Verdict[]> {
  mkdirSync(dataDir, { recursive: true });
  const commit = from ?? beforeNewestMigration(presentProgram.folder);
  say(`taking out ${commit}`);
  const older = takeOut(presentProgram.folder, commit, join(dataDir, 'older'));
  const updated = new Set<string>();
  const server = await startPostgres();
  const peers = [startPeer('chaos-target'), startPeer('chaos-receiver'), startPeer('chaos-proxy')] as const;
  const [target, receiver, proxy] = peers;
  let begun: Fleet | null = null;
  try {
    const { url } = await server.newDatabase();
    const programOf = (name: string): Program => (updated.has(name) ? presentProgram : older);
    const fleet = await startFleet({ dataDir, proxy, url, programOf });
    begun = fleet;
    const olderSchema = schemaIn(url);
    say(`${fleet.members.length} processes of it are ready, their schema is version ${olderSchema}`);
    using audit = openAudit(url);
    using recorded = openRecordedPostgres(url, () => audit.order());
    const receiverAddress = await receiver.ask<string>('listen', secretsOf(channels));
    await receiver.ask('takeLonger', longestAnswerMs);
    const installation = await install(firstOf(fleet), await target.ask('listen'), receiverAddress, scriptedChecks);
    const writer = createWriter(installation.groupId, writePauseMs);
    const fixture: Fixture = { dataDir, url, fleet, installation, writer, updated, say };
    const verdicts = await update(fixture, {
      pauseMs: (minutes * 60_000) / fleet.members.length,
      dice: createDice(seed),
    });
    const until = Date.now();
    say('settling');
    const isSettled = await settle(recorded, until);
    const last = await judgeEnd(fixture, isSettled);
    const requests = await receiver.ask<Request[]>('requests');
    const answered = await target.ask<Answered[]>('answered');
    // For whoever has to find out why: it goes when every promise was kept.
    const found = { notes: audit.notes(), results: recorded.results(), requests, answered };
    for (const [name, rows] of Object.entries(found)) writeFileSync(join(dataDir, `${name}.json`), linesOf(rows));
    return [
      // An update is no storm: whatever lasts must be told in time.
      ...judgeNotified(installation, requests, [], until),
      ...judgeRecords(installation, recorded, { until, requests, answered, calls: writer.acknowledged.triggers }),
      judgeRun(installation, recorded, until),
      audit.judgeOwners(),
      ...verdicts,
      ...last,
      judgeWayBack(await startAgain(older, fixture), olderSchema),
    ];
  } finally {
    // Those that were stopped are gone already; after an error nothing stays behind.
    await Promise.all(begun?.members.map((member) => member.kill()) ?? []);
    await Promise.all(peers.map((peer) => peer.stop()));
    await server.stop();
  }
}

/** All are old for a while, then one after the other is replaced, then all are new for a while. */
async function update(fixture: Fixture, { pauseMs, dice }: { pauseMs: number; dice: Dice }): Promise<Verdict[]> {
  const { fleet, installation, writer, url } = fixture;
  const seen: Seen = { older: [], newer: [], olderComplaints: [], newerComplaints: [], migratedTo: null };
  writer.writeTo(fleet.serving('api'));
  await pause(aroundMs);
  const before = await readAll(firstOf(fleet), installation);
  for (const member of shuffled(fleet.members, dice)) {
    await replace(member, fixture, seen);
    seen.migratedTo ??= schemaIn(url);
    writer.writeTo(fleet.serving('api'));
    await runAround(fixture, seen);
    await pause(pauseMs);
  }
  await pause(aroundMs);
  await writer.finish(firstOf(fleet));
  const tried = fleet.members.length;
  return [
    judgeOne(
      'the first process of the new version migrates the schema',
      seen.migratedTo === schemaVersion ? [] : [`it has version ${seen.migratedTo}, not ${schemaVersion}`],
    ),
    judgeReads('older processes show over the newer schema what they showed', before, seen.older),
    judgeReads('newer processes show everything beside older ones', null, seen.newer),
    { promise: 'no older process logs an error', tried, breaches: seen.olderComplaints },
  ];
}

/** Stops a process of the older version as an operator would, and starts one of the present version in its place. */
async function replace(member: Member, { dataDir, updated, say }: Fixture, seen: Seen): Promise<void> {
  const startedAt = performance.now();
  const seconds = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  await member.stop();
  const stoppedAfter = seconds();
  seen.olderComplaints.push(...complaintsIn(takeLog(dataDir, member.name, 'older'), member.name));
  updated.add(member.name);
  await member.start();
  say(`${member.name} is replaced: stopped after ${stoppedAfter}, ready again after ${seconds()}`);
}

/** What each process of the API shows now. */
async function runAround({ fleet, updated, installation }: Fixture, { older, newer }: Seen): Promise<void> {
  for (const { name, role, service } of fleet.members) {
    if (role !== 'api' || service === null) continue;
    (updated.has(name) ? newer : older).push(await readAll(service, installation));
  }
}

/** What is asked of the processes when all is done; stops them. */
async function judgeEnd({ fleet, writer, dataDir }: Fixture, isSettled: boolean): Promise<Verdict[]> {
  const written = await judgeWrites(firstOf(fleet), writer.acknowledged);
  const difference = await conservationOf(fleet);
  await fleet.stop();
  const logged = fleet.members.flatMap(({ name }) => complaintsIn(takeLog(dataDir, name, 'present'), name));
  return [
    ...written,
    { promise: 'no newer process logs an error', tried: fleet.members.length, breaches: logged },
    {
      promise: 'each process starts, none ends by itself',
      tried: 2 * fleet.members.length,
      breaches: fleet.complaints,
    },
    judgeOne('asked for = outcomes + open runs', difference === 0 ? [] : [`the difference is ${difference}`]),
    judgeOne('it settles: no open slot, no pending delivery', isSettled ? [] : ['something is open after a minute']),
  ];
}

/** Who is told to stop gives back what it holds, and others go on: every slot is run. */
function judgeRun({ checkIds }: Installation, recorded: Recorded, until: number): Verdict {
  const results = recorded.results().filter(({ at, checkId }) => at <= until && checkIds.includes(checkId));
  const breaches = results.flatMap(({ checkId, outcome, at, slots }) =>
    outcome === 'missed' || outcome === 'unknown'
      ? [`${slots} slots of check ${checkIds.indexOf(checkId)} from ${new Date(at).toISOString()} on are ${outcome}`]
      : [],
  );
  return { promise: 'every slot is run: none is missed or unknown', tried: results.length, breaches };
}

/** What a process of the older version says when it is started on what the newer ones left; null = it was ready. */
async function startAgain(program: Program, { dataDir, url }: Fixture): Promise<string | null> {
  try {
    const environment = { DATABASE_URL: url, TOCSIN_ROLES: 'upkeep' };
    const service = await startService({ dataDir: join(dataDir, 'back'), environment, program });
    await service.kill();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * An update goes forward only: a process of the older version does not start on a newer schema, and says why.
 *
 * @param said when it was started; null = it was ready
 */
export function judgeWayBack(said: string | null, olderSchema: number, newerSchema = schemaVersion): Verdict {
  if (newerSchema === olderSchema) {
    return judgeOne('an older process starts on the schema, which is the same', said === null ? [] : [said]);
  }
  const reason = `the database has schema version ${newerSchema}, this version of Tocsin knows ${olderSchema}`;
  const isRefused = said?.includes(reason) ?? false;
  return judgeOne('an older process refuses to start on it, and says why', isRefused ? [] : [said ?? 'it was ready']);
}

/** Lines of a log that tell of a fault, or of a table that is not as the program knows it. */
export function complaintsIn(log: string, name: string): string[] {
  const isFault = /"level":"(error|fatal)"/;
  const isOfTables =
    /\b(column|relation|table|constraint|function|type) \\?"|violates|deadlock|syntax error|lock timeout/;
  return log.split('\n').flatMap((line) => (isFault.test(line) || isOfTables.test(line) ? [`${name}: ${line}`] : []));
}

/** What a process that has ended logged. It is put aside: who runs under its name next has a log of its own. */
function takeLog(dataDir: string, name: string, version: string): string {
  const [path, aside] = [join(dataDir, `${name}.log`), join(dataDir, `${name} of the ${version} version.log`)];
  if (!existsSync(path)) return '';
  renameSync(path, aside);
  return readFileSync(aside, 'utf8');
}

function schemaIn(url: string): number {
  const door = openRawPostgres(url);
  try {
    return Number(door.prepare(`SELECT value FROM installation WHERE key = 'schema-version'`).get()?.['value'] ?? 0);
  } finally {
    door.close();
  }
}

function secretsOf(all: typeof channels): Record<number, string> {
  return Object.fromEntries(all.map(({ id, secret }) => [id, secret]));
}

/** A promise that is tried once. */
function judgeOne(promise: string, breaches: readonly string[]): Verdict {
  return { promise, tried: 1, breaches };
}
