// The operations on checks (reference §4.2).
import { z } from 'zod';
import {
  anyCheckCreate,
  apiCheck,
  apiCheckCreate,
  apiCheckUpdate,
  check,
  checkParams,
  checkStatusNames,
  checkTypes,
  checkUpdate,
  browserCheck,
  browserCheckCreate,
  browserCheckUpdate,
  multiStepCheck,
  multiStepCheckCreate,
  multiStepCheckUpdate,
  heartbeatCheck,
  heartbeatCheckCreate,
  heartbeatCheckUpdate,
  tcpCheck,
  tcpCheckCreate,
  tcpCheckUpdate,
  sslCheck,
  sslCheckCreate,
  sslCheckUpdate,
  dnsCheck,
  dnsCheckCreate,
  dnsCheckUpdate,
  icmpCheck,
  icmpCheckCreate,
  icmpCheckUpdate,
  urlCheck,
  urlCheckCreate,
  urlCheckUpdate,
} from './check.ts';
import { flag, queryList, wholeNumber } from '#lib/schema/fields.ts';
import { merges } from '#lib/schema/patch.ts';
import type { Operations } from '../operation.ts';
import { pageQuery } from '../paging.ts';

const checkQuery = pageQuery.extend({
  tag: queryList(z.string().max(200)).exactOptional().describe('Only checks with all of these tags.'),
  checkType: z.enum(checkTypes).exactOptional(),
  activated: flag.exactOptional().describe('Only checks that are activated, or that are not.'),
  search: z.string().max(200).exactOptional().describe('Only checks whose name holds this text, in any case.'),
  status: z.enum(checkStatusNames).exactOptional().describe('Only checks in this state.'),
  groupId: wholeNumber(1, 999_999_999_999_999).exactOptional(),
  apiCheckUrlFilterPattern: z.string().max(2048).exactOptional().describe('Only API checks whose URL holds this text.'),
  applyGroupSettings: flag.default(false).describe('Show the values that hold once the group’s are applied.'),
});

/** On create and update. */
export const assignQuery = z.object({
  autoAssignAlerts: flag.default(true).describe('Subscribe the channels that subscribe to everything new.'),
});

const readQuery = z.object({ applyGroupSettings: checkQuery.shape.applyGroupSettings });
const tag = 'Checks';
const unknown = { 404: 'Unknown check.' };
const example = {
  name: 'Shop',
  frequency: 1,
  request: {
    method: 'GET',
    url: 'https://shop.example/health',
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
  },
};

const creating = { method: 'POST', tag, permission: 'write', query: assignQuery, status: 201 } as const;
const changing = {
  method: 'PUT',
  description: merges,
  tag,
  permission: 'write',
  params: checkParams,
  query: assignQuery,
  example: { frequency: 5 },
  status: 200,
  alsoAnswers: { 404: 'Unknown check.' },
} as const;

export const checkOperations = {
  listChecks: {
    method: 'GET',
    path: '/v1/checks',
    summary: 'List all checks',
    ignoredQuery: ['includeDependencies'],
    tag,
    permission: 'read',
    query: checkQuery,
    status: 200,
    response: z.array(check),
    isPaged: true,
  },
  createCheck: {
    method: 'POST',
    path: '/v1/checks',
    summary: 'Create a check of any type',
    description: 'Deprecated: create a check under the path of its type.',
    tag,
    permission: 'write',
    query: assignQuery,
    body: anyCheckCreate,
    example: { checkType: 'API', ...example },
    status: 201,
    response: check,
    isDeprecated: true,
  },
  createApiCheck: {
    ...creating,
    path: '/v1/checks/api',
    summary: 'Create an API check',
    body: apiCheckCreate,
    example,
    response: apiCheck,
  },
  createMultiStepCheck: {
    ...creating,
    path: '/v1/checks/multistep',
    summary: 'Create a multi-step check',
    description: 'Runs a script in a runtime: tests of Playwright without a browser, or a plain program.',
    body: multiStepCheckCreate,
    example: {
      name: 'Order',
      frequency: 10,
      script: `import { test, expect } from '@playwright/test';

test('an order is taken', async ({ request }) => {
  const response = await request.post('https://shop.example/orders', { data: { article: 7 } });
  expect(response.status()).toBe(201);
});
`,
    },
    response: multiStepCheck,
  },
  createBrowserCheck: {
    ...creating,
    path: '/v1/checks/browser',
    summary: 'Create a browser check',
    description: 'Runs a script that drives a Chromium: tests of Playwright, or a plain program.',
    body: browserCheckCreate,
    example: {
      name: 'Front page',
      frequency: 10,
      script: `import { test, expect } from '@playwright/test';

test('the shop is open', async ({ page }) => {
  await page.goto('https://shop.example/');
  await expect(page.getByRole('heading', { name: 'Shop' })).toBeVisible();
});
`,
    },
    response: browserCheck,
  },
  createUrlCheck: {
    ...creating,
    path: '/v1/checks/url',
    summary: 'Create a URL check',
    description: 'Watches whether an address answers, with a GET and the status alone.',
    body: urlCheckCreate,
    example: { name: 'Front page', frequency: 1, request: { url: 'https://shop.example/' } },
    response: urlCheck,
  },
  createTcpCheck: {
    ...creating,
    path: '/v1/checks/tcp',
    summary: 'Create a TCP check',
    description: 'Watches whether a port takes connections, and says what it should.',
    body: tcpCheckCreate,
    example: {
      name: 'Redis',
      frequency: 1,
      request: {
        hostname: 'redis.example',
        port: 6379,
        data: 'PING\r\n',
        assertions: [{ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target: '+PONG' }],
      },
    },
    response: tcpCheck,
  },
  createSslCheck: {
    ...creating,
    path: '/v1/checks/ssl',
    summary: 'Create an SSL check',
    description: 'Watches a certificate: its dates, name, trust and strength, and the connection it is shown over.',
    body: sslCheckCreate,
    example: {
      name: 'Certificate of the shop',
      frequency: 720,
      sslConfig: {
        hostname: 'shop.example',
        assertions: [{ source: 'CERTIFICATE', property: 'issuerCN', comparison: 'CONTAINS', target: 'Example CA' }],
      },
    },
    response: sslCheck,
  },
  createDnsCheck: {
    ...creating,
    path: '/v1/checks/dns',
    summary: 'Create a DNS check',
    description: 'Watches what a name server answers to a question.',
    body: dnsCheckCreate,
    example: {
      name: 'Address of the shop',
      frequency: 5,
      request: {
        query: 'shop.example',
        recordType: 'A',
        assertions: [
          { source: 'JSON_ANSWER', property: '$.Answer[0].data', comparison: 'EQUALS', target: '192.0.2.1' },
        ],
      },
    },
    response: dnsCheck,
  },
  createIcmpCheck: {
    ...creating,
    path: '/v1/checks/icmp',
    summary: 'Create an ICMP check',
    description: 'Watches whether a host answers pings, how many of them and how fast.',
    body: icmpCheckCreate,
    example: {
      name: 'Gateway',
      frequency: 1,
      request: {
        hostname: 'gateway.example',
        assertions: [{ source: 'LATENCY', property: 'avg', comparison: 'LESS_THAN', target: '50' }],
      },
    },
    response: icmpCheck,
  },
  createHeartbeatCheck: {
    ...creating,
    path: '/v1/checks/heartbeat',
    summary: 'Create a heartbeat check',
    description: 'Alerts if the job does not call `heartbeat.pingUrl` in time. `frequency` has no effect.',
    body: heartbeatCheckCreate,
    example: { name: 'Backup', heartbeat: { period: 1, periodUnit: 'days', grace: 30, graceUnit: 'minutes' } },
    response: heartbeatCheck,
  },
  getCheck: {
    method: 'GET',
    path: '/v1/checks/{id}',
    summary: 'Read a check',
    ignoredQuery: ['includeDependencies'],
    tag,
    permission: 'read',
    params: checkParams,
    query: readQuery,
    status: 200,
    response: check,
    alsoAnswers: unknown,
  },
  updateCheck: {
    ...changing,
    path: '/v1/checks/{id}',
    summary: 'Change a check',
    description:
      `${changing.description} Of API checks everything can be changed here; of the others what all have in common, ` +
      'and the rest under the path of their type.',
    body: checkUpdate,
    response: check,
  },
  updateApiCheck: {
    ...changing,
    path: '/v1/checks/api/{id}',
    summary: 'Change an API check',
    body: apiCheckUpdate,
    response: apiCheck,
  },
  updateMultiStepCheck: {
    ...changing,
    path: '/v1/checks/multistep/{id}',
    summary: 'Change a multi-step check',
    body: multiStepCheckUpdate,
    response: multiStepCheck,
  },
  updateBrowserCheck: {
    ...changing,
    path: '/v1/checks/browser/{id}',
    summary: 'Change a browser check',
    body: browserCheckUpdate,
    response: browserCheck,
  },
  updateUrlCheck: {
    ...changing,
    path: '/v1/checks/url/{id}',
    summary: 'Change a URL check',
    body: urlCheckUpdate,
    response: urlCheck,
  },
  updateTcpCheck: {
    ...changing,
    path: '/v1/checks/tcp/{id}',
    summary: 'Change a TCP check',
    body: tcpCheckUpdate,
    response: tcpCheck,
  },
  updateSslCheck: {
    ...changing,
    path: '/v1/checks/ssl/{id}',
    summary: 'Change an SSL check',
    body: sslCheckUpdate,
    response: sslCheck,
  },
  updateDnsCheck: {
    ...changing,
    path: '/v1/checks/dns/{id}',
    summary: 'Change a DNS check',
    body: dnsCheckUpdate,
    response: dnsCheck,
  },
  updateIcmpCheck: {
    ...changing,
    path: '/v1/checks/icmp/{id}',
    summary: 'Change an ICMP check',
    body: icmpCheckUpdate,
    response: icmpCheck,
  },
  updateHeartbeatCheck: {
    ...changing,
    path: '/v1/checks/heartbeat/{id}',
    summary: 'Change a heartbeat check',
    example: { heartbeat: { period: 1, periodUnit: 'days', grace: 2, graceUnit: 'hours' } },
    body: heartbeatCheckUpdate,
    response: heartbeatCheck,
  },
  deleteCheck: {
    method: 'DELETE',
    path: '/v1/checks/{id}',
    summary: 'Delete a check',
    description:
      'With its results, its subscriptions and its trigger. Channels that were told of something that is still open are told of its end.',
    tag,
    permission: 'write',
    params: checkParams,
    status: 204,
    alsoAnswers: unknown,
  },
} as const satisfies Operations;
