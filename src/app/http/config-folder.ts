// Applies the folder of TOCSIN_CONFIG_FOLDER: reads it, and deploys what it declares.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '#actions/refusal.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { DeclaredResource } from '#domain/projects/resource.ts';
import { FileProblemsError } from '#files/file-problem.ts';
import { loadFiles } from '#files/load-files.ts';
import { type Declaration, problemsOf, readFiles } from '#files/read-files.ts';
import { errorMessage } from '#lib/errors.ts';
import { HttpRefusal } from '#rest/http-refusal.ts';
import { parseDeclared } from '#rest/projects/declared-inputs.ts';
import { runAs } from '#store/base/audit/acting.ts';
import { createApplyFolder, type FolderOutcome } from '#upkeep/apply-folder.ts';
import type { Actions } from './actions.ts';
import type { ActionDeps } from './deps.ts';

/** The project of a folder whose files name none. */
const folderProject = 'folder';
/** Entries of a folder that its signature counts at most. */
const mostEntries = 20_000;

/** The loop; null = no folder is set. */
export function composeApplyFolder(
  { projects }: Pick<Actions, 'projects'>,
  { config: { configFolder, configAccount }, store, ownProcess, clock, log, stopping }: ActionDeps,
): (() => Promise<number>) | null {
  if (configFolder === null) return null;
  const { path, variables } = configFolder;
  return createApplyFolder({
    store: store.configFolder,
    signature: () => signatureOf(path),
    account: () =>
      configAccount === null
        ? store.configFolder.onlyAccount()
        : Promise.resolve({ id: configAccount, isAmbiguous: false }),
    apply: (account) => applyFolder(projects, { path, variables, stopping }, account),
    owner: ownProcess.id,
    clock,
    onProblem: (problem) =>
      problem === null
        ? log.info('config-folder.applied', { folder: path })
        : log.error('config-folder.failed', { folder: path, error: problem }),
  });
}

/** Where the folder leads, and the names, sizes and times of everything in it; '' = it cannot be read. */
function signatureOf(path: string): string {
  const hash = createHash('sha256');
  let left = mostEntries;
  const add = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (--left < 0) return;
      if (entry.name === '.git' || entry.name === 'node_modules') continue;
      const file = join(folder, entry.name);
      const { size, mtimeMs, ino } = statsOf(file);
      hash.update(`${file}\n${size} ${mtimeMs} ${ino}\n`);
      if (entry.isDirectory()) add(file);
    }
  };
  try {
    const root = realpathSync(path);
    hash.update(root);
    add(root);
    return hash.digest('hex');
  } catch {
    return '';
  }
}

/** Those of a link itself if it leads nowhere, such as the lock of an editor: it must not hide changes of other files. */
function statsOf(file: string): Stats {
  try {
    return statSync(file);
  } catch {
    return lstatSync(file);
  }
}

interface Folder {
  readonly path: string;
  /** Values of `TOCSIN_FILE_*`, by name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stopping: AbortSignal;
}

async function applyFolder(
  projects: Actions['projects'],
  { path, variables, stopping }: Folder,
  accountId: string,
): Promise<FolderOutcome> {
  const before = signatureOf(path);
  let declaration: Declaration;
  try {
    const { sources, ...files } = loadFiles(path);
    if (sources.length === 0) return { problem: `${path} contains no resource files, so nothing is changed.` };
    const environment = (name: string): string | undefined =>
      name.startsWith('TOCSIN_FILE_') ? variables[name] : undefined;
    declaration = readFiles(sources, { ...files, environment });
  } catch (error) {
    // It may have been read while it was replaced.
    if (signatureOf(path) !== before) return 'again';
    if (error instanceof FileProblemsError) return { problem: error.message };
    throw error;
  }
  if (signatureOf(path) !== before) return 'again';
  const { resources } = declaration;
  if (resources.length === 0) return { problem: `${path} declares no resources, so nothing is changed.` };
  return deploy(projects, declaration, resources.map(declaredOf), accountId, stopping);
}

function declaredOf({ type, logicalId, payload }: DeclaredResource): DeclaredResource {
  return { type, logicalId, payload };
}

async function deploy(
  projects: Actions['projects'],
  declaration: Declaration,
  resources: readonly DeclaredResource[],
  accountId: string,
  stopping: AbortSignal,
): Promise<FolderOutcome> {
  const logicalId = declaration.project ?? folderProject;
  const caller: Caller = {
    principal: { kind: 'api-key', id: 'TOCSIN_CONFIG_FOLDER' },
    role: 'read-write',
    accountId,
    accountIds: [accountId],
  };
  const actor = { kind: 'command', id: null, name: 'TOCSIN_CONFIG_FOLDER' } as const;
  const acting = { actor, accountId, operation: 'createDeployment', address: null, requestId: null };
  const named = { logicalId, name: null, repoUrl: null, source: 'folder', undeclared: 'retire' } as const;
  try {
    const parse = parseDeclared(resources);
    const { id } = await runAs(acting, () => projects.deploy(caller, { ...named, resources, isDryRun: false }, parse));
    const ended = await projects.awaitEnd(caller, logicalId, id ?? '', 900_000, stopping);
    const { error } = ended;
    return { problem: error === null ? null : problemText(declaration, error.message, error.attributes ?? {}) };
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof HttpRefusal)) return { problem: errorMessage(error) };
    if (error instanceof Refusal && error.code === 'conflict') return 'again';
    return { problem: problemText(declaration, error.message, error.attributes ?? {}) };
  }
}

/** With file and line, if the server names fields. */
function problemText(declaration: Declaration, message: string, attributes: Readonly<Record<string, unknown>>): string {
  const problems = problemsOf(declaration, attributes);
  return problems.length === 0 ? declaration.hide(message) : new FileProblemsError(problems).message;
}
