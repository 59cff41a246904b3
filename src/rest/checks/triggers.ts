// Routes of triggers (spec §4.3, decisions: Trigger of a check group).
import type { IncomingHttpHeaders } from 'node:http';
import type { TokenCall, TriggerCallActions } from '#actions/checks/trigger-calls.ts';
import type { CalledTrigger, ShownRun, TriggerActions } from '#actions/checks/triggers.ts';
import type { CheckTriggerBody, GroupTriggerBody, TriggeredRunBody } from '#contract/checks/trigger.ts';
import type { BatchVerdict } from '#domain/checks/batch.ts';
import type { Trigger } from '#domain/checks/trigger.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { Answer, type Call, pageOf, type Route, route, sliceOf } from '../route.ts';
import { dayText } from '../wire.ts';

const ofGroup = (groupId: number) => ({ groupId, checkId: null });
const ofCheck = (checkId: string) => ({ groupId: null, checkId });

/** The routes of triggers, with and without an API key. */
export function triggerRoutes(actions: TriggerActions, calls: TriggerCallActions): Route[] {
  return [
    route('createGroupTrigger', async ({ caller, params, headers }) => {
      const called = await actions.call(caller, ofGroup(params.groupId), idempotencyKey(headers));
      return calledAnswer(called, groupToWire(called));
    }),
    route('listGroupTriggerRuns', async ({ caller, params, query }) => {
      const { callId = null, ...page } = query;
      return pageOf(await actions.runs(caller, ofGroup(params.groupId), callId, sliceOf(page)), runToWire);
    }),
    route('getGroupTrigger', async ({ caller, params }) =>
      groupToWire(await actions.find(caller, ofGroup(params.groupId))),
    ),
    route('deleteGroupTrigger', ({ caller, params }) => actions.remove(caller, ofGroup(params.groupId))),
    route('createCheckTrigger', async ({ caller, params, headers }) => {
      const called = await actions.call(caller, ofCheck(params.checkId), idempotencyKey(headers));
      return calledAnswer(called, checkToWire(called));
    }),
    route('listCheckTriggerRuns', async ({ caller, params, query }) => {
      const { callId = null, ...page } = query;
      return pageOf(await actions.runs(caller, ofCheck(params.checkId), callId, sliceOf(page)), runToWire);
    }),
    route('getCheckTrigger', async ({ caller, params }) =>
      checkToWire(await actions.find(caller, ofCheck(params.checkId))),
    ),
    route('deleteCheckTrigger', ({ caller, params }) => actions.remove(caller, ofCheck(params.checkId))),
    route('callGroupTrigger', (call) => callGroup(calls, call)),
    route('postGroupTrigger', (call) => callGroup(calls, call, call.body.environmentVariables)),
    route('callCheckTrigger', (call) => callCheck(calls, call)),
    route('postCheckTrigger', (call) => callCheck(calls, call, call.body.environmentVariables)),
  ];
}

type Variables = Call<'postGroupTrigger'>['body']['environmentVariables'];

async function callGroup(
  calls: TriggerCallActions,
  { params, query, headers, signal }: Pick<Call<'callGroupTrigger'>, 'params' | 'query' | 'headers' | 'signal'>,
  variables: Variables = [],
): Promise<Answer> {
  refuseIdempotencyKey(headers);
  const verdicts = await calls.callGroup(params.groupId, params.token, howOf(query, signal, variables));
  return verdictAnswer(verdicts, verdicts);
}

async function callCheck(
  calls: TriggerCallActions,
  { params, query, headers, signal }: Pick<Call<'callCheckTrigger'>, 'params' | 'query' | 'headers' | 'signal'>,
  variables: Variables = [],
): Promise<Answer> {
  refuseIdempotencyKey(headers);
  const verdict = await calls.callCheck(params.checkId, params.token, howOf(query, signal, variables));
  return verdictAnswer([verdict], verdict);
}

type CallQuery = Call<'callGroupTrigger'>['query'];

function howOf({ maxWaitSeconds, quiet }: CallQuery, signal: AbortSignal, variables: Variables): TokenCall {
  const all = variables.map(({ key, value }) => ({ key, value, locked: true, secret: true }));
  return { maxWaitSeconds, signal, options: { isQuiet: quiet, variables: all } };
}

/** The body is specified by the reference; IDs are in headers. */
function calledAnswer({ call }: CalledTrigger, body: unknown): Answer {
  if (call === null) return new Answer(201, body);
  const runs = call.runIds.length === 0 ? {} : { 'x-service-run-ids': call.runIds.join(',') };
  return new Answer(201, body, { 'x-service-call-id': call.id, ...runs });
}

function runToWire({
  id,
  checkId,
  name,
  location,
  outcome,
  responseTimeMs,
  message,
  resultLink,
}: ShownRun): TriggeredRunBody {
  const responseTime = responseTimeMs === null ? null : Math.round(responseTimeMs);
  const state = outcome === null ? ('running' as const) : ('ended' as const);
  return { id, checkId, name, runLocation: location, state, outcome, responseTime, message, resultLink };
}

/** 200 if all passed, 503 if any failed, so that `curl --fail` works as a gate. */
function verdictAnswer(verdicts: readonly BatchVerdict[], body: unknown): Answer {
  return new Answer(verdicts.some(({ hasFailures }) => hasFailures) ? 503 : 200, body);
}

/** The idempotency key of a call; refuses an invalid one. */
function idempotencyKey(headers: IncomingHttpHeaders): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined || key === '') return null;
  if (typeof key === 'string' && key.length <= 255) return key;
  const message = 'must be a single string of at most 255 characters';
  throw new HttpRefusal(400, `The header idempotency-key ${message}.`, { attributes: { 'idempotency-key': message } });
}

/** A client that sends a key relies on it, so it is refused instead of ignored. */
function refuseIdempotencyKey(headers: IncomingHttpHeaders): void {
  if (idempotencyKey(headers) === null) return;
  const message =
    'works only with an API key: POST /v1/triggers/check-groups/{groupId} or /v1/triggers/checks/{checkId}';
  throw new HttpRefusal(400, `The header idempotency-key ${message}.`, { attributes: { 'idempotency-key': message } });
}

function groupToWire(trigger: Trigger): GroupTriggerBody {
  return { ...commonToWire(trigger), groupId: trigger.groupId ?? 0 };
}

function checkToWire(trigger: Trigger): CheckTriggerBody {
  return { ...commonToWire(trigger), checkId: trigger.checkId ?? '' };
}

/** Dates, absent if there is none (decisions: Dates). */
function commonToWire({ id, token, createdAt, calledAt, updatedAt }: Trigger) {
  return {
    id,
    token,
    created_at: dayText(createdAt),
    ...(calledAt !== null && { called_at: dayText(calledAt) }),
    ...(updatedAt !== null && { updated_at: dayText(updatedAt) }),
  };
}
