// Results, assets and analytics for the `checkly` command line, which fails on some values that other clients get.
import type { AnalyticsActions } from '#actions/results/analytics.ts';
import type { CheckResultActions } from '#actions/results/check-results.ts';
import { analyticsPaths, type CheckAnalyticsBody } from '#contract/results/analytics.ts';
import type { CheckResultBody } from '#contract/results/check-result.ts';
import { metricOfCli } from '#contract/vendor/cli-result.ts';
import { assetTypes } from '#domain/results/asset.ts';
import { analyticsToWire } from '../results/analytics.ts';
import { assetsOf, resultToWire } from '../results/check-results.ts';
import { type Route, route } from '../route.ts';

export function cliResultRoutes(checkResults: Pick<CheckResultActions, 'find'>): Route[] {
  return [
    route('getCliResult', async ({ caller, params }) =>
      withShownFields(resultToWire(await checkResults.find(caller, params.checkId, params.checkResultId))),
    ),
    route('listCliAssets', async ({ caller, params, query: { type } }) => {
      const found = await checkResults.find(caller, params.checkId, params.checkResultId);
      // Names may be patterns, which the command line applies itself.
      const assets = assetsOf(found).filter(({ sort }) => type === undefined || sort === type);
      return {
        assets: assets.map(({ number, sort, name, contentType, link }) => ({
          type: sort,
          // The command line saves files under this name, and refuses two of one name.
          name: `${number}-${name}.${assetTypes[contentType]}`,
          url: link,
          contentType,
          source: 'check-result' as const,
        })),
      };
    }),
  ];
}

export function cliAnalyticsRoutes(analytics: Pick<AnalyticsActions, 'ofCheck'>): Route[] {
  return [
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

/** With the fields that the command line reads in any case: a request and a response even if there is none. */
function withShownFields(result: CheckResultBody): { id: string; apiCheckResult?: object | null } {
  const { apiCheckResult: api, browserCheckResult: browser } = result;
  if (browser) return { ...result, browserCheckResult: { ...browser, type: 'PLAYWRIGHT' } } as typeof result;
  if (!api) return result;
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
