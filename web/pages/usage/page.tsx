// What the account uses of each limit, and what happens at the limit.
import type { AnswerOf } from '#contract/operations.ts';
import { useRead } from '../../api/query.ts';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { count } from '../../ui/text/format.ts';
import { text } from './strings.ts';
import css from './usage.module.css';

type Entry = AnswerOf<'listUsage'>[number];

export function UsagePage() {
  const { data, error, refetch } = useRead('listUsage');
  return (
    <>
      <PageHead title={text.title} />
      <p className="quiet">{text.intro}</p>
      {error && data === undefined ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={8} height={36} />
      ) : (
        text.sections.map(({ title, names }) => (
          <Section key={title} title={title}>
            <ul className={css['list']}>
              {names.flatMap((name) => {
                const entry = data.find((each) => each.name === name);
                return entry === undefined ? [] : <Line key={name} entry={entry} />;
              })}
            </ul>
          </Section>
        ))
      )}
    </>
  );
}

/** From this share on, a limit is shown as almost used up. */
const nearShare = 0.8;

function Line({ entry: { name, used, limit } }: { readonly entry: Entry }) {
  const { label, effect } = text.lines[name];
  const share = limit === null ? 0 : Math.min(1, used / limit);
  const level = limit === null || share < nearShare ? 'plain' : share < 1 ? 'near' : 'reached';
  return (
    <li className={css['line']} data-level={level}>
      <span className={css['label']}>{label}</span>
      <span className={css['value']}>
        {level !== 'plain' && <strong>{text[level]}: </strong>}
        {limit === null ? (
          <>
            {count(used)} <span className="quiet">({text.unlimited})</span>
          </>
        ) : (
          text.of(used, limit)
        )}
      </span>
      {limit !== null && (
        <svg className={css['bar']} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden>
          <rect className={css['track']} width="100" height="4" />
          <rect className={css['fill']} width={used === 0 ? 0 : Math.max(0.5, share * 100)} height="4" />
        </svg>
      )}
      {limit !== null && <span className={css['effect']}>{effect}</span>}
    </li>
  );
}
