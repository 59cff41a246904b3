// Routes of the subscribers of status pages (reference §4.7).
import type { StatusSubscriptionActions } from '#actions/status-pages/status-subscriptions.ts';
import { type StatusSubscriptionBody, subscriptionType } from '#contract/status-pages/status-subscription.ts';
import type { StatusSubscriber } from '#domain/status-pages/status-subscriber.ts';
import { csvAnswer, type CsvColumns } from '../results/csv.ts';
import { type Route, route } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';
import { cursorBody, namedServices } from './cursor-body.ts';

export function statusSubscriptionRoutes(actions: StatusSubscriptionActions): Route[] {
  return [
    route('listStatusSubscriptions', async ({ caller, params, query: { nextId = null, limit, search = null } }) => {
      const { services, ...page } = await actions.list(caller, params.id, { after: nextId, limit, search });
      return cursorBody(page, (row): StatusSubscriptionBody => toWire(row, services));
    }),
    route('createStatusSubscriptions', async ({ caller, params, body: { subscriptions, autoVerify } }) => {
      const requests = subscriptions.map(({ address, services }) => ({ email: address, serviceIds: services }));
      const added = await actions.add(caller, params.id, requests, autoVerify);
      return { ...added, status: autoVerify ? ('VERIFIED' as const) : ('PENDING' as const) };
    }),
    route('exportStatusSubscriptions', ({ caller, params, signal }) =>
      csvAnswer('tocsin-subscribers', columns, actions.export(caller, params.id), signal),
    ),
    route('deleteStatusSubscription', ({ caller, params }) => actions.remove(caller, params.id, params.subscriptionId)),
  ];
}

const statusOf = ({ confirmedAt }: StatusSubscriber): StatusSubscriptionBody['status'] =>
  confirmedAt === null ? 'PENDING' : 'VERIFIED';

const columns: CsvColumns<StatusSubscriber> = [
  ['address', ({ email }) => email],
  ['status', statusOf],
  ['services', ({ serviceIds }) => serviceIds?.join(' ') ?? null],
  ['verified_at', ({ confirmedAt }) => isoTextOrNull(confirmedAt)],
  ['created_at', ({ createdAt }) => isoText(createdAt)],
  ['id', ({ id }) => id],
];

function toWire(row: StatusSubscriber, services: Parameters<typeof namedServices>[2]): StatusSubscriptionBody {
  return {
    id: row.id,
    type: subscriptionType,
    address: row.email,
    status: statusOf(row),
    services: row.serviceIds === null ? null : namedServices(row.accountId, row.serviceIds, services),
    verifiedAt: isoTextOrNull(row.confirmedAt),
    created_at: isoText(row.createdAt),
  };
}
