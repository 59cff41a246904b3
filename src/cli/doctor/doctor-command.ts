// `doctor`: collects the facts about this machine and configuration.
import { errorMessage } from '#lib/errors.ts';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, resolve, dirname } from 'node:path';
import type { Command } from 'commander';
import { findPing, pingProblem } from '#checks/kinds/icmp/ping.ts';
import { type DoctorDatabase, type DoctorInput, examine } from './doctor.ts';
import { endedWords, endsSoon, runtimeStages, type RuntimeStage } from '#domain/checks/runtime.ts';
import { systemClock } from '#lib/clock.ts';
import { type ChosenContainment, chooseContainment } from '#sandbox/containment/choose-containment.ts';
import { hasGateway, hasOwnGroups } from '#sandbox/containment/containment.ts';
import { findChromium } from '#sandbox/find-chromium.ts';
import { shortfalls, uncountedAt } from '#sandbox/containment/protections.ts';
import { readInstalled } from '#app/scripts/installed-runtimes.ts';
import { nearestVariable, type DatabaseUrl } from '#config/variables.ts';
import { type Config, isLoopbackHost, publicUrlOf, readConfig } from '#config/config.ts';
import { exitCodes } from '../exits.ts';
import { createScriptGateway } from '#sandbox/script-gateway.ts';
import { commandName } from '#lib/package-files.ts';
import { findRows } from '#store/base/rows.ts';
import { openDatabase } from '../open-database.ts';

/** Defines `doctor`. */
export function defineDoctor(command: Command): void {
  command
    .description('Diagnose this installation and suggest fixes. Exits with 1 if there is a problem.')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  ${commandName} doctor --json`)
    .action(async (values: { readonly json?: true }) => void (process.exitCode = await doctor(values)));
}

async function doctor(values: { readonly json?: true }): Promise<number> {
  const config: Config = readConfig();
  const { dataDir, database, inspectedAt } = placeOf(config, runningFolder(config.port));
  // Stages are judged as the next start would judge them, including one moved backwards.
  const { runtimes, problems, notInstalled, ended } = await readInstalled(systemClock, await storedStages(database));
  const now = systemClock.now();
  const ending = runtimes.filter((runtime) => endsSoon(runtime, now));
  const findings = await examine({
    nodeVersion: process.version,
    dataDir,
    inspectedAt,
    database,
    hasConfiguredKey: config.secretKey !== null,
    unknownVariables: config.unknownVariables.map((name) => ({ name, nearest: nearestVariable(name) })),
    address: publicUrlOf({ host: config.host, publicUrl: null }, config.port),
    egress: { mode: config.egress.mode, proxy: config.egress.proxy, isLoopback: isLoopbackHost(config.host) },
    pingProblem: await pingProblem(findPing()),
    runtimes: {
      names: runtimes.map((runtime) => runtime.name),
      notInstalled,
      problems: problems.map(({ runtime, message }) => `${runtime}: ${message}`),
      ends: [
        ...ending.map(({ name, runtimeEndOfLife }) => ({
          words: `${name} ends on ${runtimeEndOfLife}`,
          isOver: false,
        })),
        ...ended.map((runtime) => ({ words: `${runtime.name} ${endedWords(runtime, now)}`, isOver: true })),
      ],
    },
    containment: doctorContainmentOf(await triedContainment(config)),
    chromium: chromiumPath(findChromium(config.chromium)),
  });
  if (values.json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  const marks = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' } as const;
  if (!values.json) {
    for (const { grade, what, message } of findings) {
      process.stdout.write(`${marks[grade]}  ${what.padEnd(12)} ${message}\n`);
    }
  }
  return findings.some(({ grade }) => grade === 'problem') ? exitCodes.failed : exitCodes.ok;
}

/**
 * Locates the data. Without TOCSIN_DATA_DIR and a local data folder, this is the folder of the running service.
 * @param running data folder of the running service; null = not found
 */
function placeOf(config: Config, running: string | null): Pick<DoctorInput, 'dataDir' | 'database' | 'inspectedAt'> {
  const { dataDir } = config;
  const database = doctorDatabaseOf(config);
  if (dataDir !== resolve('data') || existsSync(dataDir)) return { dataDir, database, inspectedAt: null };
  if (database.kind === 'postgres') {
    return { dataDir: running ?? dataDir, database, inspectedAt: config.secretKey === null ? dataDir : null };
  }
  if (running === null) return { dataDir, database, inspectedAt: dataDir };
  return { dataDir: running, database: { kind: 'sqlite', path: join(running, 'tocsin.db') }, inspectedAt: null };
}

function doctorDatabaseOf({ database, listen }: Config): DoctorDatabase {
  if (database.kind === 'sqlite') return database;
  return { ...database, listen: listen === 'off' ? null : (listen ?? database.address) };
}

/**
 * Script isolation as the doctor reports it.
 * @param tried the isolation found, or the reason why the test failed
 * @param hasGroups whether each run gets its own group at the level `user`
 */
export function doctorContainmentOf(
  tried: ChosenContainment | string,
  hasGroups: boolean = hasOwnGroups,
): DoctorInput['containment'] {
  if (typeof tried === 'string') return tried;
  const { containment: level, refused } = tried;
  const [falls, uncounted] = [shortfalls(level, hasGroups), uncountedAt(level)];
  return { level, refused, enforcesEgress: hasGateway(level), shortfalls: falls, uncounted };
}

function chromiumPath(found: ReturnType<typeof findChromium>): string | null {
  return found === null ? null : join(found.folder, found.program);
}

async function triedContainment({ egress }: Config): Promise<ChosenContainment | string> {
  const gateway = createScriptGateway({ egress });
  try {
    return await chooseContainment(process.execPath, process.getuid?.() === 0, gateway.open);
  } catch (error) {
    return errorMessage(error);
  } finally {
    await gateway.close();
  }
}

/**
 * Data folder of the process of the current user that listens on `port`; null if none was found. Reads /proc, so it
 * works only on Linux, and for a container only inside it.
 */
function runningFolder(port: number): string | null {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listenersOn(port, table)));
  if (sockets.size === 0) return null;
  for (const pid of listOf('/proc').filter((name) => /^\d+$/.test(name))) {
    const open = listOf(`/proc/${pid}/fd`).map((file) => linkOf(`/proc/${pid}/fd/${file}`));
    const database = open.find((path) => path.endsWith('/tocsin.db'));
    if (database !== undefined && open.some((path) => sockets.has(path))) return dirname(database);
  }
  return null;
}

/** Inodes of listening sockets, as they appear in /proc/<pid>/fd: `socket:[inode]`. */
function listenersOn(port: number, table: string): string[] {
  let text: string;
  try {
    text = readFileSync(`/proc/net/${table}`, 'utf8');
  } catch {
    return [];
  }
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    return state === '0A' && local.endsWith(ending) ? [`socket:[${inode}]`] : [];
  });
}

/** Empty if the folder does not exist, the process has ended or it belongs to another user. */
function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Stages by runtime name. Empty if the database cannot be read; another finding reports that. */
async function storedStages(database: DatabaseUrl): Promise<ReadonlyMap<string, RuntimeStage>> {
  try {
    await using opened = await openDatabase(database, 'read');
    const rows = await findRows(opened.reader, 'runtime_stages', {});
    return new Map(
      rows.flatMap(({ name, stage }) => runtimeStages.filter((each) => each === stage).map((each) => [name, each])),
    );
  } catch {
    return new Map();
  }
}
