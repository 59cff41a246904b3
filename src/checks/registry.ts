// The kinds of checks there are: a new kind is a folder and a line here.
import type { CheckType } from '#domain/check.ts';
import { apiKind } from './api/api-kind.ts';
import { browserKind } from './browser/browser-kind.ts';
import { dnsKind } from './dns/dns-kind.ts';
import { heartbeatKind } from './heartbeat/heartbeat-kind.ts';
import { icmpKind } from './icmp/icmp-kind.ts';
import type { CalledKind, CheckKind, ScriptedKind } from './kind.ts';
import { multiStepKind } from './multi-step/multi-step-kind.ts';
import { sslKind } from './ssl/ssl-kind.ts';
import { tcpKind } from './tcp/tcp-kind.ts';
import { urlKind } from './url/url-kind.ts';

/** What each check type does; everything that depends on a type asks here. */
export const checkKinds: Readonly<Record<CheckType, CheckKind | ScriptedKind | CalledKind>> = {
  API: apiKind,
  MULTI_STEP: multiStepKind,
  BROWSER: browserKind,
  URL: urlKind,
  TCP: tcpKind,
  SSL: sslKind,
  DNS: dnsKind,
  ICMP: icmpKind,
  HEARTBEAT: heartbeatKind,
};
