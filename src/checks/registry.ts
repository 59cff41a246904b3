// The kinds of checks there are: a new kind is a folder and a line here.
import type { CheckType } from '#domain/checks/check.ts';
import { apiKind } from './kinds/api/api-kind.ts';
import { browserKind } from './kinds/browser/browser-kind.ts';
import { dnsKind } from './kinds/dns/dns-kind.ts';
import { heartbeatKind } from './kinds/heartbeat/heartbeat-kind.ts';
import { icmpKind } from './kinds/icmp/icmp-kind.ts';
import type { CalledKind, CheckKind, ScriptedKind } from './kind.ts';
import { multiStepKind } from './kinds/multi-step/multi-step-kind.ts';
import { sslKind } from './kinds/ssl/ssl-kind.ts';
import { tcpKind } from './kinds/tcp/tcp-kind.ts';
import { urlKind } from './kinds/url/url-kind.ts';

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
