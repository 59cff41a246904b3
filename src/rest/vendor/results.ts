// Results, assets and analytics for the `checkly` command line, which fails on some values that other clients get.
import type { AnalyticsActions } from '#actions/results/analytics.ts';
import type { CheckResultActions } from '#actions/results/check-results.ts';
import { analyticsPaths, type CheckAnalyticsBody } from '#contract/results/analytics.ts';
import type { CheckResultBody } from '#contract/results/check-result.ts';
import { metricOfCli } from '#contract/vendor/cli-result.ts';
import { analyticsToWire } from '../results/analytics.ts';
import { assetsOf, resultToWire } from '../results/check-results.ts';
import { type Route, route } from '../route.ts';

export interface CliResultDeps {
  readonly checkResults: Pick<CheckResultActions, 'find'>;
  readonly analytics: Pick<AnalyticsActions, 'ofCheck'>;
}

export function cliResultRoutes({ checkResults, analytics }: CliResultDeps): Route[] {
  return [
    route('getCliResult', async ({ caller, params }) =>
      withExchange(resultToWire(await checkResults.find(caller, params.checkId, params.checkResultId))),
    ),
    route('listCliAssets', async ({ caller, params, query: { type } }) => {
      const found = await checkResults.find(caller, params.checkId, params.checkResultId);
      // Names may be patterns, which the command line applies itself.
      const assets = assetsOf(found).filter(({ sort }) => type === undefined || sort === type);
      return {
        assets: assets.map(({ sort, name, contentType, link }) => ({
          type: sort,
          name,
          url: link,
          contentType,
          source: 'check-result' as const,
        })),
      };
    }),
    route('getCliAnalytics', async ({ caller, params, query }) => {
      const named = query.metrics.flatMap((name) => {
        const metric = metricOfCli(name);
        return metric === undefined ? [] : [[name, metric] as const];
      });
      const question = { ...query, metrics: [...new Set(named.map(([, metric]) => metric))] };
      const found = await analytics.ofCheck(caller, analyticsPaths.get(params.type) ?? '', params.checkId, question);
      return renamed(analyticsToWire(found, question), named);
    }),
  ];
}

/** The command line reads fields of request and response even if there is none, or if they are not stored. */
function withExchange(result: CheckResultBody): { id: string; apiCheckResult?: object | null } {
  const api = result.apiCheckResult;
  if (api === undefined || api === null) return result;
  const request = api.request ?? { method: '', url: '(not stored)', headers: {} };
  const response = api.response ?? { status: 0, statusText: api.request ? 'no response' : '(not stored)', headers: {} };
  return { ...result, apiCheckResult: { ...api, request, response } };
}

/** Analytics with the metrics under the names of the question. */
function renamed(analytics: CheckAnalyticsBody, named: readonly (readonly [string, string])[]): CheckAnalyticsBody {
  const under = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(named.flatMap(([name, metric]) => (metric in values ? [[name, values[metric] as Value]] : [])));
  const series = analytics.series.map((each) => ({
    ...each,
    data: each.data.map((entry) => ({ ...entry, ...under<unknown>(entry) })),
  }));
  return { ...analytics, series, metadata: under(analytics.metadata) } as CheckAnalyticsBody;
}
