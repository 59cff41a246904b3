// An account with something of everything, for tests of all pages and for pictures of them.
import { type ScriptedServer, startScriptedServer } from '../support/targets/scripted-server.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';
import type { FileService } from '../support/service/service.ts';
import { until } from '../support/until.ts';
import { operator } from './web-ui.ts';

/** What the data consists of. */
export interface DemoData {
  readonly target: ScriptedServer;
  readonly failingCheckId: string;
  readonly failedResultId: string;
  readonly heartbeatId: string;
  readonly groupId: number;
  readonly deliveryId: string;
  /** The path of every page with data. */
  readonly paths: Readonly<Record<string, string>>;
}

/** Fills the first account and waits for the results, alerts and deliveries. */
export async function fillDemoData(t: Cleanup, service: FileService): Promise<DemoData> {
  const target = await startScriptedServer(t);
  target.answer(({ url }) => answerOf(url));
  const post = (path: string, body: unknown) => service.must('POST', path, body);
  await post('/v1/alert-channels', webhook('Ops chat', `${target.url}/hook`));
  await post('/v1/alert-channels', webhook('Pager', `${target.url}/broken`));
  const address = 'ops@example.com';
  await post('/v1/alert-channels', { type: 'EMAIL', config: { address }, report: { every: 'week' } });
  const { id: groupId } = await post('/v2/check-groups', { name: 'Shop', tags: ['shop'] });
  const { id: payments } = await post('/v2/check-groups', { name: 'Payments', tags: ['payments', 'critical'] });
  const { id: website } = await post('/v2/check-groups', { name: 'Website', tags: ['web'] });
  const api = (name: string, path: string, more: object = {}) =>
    post('/v1/checks/api', {
      name,
      groupId,
      tags: ['team:core'],
      request: {
        method: 'GET',
        url: `${target.url}${path}`,
        assertions: [
          { source: 'JSON_BODY', property: '$.ok', comparison: 'EQUALS', target: 'true' },
          { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '10000' },
        ],
      },
      ...more,
    });
  // The latest incident is opened last. A busy machine may withhold the times of the first runs.
  const busyMachine = { withinMs: 90_000 };
  const often = { frequency: 0, frequencyOffset: 10 };
  await api('Search', '/slow?q=lamp', { degradedResponseTime: 250, maxResponseTime: 20_000, ...often });
  await until(
    'a degraded check',
    async () => {
      const { rows } = (await service.must('GET', '/v1/overview?state=degraded')) as unknown as { rows: unknown[] };
      return rows.length > 0;
    },
    busyMachine,
  );
  const acknowledged = await api('Refunds', '/fail', { groupId: payments, tags: ['team:pay'] });
  const passing = await api('Cart API', '/ok');
  const failing = await api('Checkout', '/fail');
  await api('Card payments', '/ok', { groupId: payments, tags: ['team:pay', 'eu'] });
  for (const name of ['Marketing site', 'Blog']) {
    await post('/v1/checks/url', { name, groupId: website, tags: ['team:web'], request: { url: `${target.url}/ok` } });
  }
  await post('/v1/checks/tcp', { name: 'Redis', muted: true, request: { hostname: '127.0.0.1', port: 1 } });
  const heartbeat = await post('/v1/checks/heartbeat', {
    name: 'Nightly backup',
    heartbeat: { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' },
  });
  const warehouse = await post('/v1/private-locations', { name: 'Warehouse', slugName: 'warehouse' });
  await post('/v1/variables', { key: 'SIGNATURE', value: 'a secret of the shop', secret: true });
  const signature = await post('/v1/snippets', {
    name: 'Sign requests',
    script: "request.headers['x-signature'] = process.env.SIGNATURE;",
  });
  await post('/v1/checks/api', {
    name: 'Legacy import',
    activated: false,
    request: { method: 'GET', url: target.url },
    privateLocations: [warehouse['slugName']],
    setupSnippetId: signature['id'],
  });
  const { pingUrl } = await service
    .must('GET', `/v1/checks/${String(heartbeat['id'])}`)
    .then(({ heartbeat: settings }) => settings as { readonly pingUrl: string });
  await fetch(pingUrl, { method: 'POST', body: 'backup done, 12 files' });
  const at = (inMs: number): string => new Date(Date.now() + inMs).toISOString();
  const window = await post('/v1/maintenance-windows', {
    name: 'Database upgrade',
    tags: ['database'],
    startsAt: at(86_400_000),
    endsAt: at(90_000_000),
    repeatUnit: 'WEEK',
    timezone: 'Europe/Berlin',
  });
  const statusPages = await fillStatusPages(post, Number(groupId));
  const failingCheckId = String(failing['id']);
  const list = async (path: string): Promise<readonly Record<string, unknown>[]> =>
    Object.values((await service.must('GET', path)) as object);
  const failed = await until('a failed result', async () => (await list(`/v1/check-results/${failingCheckId}`))[0]);
  await until('a passed result', async () => (await list(`/v1/check-results/${String(passing['id'])}`))[0]);
  const delivery = await until('a delivery', async () => (await list('/v1/deliveries?status=delivered'))[0]);
  const incident = await until('the incident to acknowledge', async () => {
    const open = (await list(`/v1/check-incidents?checkId=${String(acknowledged['id'])}`)) as {
      firstAlertId: string;
    }[];
    return open[0];
  });
  await acknowledge(service, incident.firstAlertId);
  const resultLink = await until('a RESULT_LINK', async () => {
    const alert = target.all.map(({ body }) => body.toString()).find((body) => body.includes('"Checkout"'));
    return /"RESULT_LINK":"([^"]+)"/.exec(alert ?? '')?.[1];
  });
  await until('a retry', async () => (await list('/v1/deliveries?status=pending'))[0]);
  const ids = {
    failingCheckId,
    failedResultId: String(failed['id']),
    heartbeatId: String(heartbeat['id']),
    groupId: Number(groupId),
    deliveryId: String(delivery['id']),
  };
  return {
    target,
    ...ids,
    paths: {
      overview: '/',
      'overview-dense': '/?dense=true',
      'overview-groups': '/?by=group',
      wall: '/wall',
      check: `/checks/${failingCheckId}`,
      result: `/checks/${failingCheckId}/results/${ids.failedResultId}`,
      'result-link': new URL(resultLink).pathname,
      heartbeat: `/checks/${ids.heartbeatId}`,
      'new-check': '/checks/new',
      'new-check-form': '/checks/new?type=API',
      'new-script': '/checks/new?type=BROWSER',
      import: '/import',
      'import-lines': '/import?from=lines',
      'import-gatus': '/import?from=gatus',
      'import-kuma': '/import?from=kuma',
      'edit-check': `/checks/${failingCheckId}/edit`,
      channels: '/channels',
      channel: '/channels/1',
      'mail-channel': '/channels/3',
      'new-channel': '/channels/new',
      groups: '/groups',
      group: `/groups/${ids.groupId}`,
      'new-group': '/groups/new',
      'edit-group': `/groups/${ids.groupId}/edit`,
      alerts: '/alerts',
      deliveries: '/deliveries',
      delivery: `/deliveries/${ids.deliveryId}`,
      reports: `/reports?every=month&at=${new Date().toISOString()}`,
      certificates: '/certificates?within=all',
      ledger: '/ledger',
      notices: '/notices',
      system: '/settings/system',
      people: '/settings/people',
      profile: '/settings/profile',
      account: '/settings/account',
      'alert-settings': '/settings/alerts',
      'api-keys': '/settings/api-keys',
      audit: '/settings/audit',
      usage: '/settings/usage',
      variables: '/settings/variables',
      snippets: '/settings/snippets',
      'private-locations': '/settings/private-locations',
      maintenance: '/maintenance',
      'maintenance-window': `/maintenance/${String(window['id'])}`,
      'new-maintenance': '/maintenance/new',
      ...statusPages,
    },
  };
}

/** Makes a status page with services and incidents. Returns their paths. */
async function fillStatusPages(
  post: (path: string, body: unknown) => ReturnType<FileService['must']>,
  groupId: number,
) {
  const checkout = await post('/v1/status-pages/services', { name: 'Checkout', groupIds: [groupId] });
  const support = await post('/v1/status-pages/services', { name: 'Support', description: 'Chat and phone' });
  const page = await post('/v1/status-pages', {
    name: 'Shop status',
    url: 'shop',
    description: 'Our online shop',
    cards: [{ name: 'Shop', services: [checkout['id'], support['id']] }],
    themeColors: { light: '#0a7d33', dark: '#55cda4' },
    links: [{ label: 'Contact', url: 'mailto:support@example.com' }],
  });
  const incident = await post('/v1/status-pages/incidents', {
    name: 'Payments fail',
    services: [checkout['id']],
    incidentUpdates: [
      { status: 'INVESTIGATING', description: 'Card payments are refused. We are looking into it.' },
      { status: 'IDENTIFIED', description: 'A provider of ours is down.' },
    ],
  });
  await post('/v1/status-pages/incidents', {
    name: 'Chat answers late',
    severity: 'MINOR',
    isDraft: true,
    services: [support['id']],
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'We answer within an hour.' }],
  });
  const subscriptions = ['reader@example.com', 'office@example.com'].map((address) => ({ address }));
  await post(`/v1/status-pages/${String(page['id'])}/subscriptions/bulk`, { subscriptions, autoVerify: true });
  return {
    'status-pages': '/status-pages',
    'status-page': `/status-pages/${String(page['id'])}`,
    'status-subscribers': `/status-pages/${String(page['id'])}/subscribers`,
    'new-status-page': '/status-pages/new',
    'status-services': '/status-pages/services',
    'status-service': `/status-pages/services/${String(checkout['id'])}`,
    'status-incidents': '/status-pages/incidents',
    'new-status-incident': '/status-pages/incidents/new',
    'status-incident': `/status-pages/incidents/${String(incident['id'])}`,
  };
}

/** Acknowledges as the person that the tests sign in as. */
async function acknowledge({ address }: FileService, alertId: string): Promise<void> {
  const headers = { 'content-type': 'application/json', origin: address };
  const signedIn = await fetch(`${address}/v1/sessions`, { method: 'POST', headers, body: JSON.stringify(operator) });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const path = `/v1/check-alerts/${alertId}/acknowledge`;
  const done = await fetch(address + path, { method: 'POST', headers: { ...headers, cookie } });
  if (!done.ok) throw new Error(`${path}: ${done.status} ${await done.text()}`);
}

function webhook(name: string, url: string): object {
  return { type: 'WEBHOOK', autoSubscribe: true, config: { name, url } };
}

function answerOf(url: string): { readonly status: number; readonly body?: string; readonly delayMs?: number } {
  if (url.startsWith('/slow')) return { status: 200, body: '{"ok":true}', delayMs: 320 };
  if (url.startsWith('/fail')) return { status: 503, body: '{"error":"database unavailable"}', delayMs: 110 };
  if (url.startsWith('/broken')) return { status: 500, body: '<script>alert(1)</script>' };
  return { status: 200, body: '{"ok":true}', delayMs: url.startsWith('/ok') ? 60 : 0 };
}
