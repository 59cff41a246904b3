// `apply` and `diff`: resource files become the configuration of a server, or are compared with it.
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { DeploymentBody } from '#contract/projects/project.ts';
import { CommandError, exitCodes } from '../../exits.ts';
import { oneLine } from '../../terminal-text.ts';
import { type Connection, connect } from '../connect.ts';
import { deploy, dryRun, type ReadProject, readProject } from './deployed.ts';
import { note, print, type ServerOptions, withServer } from '../output.ts';
import { countText, type Plan, planLines, planOf } from './plan-text.ts';

interface FileOptions extends ServerOptions {
  readonly file: string;
  readonly project?: string;
  readonly prune?: true;
}

interface ApplyOptions extends FileOptions {
  readonly yes?: true;
}

function withFiles(command: Command, about: string): Command {
  return command
    .description(about)
    .requiredOption('-f, --file <path>', 'resource file, or folder with *.yaml and *.yml files')
    .option('--project <name>', 'project that owns the resources; default: that of the files')
    .option('--prune', 'delete resources of the project that are not in the files');
}

/** Defines `apply`. */
export function defineApply(command: Command): void {
  withServer(
    withFiles(
      command,
      'Make the resources of a project what the files declare. Prints what changes and asks first. All or nothing: if ' +
        'anything is wrong, nothing changes. The format is described in docs/files.md.',
    ).option('-y, --yes', 'do not ask'),
    'apply -f tocsin.yaml',
    'apply -f monitoring/ --prune --yes',
  ).action(apply);
}

/** Defines `diff`. */
export function defineDiff(command: Command): void {
  withServer(
    withFiles(
      command,
      'Compare files with the server, and change nothing. Exits with 0 if apply would change nothing, 2 if the server ' +
        'differs, 1 on errors.',
    ),
    'diff -f tocsin.yaml',
    'diff -f monitoring/ --prune --json',
  ).action(async (options: FileOptions) => void (process.exitCode = await diff(options)));
}

async function diff(options: FileOptions): Promise<number> {
  const { declaration, deployment, plan } = await planned(connect(options), options);
  print(options, deployment, () => (plan.applied.length > 0 ? linesOf(plan) : nothingToDo(declaration, plan)));
  return plan.applied.length > 0 ? 2 : exitCodes.ok;
}

async function apply(options: ApplyOptions): Promise<void> {
  const connection = connect(options);
  const { declaration, deployment, plan } = await planned(connection, options);
  if (plan.applied.length === 0) {
    print(options, deployment, () => nothingToDo(declaration, plan));
    return;
  }
  // The lines are for the person who decides; with --json, stdout is for programs.
  if (options.json === true) for (const line of linesOf(plan)) note(line);
  else print(options, null, () => linesOf(plan));
  if (options.yes !== true) await confirm();
  const done = await deploy(connection, declaration, options.prune === true);
  const pingUrls = await pingUrlsOf(connection, declaration, done);
  print(options, done, () => [
    `Applied to project ${oneLine(done.logicalId)}: ${countText(done.diff ?? [], applied) || 'nothing to do'}.`,
    ...pingUrls,
  ]);
}

const applied = { CREATE: 'created', UPDATE: 'changed', DELETE: 'deleted' };

async function planned(connection: Connection, { file, project, prune }: FileOptions) {
  const declaration = readProject(file, project);
  // Always with what could be pruned, so that forgotten resources are seen.
  const deployment = await dryRun(connection, declaration, true);
  const plan = planOf(deployment.diff ?? [], prune === true);
  return { declaration, plan, deployment: { ...deployment, diff: plan.applied } };
}

function linesOf(plan: Plan): readonly string[] {
  return [...planLines(plan), '', `${countText(plan.applied)}.`];
}

function nothingToDo({ project, resources }: ReadProject, plan: Plan): readonly string[] {
  const count = `${resources.length} resource${resources.length === 1 ? '' : 's'}`;
  return [...planLines(plan), `No changes: project ${oneLine(project)} matches the files (${count}).`];
}

/** Asks on the terminal. @throws {CommandError} if the answer is not yes, or nobody can be asked */
async function confirm(): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CommandError('nothing was changed. Without a terminal, add --yes to apply');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<null>((resolve) => void terminal.once('close', () => resolve(null)));
  const answer = await Promise.race([terminal.question('Apply? [y/N] '), closed]);
  // After Ctrl-C or Ctrl-D, the cursor is still behind the question.
  if (answer === null) note('');
  terminal.close();
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new CommandError('nothing was changed');
}

/** Where the jobs of new heartbeat checks ping. */
async function pingUrlsOf(
  connection: Connection,
  { resources }: Pick<ReadProject, 'resources'>,
  { diff: entries }: DeploymentBody,
): Promise<readonly string[]> {
  const created = new Map(
    (entries ?? []).flatMap((one) =>
      one.action === 'CREATE' && one.type === 'check' ? [[one.logicalId, one.physicalId]] : [],
    ),
  );
  const lines: string[] = [];
  for (const { type, logicalId, payload } of resources) {
    const id = type === 'check' && payload['checkType'] === 'HEARTBEAT' ? created.get(logicalId) : undefined;
    if (id == null) continue;
    const check = await connection.client.call('getCheck', { params: { id } });
    if ('heartbeat' in check) lines.push(`Ping URL of ${oneLine(logicalId)}: ${check.heartbeat.pingUrl ?? 'hidden'}`);
  }
  return lines;
}
