// The kinds of checks there are: a new kind is a folder and a line here.
import type { CheckType } from '#domain/check.ts';
import { apiKind } from './api/api-kind.ts';
import { heartbeatKind } from './heartbeat/heartbeat-kind.ts';
import type { CheckKind } from './kind.ts';
import { sslKind } from './ssl/ssl-kind.ts';
import { tcpKind } from './tcp/tcp-kind.ts';
import { urlKind } from './url/url-kind.ts';

/** What each check type does; everything that depends on a type asks here. */
export const checkKinds: Readonly<Record<CheckType, CheckKind>> = {
  API: apiKind,
  URL: urlKind,
  TCP: tcpKind,
  SSL: sslKind,
  HEARTBEAT: heartbeatKind,
};
