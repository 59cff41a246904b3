// Triggers over HTTP (spec §4.3, decisions: Trigger of a check group).
import type { IncomingHttpHeaders } from 'node:http';
import type { TriggerCallActions } from '#actions/trigger-calls.ts';
import type { TriggerActions } from '#actions/triggers.ts';
import type { CheckTriggerBody, GroupTriggerBody } from '#contract/trigger.ts';
import type { BatchVerdict } from '#domain/batch.ts';
import type { Trigger } from '#domain/trigger.ts';
import { followed } from './followed.ts';
import { HttpRefusal } from './http-refusal.ts';
import { Answer, type Route, route } from './route.ts';
import { dayText } from './wire.ts';

const ofGroup = (groupId: number) => ({ groupId, checkId: null });
const ofCheck = (checkId: string) => ({ groupId: null, checkId });

/** The routes of triggers, and those that a token opens. */
export function triggerRoutes(actions: TriggerActions, calls: TriggerCallActions): Route[] {
  return [
    route('createGroupTrigger', async ({ caller, params, headers }) =>
      groupToWire(await actions.call(caller, ofGroup(params.groupId), idempotencyKey(headers))),
    ),
    route('getGroupTrigger', async ({ caller, params }) =>
      groupToWire(await actions.find(caller, ofGroup(params.groupId))),
    ),
    route('deleteGroupTrigger', ({ caller, params }) => actions.remove(caller, ofGroup(params.groupId))),
    route('createCheckTrigger', async ({ caller, params, headers }) =>
      checkToWire(await actions.call(caller, ofCheck(params.checkId), idempotencyKey(headers))),
    ),
    route('getCheckTrigger', async ({ caller, params }) =>
      checkToWire(await actions.find(caller, ofCheck(params.checkId))),
    ),
    route('deleteCheckTrigger', ({ caller, params }) => actions.remove(caller, ofCheck(params.checkId))),
    ...(['callGroupTrigger', 'postGroupTrigger'] as const).map((id) =>
      route(id, async ({ params, query, signal }) => {
        const { maxWaitSeconds } = query;
        const path = `/check-groups/${params.groupId}/trigger/${params.token}?maxWaitSeconds=${maxWaitSeconds}`;
        return followed(path, async () => {
          const verdicts = await calls.callGroup(params.groupId, params.token, { maxWaitSeconds, signal });
          return verdictAnswer(verdicts, verdicts);
        });
      }),
    ),
    ...(['callCheckTrigger', 'postCheckTrigger'] as const).map((id) =>
      route(id, async ({ params, query, signal }) => {
        const { maxWaitSeconds } = query;
        const path = `/checks/${params.checkId}/trigger/${params.token}?maxWaitSeconds=${maxWaitSeconds}`;
        return followed(path, async () => {
          const verdict = await calls.callCheck(params.checkId, params.token, { maxWaitSeconds, signal });
          return verdictAnswer([verdict], verdict);
        });
      }),
    ),
  ];
}

/** 200 when all passed, 503 when any failed, so that `curl --fail` is a gate. */
function verdictAnswer(verdicts: readonly BatchVerdict[], body: unknown): Answer {
  return new Answer(verdicts.some(({ hasFailures }) => hasFailures) ? 503 : 200, body);
}

/** The key of a call that may be repeated; refuses one that could not be told from others. */
function idempotencyKey(headers: IncomingHttpHeaders): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined || key === '') return null;
  if (typeof key === 'string' && key.length <= 255) return key;
  const message = 'must be one text of at most 255 characters';
  throw new HttpRefusal(400, `The header idempotency-key ${message}.`, { attributes: { 'idempotency-key': message } });
}

function groupToWire(trigger: Trigger): GroupTriggerBody {
  return { ...commonToWire(trigger), groupId: trigger.groupId ?? 0 };
}

function checkToWire(trigger: Trigger): CheckTriggerBody {
  return { ...commonToWire(trigger), checkId: trigger.checkId ?? '' };
}

/** Days, absent when there is none (decisions: Dates). */
function commonToWire({ id, token, createdAt, calledAt, updatedAt }: Trigger) {
  return {
    id,
    token,
    created_at: dayText(createdAt),
    ...(calledAt !== null && { called_at: dayText(calledAt) }),
    ...(updatedAt !== null && { updated_at: dayText(updatedAt) }),
  };
}
