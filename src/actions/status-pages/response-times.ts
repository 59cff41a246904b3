// Median response times of services by hour, of the last 24 hours.
import type { PublicService } from '#domain/status-pages/page-snapshot.ts';
import { checkIdsOf, membersOf } from '#domain/status-pages/service-members.ts';
import { percentilesOf } from '#domain/results/analytics.ts';
import { hourMs, hourOf, type Responses } from '#domain/results/roll-up.ts';
import type { Sliced } from '#domain/sliced.ts';
import { createRecent } from '#lib/recent.ts';
import type { DaysQuestion, ServiceDaysDeps } from './service-days.ts';

type Times = ReadonlyMap<string, PublicService['responseTimes']>;
/** Response times of a check by the start of the hour. */
type OfCheck = Map<number, Responses[]>;

interface Known {
  /** The services and their versions. */
  readonly of: string;
  /** Epoch ms. */
  readonly readAt: number;
  readonly times: Times;
}

const hours = 24;
/** How long figures are good for, ms. */
const lastMs = 290_000;
/** Services whose figures are kept in memory, of all accounts. */
const maxRemembered = 20_000;

/** Reads the response times of services, by ID. */
export function createReadResponseTimes(deps: Pick<ServiceDaysDeps, 'checkHistory' | 'inSlices'>) {
  const remembered = createRecent<Known>({
    max: maxRemembered,
    sizeOf: ({ times }) => Math.min(maxRemembered, Math.max(1, times.size)),
  });
  return async (question: DaysQuestion): Promise<Times> => {
    const { accountId, services, now } = question;
    if (services.length === 0) return new Map();
    const of = services.map(({ id, updatedAt }) => `${id}/${updatedAt}`).join();
    const known = remembered.get(accountId);
    if (known?.of === of && Math.abs(now - known.readAt) < lastMs) return known.times;
    const first = hourOf(now) - (hours - 1) * hourMs;
    const ofChecks = await readChecks(deps, question, first);
    const times = await deps.inSlices(accountId, timesOf(question, ofChecks, first));
    remembered.set(accountId, { of, readAt: now, times });
    return times;
  };
}

async function readChecks(
  { checkHistory }: Pick<ServiceDaysDeps, 'checkHistory'>,
  { accountId, services, named, now }: DaysQuestion,
  from: number,
): Promise<ReadonlyMap<string, OfCheck>> {
  const ids = checkIdsOf(services, named);
  const ofChecks = new Map<string, OfCheck>(ids.map((id) => [id, new Map<number, Responses[]>()]));
  for (let start = 0; start < ids.length; start += checkHistory.checksAtOnce) {
    const some = ids.slice(start, start + checkHistory.checksAtOnce);
    const { pieces } = await checkHistory.read(accountId, some, { from, to: now, pieceMs: hourMs });
    for (const { checkId, startAt, rollUp } of pieces) {
      const ofHours = ofChecks.get(checkId);
      ofHours?.set(startAt, [...(ofHours.get(startAt) ?? []), rollUp.responses]);
    }
  }
  return ofChecks;
}

function* timesOf(
  { services, named }: DaysQuestion,
  ofChecks: ReadonlyMap<string, OfCheck>,
  first: number,
): Sliced<Times> {
  const times = new Map<string, [at: number, ms: number | null][]>();
  for (const service of services) {
    const checks = membersOf(service, named);
    const ofService: [number, number | null][] = [];
    for (let at = first; at < first + hours * hourMs; at += hourMs) {
      const parts = checks.flatMap(({ checkId }) => ofChecks.get(checkId)?.get(at) ?? []);
      ofService.push([at, percentilesOf(parts)?.p50 ?? null]);
      yield;
    }
    times.set(service.id, ofService);
  }
  return times;
}
