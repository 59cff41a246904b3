// The certificates that checks see, soonest to expire first.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { AnswerOf } from '#contract/operations.ts';
import { useMore } from '../../api/query.ts';
import { DaysLeft } from '../../ui/checks/certificate.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { More } from '../../ui/controls/more.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { useNow } from '../../ui/text/now.ts';
import { Ago, Day } from '../../ui/text/time.tsx';
import { ranges } from './search.ts';
import { text } from './strings.ts';

type Certificate = AnswerOf<'listCertificates'>[number];

const dayMs = 86_400_000;

export function CertificatesPage() {
  const { within = '30' } = useSearch({ from: '/shell/certificates' });
  const navigate = useNavigate({ from: '/certificates' });
  return (
    <>
      <PageHead title={text.title}>
        <Choice
          label={text.within}
          isLabelHidden
          value={within}
          options={ranges.map((range) => [range, text.ranges[range]] as const)}
          onChange={(next) => void navigate({ search: next === '30' ? {} : { within: next } })}
        />
      </PageHead>
      <p className="quiet">{text.help}</p>
      <Certificates within={within} />
    </>
  );
}

function Certificates({ within }: { readonly within: (typeof ranges)[number] }) {
  const query = within === 'all' ? {} : { withinDays: Number(within) };
  const { items, error, refetch, total, ...more } = useMore('listCertificates', { query });
  if (error && items === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (items === undefined) return <Skeleton lines={4} height={40} />;
  if (items.length === 0) {
    return within === 'all' ? (
      <Empty title={text.noneSeen}>
        <p>{text.noneSeenHelp}</p>
      </Empty>
    ) : (
      <Empty title={text.none(within)}>
        <p>
          <Link to="/certificates" search={{ within: 'all' }}>
            {text.showAll}
          </Link>
        </p>
      </Empty>
    );
  }
  return (
    <>
      <Table label={text.title} rows={items} keyOf={({ checkId }) => checkId} columns={columns} />
      <More {...more} total={total} shown={items.length} />
    </>
  );
}

const columns = [
  { id: 'host', title: text.columns.host, isName: true, cell: (row: Certificate) => <Host row={row} /> },
  {
    id: 'check',
    title: text.columns.check,
    cell: ({ checkId, checkName }: Certificate) => (
      <Link to="/checks/$checkId" params={{ checkId }} search={{}}>
        {checkName}
      </Link>
    ),
  },
  { id: 'issuer', title: text.columns.issuer, cell: ({ issuer }: Certificate) => issuer ?? text.unknownIssuer },
  { id: 'ends', title: text.columns.ends, cell: ({ validTo }: Certificate) => <Day at={validTo} /> },
  {
    id: 'left',
    title: text.columns.left,
    isNumber: true,
    cell: ({ validTo }: Certificate) => <Left validTo={validTo} />,
  },
];

/** The host; a certificate that was not seen for a day says so. */
function Host({ row: { domain, role, seenAt } }: { readonly row: Certificate }) {
  const isOld = useNow() - Date.parse(seenAt) > dayMs;
  return (
    <>
      {domain}
      {role !== null && <span className="quiet"> {role}</span>}
      {isOld && (
        <span className="quiet">
          {' '}
          ({text.seen} <Ago at={seenAt} />)
        </span>
      )}
    </>
  );
}

function Left({ validTo }: { readonly validTo: string }) {
  return <DaysLeft days={Math.floor((Date.parse(validTo) - useNow()) / dayMs)} />;
}
