// Results, assets and analytics as the `checkly` command line reads them.
import { z } from 'zod';
import { assetSorts } from '#domain/results/asset.ts';
import { metricNames } from '#domain/results/analytics.ts';
import { tagged, type Untagged } from '../operation.ts';
import { analyticsOperations, checkAnalytics } from '../results/analytics.ts';
import { checkResultOperations } from '../results/check-result.ts';

/** Metrics that the command line asks for under another name. */
const otherNames: Readonly<Record<string, string>> = {
  total: 'responseTime',
  latencyAvg: 'responseTime',
  handshakeTimeMs: 'responseTime',
};

/** The metric of this service that a name of the command line means; undefined = there is none. */
export function metricOfCli(name: string): (typeof metricNames)[number] | undefined {
  const [base = '', ...rest] = name.split('_');
  const own = [otherNames[base] ?? base, ...rest].join('_');
  return metricNames.find((metric) => metric === own);
}

const { getCheckResult, listResultAssets } = checkResultOperations;
const { getCheckAnalytics } = analyticsOperations;
const ofCli = { isPrivate: true, isCliVariant: true } as const;

const asset = z.strictObject({
  type: z.enum(assetSorts),
  name: z.string(),
  url: z.string(),
  contentType: z.string(),
  source: z.literal('check-result'),
});

export const cliResultOperations = tagged('Check results', {
  getCliResult: { ...getCheckResult, ...ofCli, response: z.looseObject({ id: z.uuid() }) },
  listCliAssets: {
    ...listResultAssets,
    ...ofCli,
    query: z.object({ type: z.string().max(100).exactOptional(), name: z.string().max(1000).exactOptional() }),
    response: z.strictObject({ assets: z.array(asset) }),
  },
  getCliAnalytics: {
    ...getCheckAnalytics,
    ...ofCli,
    query: getCheckAnalytics.query.extend({
      metrics: z
        .string()
        .max(2000)
        .default('availability')
        .transform((names) => names.split(',')),
    }),
    response: checkAnalytics,
  },
} as const satisfies Untagged);
