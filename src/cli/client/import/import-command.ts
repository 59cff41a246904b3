// `import`: monitors of other products become checks.
import * as forms from '#checks/forms.ts';
import { chmodSync, closeSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { channelKinds } from '#channels/registry.ts';
import type { CheckForm } from '#checks/form.ts';
import type { DeploymentBody } from '#contract/projects/project.ts';
import type { ResourceFile, FileResource } from '#contract/projects/resource-file.ts';
import { readFailure } from '#files/load-files.ts';
import { writeFile } from '#files/write.ts';
import type { WebhookPreset } from '#importers/channels.ts';
import { importCheckly } from '#importers/checkly/import-checkly.ts';
import type { KnownHere } from '#importers/checkly/context.ts';
import { importBlackbox } from '#importers/blackbox/import-blackbox.ts';
import { importCsv } from '#importers/csv/import-csv.ts';
import { importGatus } from '#importers/gatus/import-gatus.ts';
import { importHealthchecks } from '#importers/healthchecks/import-healthchecks.ts';
import { type Imported, ImportError, type ImportRow } from '#importers/imported.ts';
import { importKuma } from '#importers/kuma/import-kuma.ts';
import { importOpenApi } from '#importers/openapi/import-openapi.ts';
import { importUptimeRobot } from '#importers/uptimerobot/import-uptimerobot.ts';
import { withoutRefused } from '#importers/without-email.ts';
import { readVariable } from '#config/config.ts';
import { systemClock } from '#lib/clock.ts';
import { errorMessage } from '#lib/errors.ts';
import { CommandError } from '../../exits.ts';
import { oneLine } from '../../terminal-text.ts';
import { type Connection, connect } from '../connect.ts';
import { deploy, dryRun, readText } from '../files/deployed.ts';
import { listed, note, print, type ServerOptions, withServer } from '../output.ts';
import { placeholderLines, readSchema } from '../files/export.ts';
import { countText, planLines } from '../files/plan-text.ts';
import { checklyUrl, readChecklyAccount } from './checkly-account.ts';
import { readKumaDatabase } from './kuma-database.ts';
import { storedSwitches } from '#importers/stored-switches.ts';

interface ImportOptions extends ServerOptions {
  readonly output?: string;
  readonly project?: string;
  readonly dryRun?: true;
}

/** Largest text file, bytes. */
const largestFile = 20 * 1_048_576;
const presets: readonly WebhookPreset[] = channelKinds.flatMap((kind) => ('presets' in kind ? kind.presets : []));

/** Defines `import` and its subcommands, one for each product. */
export function defineImport(command: Command): void {
  command.description(
    'Import monitors of another product. Prints what becomes what, and what could not be carried over. Channels ' +
      'arrive switched off. Repeat it as often as you like: it changes what differs.',
  );
  product(command, 'kuma', 'Import the database of Uptime Kuma 1.23 or 2.x.', 'kuma.db')
    .argument('<file>', 'its database, data/kuma.db')
    .action((file: string, options: ImportOptions) =>
      run(options, () => importKuma(readKumaDatabase(file), presets, systemClock.now())),
    );
  product(command, 'gatus', 'Import the configuration of Gatus.', 'config.yaml')
    .argument('<file>', 'its configuration')
    .action((file: string, options: ImportOptions) => run(options, () => importGatus(textOf(file), presets)));
  product(command, 'blackbox', 'Import probes of the blackbox exporter.', 'blackbox.yml --targets prometheus.yml')
    .argument('<file>', 'configuration of the exporter')
    .requiredOption('--targets <file>', 'configuration of Prometheus, with the targets')
    .action((file: string, options: ImportOptions & { readonly targets: string }) =>
      run(options, () => importBlackbox(textOf(file), textOf(options.targets))),
    );
  product(
    command,
    'checkly',
    'Import an account of Checkly. CHECKLY_API_KEY and CHECKLY_ACCOUNT_ID say which. Nothing is changed there.',
  )
    .option('--url <url>', 'address of the API', checklyUrl)
    .option('--account <id>', 'ID of the account; default: CHECKLY_ACCOUNT_ID')
    .action((options: ImportOptions & { readonly url: string; readonly account?: string }) =>
      run(options, async () => {
        const here = options.output === undefined ? await knownHere(connect(options)) : null;
        return importCheckly(await readChecklyAccount(options), readSchema(), here, systemClock.now());
      }),
    );
  product(command, 'healthchecks', 'Import the checks of Healthchecks.', 'checks.json')
    .argument('<file>', 'response of GET /api/v3/checks/')
    .action((file: string, options: ImportOptions) => run(options, () => importHealthchecks(textOf(file))));
  product(command, 'uptimerobot', 'Import the monitors of UptimeRobot.', 'monitors.json')
    .argument('<file>', 'response of POST /v2/getMonitors')
    .action((file: string, options: ImportOptions) => run(options, () => importUptimeRobot(textOf(file))));
  product(command, 'openapi', 'Create a check for each GET operation of an OpenAPI 3 document.', 'openapi.yaml')
    .argument('<file>', 'the document, YAML or JSON')
    .option('--base-url <url>', 'server to check; default: the first of the document')
    .action((file: string, options: ImportOptions & { readonly baseUrl?: string }) =>
      run(options, () => importOpenApi(textOf(file), options.baseUrl)),
    );
  product(command, 'csv', 'Create a check for each line: name, target, interval and tags.', 'checks.csv')
    .argument('<file>', 'the lines')
    .action((file: string, options: ImportOptions) =>
      run(options, () => importCsv(textOf(file), Object.values<CheckForm>(forms))),
    );
}

/** What checks can name on the server. */
async function knownHere({ client }: Connection): Promise<KnownHere> {
  const locations = await client.call('listLocations');
  const runtimes = await client.call('listRuntimes');
  return {
    locations: locations.map(({ region }) => region),
    runtimes: runtimes.filter(({ stage }) => stage !== 'REMOVED').map(({ name }) => name),
  };
}

/** @param example its arguments; absent = it has none */
function product(command: Command, name: string, description: string, example?: string): Command {
  const words = ['import', name, ...(example === undefined ? [] : [example])].join(' ');
  return withServer(
    command
      .command(name)
      .description(description)
      .option('-o, --output <file>', 'write a resource file for `apply`, and change nothing')
      .option('--dry-run', 'show what would change on the server, and change nothing')
      .option('--project <name>', `project that owns what is imported; default: ${name}`),
    `${words} --dry-run`,
    words,
    `${words} --output ${name}.yaml`,
  );
}

function textOf(path: string): string {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    return textIn(file, path);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(readFailure(path, error));
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Reads to the end, whose place only files know. */
function textIn(file: number, path: string): string {
  const chunks: Buffer[] = [];
  for (let bytes = 0; ;) {
    const chunk = Buffer.allocUnsafe(1_048_576);
    const count = readSync(file, chunk);
    if (count === 0) return Buffer.concat(chunks).toString('utf8');
    chunks.push(chunk.subarray(0, count));
    bytes += count;
    if (bytes > largestFile) throw new CommandError(`${path} has more than ${largestFile} bytes`);
  }
}

async function run(options: ImportOptions, read: () => Imported | Promise<Imported>): Promise<void> {
  const { file, rows, secrets = [] } = await reading(read);
  const project = options.project ?? file.project ?? 'import';
  const isJson = options.json === true;
  if (!isJson) print(options, null, () => rowLines(rows));
  if (options.output !== undefined) {
    write(options.output, writeFile({ ...file, project }));
    if (secrets.length > 0)
      note(`Secrets are missing. Set these environment variables then:${placeholderLines(secrets)}`);
    if (isJson) print(options, { rows, file: { ...file, project } }, () => []);
    return;
  }
  const unset = secrets.filter(({ name }) => readVariable(name) === undefined);
  if (unset.length > 0) {
    throw new CommandError(
      `secrets are missing. Set these environment variables, and repeat it:${placeholderLines(unset)}`,
    );
  }
  const connection = connect(options);
  const kept = await keepSwitches(connection, { ...file, project });
  const done = await deployed(connection, kept, project, options);
  const diff = done.diff ?? [];
  print(options, { rows, deployment: done }, () => [
    '',
    ...(options.dryRun === true ? planLines({ applied: diff, kept: [] }) : []),
    diff.length === 0
      ? `No changes: project ${oneLine(project)} is up to date.`
      : `Project ${oneLine(project)}: ${options.dryRun === true ? countText(diff) : countText(diff, verbs)}.`,
    ...(kept.alertChannels === undefined
      ? []
      : ['New channels are switched off: send each a test message, then switch it on.']),
  ]);
}

/** Deploys the file; without the channels that the server cannot send to. */
async function deployed(
  connection: Connection,
  file: ResourceFile,
  project: string,
  options: ImportOptions,
): Promise<DeploymentBody> {
  const declaration = { ...readText(writeFile(file)), project };
  try {
    return await (options.dryRun === true ? dryRun : deploy)(connection, declaration, false);
  } catch (error) {
    const { file: rest, left, missing } = withoutRefused(file, errorMessage(error));
    if (left.length === 0) throw error;
    note(`${missing} on the server: left out ${left.join(', ')}. Set it up, then repeat the import.`);
    return deployed(connection, rest, project, options);
  }
}

const verbs = { CREATE: 'created', UPDATE: 'changed', DELETE: 'deleted' };

async function reading(read: () => Imported | Promise<Imported>): Promise<Imported> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof ImportError ? new CommandError(oneLine(error.message)) : error;
  }
}

/** A table, and below it the notes of each row. */
function rowLines(rows: readonly ImportRow[]): readonly string[] {
  const skipped = rows.filter(({ to }) => to === null).length;
  const table = {
    titles: ['FROM', 'TYPE', 'BECOMES'],
    rows: rows.map(({ from, kind, to }) => [from, kind, to ?? { text: 'not carried over', style: 'yellow' as const }]),
  };
  const noted = rows.filter(({ notes }) => notes.length > 0);
  return [
    ...listed(table, 'There is nothing to import.'),
    ...(noted.length === 0 ? [] : ['', 'Notes:']),
    ...noted.flatMap(({ from, notes }) => [`  ${oneLine(from)}`, ...notes.map((each) => `    - ${oneLine(each)}`)]),
    '',
    `${rows.length - skipped} of ${rows.length} carried over.`,
  ];
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, '', { mode: 0o600 });
    if (statSync(path).isFile()) chmodSync(path, 0o600);
    writeFileSync(path, text);
  } catch (error) {
    throw new CommandError(`cannot write ${path}: ${errorMessage(error)}`);
  }
  note(`Wrote ${path}. It may contain secrets. Apply it with: tocsin apply -f ${path}`);
}

/** The file, with the switches that channels have on the server since an earlier import. */
async function keepSwitches({ client }: Connection, file: ResourceFile): Promise<ResourceFile> {
  const { project = '', alertChannels = {} } = file;
  const stored = await storedSwitches(client, project, Object.keys(alertChannels));
  if (stored.size === 0) return file;
  const merged = Object.entries(alertChannels).map(([id, channel]) => [id, { ...channel, ...stored.get(id) }]);
  return { ...file, alertChannels: Object.fromEntries(merged) as Record<string, FileResource> };
}
