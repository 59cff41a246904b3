// Routes of checks (reference §4.2, §4.3).
import type { CheckChange, CheckInput } from '#actions/checks/check-edits.ts';
import type { CheckActions } from '#actions/checks/checks.ts';
import type { ShownCheck } from '#actions/checks/shown-check.ts';
import { type CheckBody, scriptedTypes } from '#contract/checks/check.ts';
import { checkFields } from '#contract/checks/check-fields.ts';
import { kindOperations } from '#contract/checks/check-operations.ts';
import type { InputOf } from '#contract/operations.ts';
import type { JsonObject } from '#domain/json.ts';
import { pageOf, type Route, route, sliceOf } from '../route.ts';
import { expectedBy } from '../revisions.ts';
import { isoText, isoTextOrNull, written } from '../wire.ts';

export function checkRoutes(actions: CheckActions): Route[] {
  return [
    route('listChecks', async ({ caller, query }) => {
      const { tag, applyGroupSettings, limit, page, ...search } = query;
      const found = await actions.list(caller, { ...search, tags: tag }, sliceOf({ limit, page }), applyGroupSettings);
      return pageOf(found, checkToWire);
    }),
    route('createCheck', async ({ caller, query, body }) =>
      checkToWire(await actions.create(caller, body.checkType, inputOf(body), query.autoAssignAlerts, query.copyOf)),
    ),
    route('getCheck', async ({ caller, params, query }) =>
      checkToWire(await actions.find(caller, params.id, query.applyGroupSettings)),
    ),
    route('updateCheck', async ({ caller, params, body, headers }) => {
      const { checkType: namedType } = body;
      const checkType = scriptedTypes.find((type) => type === namedType) ?? null;
      const options = { checkType, namedType, expected: expectedBy(headers) };
      return checkToWire(await actions.change(caller, params.id, changed(body), options));
    }),
    ...kindOperations.flatMap(({ type, create, update }) => [
      route(create, async ({ caller, query, body }) =>
        checkToWire(await actions.create(caller, type, inputOf(body), query.autoAssignAlerts, query.copyOf)),
      ),
      route(update, async ({ caller, params, body, headers }) => {
        const options = { checkType: type, expected: expectedBy(headers) };
        return checkToWire(await actions.change(caller, params.id, changed(body), options));
      }),
    ]),
    route('upgradeAssertionsOfCheck', async ({ caller, params }) =>
      checkToWire(await actions.upgradeAssertions(caller, params.id)),
    ),
    route('deleteCheck', ({ caller, params }) => actions.remove(caller, params.id)),
  ];
}

type CreateBody = InputOf<'createCheck'>['body'];
type UpdateBody = InputOf<'updateCheck'>['body'];

/** The input that a body describes. */
export function inputOf(body: CreateBody): CheckInput {
  const [own, settings] = divided(body);
  return { ...(own as Omit<CheckInput, 'settings'>), settings };
}

function changed(body: UpdateBody): CheckChange {
  const [own, settings] = divided(body);
  return { ...(own as CheckChange), ...(Object.keys(settings).length > 0 && { settings }) };
}

/** The common fields of a check and those of its type. */
function divided(body: CreateBody | UpdateBody): readonly [own: object, settings: JsonObject] {
  const fields = Object.entries(body).filter(([name, value]) => name !== 'checkType' && value !== undefined);
  const [own, settings] = [false, true].map((isSetting) =>
    Object.fromEntries(fields.filter(([name]) => !(name in checkFields) === isSetting)),
  );
  return [own ?? {}, settings ?? {}];
}

/** A check in a response. */
export function checkToWire(check: ShownCheck): CheckBody {
  const { accountId: _account, mutedFrom: _from, settings, ...shown } = check;
  const { mutedUntil, nextRunAt, createdAt, updatedAt, ...rest } = shown;
  // Only bodies that the contract has validated are stored as settings.
  return {
    ...written(rest),
    ...settings,
    mutedUntil: isoTextOrNull(mutedUntil),
    nextRunAt: isoTextOrNull(nextRunAt),
    created_at: isoText(createdAt),
    updated_at: isoTextOrNull(updatedAt),
  } as CheckBody;
}
