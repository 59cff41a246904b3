// `export`: the resources of an account as resource files.
import { mkdirSync, writeFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import {
  imageFields,
  resourceOperations,
  type ResourceFile,
  type SectionName,
  sections,
} from '#contract/projects/resource-file.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { type Export, exportResources } from '#files/export.ts';
import { idText, type FileSchema } from '#files/from-api.ts';
import { filled } from '#files/placeholders.ts';
import { writeFile } from '#files/write.ts';
import { errorMessage } from '#lib/errors.ts';
import { CommandError, UsageError } from '../../exits.ts';
import { withoutControls, oneLine } from '../../terminal-text.ts';
import { type Connection, connect } from '../connect.ts';
import { findCheck, readAll, readWhole } from '../find.ts';
import { note, print, type ServerOptions, withServer } from '../output.ts';
import { packageFolder } from '#lib/package-files.ts';

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

async function run(options: ExportOptions): Promise<void> {
  const { project, check, output } = options;
  if (project !== undefined && check !== undefined) throw new UsageError('use either --project or --check');
  const connection = connect(options);
  const { file, placeholders } = await exported(connection, options);
  if (options.json === true) print(options, { file, placeholders }, () => []);
  else if (output === undefined) process.stdout.write(writeFile(file));
  else for (const [path, content] of pathsOf(file, output)) write(path, content);
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
    const all = (await readWhole(connection, resourceOperations[type][2])) as JsonObject[];
    // Private locations are known by their slug in files, and by their ID in projects.
    const isOwned = (each: JsonObject): boolean =>
      names.has(`${type} ${idText(each[name === 'privateLocations' ? 'id' : keyField])}`);
    resources[name] = project === undefined ? all : all.filter(isOwned);
  }
  const found = exportResources(readSchema(), resources, (type, id) => names.get(`${type} ${id}`));
  return { ...found, file: { ...(project !== undefined && { project }), ...found.file } };
}

/** A file to write. */
type Written = [path: string, content: string | Uint8Array];

/** One file, or a file for each section, script and image. */
function pathsOf(file: ResourceFile, output: string): Written[] {
  if (/\.ya?ml$/.test(output)) return [[output, writeFile(file)]];
  const { project, ...maps } = file;
  const apart: Written[] = [];
  const files = Object.entries(maps).flatMap(([section, resources]): Written[] => {
    if (Object.keys(resources).length === 0) return [];
    const written = Object.entries(resources).map(([id, resource]) => [
      id,
      withImageFiles(id, withScriptFile(id, resource, apart), apart),
    ]);
    const name = section.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [[`${name}.yaml`, writeFile({ [section]: Object.fromEntries(written) })]];
  });
  const named: Written[] = project === undefined ? [] : [['project.yaml', writeFile({ project })]];
  return [...named, ...files, ...apart].map(([name, text]) => [join(output, name), text]);
}

/** Moves the script of a check into a file of its own. */
function withScriptFile(logicalId: string, resource: JsonObject | string, apart: Written[]): JsonObject | string {
  if (typeof resource === 'string' || typeof resource['script'] !== 'string') return resource;
  const path = freePath(apart, 'scripts', logicalId, '.ts');
  apart.push([
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

/** Moves the images of a status page into files of their own. */
function withImageFiles(logicalId: string, resource: JsonObject | string, apart: Written[]): JsonValue {
  if (typeof resource === 'string') return resource;
  const fileOf: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(imageFields).map(([field, name]) => [name, field]),
  );
  return Object.fromEntries(
    Object.entries(resource).map(([name, value]) => {
      const field = fileOf[name];
      const [, type, content] =
        /^data:image\/(?:x-)?([a-z]+);base64,(.*)$/.exec(typeof value === 'string' ? value : '') ?? [];
      if (field === undefined || type === undefined || content === undefined) return [name, value];
      const path = freePath(apart, 'images', `${logicalId}-${name}`, `.${type === 'icon' ? 'ico' : type}`);
      apart.push([path, Buffer.from(content, 'base64')]);
      return [field, path];
    }),
  );
}

/** A path that no other file has. */
function freePath(apart: readonly Written[], folder: string, logicalId: string, ending: string): string {
  const base = logicalId.replace(/[^\p{L}\p{N}_-]+/gu, '-');
  const isTaken = apart.some(([name]) => name === `${folder}/${base}${ending}`);
  return `${folder}/${isTaken ? `${base}-${apart.length}` : base}${ending}`;
}

function write(path: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  } catch (error) {
    throw new CommandError(`cannot write ${path}: ${withoutControls(errorMessage(error))}`);
  }
  note(`Wrote ${path}`);
}

/** The schema of resource files that the package contains. */
export function readSchema(): FileSchema {
  return JSON.parse(readFileSync(join(packageFolder, 'docs/schema.json'), 'utf8')) as FileSchema;
}

/** A line for each placeholder, each after a line feed: its variable, and where it is used. */
export function placeholderLines(placeholders: Export['placeholders']): string {
  return placeholders.map(({ name, used }) => `\n  ${name}  ${oneLine(used)}`).join('');
}
