// Problems that need attention, with instructions.
import { useRead } from '../../api/query.ts';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { docsParts } from '../../ui/text/docs-links.ts';
import { withLocalTimes } from '../../ui/text/format.ts';
import { At, Lasting } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import css from './notices.module.css';

export function NoticesPage() {
  const { data, error, refetch } = useRead('listNotices');
  return (
    <>
      <PageHead title={text.title} />
      {error && data === undefined ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={4} height={72} />
      ) : data.length === 0 ? (
        <Empty title={text.emptyTitle}>
          <p>{text.empty}</p>
        </Empty>
      ) : (
        <ul className={css['notices']} aria-label={text.title}>
          {data.map(({ id, subject, message, action, since }) => (
            <li key={id} className={css['notice']}>
              <h2>{subject}</h2>
              <p>{withLocalTimes(message)}</p>
              <p className={css['action']}>
                <strong>{text.action}</strong> <WithDocs text={action} />
              </p>
              <p className="quiet">
                {text.since} <At at={since} /> (<Lasting since={since} />)
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A text whose names of pages of the documentation are links. */
function WithDocs({ text: said }: { readonly text: string }) {
  return docsParts(said).map(({ part, href }, index) =>
    href === null ? (
      part
    ) : (
      <a key={index} href={href} target="_blank" rel="noreferrer">
        {part}
      </a>
    ),
  );
}
