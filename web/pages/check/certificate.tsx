// The certificate from the latest run, with dates and days left.
import type { AnswerOf } from '#contract/operations.ts';
import { useRead } from '../../api/query.ts';
import { Facts, Section } from '../../ui/layout/page.tsx';
import { evidenceOf } from '../../ui/checks/evidence.ts';
import { showOf } from '../../ui/checks/kind.ts';
import { CertificatePath } from '../../ui/checks/certificate.tsx';
import { text } from './strings.ts';
import css from './check.module.css';

type Check = AnswerOf<'getCheck'>;

export function Certificate({ check }: { readonly check: Check }) {
  const status = useRead('getCheckStatus', { params: { checkId: check.id } });
  const days = status.data?.sslDaysRemaining ?? null;
  if (showOf(check.checkType).hasCertificate) return <SeenCertificate check={check} />;
  if (days === null) return null;
  const host = findHost(check);
  return (
    <Section title={text.certificate}>
      <Facts
        facts={[
          [text.server, host ?? check.name],
          [
            text.validTo,
            <span key="days" className={days < 14 ? css['bad'] : undefined}>
              {text.daysLeft(days)}
            </span>,
          ],
        ]}
      />
    </Section>
  );
}

/** The certificate in the latest result that contains one. */
function SeenCertificate({ check }: { readonly check: Check }) {
  const results = useRead('listCheckResults', { params: { checkId: check.id }, query: { limit: 5 } });
  const [seen] = (results.data ?? [])
    .flatMap((result) => evidenceOf(result).sections)
    .flatMap(({ certificate }) => certificate ?? []);
  if (results.data === undefined) return null;
  return (
    <Section title={text.certificate}>
      {seen === undefined ? <p className="quiet">{text.noCertificate}</p> : <CertificatePath certificate={seen} />}
    </Section>
  );
}

/** Host whose certificate is reported, if the settings contain one. */
function findHost(check: Check): string | null {
  if ('sslCheckDomain' in check && check.sslCheckDomain) return check.sslCheckDomain;
  if (!('request' in check) || !('url' in check.request) || !URL.canParse(check.request.url)) return null;
  return new URL(check.request.url).host;
}
