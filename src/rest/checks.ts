// Checks over HTTP (reference §4.2, §4.3).
import type { CheckActions, CheckInput, ShownCheck } from '#actions/checks.ts';
import type { CheckBody } from '#contract/check.ts';
import type { InputOf } from '#contract/operations.ts';
import type { JsonObject } from '#domain/json.ts';
import { pageOf, type Route, route, sliceOf } from './route.ts';
import { isoText, isoTextOrNull, written } from './wire.ts';

/** The routes of checks. */
export function checkRoutes(actions: CheckActions): Route[] {
  return [
    route('listChecks', async ({ caller, query }) => {
      const { tag, applyGroupSettings, limit, page, ...search } = query;
      const found = await actions.list(caller, { ...search, tags: tag }, sliceOf({ limit, page }), applyGroupSettings);
      return pageOf(found, checkToWire);
    }),
    route('createCheck', async ({ caller, query, body }) =>
      checkToWire(await actions.create(caller, body.checkType, created(body), query.autoAssignAlerts)),
    ),
    route('createApiCheck', async ({ caller, query, body }) =>
      checkToWire(await actions.create(caller, body.checkType, created(body), query.autoAssignAlerts)),
    ),
    route('getCheck', async ({ caller, params, query }) =>
      checkToWire(await actions.find(caller, params.id, query.applyGroupSettings)),
    ),
    route('updateCheck', async ({ caller, params, body }) =>
      checkToWire(await actions.change(caller, params.id, changed(body))),
    ),
    route('updateApiCheck', async ({ caller, params, body }) =>
      checkToWire(await actions.change(caller, params.id, changed(body))),
    ),
    route('deleteCheck', ({ caller, params }) => actions.remove(caller, params.id)),
  ];
}

type CreateBody = InputOf<'createApiCheck'>['body'];
type UpdateBody = InputOf<'updateCheck'>['body'];

/** Fields of the body that belong to the type of the check. */
const settingNames = [
  'request',
  'degradedResponseTime',
  'maxResponseTime',
  'setupSnippetId',
  'tearDownSnippetId',
  'localSetupScript',
  'localTearDownScript',
] as const;

function created(body: CreateBody): CheckInput {
  return { ...withoutSettings(body), settings: settingsOf(body) };
}

function changed(body: UpdateBody): Partial<CheckInput> {
  const settings = settingsOf(body);
  return { ...withoutSettings(body), ...(Object.keys(settings).length > 0 && { settings }) };
}

type Setting = (typeof settingNames)[number];

function withoutSettings<Body extends CreateBody | UpdateBody>(body: Body): Omit<Body, Setting | 'checkType'> {
  const {
    request: _request,
    degradedResponseTime: _degraded,
    maxResponseTime: _most,
    setupSnippetId: _setup,
    tearDownSnippetId: _tearDown,
    localSetupScript: _localSetup,
    localTearDownScript: _localTearDown,
    checkType: _checkType,
    ...rest
  } = body;
  return rest;
}

function settingsOf(body: CreateBody | UpdateBody): JsonObject {
  return Object.fromEntries(settingNames.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
}

/** A check as it is written on the wire. */
export function checkToWire(check: ShownCheck): CheckBody {
  const { accountId: _account, settings, retryStrategy, createdAt, updatedAt, ...rest } = check;
  const defaults = { setupSnippetId: null, tearDownSnippetId: null, localSetupScript: null, localTearDownScript: null };
  return {
    ...written(rest),
    ...defaults,
    // Only bodies that the contract has parsed are stored as settings.
    ...(settings as Pick<CheckBody, Setting>),
    retryStrategy: retryStrategy as CheckBody['retryStrategy'],
    created_at: isoText(createdAt),
    updated_at: isoTextOrNull(updatedAt),
  };
}
