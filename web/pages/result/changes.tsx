// Changes since the last passing result at the same location.
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { ErrorMessage, Skeleton } from '../../ui/layout/feedback.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { evidenceOf, type Result } from '../../ui/checks/evidence.ts';
import { type Column, Table } from '../../ui/layout/table.tsx';
import { Ago, At } from '../../ui/text/time.tsx';
import { bodyOf, compareFacts, compareHeaders, compareTimes, type Fact } from './compare.ts';
import { diffLines, folded } from './diff.ts';
import { text } from './strings.ts';
import css from './result.module.css';

export function Changes({ result }: { readonly result: Result }) {
  const earlier = useRead('listCheckResultsV2', {
    params: { checkId: result.checkId },
    query: { nextId: result.id, hasFailures: false, location: result.runLocation, limit: 50 },
  });
  const passing = earlier.data?.entries.filter(({ outcome }) => outcome === 'passed') ?? [];
  const [last] = passing;
  return (
    <Section
      title={text.changes}
      aside={
        last && (
          <span className="quiet">
            {text.compared}{' '}
            <Link to="/checks/$checkId/results/$resultId" params={{ checkId: last.checkId, resultId: last.id }}>
              <At at={last.startedAt} precise />
            </Link>{' '}
            (<Ago at={last.startedAt} />)
          </span>
        )
      }
    >
      {earlier.error && earlier.data === undefined ? (
        <ErrorMessage error={earlier.error} />
      ) : earlier.data === undefined ? (
        <Skeleton lines={3} />
      ) : last === undefined ? (
        <p className="quiet">{text.noPassing}</p>
      ) : (
        <Comparison before={last} whole={passing.find((each) => bodyOf(each) !== null)} after={result} />
      )}
    </Section>
  );
}

const columns: readonly Column<Fact>[] = [
  { id: 'name', title: text.what, isName: true, cell: ({ name }) => name },
  { id: 'before', title: text.before, cell: ({ before }) => <Value value={before} /> },
  { id: 'after', title: text.after, cell: ({ after }) => <strong>{<Value value={after} />}</strong> },
];

function Value({ value }: { readonly value: string | null }) {
  return value === null ? <span className="quiet">{text.absent}</span> : <span className={css['value']}>{value}</span>;
}

/** @param whole the last passing result whose headers and body are stored */
function Comparison({
  before,
  whole,
  after,
}: {
  readonly before: Result;
  readonly whole: Result | undefined;
  readonly after: Result;
}) {
  const facts = compareFacts(before, after);
  const [oldHeaders, headers] = [whole, after].map((result) => result && evidenceOf(result).sections[0]?.headers);
  const changed = [
    ...facts.filter((fact) => fact.before !== fact.after),
    ...compareTimes(before, after),
    ...(oldHeaders && headers ? compareHeaders(oldHeaders, headers) : []),
  ];
  const same = facts.filter((fact) => fact.before === fact.after && fact.after !== null).map(({ name }) => name);
  const [oldBody, body] = [whole ? bodyOf(whole) : null, bodyOf(after)];
  return (
    <div className={css['stack']}>
      {changed.length > 0 ? (
        <Table label={text.changes} rows={changed} keyOf={({ name }) => name} columns={columns} />
      ) : (
        (oldBody === null || oldBody === body) && <p>{text.noChange}</p>
      )}
      {same.length > 0 && (
        <p className="quiet">
          {text.unchanged} {same.join(', ')}
        </p>
      )}
      {body !== null && oldBody !== null && <BodyDiff before={oldBody} after={body} />}
      {body !== null && oldBody === null && <p className="quiet">{text.bodyNotStored}</p>}
    </div>
  );
}

const marks = { same: ' ', removed: '−', added: '+' } as const;

function BodyDiff({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return <p className="quiet">{text.bodySame}</p>;
  const lines = diffLines(before, after);
  if (lines === null) return <p className="quiet">{text.bodyTooLong}</p>;
  return (
    <div>
      <h3>{text.bodyDiff}</h3>
      <div className={css['diff']} tabIndex={0} role="region" aria-label={`${text.bodyDiff}: ${text.changes}`}>
        {folded(lines).map((line, index) =>
          typeof line === 'number' ? (
            <p key={index} className={css['fold']}>
              {text.same(line)}
            </p>
          ) : (
            <p key={index} className={css[line.kind]}>
              <span aria-hidden>{marks[line.kind]}</span>
              {line.kind !== 'same' && <span className="visually-hidden">{text[line.kind]}: </span>}
              {line.text}
            </p>
          ),
        )}
      </div>
    </div>
  );
}
