// Tools about changes: what settings would have done, what a change would do, and applying it.
import { z } from 'zod';
import { kindOperations } from '#contract/checks/check-operations.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { type FieldChange, fieldChanges, formOf } from '#domain/accounts/audit-entry.ts';
import type { JsonValue } from '#domain/json.ts';
import { mergePatch } from '#lib/schema/patch.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { entityTag } from '../revisions.ts';
import { picked, type ToolContext, tool } from './tool.ts';

const change = z
  .record(z.string(), z.unknown())
  .describe(
    'Fields to change, in the form of the API: objects are merged, lists are replaced as a whole, null resets a field. For example {"frequency": 5} or {"request": {"url": "https://shop.example/health"}}.',
  );
const target = {
  checkId: z.uuid().exactOptional().describe('ID of the check to change.'),
  groupId: z.int().min(1).exactOptional().describe('ID of the check group to change.'),
};
const days = z.int().min(1).max(30).default(7).describe('Days of stored results to replay.');

interface Target {
  readonly checkId?: string;
  readonly groupId?: number;
}

const namesOne = ({ checkId, groupId }: Target): boolean => (checkId === undefined) !== (groupId === undefined);
const notOne = { error: 'must be given, or groupId, but not both', path: ['checkId'] };

export const proposeChange = tool(
  {
    name: 'propose_change',
    title: 'Propose a change',
    description:
      'Shows what a change to a check or check group would do, without saving it: the fields that differ, and the alerts that it would have raised in the past. The answer has the revision that apply_change needs.',
    permission: 'read',
  },
  z.strictObject({ ...target, change, days }).refine(namesOne, notOne),
  async (context, { change, days, ...target }) => {
    const present = await readTarget(context, target);
    const after = mergePatch(present, change, true);
    const backtest = await replay(context, { ...backtestOf(target, after, change), days });
    const managedBy = await ownerOf(context, target);
    const overwritten =
      managedBy === null ? '' : ' A project manages it: its next deployment replaces the change, so change its files.';
    return {
      lead: `Nothing was saved. To save it, call apply_change with the same change and this revision; that needs a key that may write.${overwritten}`,
      data: { diff: differences(present, after), revision: revisionOf(present), managedBy, backtest },
    };
  },
);

export const backtest = tool(
  {
    name: 'backtest',
    title: 'Backtest settings',
    description:
      'Replays stored results with other settings of a check, a group, an alert channel or the account, and says which alerts they would have raised. Saves nothing.',
    permission: 'read',
  },
  z
    .strictObject({
      ...target,
      alertChannelId: z.int().min(1).exactOptional().describe('ID of the alert channel whose switches change.'),
      change: change.describe(
        'Changed fields of the check, the group or the channel (sendFailure, sendRecovery, sendDegraded, grouping). Without an ID: the alert settings of the account.',
      ),
      days,
    })
    .refine((input) => [input.checkId, input.groupId, input.alertChannelId].filter(Boolean).length < 2, {
      error: 'must not be given together with groupId or alertChannelId',
      path: ['checkId'],
    }),
  async (context, { change, days, alertChannelId, ...target }) => {
    const after = target.checkId === undefined ? null : mergePatch(await readTarget(context, target), change, true);
    const subject = alertChannelId ? { alertChannelId, channel: change } : backtestOf(target, after, change);
    const data = await replay(context, { ...subject, days });
    return { lead: 'Alerts that the settings would have raised. Nothing was saved.', data };
  },
);

export const applyChange = tool(
  {
    name: 'apply_change',
    title: 'Apply a change',
    description:
      'Saves a change to a check or check group that propose_change has shown. Show the diff to a person first. Refused if somebody changed it since then.',
    permission: 'write',
  },
  z
    .strictObject({ ...target, change, revision: z.string().max(100).describe('The revision from propose_change.') })
    .refine(namesOne, notOne),
  async (context, { change, revision, ...target }) => {
    const before = await readTarget(context, target);
    const headers = { 'if-match': revision };
    // The operation parses the change.
    const body = change as never;
    if (target.groupId !== undefined) {
      await context.call('updateCheckGroupV2', { params: { id: target.groupId }, body, headers });
    } else {
      const operation = kindOperations.find(({ type }) => 'checkType' in before && type === before.checkType);
      if (operation === undefined) throw new Error('the check has an unknown type');
      await context.call(operation.update, { params: { id: target.checkId ?? '' }, body, headers });
    }
    const after = await readTarget(context, target);
    return { lead: 'Saved.', data: { diff: differences(before, after), revision: revisionOf(after) } };
  },
);

type Shown = AnswerOf<'getCheck'> | AnswerOf<'getCheckGroup'>;

async function readTarget({ call }: ToolContext, { checkId, groupId }: Target): Promise<Shown> {
  if (groupId !== undefined) return (await call('getCheckGroup', { params: { id: groupId } })).body;
  return (await call('getCheck', { params: { id: checkId ?? '' } })).body;
}

/** The project that owns a check or group; null = none. */
export async function ownerOf({ call }: ToolContext, { checkId, groupId }: Target) {
  const type = checkId === undefined ? 'check-group' : 'check';
  const query = { type, physicalId: String(checkId ?? groupId), limit: 1 };
  const [owner] = (await call('listProjectResources', { query })).body;
  return owner === undefined ? null : picked(owner, ['project', 'source', 'logicalId']);
}

function revisionOf(shown: Shown): string {
  return entityTag(shown);
}

/** Fields of responses that no request sets. */
const derived = /^(?:created_at|updated_at|nextRunAt|notifiesNobody|warnings|runtimeWarning|projectBindings)(?:$|[.[])/;

/** The fields that differ; secrets have no values. */
function differences(before: object, after: object): readonly FieldChange[] {
  const form = (shown: object) => formOf(JSON.parse(JSON.stringify(shown)) as JsonValue, () => null);
  return fieldChanges(form(before), form(after)).fields.filter(({ path }) => !derived.test(path));
}

/** The subject of a backtest. @param after the check with the change; null = not a check */
function backtestOf({ checkId, groupId }: Target, after: object | null, change: object): object {
  if (groupId !== undefined) return { groupId, group: change };
  if (checkId === undefined) return { accountAlertSettings: change };
  const { id: _, ...check } = (after ?? {}) as { id?: unknown };
  return { checkId, check };
}

/** Alerts of a backtest that are listed. */
const listedAlerts = 20;

async function replay({ call }: ToolContext, body: object) {
  // The operation parses the settings.
  const answer = await call('createCheckBacktest', { body });
  if (answer.body === undefined) throw new HttpRefusal(408, 'The request was cancelled.');
  const { alerts, ...counts } = answer.body;
  const differing = alerts.filter(({ isPresent, isChanged }) => isPresent !== isChanged);
  return {
    ...counts,
    alertsThatDiffer: differing.slice(0, listedAlerts),
    more: Math.max(0, differing.length - listedAlerts),
  };
}
