// Reads resource files and deploys them as a project.
import { readVariable } from '#config/config.ts';
import { followDeployment } from '#contract/follow-deployment.ts';
import type { DeploymentBody } from '#contract/projects/project.ts';
import { FileProblemsError } from '#files/file-problem.ts';
import { loadFiles } from '#files/load-files.ts';
import { type Declaration, isFromEnvironment, problemsOf, readFiles, readOneText } from '#files/read-files.ts';
import { CommandError } from '../../exits.ts';
import { createProgress } from '../../progress.ts';
import { withoutControls } from '../../terminal-text.ts';
import { type Connection, ServerRefusal } from '../connect.ts';

/** Files with the project that owns them. */
export interface ReadProject extends Declaration {
  readonly project: string;
}

/**
 * Reads a file or folder.
 * @param project value of `--project`; overrides that of the files
 * @throws {CommandError} with the places of everything that is wrong
 */
export function readProject(path: string, project: string | undefined): ReadProject {
  const declaration = explaining(() => {
    const { sources, ...files } = loadFiles(path);
    if (sources.length === 0) throw new CommandError(`${path} contains no *.yaml or *.yml file`);
    return readFiles(sources, { ...files, environment: readVariable });
  });
  const named = project ?? declaration.project;
  if (named === null) {
    throw new CommandError(`${path} does not name its project: add a line such as project: shop, or use --project`);
  }
  return { ...declaration, project: named };
}

/** Reads the text of a resource file that names no other files. @throws {CommandError} with the places of everything that is wrong */
export function readText(text: string): Declaration {
  return explaining(() => readOneText(text, readVariable));
}

/** What a deployment would change. @throws {CommandError} if the declaration is not valid */
export function dryRun(connection: Connection, declaration: ReadProject, prune: boolean): Promise<DeploymentBody> {
  return start(connection, declaration, { prune, dryRun: true });
}

/** Deploys and waits for the end. @throws {CommandError} if it fails; then it has changed nothing */
export async function deploy(
  connection: Connection,
  declaration: ReadProject,
  prune: boolean,
): Promise<DeploymentBody> {
  const begun = await start(connection, declaration, { prune, dryRun: false });
  const isTerminal = process.stderr.isTTY;
  const write = (text: string): unknown => isTerminal && process.stderr.write(text);
  const progress = createProgress({ write, isTerminal, now: () => performance.now() }, 'resources');
  let shown = { step: '', done: 0 };
  let ended = begun;
  for await (const now of followDeployment(connection.client, begun)) {
    ended = now;
    const { step, done, total } = now.progress;
    if (step !== shown.step && step !== 'done') {
      progress.begin(step, total);
      shown = { step, done: 0 };
    }
    progress.add(done - shown.done);
    shown = { ...shown, done };
  }
  progress.end();
  return succeeded(declaration, ended);
}

async function start(
  { client }: Connection,
  declaration: ReadProject,
  options: { readonly prune: boolean; readonly dryRun: boolean },
): Promise<DeploymentBody> {
  const { project: logicalId, resources } = declaration;
  const declared = resources.map(({ type, logicalId: id, payload }) => ({ type, logicalId: id, payload }));
  try {
    const body = { source: 'files' as const, resources: declared, ...options };
    return succeeded(declaration, await client.call('createDeployment', { params: { logicalId }, body }));
  } catch (error) {
    if (error instanceof ServerRefusal && error.statusCode === 400) throw placed(declaration, error.attributes, error);
    throw error;
  }
}

function succeeded(declaration: ReadProject, deployment: DeploymentBody): DeploymentBody {
  const { error } = deployment;
  if (error === null) return withoutValues(declaration, deployment);
  const cause = new CommandError(`nothing was changed: ${withoutControls(declaration.hide(error.message))}`);
  throw error.attributes === undefined ? cause : placed(declaration, error.attributes, cause);
}

/** Values of the environment are not shown. */
function withoutValues(declaration: ReadProject, { diff, ...deployment }: DeploymentBody): DeploymentBody {
  const hidden = diff?.map((one) => ({
    ...one,
    changes: one.changes.map((change) =>
      isFromEnvironment(declaration, one, change.field) ? { field: change.field, secret: true as const } : change,
    ),
  }));
  return { ...deployment, diff: hidden ?? null };
}

/** An error of the server with the places in the files. */
function placed(
  declaration: ReadProject,
  attributes: Readonly<Record<string, unknown>>,
  error: CommandError,
): CommandError {
  const problems = problemsOf(declaration, attributes);
  return problems.length === 0 ? error : commandError(new FileProblemsError(problems));
}

function commandError({ problems, message }: FileProblemsError): CommandError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const isPlaced = problems.some(({ place }) => place !== null);
  return new CommandError(withoutControls(isPlaced ? `the files have ${count}:\n${message}` : message));
}

function explaining<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw error instanceof FileProblemsError ? commandError(error) : error;
  }
}
