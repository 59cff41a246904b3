// The certificates that checks see.
import type { Page, Slice } from '#store/base/database.ts';
import type { CertificateFilter } from '#store/overview/certificates.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { MonitoredCertificate } from '#domain/results/certificate-expiry.ts';
import { dayMs } from '#domain/results/roll-up.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';

/** The query. */
export interface CertificateQuestion extends Omit<CertificateFilter, 'until'> {
  /** Absent = all. */
  readonly withinDays?: number;
}

export type CertificateActions = ReturnType<typeof createCertificateActions>;

export function createCertificateActions({
  certificates,
  clock,
}: Pick<Store, 'certificates'> & { readonly clock: Clock }) {
  return {
    /** Of active checks, soonest to expire first. */
    list(
      caller: Caller,
      { withinDays, ...checks }: CertificateQuestion,
      page: Slice,
    ): Promise<Page<MonitoredCertificate>> {
      requirePermission(caller, 'read');
      const until = withinDays === undefined ? {} : { until: clock.now() + withinDays * dayMs };
      return certificates.list(caller.accountId, { ...checks, ...until }, page);
    },
  };
}
