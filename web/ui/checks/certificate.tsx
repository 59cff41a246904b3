// The certificate in a result: path, dates, connection.
import type { Certificate } from '#checks/show.ts';
import { Facts } from '../layout/page.tsx';
import { Day } from '../text/time.tsx';
import { useNow } from '../text/now.ts';
import css from './certificate.module.css';

/** `12 days left` */
function daysLeft(days: number): string {
  if (days < 0) return `expired ${-days} ${days === -1 ? 'day' : 'days'} ago`;
  return `${days} ${days === 1 ? 'day' : 'days'} left`;
}

/** How long a certificate is valid, as whole days rounded down. */
export function DaysLeft({ days }: { readonly days: number }) {
  return <strong className={days < 14 ? css['soon'] : undefined}>{daysLeft(days)}</strong>;
}

export function CertificatePath({ certificate }: { readonly certificate: Certificate }) {
  const { path, validFrom, validTo, daysUntilExpiry, facts } = certificate;
  const now = useNow();
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const used = Math.min(1, Math.max(0, (now - from) / (to - from)));
  return (
    <div className={css['certificate']}>
      <ol className={css['path']} aria-label="Certificate path">
        {path.map(({ name, note }, index) => (
          <li key={index}>
            <strong>{name}</strong>
            <span className="quiet">{note}</span>
          </li>
        ))}
      </ol>
      <div className={css['validity']}>
        <Day at={validFrom} />
        <span className={css['track']} role="img" aria-label={daysLeft(daysUntilExpiry)}>
          <span className={css['used']} style={{ width: `${used * 100}%` }} />
        </span>
        <Day at={validTo} />
        <DaysLeft days={daysUntilExpiry} />
      </div>
      <Facts
        facts={facts.map(([name, value]) => [
          name,
          typeof value === 'string' ? value : <code key="code">{value.code}</code>,
        ])}
      />
    </div>
  );
}
