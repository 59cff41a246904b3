// `doctor`: collects the facts about this machine and configuration.
import { errorMessage } from '#lib/errors.ts';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { findPing, pingProblem } from '#checks/kinds/icmp/ping.ts';
import { type DoctorDatabase, type DoctorInput, examine } from './doctor.ts';
import { runningFolder } from './running-folder.ts';
import { storedStages } from './stored-stages.ts';
import { endedWords, endsSoon } from '#domain/checks/runtime.ts';
import { systemClock } from '#lib/clock.ts';
import { type ChosenContainment, chooseContainment } from '#sandbox/containment/choose-containment.ts';
import { hasGateway } from '#sandbox/containment/containment.ts';
import { findChromium } from '#sandbox/find-chromium.ts';
import { hasOwnGroups } from '#sandbox/containment/own-group.ts';
import { shortfalls, uncountedAt } from '#sandbox/containment/protections.ts';
import { readInstalled } from '#app/scripts/installed-runtimes.ts';
import { nearestVariable } from '#config/variables.ts';
import { type Config, isLoopbackHost, publicUrlOf, readConfig } from '#config/config.ts';
import { exitCodes } from '../exits.ts';
import { createScriptGateway } from '#sandbox/script-gateway.ts';
import { commandName } from '#lib/package-files.ts';

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
