// Routes of changes to many checks.
import type { CheckChangeActions, ShownChange } from '#actions/checks/check-changes.ts';
import type { CheckChangeBody } from '#contract/checks/check-change.ts';
import { Answer, type Route, route } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

export function checkChangeRoutes(actions: CheckChangeActions): Route[] {
  return [
    route('createCheckChange', async ({ caller, body: { checkIds, change = null, dryRun }, signal }) => {
      if (!dryRun) return toWire(await actions.start(caller, checkIds, change));
      const found = await actions.preview(caller, checkIds, change, signal);
      // The client has left.
      return found === null ? new Answer(204, undefined) : toWire(found);
    }),
    route('getCheckChange', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('undoCheckChange', async ({ caller, params }) => toWire(await actions.undo(caller, params.id))),
  ];
}

function toWire({ id, undoOf, checks, changed, unchanged, refused, refusals, ...times }: ShownChange): CheckChangeBody {
  return {
    id,
    status: id === null ? 'preview' : times.endedAt === null ? 'running' : 'ended',
    undoOf,
    checks,
    changed,
    unchanged,
    refused,
    remaining: checks - changed - unchanged - refused,
    refusals: [...refusals],
    undoableUntil: isoTextOrNull(times.undoableUntil),
    created_at: isoText(times.createdAt),
    ended_at: isoTextOrNull(times.endedAt),
  };
}
