// One check of every type, two groups and a maintenance window.
import {
  AlertChannelSubscription,
  AlertEscalationBuilder,
  ApiCheck,
  AssertionBuilder,
  BrowserCheck,
  CheckGroupV1,
  CheckGroupV2,
  DnsAssertionBuilder,
  DnsMonitor,
  Frequency,
  HeartbeatMonitor,
  IcmpAssertionBuilder,
  IcmpMonitor,
  MaintenanceWindow,
  MultiStepCheck,
  RetryStrategyBuilder,
  SslMonitor,
  TcpAssertionBuilder,
  TcpMonitor,
  UrlAssertionBuilder,
  UrlMonitor,
} from 'checkly/constructs';
import { email, webhook } from './channels.ts';

const first = new CheckGroupV1('first', {
  name: 'First version',
  activated: true,
  concurrency: 2,
  tags: ['v1'],
  alertChannels: [email],
  environmentVariables: [{ key: 'GROUP', value: 'one' }],
  apiCheckDefaults: { url: 'https://shop.example/', headers: [{ key: 'x-from', value: 'group' }] },
  localSetupScript: 'request.headers["x-setup"] = "yes";',
});
const second = new CheckGroupV2('second', {
  name: 'Second version',
  tags: ['v2'],
  alertChannels: [webhook],
  alertEscalationPolicy: AlertEscalationBuilder.runBasedEscalation(2, { amount: 1, interval: 5 }),
  retryStrategy: RetryStrategyBuilder.linearStrategy({ maxRetries: 3 }),
});

const api = new ApiCheck('api', {
  name: 'API',
  description: 'The API of the shop',
  group: first,
  frequency: Frequency.EVERY_10S,
  shouldFail: false,
  degradedResponseTime: 1000,
  maxResponseTime: 2000,
  retryStrategy: RetryStrategyBuilder.noRetries(),
  alertEscalationPolicy: AlertEscalationBuilder.timeBasedEscalation(10),
  environmentVariables: [
    { key: 'TOKEN', value: 'a secret of the check', secret: true },
    { key: 'PLAIN', value: 'plain' },
  ],
  setupScript: { content: 'request.headers["x-now"] = "1";' },
  tearDownScript: { content: 'console.log(response.statusCode);' },
  request: {
    method: 'POST',
    url: 'http://127.0.0.1:1/orders',
    headers: [{ key: 'authorization', value: 'Bearer {{TOKEN}}', locked: true }],
    queryParameters: [{ key: 'page', value: '1' }],
    bodyType: 'JSON',
    body: '{"a": 1}',
    followRedirects: false,
    skipSSL: true,
    ipFamily: 'IPv4',
    basicAuth: { username: 'shop', password: 'a password' },
    assertions: [
      AssertionBuilder.statusCode().equals(201),
      AssertionBuilder.jsonBody('$.id').notEmpty(),
      AssertionBuilder.headers('content-type').contains('json'),
      AssertionBuilder.responseTime().lessThan(500),
    ],
  },
});
new AlertChannelSubscription('by-hand', {
  alertChannelId: webhook.ref(),
  checkId: api.ref(),
  activated: false,
});

new UrlMonitor('url', {
  name: 'URL',
  group: second,
  alertChannels: [email],
  frequency: Frequency.EVERY_1M,
  request: { url: 'http://127.0.0.1:1/', assertions: [UrlAssertionBuilder.statusCode().equals(200)] },
});
new TcpMonitor('tcp', {
  name: 'TCP',
  request: {
    hostname: '127.0.0.1',
    port: 1,
    data: 'PING',
    assertions: [TcpAssertionBuilder.responseData().contains('PONG')],
  },
});
new DnsMonitor('dns', {
  name: 'DNS',
  request: {
    recordType: 'A',
    query: 'shop.example',
    nameServer: '127.0.0.1',
    port: 53,
    assertions: [DnsAssertionBuilder.responseCode().equals('NOERROR')],
  },
});
new IcmpMonitor('icmp', {
  name: 'ICMP',
  degradedPacketLossThreshold: 10,
  maxPacketLossThreshold: 50,
  request: { hostname: '127.0.0.1', pingCount: 2, assertions: [IcmpAssertionBuilder.latency('avg').lessThan(100)] },
});
new SslMonitor('ssl', {
  name: 'SSL',
  request: { hostname: '127.0.0.1', port: 1, sslConfig: { alertDaysBeforeExpiry: 10, handshakeTimeout: 2000 } },
});
new HeartbeatMonitor('heartbeat', {
  name: 'Nightly job',
  period: 1,
  periodUnit: 'days',
  grace: 1,
  graceUnit: 'hours',
});
new BrowserCheck('browser', {
  name: 'Browser',
  activated: false,
  code: { entrypoint: './specs/home.spec.js' },
});
new MultiStepCheck('steps', {
  name: 'Steps',
  activated: false,
  code: { content: "import { test } from '@playwright/test';\ntest('steps', async () => {});\n" },
});

new MaintenanceWindow('deploys', {
  name: 'Deploys',
  tags: ['v1'],
  startsAt: new Date('2099-01-01T22:00:00Z'),
  endsAt: new Date('2099-01-01T23:00:00Z'),
  repeatInterval: 1,
  repeatUnit: 'WEEK',
  repeatEndsAt: new Date('2099-06-01T00:00:00Z'),
});
