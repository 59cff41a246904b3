// `export`: the resources of an account as resource files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { AnswerOf, PagedId } from '#contract/operations.ts';
import { type ResourceFile, type SectionName, sections } from '#contract/projects/resource-file.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { type Export, exportResources } from '#files/export.ts';
import { idText } from '#files/from-api.ts';
import { filled } from '#files/placeholders.ts';
import { writeFile } from '#files/write.ts';
import { errorMessage } from '#lib/errors.ts';
import { CommandError, UsageError } from '../../exits.ts';
import { withoutControls } from '../../terminal-text.ts';
import { type Connection, connect } from '../connect.ts';
import { findCheck, readAll } from '../find.ts';
import { note, print, type ServerOptions, withServer } from '../output.ts';
import { placeholderLines, readSchema } from './placeholder-text.ts';

interface ExportOptions extends ServerOptions {
  readonly project?: string;
  readonly check?: string;
  readonly output?: string;
}

/** Defines `export`. */
export function defineExport(command: Command): void {
  withServer(
    command
      .description(
        'Write the resources of the account as a resource file. Secrets are placeholders such as ${env:TOKEN}, which ' +
          'are listed. To move an account, set these variables and apply the file elsewhere.',
      )
      .option('--project <name>', 'only what this project owns')
      .option('--check <check>', 'only this check: its ID or name')
      .option('-o, --output <path>', 'file (*.yaml, *.yml) or folder; default: stdout. Replaces existing files'),
    'export -o tocsin.yaml',
    'export --project shop -o monitoring/',
    'export --check "Home page"',
  ).action(run);
}

const paged =
  (id: PagedId) =>
  async (connection: Connection): Promise<readonly object[]> =>
    (await readAll(connection, id, {})).items;
const byCursor =
  (id: 'listStatusServices' | 'listStatusPages') =>
  async ({ client }: Connection): Promise<readonly object[]> => {
    const all: object[] = [];
    for (let after: string | null = null; ;) {
      const query: { limit: number; nextId?: string } = { limit: 100, ...(after !== null && { nextId: after }) };
      const { entries, nextId }: AnswerOf<typeof id> = await client.call(id, { query });
      all.push(...entries);
      if (nextId === null) return all;
      after = nextId;
    }
  };

/** How the resources of each section are read. */
const lists: Readonly<Record<SectionName, (connection: Connection) => Promise<readonly object[]>>> = {
  variables: paged('listVariables'),
  privateLocations: ({ client }) => client.call('listPrivateLocations', {}),
  snippets: paged('listSnippets'),
  alertChannels: paged('listAlertChannels'),
  checkGroups: paged('listCheckGroups'),
  checks: paged('listChecks'),
  maintenanceWindows: paged('listMaintenanceWindows'),
  statusServices: byCursor('listStatusServices'),
  statusPages: byCursor('listStatusPages'),
};

async function run(options: ExportOptions): Promise<void> {
  const { project, check, output } = options;
  if (project !== undefined && check !== undefined) throw new UsageError('use either --project or --check');
  const connection = connect(options);
  const { file, placeholders } = await exported(connection, options);
  if (options.json === true) print(options, { file, placeholders }, () => []);
  else if (output === undefined) process.stdout.write(writeFile(file));
  else for (const [path, text] of pathsOf(file, output)) write(path, text);
  if (placeholders.length > 0) {
    note(
      `Secrets are not exported. Set these environment variables when you apply the file:${placeholderLines(placeholders)}`,
    );
  }
}

async function exported(connection: Connection, { project, check }: ExportOptions): Promise<Export> {
  const { items: owned } = await readAll(connection, 'listProjectResources', project === undefined ? {} : { project });
  if (project !== undefined) await connection.client.call('getProject', { params: { logicalId: project } });
  const names = new Map(owned.map(({ type, physicalId, logicalId }) => [`${type} ${physicalId}`, logicalId]));
  const only = check === undefined ? null : await findCheck(connection, check);
  const resources: Partial<Record<SectionName, JsonObject[]>> = {};
  for (const { name, type, keyField = 'id' } of sections) {
    if (only !== null) {
      if (name === 'checks') resources[name] = [only as unknown as JsonObject];
      continue;
    }
    // Each list contains records of its type.
    const all = (await lists[name](connection)) as JsonObject[];
    // Private locations are known by their slug in files, and by their ID in projects.
    const isOwned = (each: JsonObject): boolean =>
      names.has(`${type} ${idText(each[name === 'privateLocations' ? 'id' : keyField])}`);
    resources[name] = project === undefined ? all : all.filter(isOwned);
  }
  const found = exportResources(readSchema(), resources, (type, id) => names.get(`${type} ${id}`));
  return { ...found, file: { ...(project !== undefined && { project }), ...found.file } };
}

/** One file, or a file for each section and each script. */
function pathsOf(file: ResourceFile, output: string): [path: string, text: string][] {
  if (/\.ya?ml$/.test(output)) return [[output, writeFile(file)]];
  const { project, ...maps } = file;
  const scripts: [string, string][] = [];
  const files = Object.entries(maps).flatMap(([section, resources]): [string, string][] => {
    if (Object.keys(resources).length === 0) return [];
    const written = Object.entries(resources).map(([id, resource]) => [id, withScriptFile(id, resource, scripts)]);
    const name = section.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [[`${name}.yaml`, writeFile({ [section]: Object.fromEntries(written) })]];
  });
  const named: [string, string][] = project === undefined ? [] : [['project.yaml', writeFile({ project })]];
  return [...named, ...files, ...scripts].map(([name, text]) => [join(output, name), text]);
}

/** Moves the script of a check into a file of its own. */
function withScriptFile(logicalId: string, resource: JsonObject | string, scripts: [string, string][]): JsonValue {
  if (typeof resource === 'string' || typeof resource['script'] !== 'string') return resource;
  const base = logicalId.replace(/[^\p{L}\p{N}_-]+/gu, '-');
  const isTaken = scripts.some(([name]) => name === `scripts/${base}.ts`);
  const path = `scripts/${isTaken ? `${base}-${scripts.length}` : base}.ts`;
  scripts.push([
    path,
    filled(
      resource['script'],
      () => undefined,
      () => {},
    ),
  ]);
  return Object.fromEntries(
    Object.entries(resource).map(([name, value]) => (name === 'script' ? ['scriptFile', path] : [name, value])),
  );
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new CommandError(`cannot write ${path}: ${withoutControls(errorMessage(error))}`);
  }
  note(`Wrote ${path}`);
}
