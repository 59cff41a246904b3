// Routes of check sessions (reference §4.7).
import type { CheckSessionActions, ShownCheckSession, CheckTarget } from '#actions/sessions/check-sessions.ts';
import type { CheckSessionBody } from '#contract/sessions/check-session.ts';
import type { InputOf } from '#contract/operations.ts';
import { resultToWire } from '../results/check-results.ts';
import { type Route, route } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

/** @param publicUrl where people reach the UI, without a slash at its end */
export function checkSessionRoutes(actions: CheckSessionActions, publicUrl: () => string): Route[] {
  const toWire = (session: ShownCheckSession): CheckSessionBody => {
    const { id, checkId, checkType, name, status, createdAt, stoppedAt, elapsedMs, runs, openRuns, results } = session;
    return {
      checkSessionId: id,
      checkSessionLink: `${publicUrl()}/checks/${checkId}`,
      checkId,
      checkType,
      name,
      status,
      startedAt: isoText(createdAt),
      stoppedAt: isoTextOrNull(stoppedAt),
      timeElapsed: elapsedMs,
      runLocations: runs.map(({ location }) => location),
      runSource: 'TRIGGER_API',
      openRuns,
      results: results.map(resultToWire),
    };
  };
  const versions = [
    ['triggerCheckSessions', 'getCheckSession', 'waitForCheckSession'],
    ['triggerCheckSessionsV1', 'getCheckSessionV1', 'waitForCheckSessionV1'],
  ] as const;
  return [
    ...versions.flatMap(([trigger, get, wait]) => [
      route(trigger, async ({ caller, body: { target } }) => ({
        sessions: (await actions.trigger(caller, targetOf(target))).map(toWire),
      })),
      route(get, async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
      route(wait, async ({ caller, params, query, signal }) =>
        toWire(await actions.wait(caller, params.id, { maxMs: query.maxWaitSeconds * 1000, signal })),
      ),
    ]),
    route('cancelCheckSession', async ({ caller, params }) => toWire(await actions.cancel(caller, params.id))),
  ];
}

type TargetBody = InputOf<'triggerTestSession'>['body']['target'];

/** The target of a body; absent = all checks. */
export function targetOf(target: TargetBody): CheckTarget {
  const { matchTags, checkId, allowDeactivated } = target ?? {};
  return {
    matchTags: matchTags ?? undefined,
    checkIds: checkId ?? undefined,
    allowDeactivated: allowDeactivated ?? undefined,
  };
}
