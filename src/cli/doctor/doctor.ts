// `doctor`: what is wrong with this installation, and what to do about it.
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { schemaVersion } from '#store/base/migrate.ts';
import { deliveryHoldKey } from '#store/channels/held-deliveries.ts';
import type { PostgresAddress } from '#lib/net/postgres-address.ts';
import { heldFindings } from './doctor-held.ts';
import { postgresFindings } from './doctor-postgres.ts';
import type { Finding } from './finding.ts';
import { commandName } from '#lib/package-files.ts';

/** Where the data is. */
export type DoctorDatabase =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly address: PostgresAddress; readonly listen: PostgresAddress | null };

/** What the doctor looks at. */
export interface DoctorInput {
  readonly nodeVersion: string;
  readonly dataDir: string;
  /** The folder that was looked for when none is named; null = one is named or was found. */
  readonly lookedAt: string | null;
  readonly database: DoctorDatabase;
  readonly hasConfiguredKey: boolean;
  /** Variables that begin with TOCSIN_ and mean nothing, and what was probably meant. */
  readonly unknownVariables: readonly { readonly name: string; readonly nearest: string | null }[];
  /** Where a running service would be asked. */
  readonly address: string;
  readonly egress: {
    readonly mode: string;
    readonly proxy: { readonly host: string; readonly port: number } | null;
    readonly isLoopback: boolean;
  };
  /** Why this machine cannot send pings; null = it can. */
  readonly pingProblem: string | null;
  readonly runtimes: {
    readonly names: readonly string[];
    readonly notInstalled: readonly string[];
    readonly problems: readonly string[];
    /** Those that end within thirty days, or have ended. */
    readonly ends: readonly { readonly words: string; readonly isOver: boolean }[];
  };
  /** The browser of browser checks; null = none is here. */
  readonly chromium: string | null;
  /** A sentence = it could not be tried, and why. */
  readonly containment: FoundContainment | string;
}

/** How far scripts are kept apart here, and why not further. */
interface FoundContainment {
  readonly level: string;
  readonly refused: readonly string[];
  /** Whether they reach only what the egress policy allows. */
  readonly holdsEgress: boolean;
  /** What the level does not keep them from, and how far it does. */
  readonly shortfalls: readonly string[];
  /** What their limits do not count. */
  readonly uncounted: readonly string[];
}

/** Looks at everything; never throws for what it finds. */
export async function examine(input: DoctorInput): Promise<Finding[]> {
  return [
    nodeFinding(input.nodeVersion),
    ...variableFindings(input.unknownVariables),
    folderFinding(input),
    ...spaceFinding(input.dataDir),
    ...keyFindings(input),
    ...(input.database.kind === 'sqlite'
      ? databaseFindings(input.database.path)
      : await postgresFindings(input.database.address, input.database.listen)),
    egressFinding(input.egress),
    pingFinding(input.pingProblem),
    ...runtimeFindings(input.runtimes),
    scriptFinding(input.containment),
    chromiumFinding(input.chromium),
    await serviceFinding(input.address),
  ];
}

function nodeFinding(version: string): Finding {
  const major = Number(version.slice(1).split('.')[0]);
  return major >= 24
    ? { what: 'Node.js', grade: 'ok', message: version }
    : { what: 'Node.js', grade: 'problem', message: `${version} is too old: run npm ci, it brings version 24` };
}

function variableFindings(unknown: DoctorInput['unknownVariables']): Finding[] {
  return unknown.map(({ name, nearest }) => ({
    what: 'variable',
    grade: 'warning',
    message: `${name} means nothing: ${nearest === null ? 'see docs/configuration.md' : `did you mean ${nearest}?`}`,
  }));
}

function folderFinding({ dataDir, lookedAt }: DoctorInput): Finding {
  const what = 'data folder';
  if (lookedAt !== null) {
    const message = `${lookedAt} does not exist, and no running service was found: set TOCSIN_DATA_DIR, or run this where the service runs`;
    return { what, grade: 'problem', message };
  }
  if (!existsSync(dataDir)) return { what, grade: 'ok', message: `${dataDir} will be made at the first start` };
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK);
    return { what, grade: 'ok', message: dataDir };
  } catch {
    return { what, grade: 'problem', message: `${dataDir} cannot be written: give it to the user that runs Tocsin` };
  }
}

function spaceFinding(dataDir: string): Finding[] {
  if (!existsSync(dataDir)) return [];
  const { bavail, bsize } = statfsSync(dataDir);
  const free = (bavail * bsize) / 1e9;
  const message = `${free.toFixed(1)} GB free`;
  if (free >= 1) return [{ what: 'disk', grade: 'ok', message }];
  return [
    {
      what: 'disk',
      grade: free < 0.1 ? 'problem' : 'warning',
      message: `${message}: make room, or lower TOCSIN_RETENTION_DAYS`,
    },
  ];
}

function keyFindings({ dataDir, hasConfiguredKey }: DoctorInput): Finding[] {
  const what = 'secret key';
  if (hasConfiguredKey) return [{ what, grade: 'ok', message: 'TOCSIN_SECRET_KEY' }];
  const path = `${dataDir}/secret.key`;
  if (!existsSync(path)) return [{ what, grade: 'ok', message: 'will be made at the first start' }];
  const mode = statSync(path).mode & 0o077;
  return mode === 0
    ? [{ what, grade: 'ok', message: `${path}; keep a copy apart from the database's backups` }]
    : [{ what, grade: 'problem', message: `${path} can be read by others: chmod 600 ${path}` }];
}

function databaseFindings(path: string): Finding[] {
  const what = 'database';
  if (!existsSync(path)) return [{ what, grade: 'ok', message: `${path} will be made at the first start` }];
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    try {
      return [schemaFinding(database), damageFinding(database, path), ...heldFindings(heldIn(database))];
    } finally {
      database.close();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [
      { what, grade: 'problem', message: `${path} cannot be opened (${why}): put the newest backup in its place` },
    ];
  }
}

function schemaFinding(database: DatabaseSync): Finding {
  const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  const what = 'schema';
  if (found === schemaVersion) return { what, grade: 'ok', message: `version ${found}` };
  return found < schemaVersion
    ? {
        what,
        grade: 'warning',
        message: `version ${found}: the next start brings it to ${schemaVersion}; back up first`,
      }
    : { what, grade: 'problem', message: `version ${found} is newer than this program: start the newer Tocsin again` };
}

function heldIn(database: DatabaseSync): string | undefined {
  try {
    const row = database.prepare('SELECT value FROM installation WHERE key = ?').get(deliveryHoldKey);
    return row && String(row['value']);
  } catch {
    // An older schema has no such table, which is a finding of its own.
    return undefined;
  }
}

function damageFinding(database: DatabaseSync, path: string): Finding {
  const finding = String(database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
  const log = existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0;
  const ofLog = log === 0 ? '' : ` (${(log / 1e6).toFixed(1)} MB of it write-ahead log)`;
  const size = `${((statSync(path).size + log) / 1e6).toFixed(1)} MB${ofLog}`;
  return finding === 'ok'
    ? { what: 'database', grade: 'ok', message: `${path}, ${size}, undamaged` }
    : {
        what: 'database',
        grade: 'problem',
        message: `${path} is damaged (${finding}): put the newest backup in its place`,
      };
}

function egressFinding({ mode, proxy, isLoopback }: DoctorInput['egress']): Finding {
  const what = 'egress';
  if (proxy !== null) {
    return { what, grade: 'ok', message: `TOCSIN_PROXY: ${proxy.host}:${proxy.port} judges where requests go` };
  }
  if (isLoopback || mode === 'public') return { what, grade: 'ok', message: `TOCSIN_EGRESS=${mode}` };
  return {
    what,
    grade: 'warning',
    message: `TOCSIN_EGRESS=${mode} while others can reach this server: who has a key can reach addresses of your network through checks and webhooks`,
  };
}

function pingFinding(problem: string | null): Finding {
  const what = 'pings';
  if (problem === null) return { what, grade: 'ok', message: 'can be sent' };
  const remedy = 'ICMP checks end as unknown here; see docs/icmp-checks.md';
  return { what, grade: 'warning', message: `${problem}; ${remedy}` };
}

function runtimeFindings({ names, notInstalled, problems, ends }: DoctorInput['runtimes']): Finding[] {
  const install = `${commandName} runtimes install`;
  const others = notInstalled.length > 0 ? `; not installed: ${notInstalled.join(', ')} (${install} <name>)` : '';
  const found: Finding[] =
    names.length > 0
      ? [{ what: 'runtimes', grade: 'ok', message: `${names.join(', ')}${others}` }]
      : [{ what: 'runtimes', grade: 'problem', message: `none is installed: run ${install}` }];
  return [
    ...found,
    ...problems.map((message): Finding => ({ what: 'runtimes', grade: 'problem', message })),
    ...ends.map(endFinding),
  ];
}

function endFinding({ words, isOver }: DoctorInput['runtimes']['ends'][number]): Finding {
  const what = `${words}: scripts of checks on it ${isOver ? 'do not run' : 'will not run after that'}`;
  const who = 'GET /v1/notices tells each account which of its checks that concerns';
  const right = isOver ? '; remove its folder when there are none' : '';
  return { what: 'runtime end', grade: 'warning', message: `${what}; ${who}${right}` };
}

/** Of scripts: how far they are kept apart, and what is not contained by its name. */
export function scriptFinding(containment: DoctorInput['containment']): Finding {
  const what = 'scripts';
  if (typeof containment === 'string') {
    const remedy =
      'scripts do not run until it can: see whether the disk of this machine is full or it is busy, and try again';
    return { what, grade: 'warning', message: `${containment}; ${remedy}` };
  }
  const { level, refused, holdsEgress, shortfalls, uncounted } = containment;
  const limits = `their limits do not count ${uncounted.join(', ')} (docs/security.md, "Scripts")`;
  if (holdsEgress) {
    const message = `contained by ${level}; the egress policy holds for them, over TCP only; ${limits}`;
    return { what, grade: 'ok', message };
  }
  const how = level === 'user' ? 'as another user, and no further apart' : 'as Tocsin itself does, apart from nothing';
  const reach = 'they reach loopback, private networks, cloud metadata and the port of Tocsin’s database';
  return {
    what,
    grade: 'warning',
    message: `of checks would run ${how} (${level}): the egress policy does not hold for them, so that ${reach}. Not or not wholly contained: ${shortfalls.join('; ')}; ${limits}. They run only with TOCSIN_SCRIPTS_UNCONTAINED=yes. Install bubblewrap or allow user namespaces: ${refused.join('; ')}`,
  };
}

function chromiumFinding(path: string | null): Finding {
  const what = 'chromium';
  if (path !== null) return { what, grade: 'ok', message: path };
  return {
    what,
    grade: 'warning',
    message: 'none is here, so browser checks are unknown: run npm ci, or set TOCSIN_CHROMIUM',
  };
}

async function serviceFinding(address: string): Promise<Finding> {
  const what = 'service';
  try {
    const answer = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(3000) });
    if (answer.ok) return { what, grade: 'ok', message: `runs at ${address} and is ready` };
    const { reasons } = (await answer.json()) as { reasons?: readonly string[] };
    return { what, grade: 'problem', message: `runs at ${address} but is not ready: ${(reasons ?? []).join('; ')}` };
  } catch {
    return { what, grade: 'warning', message: `does not answer at ${address}: start it with npm start` };
  }
}
