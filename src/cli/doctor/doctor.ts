// `doctor`: finds problems of this installation and suggests fixes.
import { errorMessage } from '#lib/errors.ts';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { deliveryHoldKey } from '#store/channels/held-deliveries.ts';
import type { PostgresAddress } from '#lib/net/postgres-address.ts';
import { postgresFindings } from './doctor-postgres.ts';
import { type Finding, heldFindings, ok, problem, schemaFinding, warning } from './finding.ts';
import { commandName } from '#lib/package-files.ts';

/** Location of the data. */
export type DoctorDatabase =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly address: PostgresAddress; readonly listen: PostgresAddress | null };

/** Facts the doctor judges. */
export interface DoctorInput {
  readonly nodeVersion: string;
  readonly dataDir: string;
  /** The missing default folder; null if TOCSIN_DATA_DIR is set or a folder was found. */
  readonly inspectedAt: string | null;
  readonly database: DoctorDatabase;
  readonly hasConfiguredKey: boolean;
  /** Unknown TOCSIN_ variables, each with the most similar known name. */
  readonly unknownVariables: readonly { readonly name: string; readonly nearest: string | null }[];
  /** Address at which to look for a running service. */
  readonly address: string;
  readonly egress: {
    readonly mode: string;
    readonly proxy: { readonly host: string; readonly port: number } | null;
    readonly isLoopback: boolean;
  };
  /** Why this machine cannot send pings; null if it can. */
  readonly pingProblem: string | null;
  readonly runtimes: {
    readonly names: readonly string[];
    readonly notInstalled: readonly string[];
    readonly problems: readonly string[];
    /** Runtimes that have expired or expire within 30 days. */
    readonly ends: readonly { readonly words: string; readonly isOver: boolean }[];
  };
  /** Path of Chromium for browser checks; null if it is not installed. */
  readonly chromium: string | null;
  /** Script isolation, or the reason why it could not be tested. */
  readonly containment: FoundContainment | string;
}

/** Isolation level and the reasons why stronger levels failed. */
interface FoundContainment {
  readonly level: string;
  readonly refused: readonly string[];
  /** Whether the egress policy applies to scripts. */
  readonly enforcesEgress: boolean;
  /** Gaps of the level. */
  readonly shortfalls: readonly string[];
  /** Resources that the limits do not count. */
  readonly uncounted: readonly string[];
}

/** Runs all checks. Never throws because of a finding. */
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
    ? ok('Node.js', version)
    : problem('Node.js', `${version} is too old: run npm ci to install Node.js 24`);
}

function variableFindings(unknown: DoctorInput['unknownVariables']): Finding[] {
  return unknown.map(({ name, nearest }) => {
    const advice = nearest === null ? 'see docs/configuration.md' : `did you mean ${nearest}?`;
    return warning('variable', `${name} is unknown: ${advice}`);
  });
}

function folderFinding({ dataDir, inspectedAt }: DoctorInput): Finding {
  const what = 'data folder';
  if (inspectedAt !== null) {
    const message = `${inspectedAt} does not exist, and no running service was found: set TOCSIN_DATA_DIR, or run this command in the folder of the service`;
    return problem(what, message);
  }
  if (!existsSync(dataDir)) return ok(what, `${dataDir} will be created at the first start`);
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK);
    return ok(what, dataDir);
  } catch {
    return problem(what, `${dataDir} is not writable: make the user that runs Tocsin its owner`);
  }
}

function spaceFinding(dataDir: string): Finding[] {
  if (!existsSync(dataDir)) return [];
  const { bavail, bsize } = statfsSync(dataDir);
  const free = (bavail * bsize) / 1e9;
  const message = `${free.toFixed(1)} GB free`;
  if (free >= 1) return [ok('disk', message)];
  const grade = free < 0.1 ? problem : warning;
  return [grade('disk', `${message}: free disk space or lower TOCSIN_RETENTION_DAYS`)];
}

function keyFindings({ dataDir, hasConfiguredKey }: DoctorInput): Finding[] {
  const what = 'secret key';
  if (hasConfiguredKey) return [ok(what, 'TOCSIN_SECRET_KEY')];
  const path = `${dataDir}/secret.key`;
  if (!existsSync(path)) return [ok(what, 'will be created at the first start')];
  const mode = statSync(path).mode & 0o077;
  return mode === 0
    ? [ok(what, `${path}; store a copy separately from database backups`)]
    : [problem(what, `${path} is readable by others: run chmod 600 ${path}`)];
}

function databaseFindings(path: string): Finding[] {
  const what = 'database';
  if (!existsSync(path)) return [ok(what, `${path} will be created at the first start`)];
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    const { user_version: found } = database.prepare('PRAGMA user_version').get() ?? {};
    return [
      schemaFinding(Number(found), '; back up first'),
      damageFinding(database, path),
      ...heldFindings(heldIn(database)),
    ];
  } catch (error) {
    const why = errorMessage(error);
    return [problem(what, `${path} cannot be opened (${why}): restore the latest backup`)];
  }
}

function heldIn(database: DatabaseSync): string | undefined {
  try {
    const row = database.prepare('SELECT value FROM installation WHERE key = ?').get(deliveryHoldKey);
    return row && String(row['value']);
  } catch {
    // Older schemas lack this table; the schema version is reported separately.
    return undefined;
  }
}

function damageFinding(database: DatabaseSync, path: string): Finding {
  const finding = String(database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
  const log = existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0;
  const ofLog = log === 0 ? '' : ` (${(log / 1e6).toFixed(1)} MB of which is write-ahead log)`;
  const size = `${((statSync(path).size + log) / 1e6).toFixed(1)} MB${ofLog}`;
  return finding === 'ok'
    ? ok('database', `${path}, ${size}, undamaged`)
    : problem('database', `${path} is damaged (${finding}): restore the latest backup`);
}

function egressFinding({ mode, proxy, isLoopback }: DoctorInput['egress']): Finding {
  const what = 'egress';
  if (proxy !== null) {
    return ok(what, `the proxy ${proxy.host}:${proxy.port} (TOCSIN_PROXY) decides which addresses are allowed`);
  }
  if (isLoopback || mode === 'public') return ok(what, `TOCSIN_EGRESS=${mode}`);
  return warning(
    what,
    `TOCSIN_EGRESS=${mode} on a server that others can reach: anyone with an API key can reach addresses in your network through checks and webhooks. Set TOCSIN_EGRESS=public`,
  );
}

function pingFinding(why: string | null): Finding {
  const what = 'pings';
  if (why === null) return ok(what, 'ICMP is available');
  const remedy = 'ICMP checks will be inconclusive; see docs/icmp-checks.md';
  return warning(what, `${why}; ${remedy}`);
}

function runtimeFindings({ names, notInstalled, problems, ends }: DoctorInput['runtimes']): Finding[] {
  const install = `${commandName} runtimes install`;
  const others = notInstalled.length > 0 ? `; not installed: ${notInstalled.join(', ')} (${install} <name>)` : '';
  const found: Finding[] =
    names.length > 0
      ? [ok('runtimes', `${names.join(', ')}${others}`)]
      : [problem('runtimes', `none is installed: run ${install}`)];
  return [...found, ...problems.map((message) => problem('runtimes', message)), ...ends.map(endFinding)];
}

function endFinding({ words, isOver }: DoctorInput['runtimes']['ends'][number]): Finding {
  const what = `${words}: scripts that use it ${isOver ? 'do not run' : 'will not run after that date'}`;
  const who = 'GET /v1/notices lists the affected checks of each account';
  const right = isOver ? '; delete its folder when no check uses it' : '';
  return warning('runtime end', `${what}; ${who}${right}`);
}

/** Reports how scripts are isolated, and the gaps by name. */
export function scriptFinding(containment: DoctorInput['containment']): Finding {
  const what = 'scripts';
  if (typeof containment === 'string') {
    const remedy = 'scripts do not run until this test succeeds; check disk space and load, then try again';
    return warning(what, `${containment}; ${remedy}`);
  }
  const { level, refused, enforcesEgress, shortfalls, uncounted } = containment;
  const limits = `their limits do not count ${uncounted.join(', ')} (docs/security.md, "Scripts")`;
  if (enforcesEgress) {
    const message = `contained by ${level}; the egress policy applies (TCP only); ${limits}`;
    return ok(what, message);
  }
  const how =
    level === 'user' ? 'as another user, without further isolation' : 'as the same user as Tocsin, without isolation';
  const reach = 'they can reach loopback, private networks, cloud metadata and Tocsin’s database';
  return warning(
    what,
    `scripts would run ${how} (${level}). The egress policy does not apply, so ${reach}. Not fully contained: ${shortfalls.join('; ')}; ${limits}. Scripts are disabled unless TOCSIN_SCRIPTS_UNCONTAINED=yes. Install bubblewrap or allow user namespaces: ${refused.join('; ')}`,
  );
}

function chromiumFinding(path: string | null): Finding {
  const what = 'chromium';
  if (path !== null) return ok(what, path);
  return warning(what, 'not installed, so browser checks are inconclusive: run npm ci or set TOCSIN_CHROMIUM');
}

async function serviceFinding(address: string): Promise<Finding> {
  const what = 'service';
  try {
    const answer = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(3000) });
    if (answer.ok) return ok(what, `running at ${address}, ready`);
    const { reasons } = (await answer.json()) as { reasons?: readonly string[] };
    return problem(what, `running at ${address}, not ready: ${(reasons ?? []).join('; ')}`);
  } catch {
    return warning(what, `no answer from ${address}: start the service with npm start`);
  }
}
