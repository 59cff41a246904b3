// Routes of backtests.
import type { BacktestActions } from '#actions/results/backtests.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { inputOf } from '../checks/checks.ts';
import { Answer, type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';

export function backtestRoutes(actions: BacktestActions): Route[] {
  return [
    route('createCheckBacktest', async ({ caller, body, signal }) => {
      const { checkId, check, groupId, group, alertChannelId, channel, accountAlertSettings, days } = body;
      const found = await actions.run(
        caller,
        {
          check: check && checkId ? { id: checkId, checkType: check.checkType, input: inputOf(check) } : undefined,
          group: group && groupId ? { id: groupId, change: group } : undefined,
          channel: channel && alertChannelId ? { id: alertChannelId, change: channel } : undefined,
          accountAlertSettings,
          days,
        },
        signal,
      );
      // The client has left.
      if (found === null) return new Answer(204, undefined);
      const { from, to, alerts, ...rest } = found;
      const shown: AnswerOf<'createCheckBacktest'> = {
        ...rest,
        untold: [...rest.untold],
        from: isoText(from),
        to: isoText(to),
        alerts: alerts.map(({ at, ...each }) => ({ ...each, at: isoText(at) })),
      };
      return shown;
    }),
  ];
}
