// The sums of a ledger as a bookkeeper sets them: what was due on the left, what became of it on the right.
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { deliveryStatusWords } from '../alerts/delivery-status.tsx';
import { Section } from '../layout/page.tsx';
import { count } from '../text/format.ts';
import css from './ledger.module.css';
import { text } from './strings.ts';

type Sides = Pick<AnswerOf<'getSystemLedger'>, 'runs' | 'alerts' | 'deliveries'>;
type Noun = keyof Sides;
type Line = readonly [id: string, label: string, value: number];

/** Links of lines, by their ID; lines without one are text. */
export type LineLinks = (noun: Noun, id: string, label: string) => ReactNode;

const plain: LineLinks = (_noun, _id, label) => label;

/** Whether everything adds up, in words. */
export function Verdict({ ledger }: { readonly ledger: Sides }) {
  const wrong = (['runs', 'alerts', 'deliveries'] as const).filter((noun) => ledger[noun].difference !== 0);
  if (wrong.length === 0) {
    return (
      <p className={css['balanced']}>
        <CircleCheck size={18} aria-hidden />
        <span>
          <strong>{text.balanced}</strong> {text.balancedWhy}
        </span>
      </p>
    );
  }
  return (
    <div role="alert" className={css['unbalanced']}>
      <TriangleAlert size={18} aria-hidden />
      <div>
        <strong>{text.unbalanced}</strong>
        <ul>
          {wrong.map((noun) => (
            <li key={noun}>{differenceText(ledger[noun].difference, noun)}</li>
          ))}
        </ul>
        <p>{text.lostWhy}</p>
      </div>
    </div>
  );
}

function differenceText(difference: number, noun: Noun): string {
  const words = difference > 0 ? text.lost : text.surplus;
  return words(Math.abs(difference), text.nouns[noun]);
}

/** The three accounts. */
export function Sums({
  ledger: { runs, alerts, deliveries },
  link = plain,
}: {
  readonly ledger: Sides;
  readonly link?: LineLinks;
}) {
  const { added, difference, expired, ...statuses } = deliveries;
  const outcomes = Object.entries(text.outcomes) as [keyof typeof text.outcomes, string][];
  const ends = Object.entries(text.alertEnds) as [keyof typeof text.alertEnds, string][];
  const isShown = ([id, , value]: Line): boolean => value > 0 || id === 'delivered';
  return (
    <>
      <Balance
        noun="runs"
        left={[
          ['scheduled', text.scheduled, runs.scheduled],
          ['onDemand', text.onDemand, runs.onDemand],
        ]}
        right={outcomes.map(([id, label]) => [id, label, runs[id]])}
        difference={runs.difference}
        link={link}
      />
      <Balance
        noun="alerts"
        left={[['due', text.alertsDue, alerts.due]]}
        right={ends
          .filter(([id]) => id !== 'expired' || alerts.expired > 0)
          .map(([id, label]) => [id, label, alerts[id]])}
        difference={alerts.difference}
        link={link}
      />
      <Balance
        noun="deliveries"
        left={[['added', text.added, added]]}
        right={[
          ...(Object.keys(statuses) as (keyof typeof statuses)[]).map((id): Line => [
            id,
            deliveryStatusWords[id],
            statuses[id],
          ]),
          ['expired', text.expired, expired] as const,
        ].filter(isShown)}
        difference={difference}
        link={link}
      />
    </>
  );
}

function Balance({
  noun,
  left,
  right,
  difference,
  link,
}: {
  readonly noun: Noun;
  readonly left: readonly Line[];
  readonly right: readonly Line[];
  readonly difference: number;
  readonly link: LineLinks;
}) {
  return (
    <Section title={text[noun]}>
      <div className={css['balance']}>
        <Side noun={noun} title={text.due} lines={left} link={plain} />
        <Side noun={noun} title={text.became} lines={right} link={link} />
      </div>
      {difference !== 0 && (
        <p className={css['difference']}>
          {text.difference}: {differenceText(difference, noun)}
        </p>
      )}
    </Section>
  );
}

function Side({
  noun,
  title,
  lines,
  link,
}: {
  readonly noun: Noun;
  readonly title: string;
  readonly lines: readonly Line[];
  readonly link: LineLinks;
}) {
  return (
    <table className={css['side']} aria-label={`${text[noun]}: ${title}`}>
      <thead>
        <tr>
          <th scope="col" colSpan={2}>
            {title}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(([id, label, value]) => (
          <tr key={id} data-zero={value === 0 ? '' : undefined}>
            <th scope="row">{value > 0 ? link(noun, id, label) : label}</th>
            <td>{count(value)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{text.total}</th>
          <td>{count(lines.reduce((sum, [, , value]) => sum + value, 0))}</td>
        </tr>
      </tfoot>
    </table>
  );
}
