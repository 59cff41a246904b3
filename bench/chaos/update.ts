// A rolling update: ten processes of an older commit on PostgreSQL are replaced one at a time by the current code while
// targets fail and recover. Nothing may be lost, and there is no way back.
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { schemaVersion } from '#store/base/migrate.ts';
import { openRawPostgres } from '../../tests/support/store/raw-rows.ts';
import { pause, presentProgram, type Program, startService } from '../support/service.ts';
import { judgeConservation, judgeOne, judgeSettled, judgeRecords, judgeWrites } from './judge.ts';
import { createRandom, type Random, shuffled } from './random.ts';
import type { Member } from './fleet.ts';
import type { Installation } from './installation.ts';
import type { ChaosOptions, Verdict } from './verdict.ts';
import { beforeNewestMigration, takeOut } from './older.ts';
import { firstOf, onFleet, type OnFleet } from './on-fleet.ts';
import type { Recorded } from './recorded.ts';
import { judgeNotified } from './notified.ts';
import type { ApiClient } from './writer.ts';

const scriptedChecks = 40;
/** How long all are old, and later all new, ms: longer than a slot and the failures in the script. */
const aroundMs = 25_000;

/** What processes of either version showed and logged during the update. */
interface Seen {
  readonly older: Shown[];
  readonly newer: Shown[];
  readonly olderComplaints: string[];
  /** Version of the schema after the first replacement; null before. */
  migratedTo: number | null;
}

/** State of the update. */
interface Fixture extends Pick<OnFleet, 'url' | 'fleet' | 'installation' | 'writer'> {
  readonly dataDir: string;
  /** Names of the processes that run the current code. */
  readonly updated: Set<string>;
  readonly say: ChaosOptions['say'];
}

export function chaosOfUpdate({ dataDir, from, length: minutes, seed, say }: ChaosOptions): Promise<Verdict[]> {
  const commit = from ?? beforeNewestMigration(presentProgram.folder);
  say(`checking out ${commit}`);
  const older = takeOut(presentProgram.folder, commit, join(dataDir, 'older'));
  const updated = new Set<string>();
  const programOf = (name: string): Program => (updated.has(name) ? presentProgram : older);
  return onFleet({ dataDir, checks: scriptedChecks, programOf }, say, async (on) => {
    const { url, fleet, audit, recorded, installation, writer } = on;
    const olderSchema = schemaIn(url);
    say(`the older schema has version ${olderSchema}`);
    const fixture: Fixture = { dataDir, url, fleet, installation, writer, updated, say };
    const pauseMs = (minutes * 60_000) / fleet.members.length;
    const verdicts = await update(fixture, { pauseMs, random: createRandom(seed) });
    const until = Date.now();
    say('settling');
    const settled = await judgeSettled(recorded, until);
    const last = [...(await judgeEnd(fixture)), settled];
    const witnessed = await on.witnessed(until);
    on.keep(witnessed);
    return [
      // An update does not excuse delays: all alerts must be in time.
      ...judgeNotified(installation, witnessed.requests, [], until),
      ...judgeRecords(installation, recorded, witnessed),
      judgeRun(installation, recorded, until),
      audit.judgeOwners(),
      ...verdicts,
      ...last,
      judgeWayBack(await startAgain(older, fixture), olderSchema),
    ];
  });
}

/** All are old for a while, then each is replaced, then all are new for a while. */
async function update(fixture: Fixture, { pauseMs, random }: { pauseMs: number; random: Random }): Promise<Verdict[]> {
  const { fleet, installation, writer, url } = fixture;
  const seen: Seen = { older: [], newer: [], olderComplaints: [], migratedTo: null };
  writer.writeTo(fleet.serving('api'));
  await pause(aroundMs);
  const before = await readAll(firstOf(fleet), installation);
  for (const member of shuffled(fleet.members, random)) {
    await replace(member, fixture, seen);
    seen.migratedTo ??= schemaIn(url);
    writer.writeTo(fleet.serving('api'));
    await runAround(fixture, seen);
    await pause(pauseMs);
  }
  await pause(aroundMs);
  await writer.finish(firstOf(fleet));
  const checked = fleet.members.length;
  return [
    judgeOne(
      'the first process of the new version migrates the schema',
      seen.migratedTo === schemaVersion ? [] : [`the schema has version ${seen.migratedTo}, not ${schemaVersion}`],
    ),
    judgeReads('older processes work on the newer schema like before', before, seen.older),
    judgeReads('newer processes work beside older ones', null, seen.newer),
    { guarantee: 'no older process logs an error', checked, violations: seen.olderComplaints },
  ];
}

/** Stops an older process like an operator, and starts a current one in its place. */
async function replace(member: Member, { dataDir, updated, say }: Fixture, seen: Seen): Promise<void> {
  const startedAt = performance.now();
  const seconds = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  await member.stop();
  const stoppedAfter = seconds();
  seen.olderComplaints.push(...complaintsIn(takeLog(dataDir, member.name, 'older'), member.name));
  updated.add(member.name);
  await member.start();
  say(`${member.name} replaced: stopped after ${stoppedAfter}, ready after ${seconds()}`);
}

/** What each API process shows now. */
async function runAround({ fleet, updated, installation }: Fixture, { older, newer }: Seen): Promise<void> {
  for (const { name, role, service } of fleet.members) {
    if (role !== 'api' || service === null) continue;
    (updated.has(name) ? newer : older).push(await readAll(service, installation));
  }
}

/** Final checks of the processes; stops them. */
async function judgeEnd({ fleet, writer, dataDir }: Fixture): Promise<Verdict[]> {
  const written = await judgeWrites(firstOf(fleet), writer.acknowledged);
  const conserved = await judgeConservation(firstOf(fleet));
  await fleet.stop();
  const logged = fleet.members.flatMap(({ name }) => complaintsIn(takeLog(dataDir, name, 'present'), name));
  return [
    ...written,
    { guarantee: 'no newer process logs an error', checked: fleet.members.length, violations: logged },
    {
      guarantee: 'every process starts, and none exits unexpectedly',
      checked: 2 * fleet.members.length,
      violations: fleet.complaints,
    },
    conserved,
  ];
}

/** A stopping process releases its leases and others continue, so every slot is run. */
function judgeRun({ checkIds }: Installation, recorded: Recorded, until: number): Verdict {
  const results = recorded.results().filter(({ at, checkId }) => at <= until && checkIds.includes(checkId));
  const violations = results.flatMap(({ checkId, outcome, at, slots }) =>
    outcome === 'missed' || outcome === 'unknown'
      ? [`${slots} slots of check ${checkIds.indexOf(checkId)} from ${new Date(at).toISOString()} on are ${outcome}`]
      : [],
  );
  return { guarantee: 'every slot is run, none is missed or unknown', checked: results.length, violations };
}

/** Output of an older process started on the newer schema; null = it became ready. */
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
 * There is no way back: an older process refuses to start on a newer schema, with the reason.
 *
 * @param said its output; null = it became ready
 */
export function judgeWayBack(said: string | null, olderSchema: number, newerSchema = schemaVersion): Verdict {
  if (newerSchema === olderSchema) {
    return judgeOne('an older process starts on the same schema', said === null ? [] : [said]);
  }
  const reason = `the database has schema version ${newerSchema}, this version of Tocsin knows ${olderSchema}`;
  const isRefused = said?.includes(reason) ?? false;
  return judgeOne(
    'an older process refuses to start on it, with the reason',
    isRefused ? [] : [said ?? 'it was ready'],
  );
}

/** Log lines about a server error, or about tables that differ from those expected. */
export function complaintsIn(log: string, name: string): string[] {
  const isFault = /"level":"(error|fatal)"/;
  const isOfTables =
    /\b(column|relation|table|constraint|function|type) \\?"|violates|deadlock|syntax error|lock timeout/;
  return log.split('\n').flatMap((line) => (isFault.test(line) || isOfTables.test(line) ? [`${name}: ${line}`] : []));
}

/** Log of an ended process. The file is renamed, so that the next process of that name has its own. */
function takeLog(dataDir: string, name: string, version: string): string {
  const [path, aside] = [join(dataDir, `${name}.log`), join(dataDir, `${name} of the ${version} version.log`)];
  if (!existsSync(path)) return '';
  renameSync(path, aside);
  return readFileSync(aside, 'utf8');
}

function schemaIn(url: string): number {
  const db = openRawPostgres(url);
  try {
    return Number(db.prepare(`SELECT value FROM installation WHERE key = 'schema-version'`).get()?.['value'] ?? 0);
  } finally {
    db.close();
  }
}

/** Status by path; 0 = no response in time. */
type Shown = ReadonlyMap<string, number>;

/** Requests every page and list in the process's API description, using the first check where one is needed. */
async function readAll(client: ApiClient, { checkIds, groupId }: Installation): Promise<Shown> {
  const { status, body } = await client.call('GET', '/v1/openapi.json');
  if (status !== 200) throw new Error(`the API description returned ${status}`);
  const { paths } = body as { paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  const shown = new Map<string, number>();
  for (const [template, operations] of Object.entries(paths)) {
    // A token in the path means an external call with side effects, and a stream of events does not end.
    if (operations['get'] === undefined || template.includes('token}') || template === '/v1/events') continue;
    const id = idIn(template, { checkId: checkIds[0] ?? '', groupId });
    const path = template
      .replaceAll('{type}', 'api-checks')
      .replaceAll('{groupId}', String(groupId))
      .replace('{id}', id)
      .replaceAll(/\{\w+\}/g, checkIds[0] ?? '');
    const answer = await client.call('GET', path).catch(() => ({ status: 0 }));
    shown.set(path, answer.status);
  }
  return shown;
}

function idIn(template: string, { checkId, groupId }: { checkId: string; groupId: number }): string {
  if (template.startsWith('/v1/check-groups/')) return String(groupId);
  return template.startsWith('/v1/alert-channels/') ? '1' : checkId;
}

/**
 * Pages that worked still work, and no request fails with a server error.
 *
 * @param before statuses from a process of that version on its own schema; null = none
 * @param after statuses from processes of that version since
 */
export function judgeReads(guarantee: string, before: Shown | null, after: readonly Shown[]): Verdict {
  const asked = after.flatMap((shown) => [...shown]);
  const violations = asked.flatMap(([path, status]) => {
    const expected = before?.get(path) ?? status;
    if (status === expected && status > 0 && status < 500) return [];
    return [`GET ${path} returned ${status}${status === expected ? '' : `, before ${expected}`}`];
  });
  return { guarantee, checked: asked.length, violations: [...new Set(violations)] };
}
