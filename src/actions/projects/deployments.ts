// Runs deployments: plans, applies in one transaction, and follows the deletion of checks (docs/decisions/0150).
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Deployment, DeploymentStatus, DiffEntry } from '#domain/projects/deployment.ts';
import type { DeclaredResource, ResourceType } from '#domain/projects/resource.ts';
import { LimitReachedError } from '#domain/accounts/account.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';
import type { DeploymentPlan } from '#store/projects/apply.ts';
import type { Store } from '#store/store.ts';
import { waitUntil } from '../checks/wait-until.ts';
import { Refusal } from '../refusal.ts';
import { createDrafts, type DraftDeps } from './drafts.ts';
import { identify } from './identify.ts';
import type { Declaration, ParseInputs } from './inputs.ts';
import { createPlaces } from './places.ts';
import { type Identified, namedPath, planDeployment } from './plan.ts';

/** A deployment in an answer; `id` null = a dry run. */
export interface ShownDeployment extends Omit<Deployment, 'id' | 'accountId'> {
  readonly id: string | null;
}

export interface ProjectDeps extends Pick<Store, 'projects'>, DraftDeps {
  readonly newId: () => string;
  /** Called after a deployment was applied. @param isDeleting checks are being deleted */
  readonly onApplied: (isDeleting: boolean) => void;
  /** An error of Tocsin that ended a deployment. */
  readonly onError: (error: unknown) => void;
  /** Aborts when the process stops. */
  readonly stopping: AbortSignal;
}

/** Deployments that a process plans at a time, and of one account while others wait. */
const lanes = createSharedLanes(2, 1);
/** Deployments that hold what they declare in memory, planned or waiting for it. */
const places = createPlaces('deployments', 3, 12);
/** How often a deployment is planned again because others changed its resources meanwhile. */
const maxPlans = 5;
/** Time between two stored figures of the progress, ms. */
const progressEveryMs = 500;
/** How often a deployment says that its process lives, ms. */
const renewEveryMs = 10_000;
export const pauseMs = { least: 50, max: 250 };

/** What a deployment would do. */
export async function dryRun(
  caller: Caller,
  declaration: Declaration,
  parse: ParseInputs,
  deps: ProjectDeps,
): Promise<ShownDeployment> {
  const plan = await inLane(caller, deps, () => planOf(caller, declaration, parse, deps));
  // What is new has no ID yet.
  const diff = plan.diff.map((one) => (one.action === 'CREATE' ? { ...one, physicalId: null } : one));
  const createdAt = deps.projects.now();
  return { ...shownOf(declaration.logicalId, 'SUCCEEDED', diff), id: null, createdAt, endedAt: createdAt };
}

function shownOf(project: string, status: DeploymentStatus, diff: readonly DiffEntry[]) {
  return { project, status, progress: { step: 'done', done: 1, total: 1 } as const, error: null, diff };
}

/** Starts a deployment; the rest happens after it has answered. @param isLast the project ends with it */
export async function start(
  caller: Caller,
  declaration: Declaration,
  parse: ParseInputs,
  deps: ProjectDeps,
  isLast = false,
): Promise<ShownDeployment> {
  const leave = places.take(caller.accountId);
  try {
    return await begin(caller, declaration, parse, deps, isLast, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

async function begin(
  caller: Caller,
  declaration: Declaration,
  parse: ParseInputs,
  deps: ProjectDeps,
  isLast: boolean,
  leave: () => void,
): Promise<ShownDeployment> {
  const { projects } = deps;
  const { accountId } = caller;
  const id = deps.newId();
  const begun = await projects.deployments.begin(accountId, declaration.logicalId, id);
  if (begun === 'too many projects') throw new Refusal('conflict', 'The account has the maximum number of projects.');
  if ('busy' in begun) {
    const message = 'Another deployment of the project is in progress. Wait until it has ended, then deploy again.';
    throw new Refusal('conflict', message, { attributes: { deploymentId: begun.busy } });
  }
  let inputs: Awaited<ReturnType<ParseInputs>>;
  let identified: Identified;
  try {
    identified = await identify(caller, declaration, deps);
    inputs = await parse(identified.idOf);
  } catch (error) {
    await projects.deployments.discard(accountId, id);
    throw error;
  }
  const first = { identified, inputs };
  const renewing = setInterval(() => void projects.deployments.renew(accountId, id).catch(deps.onError), renewEveryMs);
  void inLane(caller, deps, () => apply(caller, id, declaration, parse, first, deps, isLast))
    .finally(leave)
    .then((isDeleting) => (isDeleting ? followDeletion(caller, id, declaration.logicalId, deps) : undefined))
    .catch(async (error: unknown) => {
      if (!(error instanceof Refusal) && !(error instanceof LimitReachedError)) deps.onError(error);
      await projects.deployments.fail(accountId, id, errorOf(error)).catch(deps.onError);
    })
    .finally(() => clearInterval(renewing));
  return begun.begun;
}

/** Plans and applies; again if others changed a resource meanwhile. Returns whether checks are being deleted. */
async function apply(
  caller: Caller,
  id: string,
  declaration: Declaration,
  parse: ParseInputs,
  first: { readonly identified: Identified; readonly inputs: Awaited<ReturnType<ParseInputs>> },
  deps: ProjectDeps,
  isLast: boolean,
): Promise<boolean> {
  const { accountId } = caller;
  const { deployments } = deps.projects;
  const onProgress = throttled((done, total) => deployments.progress(accountId, id, { step: 'checking', done, total }));
  for (let plans = 0; plans < maxPlans; plans++) {
    const identified = plans === 0 ? first.identified : await identify(caller, declaration, deps);
    const inputs = plans === 0 ? first.inputs : await parse(identified.idOf);
    const planned = await planDeployment(
      caller,
      inputs,
      identified,
      planningOf(declaration, identified, deps, onProgress),
    );
    const plan = { ...planned, diff: withIds(planned.diff, identified.idOf) };
    const { length } = plan.diff;
    await deployments.progress(accountId, id, { step: 'applying', done: 0, total: length });
    const applied = await deps.projects.apply(accountId, id, isLast ? { ...plan, project: null } : plan);
    if (applied === 'changed') continue;
    if (applied === 'ended')
      throw new Refusal('conflict', 'It took too long to begin, so nothing was changed. Deploy again.');
    if (applied !== 'applied') throw faultRefused(applied, declaration.resources);
    const isDeleting = plan.removed.check.length > 0;
    deps.onApplied(isDeleting);
    return isDeleting;
  }
  throw new Refusal(
    'conflict',
    'Others change the same resources at the same time, so nothing was changed. Deploy again.',
  );
}

/** The changes of a deployment that is applied: what it creates has an ID. */
function withIds(diff: readonly DiffEntry[], idOf: Identified['idOf']): DiffEntry[] {
  return diff.map((one) => ({ ...one, physicalId: one.physicalId ?? idOf(one.type, one.logicalId) ?? null }));
}

/** Ends the deployment once its checks are deleted. Another process says so if this one ends. */
async function followDeletion({ accountId }: Caller, id: string, logicalId: string, deps: ProjectDeps): Promise<void> {
  const { deployments } = deps.projects;
  const isDeleted = async (): Promise<boolean> => {
    const seen = await deployments.find(accountId, logicalId, id);
    return seen === null || seen.endedAt !== null;
  };
  const maxMs = 3_600_000;
  if (await waitUntil(isDeleted, { maxMs, signal: deps.stopping, hints: () => () => {}, pauseMs }))
    await deployments.succeed(accountId, id);
}

function planningOf(
  { undeclared, resources }: Declaration,
  { idOf }: Identified,
  deps: ProjectDeps,
  onProgress: (done: number, total: number) => Promise<void>,
) {
  const services = resources.filter(({ type }) => type === 'status-service');
  const serviceIds = new Set(services.flatMap(({ type, logicalId }) => idOf(type, logicalId) ?? []));
  return {
    drafts: createDrafts(deps, serviceIds),
    undeclared,
    now: deps.projects.now(),
    changeId: deps.newId(),
    onProgress,
  };
}

function throttled(report: (done: number, total: number) => Promise<void>) {
  let at = performance.now();
  return async (done: number, total: number): Promise<void> => {
    if (performance.now() - at < progressEveryMs) return;
    at = performance.now();
    await report(done, total);
  };
}

function faultRefused(
  {
    type,
    logicalId,
    path,
    message,
  }: { readonly type: ResourceType; readonly logicalId: string; readonly path: string; readonly message: string },
  resources: readonly DeclaredResource[],
): Refusal {
  const index = resources.findIndex((each) => each.type === type && each.logicalId === logicalId);
  const place = `resources[${index}].payload.${path}`;
  return new Refusal('invalid', `${namedPath(place, resources)} ${message}`, { attributes: { [place]: message } });
}

async function planOf(
  caller: Caller,
  declaration: Declaration,
  parse: ParseInputs,
  deps: ProjectDeps,
): Promise<DeploymentPlan> {
  const identified = await identify(caller, declaration, deps);
  const inputs = await parse(identified.idOf);
  return planDeployment(
    caller,
    inputs,
    identified,
    planningOf(declaration, identified, deps, () => Promise.resolve()),
  );
}

async function inLane<Answer>(
  { accountId }: Caller,
  { stopping }: ProjectDeps,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const leave = await lanes.enter(accountId, stopping);
  if (leave === null) throw new Refusal('unavailable', 'The server is shutting down.', { retryAfterSeconds: 5 });
  try {
    return await work();
  } finally {
    leave();
  }
}

function errorOf(error: unknown): { readonly message: string; readonly attributes?: Readonly<Record<string, string>> } {
  if (error instanceof LimitReachedError) return { message: error.message };
  const isShown = error instanceof Refusal || (error instanceof Error && error.name === 'HttpRefusal');
  if (!isShown)
    return { message: 'An error in Tocsin ended the deployment, and nothing was changed. The log has the reason.' };
  const { attributes } = error as { readonly attributes?: Readonly<Record<string, string>> };
  return { message: (error as Error).message, ...(attributes && { attributes }) };
}
