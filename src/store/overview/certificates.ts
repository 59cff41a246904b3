// The certificates that the checks of an account last saw, soonest to expire first.
import type { MonitoredCertificate, StateCertificate } from '#domain/results/certificate-expiry.ts';
import { idBytes, idText, parsedOrNull } from '../base/codec.ts';
import type { Database, Page, Slice } from '../base/database.ts';
import { inAccount } from '../base/rows.ts';
import { breathe } from '../base/slices.ts';
import { type CheckFilter, filterChecks } from '../checks/check-filter.ts';

export interface CertificateFilter extends Pick<CheckFilter, 'tags' | 'groupId'> {
  /** Only those that expired or expire by then, epoch ms; absent = all. */
  readonly until?: number;
}

export function createCertificates({ dialect, reader }: Database) {
  const ofChecks = (accountId: string, { until = Number.MAX_SAFE_INTEGER, ...checks }: CertificateFilter) =>
    reader
      .selectFrom('check_states')
      .innerJoin('checks', inAccount('checks.id', 'check_states.check_id'))
      .where('check_states.account_id', '=', idBytes(accountId))
      .where('check_states.certificate_valid_to', '<=', until)
      .where('check_states.certificate', 'is not', null)
      .where('checks.id', 'in', (from) =>
        filterChecks(from.selectFrom('checks'), dialect, accountId, { ...checks, activated: true }).select('checks.id'),
      );
  return {
    /** Of active checks. */
    async list(
      accountId: string,
      filter: CertificateFilter,
      { limit, offset }: Slice,
    ): Promise<Page<MonitoredCertificate>> {
      const found = await ofChecks(accountId, filter)
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      await breathe();
      const rows = await ofChecks(accountId, filter)
        .select(['checks.id', 'checks.name', 'checks.check_type'])
        .select(['check_states.certificate_valid_to', 'check_states.certificate'])
        .orderBy('check_states.certificate_valid_to')
        .orderBy('checks.id')
        .limit(limit)
        .offset(offset)
        .execute();
      return { rows: rows.flatMap((row) => certificateOf(row) ?? []), total: found.total };
    },
  };
}

function certificateOf(row: {
  readonly id: Uint8Array;
  readonly name: string;
  readonly check_type: string;
  readonly certificate_valid_to: number | null;
  readonly certificate: string | null;
}): MonitoredCertificate | null {
  const seen = parsedOrNull<StateCertificate>(row.certificate);
  if (row.certificate_valid_to === null || seen === null) return null;
  const check = { checkId: idText(row.id), name: row.name, checkType: row.check_type };
  return { ...check, ...seen, validTo: row.certificate_valid_to };
}
