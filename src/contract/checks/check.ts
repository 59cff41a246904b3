// Checks on the wire, type by type (reference §4.3, decisions: Checks).
import { z } from 'zod';
import { apiRequest, apiRequestShown } from './api-request.ts';
import {
  certificateDomain,
  checkFields,
  checkFieldsShown,
  ignored,
  responseTime,
  responseTimesShown,
} from './check-fields.ts';
import { pathUuid, updateOf } from '#lib/schema/fields.ts';
import { heartbeat, heartbeatShown } from './heartbeat.ts';
import { creating, ignoring, refusing } from '#lib/schema/bodies.ts';
import {
  browserFieldsOnly,
  browserFieldsShown,
  multiStepFieldsOnly,
  multiStepFieldsShown,
  ignoredOfBrowser,
  ignoredOfScripted,
  scriptedFields,
  scriptedFieldsShown,
} from './script-check.ts';
import { scriptFields, scriptFieldsShown } from './scripts.ts';
import { dnsRequest, dnsRequestShown } from './dns-request.ts';
import { icmpRequest, icmpRequestShown, packetLoss } from './icmp-request.ts';
import { liftingSslConfig, sslConfig, sslConfigShown } from './ssl-config.ts';
import { tcpRequest, tcpRequestShown } from './tcp-request.ts';
import { urlCheckHints, urlRequest, urlRequestShown } from './url-request.ts';

/** Types of check that this server runs. */
export const checkTypes = ['API', 'MULTI_STEP', 'BROWSER', 'URL', 'TCP', 'SSL', 'DNS', 'ICMP', 'HEARTBEAT'] as const;

export const checkStatusNames = ['passing', 'failing', 'degraded'] as const;

const slower = 'Slower than this is degraded.';
const slowest = 'Slower than this is failed.';

const apiFields = z.strictObject({
  ...checkFields,
  request: apiRequest,
  degradedResponseTime: responseTime(5000, slower),
  maxResponseTime: responseTime(20_000, slowest),
  sslCheckDomain: certificateDomain.describe(
    'Whose certificate is told of, as shop.example or shop.example:8443; null = that of an https URL.',
  ),
  ...scriptFields,
});
const multiStepFields = z.strictObject({ ...scriptedFields, ...multiStepFieldsOnly });
const browserFields = z.strictObject({ ...scriptedFields, ...browserFieldsOnly });
const urlFields = z.strictObject({
  ...checkFields,
  request: urlRequest,
  degradedResponseTime: responseTime(3000, slower),
  maxResponseTime: responseTime(5000, slowest),
});
const tcpFields = z.strictObject({
  ...checkFields,
  request: tcpRequest,
  degradedResponseTime: responseTime(3000, slower),
  maxResponseTime: responseTime(5000, slowest),
});
const sslFields = z.strictObject({
  ...checkFields,
  sslConfig,
  degradedResponseTime: responseTime(3000, slower),
  maxResponseTime: responseTime(10_000, slowest),
});
const dnsFields = z.strictObject({
  ...checkFields,
  request: dnsRequest,
  degradedResponseTime: responseTime(500, slower),
  maxResponseTime: responseTime(1000, slowest),
});
const icmpFields = z.strictObject({
  ...checkFields,
  request: icmpRequest,
  degradedPacketLossThreshold: packetLoss(10, 'From this loss on it is degraded.'),
  maxPacketLossThreshold: packetLoss(20, 'From this loss on it has failed.'),
});

const heartbeatFields = z.strictObject({ ...checkFields, heartbeat });

/** The type in a body whose path says it already. */
function ofPath<const Type extends (typeof checkTypes)[number]>(type: Type) {
  return z.literal(type, `must be ${type} here, or left out`);
}

/** What clients send with checks of other types, and what means something here. */
const ignoredOfApi = ignored.filter((name) => name !== 'sslCheckDomain');
const ignoredOfHeartbeat = ignored.filter((name) => name !== 'heartbeat');
const ignoredBy: Readonly<Record<string, readonly string[]>> = {
  MULTI_STEP: ignoredOfScripted,
  BROWSER: ignoredOfBrowser,
  HEARTBEAT: ignoredOfHeartbeat,
};

function ignoredOfAny(body: object): readonly string[] {
  return ('checkType' in body ? ignoredBy[String(body.checkType)] : undefined) ?? ignoredOfApi;
}

export const apiCheckCreate = creating(
  ignoredOfApi,
  apiFields.extend({ checkType: ofPath('API').default('API') }),
).meta({
  id: 'ApiCheckCreate',
});
export const multiStepCheckCreate = creating(
  ignoredOfScripted,
  multiStepFields.extend({ checkType: ofPath('MULTI_STEP').default('MULTI_STEP') }),
).meta({ id: 'MultiStepCheckCreate' });
export const browserCheckCreate = creating(
  ignoredOfBrowser,
  browserFields.extend({ checkType: ofPath('BROWSER').default('BROWSER') }),
).meta({ id: 'BrowserCheckCreate' });
export const urlCheckCreate = creating(
  ignored,
  refusing(urlCheckHints, urlFields.extend({ checkType: ofPath('URL').default('URL') })),
).meta({
  id: 'UrlCheckCreate',
});
export const tcpCheckCreate = creating(ignored, tcpFields.extend({ checkType: ofPath('TCP').default('TCP') })).meta({
  id: 'TcpCheckCreate',
});
export const sslCheckCreate = liftingSslConfig(
  creating(ignored, sslFields.extend({ checkType: ofPath('SSL').default('SSL') })),
).meta({
  id: 'SslCheckCreate',
});
export const dnsCheckCreate = creating(ignored, dnsFields.extend({ checkType: ofPath('DNS').default('DNS') })).meta({
  id: 'DnsCheckCreate',
});
export const icmpCheckCreate = creating(ignored, icmpFields.extend({ checkType: ofPath('ICMP').default('ICMP') })).meta(
  {
    id: 'IcmpCheckCreate',
  },
);
export const heartbeatCheckCreate = creating(
  ignoredOfHeartbeat,
  heartbeatFields.extend({ checkType: ofPath('HEARTBEAT').default('HEARTBEAT') }),
).meta({ id: 'HeartbeatCheckCreate' });
export const anyCheckCreate = creating(
  ignoredOfAny,
  z.discriminatedUnion(
    'checkType',
    [
      apiFields.extend({ checkType: z.literal('API') }),
      multiStepFields.extend({ checkType: z.literal('MULTI_STEP') }),
      browserFields.extend({ checkType: z.literal('BROWSER') }),
      urlFields.extend({ checkType: z.literal('URL') }),
      tcpFields.extend({ checkType: z.literal('TCP') }),
      sslFields.extend({ checkType: z.literal('SSL') }),
      dnsFields.extend({ checkType: z.literal('DNS') }),
      icmpFields.extend({ checkType: z.literal('ICMP') }),
      heartbeatFields.extend({ checkType: z.literal('HEARTBEAT') }),
    ],
    { error: `must be one of ${checkTypes.join(', ')}` },
  ),
).meta({ id: 'CheckCreate' });

export const checkUpdate = ignoring(
  ignoredOfApi,
  updateOf(apiFields).extend({ checkType: z.enum(checkTypes).exactOptional() }),
).meta({ id: 'CheckUpdate' });
export const apiCheckUpdate = ignoring(
  ignoredOfApi,
  updateOf(apiFields).extend({ checkType: ofPath('API').exactOptional() }),
).meta({ id: 'ApiCheckUpdate' });
export const multiStepCheckUpdate = ignoring(
  ignoredOfScripted,
  updateOf(multiStepFields).extend({ checkType: ofPath('MULTI_STEP').exactOptional() }),
).meta({ id: 'MultiStepCheckUpdate' });
export const browserCheckUpdate = ignoring(
  ignoredOfBrowser,
  updateOf(browserFields).extend({ checkType: ofPath('BROWSER').exactOptional() }),
).meta({ id: 'BrowserCheckUpdate' });
export const urlCheckUpdate = ignoring(
  ignored,
  refusing(urlCheckHints, updateOf(urlFields).extend({ checkType: ofPath('URL').exactOptional() })),
).meta({ id: 'UrlCheckUpdate' });
export const tcpCheckUpdate = ignoring(
  ignored,
  updateOf(tcpFields).extend({ checkType: ofPath('TCP').exactOptional() }),
).meta({ id: 'TcpCheckUpdate' });
export const sslCheckUpdate = liftingSslConfig(
  ignoring(ignored, updateOf(sslFields).extend({ checkType: ofPath('SSL').exactOptional() })),
).meta({ id: 'SslCheckUpdate' });
export const dnsCheckUpdate = ignoring(
  ignored,
  updateOf(dnsFields).extend({ checkType: ofPath('DNS').exactOptional() }),
).meta({ id: 'DnsCheckUpdate' });
export const icmpCheckUpdate = ignoring(
  ignored,
  updateOf(icmpFields).extend({ checkType: ofPath('ICMP').exactOptional() }),
).meta({ id: 'IcmpCheckUpdate' });
export const heartbeatCheckUpdate = ignoring(
  ignoredOfHeartbeat,
  updateOf(heartbeatFields).extend({ checkType: ofPath('HEARTBEAT').exactOptional() }),
).meta({ id: 'HeartbeatCheckUpdate' });

const id = z.uuid();

export const apiCheck = z
  .strictObject({
    id,
    checkType: z.literal('API'),
    ...checkFieldsShown,
    request: apiRequestShown,
    ...responseTimesShown,
    sslCheckDomain: z.string().nullable(),
    ...scriptFieldsShown,
    runtimeWarning: scriptedFieldsShown.runtimeWarning,
  })
  .meta({ id: 'ApiCheck', description: 'Watches an HTTP interface: any request, and what must hold of its answer.' });
export const multiStepCheck = z
  .strictObject({
    id,
    checkType: z.literal('MULTI_STEP'),
    ...checkFieldsShown,
    ...scriptedFieldsShown,
    ...multiStepFieldsShown,
  })
  .meta({ id: 'MultiStepCheck', description: 'Runs a script of requests and assertions.' });
export const browserCheck = z
  .strictObject({
    id,
    checkType: z.literal('BROWSER'),
    ...checkFieldsShown,
    ...scriptedFieldsShown,
    ...browserFieldsShown,
  })
  .meta({ id: 'BrowserCheck', description: 'Runs a script that drives a browser.' });
export const urlCheck = z
  .strictObject({
    id,
    checkType: z.literal('URL'),
    ...checkFieldsShown,
    request: urlRequestShown,
    ...responseTimesShown,
  })
  .meta({ id: 'UrlCheck', description: 'Watches whether an address answers.' });
export const tcpCheck = z
  .strictObject({
    id,
    checkType: z.literal('TCP'),
    ...checkFieldsShown,
    request: tcpRequestShown,
    ...responseTimesShown,
  })
  .meta({ id: 'TcpCheck', description: 'Watches whether a port takes connections, and says what it should.' });
export const sslCheck = z
  .strictObject({
    id,
    checkType: z.literal('SSL'),
    ...checkFieldsShown,
    sslConfig: sslConfigShown,
    ...responseTimesShown,
  })
  .meta({ id: 'SslCheck', description: 'Watches a certificate, and the connection it is shown over.' });
export const dnsCheck = z
  .strictObject({
    id,
    checkType: z.literal('DNS'),
    ...checkFieldsShown,
    request: dnsRequestShown,
    ...responseTimesShown,
  })
  .meta({ id: 'DnsCheck', description: 'Watches what a name server answers.' });
export const icmpCheck = z
  .strictObject({
    id,
    checkType: z.literal('ICMP'),
    ...checkFieldsShown,
    request: icmpRequestShown,
    degradedPacketLossThreshold: z.number(),
    maxPacketLossThreshold: z.number(),
  })
  .meta({ id: 'IcmpCheck', description: 'Watches whether a host answers pings.' });

export const heartbeatCheck = z
  .strictObject({ id, checkType: z.literal('HEARTBEAT'), ...checkFieldsShown, heartbeat: heartbeatShown })
  .meta({ id: 'HeartbeatCheck', description: 'Waits to be called by a job, and alerts when it is not.' });

export const check = z
  .discriminatedUnion('checkType', [
    apiCheck,
    multiStepCheck,
    browserCheck,
    urlCheck,
    tcpCheck,
    sslCheck,
    dnsCheck,
    icmpCheck,
    heartbeatCheck,
  ])
  .meta({ id: 'Check', description: 'What is watched, how often and from where.' });
export type CheckBody = z.output<typeof check>;

export const checkParams = z.object({ id: pathUuid('Id of the check.') });
