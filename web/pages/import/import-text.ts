// Compares a configuration with the server, and imports it as a project.
import type { Client } from '#contract/caller.ts';
import { followDeployment } from '#contract/follow-deployment.ts';
import type { AnswerOf, InputOf } from '#contract/operations.ts';
import type { WebhookPreset } from '#importers/channels.ts';
import { storedSwitches } from '#importers/stored-switches.ts';
import type { ReadImport, TextImport } from '#importers/text-formats.ts';
import { ServiceError } from '../../api/client.ts';
import { readText, UnreadableText } from './read.ts';
import { text } from './strings.ts';

/** What a person entered. */
export type Entered = Pick<TextImport, 'format' | 'text' | 'targets' | 'baseUrl' | 'variables'> & {
  readonly project: string;
};

type Deployment = AnswerOf<'getDeployment'>;
type Diff = NonNullable<Deployment['diff']>;
type Resources = InputOf<'createDeployment'>['body']['resources'];

/** A configuration that was compared with the server. */
export interface Compared {
  readonly read: ReadImport;
  readonly resources: Resources;
  readonly diff: Diff;
  /** What the server refuses, by the key of the resource. */
  readonly faults: ReadonlyMap<string, string>;
  /** Why nothing can be imported, if it is about no single resource. */
  readonly refusal: string | null;
}

/** Identifies a resource in all lists of an import. */
export function keyOf({ type, logicalId }: { readonly type: string; readonly logicalId: string }): string {
  return `${type} ${logicalId}`;
}

/** Reads the text, and asks the server what would change. Rejects with UnreadableText or the error of the server. */
export async function compare(client: Client, entered: Entered, signal: AbortSignal): Promise<Compared> {
  const listed = await client.call('listAlertChannelPresets', { signal });
  // The contract describes the configuration by type.
  const presets = listed as unknown as readonly WebhookPreset[];
  const tryWith = async (hasEmail: boolean): Promise<Compared> => {
    const read = await readText({ ...entered, presets, hasEmail }, signal);
    const resources = await withSwitches(client, entered.project, read);
    const none = { read, resources, diff: [], faults: new Map<string, string>(), refusal: null };
    if (resources.length === 0) return none;
    try {
      const { diff } = await start(client, entered.project, resources, true, signal);
      return { ...none, diff: diff ?? [] };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.statusCode !== 400) throw error;
      const isAboutEmail = Object.values(error.attributes).some((each) => String(each).includes('Email is not set up'));
      return hasEmail && isAboutEmail ? tryWith(false) : { ...none, ...refused(resources, error) };
    }
  };
  return tryWith(true);
}

/** Applies what was compared. Rejects if it changed nothing. @returns what was changed */
export async function apply(
  client: Client,
  project: string,
  { resources }: Compared,
  onProgress: (progress: Deployment['progress']) => void,
  signal: AbortSignal,
): Promise<Diff> {
  const begun = await start(client, project, resources, false, signal);
  let ended = begun;
  for await (const now of followDeployment(client, begun)) {
    signal.throwIfAborted();
    onProgress(now.progress);
    ended = now;
  }
  const { error, diff } = ended;
  if (error === null) return diff ?? [];
  const faults = Object.entries(error.attributes ?? {}).map(([path, fault]) => `${path}: ${fault}`);
  throw new UnreadableText([text.failed(error.message), ...faults].join('\n'));
}

function start(client: Client, project: string, resources: Resources, dryRun: boolean, signal: AbortSignal) {
  const params = { logicalId: project };
  return client.call('createDeployment', { params, body: { source: 'files', resources, dryRun }, signal });
}

/** The resources, with the switches that channels have on the server since an earlier import. */
async function withSwitches(client: Client, project: string, { resources }: ReadImport): Promise<Resources> {
  const channels = resources.filter(({ type }) => type === 'alert-channel').map(({ logicalId }) => logicalId);
  const stored = await storedSwitches(client, project, channels);
  return resources.map(({ type, logicalId, payload }) => ({
    type,
    logicalId,
    payload: { ...payload, ...(type === 'alert-channel' && stored.get(logicalId)) },
  }));
}

function refused(resources: Resources, error: ServiceError): Pick<Compared, 'faults' | 'refusal'> {
  const faults = new Map<string, string>();
  const others: string[] = [];
  for (const [path, fault] of Object.entries(error.attributes)) {
    const [, index, field = ''] = /^resources\[(\d+)\](?:\.payload)?\.?(.*)$/s.exec(path) ?? [];
    const resource = index === undefined ? undefined : resources[Number(index)];
    const message = `${resource === undefined ? path : field} ${String(fault)}`.trim();
    if (resource === undefined) others.push(message);
    else faults.set(keyOf(resource), [faults.get(keyOf(resource)) ?? [], message].flat().join('; '));
  }
  return { faults, refusal: faults.size > 0 && others.length === 0 ? null : [error.message, ...others].join('\n') };
}
