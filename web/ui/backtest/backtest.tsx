// What the settings of a form would have done in the last 30 days, beside the form (docs/decisions/0143).
import { Link } from '@tanstack/react-router';
import { LoaderCircle } from 'lucide-react';
import { use, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Request } from '#contract/caller.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { Button } from '../controls/button.tsx';
import { ErrorMessage } from '../layout/feedback.tsx';
import { useNow } from '../text/now.ts';
import { At } from '../text/time.tsx';
import { text } from './strings.ts';
import css from './backtest.module.css';

type Answer = AnswerOf<'createCheckBacktest'>;
type Alert = Answer['alerts'][number];

/** The settings to try, as they are sent; the server validates them. */
export type BacktestQuestion = Omit<Request<'createCheckBacktest'>['body'], 'days'>;

/** Time without a change after which a shown backtest is repeated, ms. */
const pauseMs = 800;
const shownAtFirst = 20;

/**
 * @param question the settings; a change repeats the backtest
 * @param whose such as `this check`
 */
export function Backtest({ question, whose }: { readonly question: BacktestQuestion; readonly whose: string }) {
  const [isWanted, setWanted] = useState(false);
  const { answer, error, isRunning } = useBacktest(question, isWanted);
  const title = useId();
  return (
    <section className={css['backtest']} aria-labelledby={title}>
      <h2 id={title}>{text.title}</h2>
      {!isWanted && (
        <>
          <p className="quiet">{text.about}</p>
          <div>
            <Button onPress={() => setWanted(true)}>{text.run}</Button>
          </div>
        </>
      )}
      <div role="status" aria-busy={isRunning}>
        {isRunning && (
          <p className={css['running']}>
            <LoaderCircle size={15} aria-hidden className={css['spin']} /> {text.running}
          </p>
        )}
        {error !== null && <ErrorMessage error={error} />}
        {answer !== null && (
          <div data-old={isRunning ? '' : undefined} className={css['answer']}>
            <Found answer={answer} whose={whose} />
          </div>
        )}
      </div>
    </section>
  );
}

/** Asks when it is wanted, and again after each change; an answer to older settings is dropped. */
function useBacktest(question: BacktestQuestion, isWanted: boolean) {
  const accountId = use(AccountContext);
  const [state, setState] = useState<{ answer: Answer | null; error: unknown; asked: string | null }>({
    answer: null,
    error: null,
    asked: null,
  });
  const body = useMemo(() => JSON.stringify(question), [question]);
  const hasAsked = useRef(false);
  useEffect(() => {
    if (!isWanted) return undefined;
    const leaving = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const request = { body: JSON.parse(body) as BacktestQuestion, signal: leaving.signal };
        const answer = await clientOf(accountId).call('createCheckBacktest', request);
        setState({ answer, error: null, asked: body });
      } catch (error) {
        if (!leaving.signal.aborted) setState((now) => ({ ...now, error, asked: body }));
      }
    };
    const timer = setTimeout(() => void ask(), hasAsked.current ? pauseMs : 0);
    hasAsked.current = true;
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [accountId, body, isWanted]);
  return { ...state, isRunning: isWanted && state.asked !== body };
}

function Found({ answer, whose }: { readonly answer: Answer; readonly whose: string }) {
  const { present, changed, untold, checks, allChecks, total, alerts } = answer;
  const [isWhole, setWhole] = useState(false);
  const days = Math.max(1, Math.round((Date.parse(answer.to) - Date.parse(answer.from)) / 86_400_000));
  const isShortened = useNow() - Date.parse(answer.to) > 3_600_000;
  const shown = isWhole ? alerts : alerts.slice(0, shownAtFirst);
  return (
    <>
      <p className={css['sentence']}>{text.sentence(whose, changed.alerts, present.alerts, days)}</p>
      <p className="quiet">{text.details(present, changed)}</p>
      {untold.length > 0 && <p>{text.untold(untold)}</p>}
      {checks < allChecks && <p>{text.some(checks, allChecks)}</p>}
      {isShortened && (
        <p>
          {text.shortened} <At at={answer.to} />.
        </p>
      )}
      <Timeline answer={answer} />
      {total > 0 && (
        <table className={css['alerts']} aria-label={text.alerts}>
          <thead>
            <tr>
              <th scope="col">{text.columns.at}</th>
              <th scope="col">{text.columns.alert}</th>
              <th scope="col">{text.columns.side}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((alert) => (
              <Row key={keyOf(alert)} alert={alert} />
            ))}
          </tbody>
        </table>
      )}
      {shown.length < alerts.length && <Button onPress={() => setWhole(true)}>{text.more(alerts.length)}</Button>}
      {isWhole && alerts.length < total && <p className="quiet">{text.most(alerts.length, total)}</p>}
    </>
  );
}

function keyOf({ checkId, alertType, resultId, at, isReminder, suppressedBy }: Alert): string {
  return [checkId, alertType, resultId, at, isReminder, suppressedBy].join(' ');
}

function Row({ alert }: { readonly alert: Alert }) {
  const { checkId, checkName, resultId, at, isPresent, isChanged, wasNotRaised } = alert;
  return (
    <tr data-side={isPresent === isChanged ? 'both' : isPresent ? 'present' : 'changed'}>
      <td>
        <Link to="/checks/$checkId/results/$resultId" params={{ checkId, resultId }}>
          <At at={at} />
        </Link>
      </td>
      <td>
        {checkName}: {text.types[alert.alertType]}
        {alert.isReminder && ` (${text.reminder})`}
        {alert.suppressedBy !== null && <span className="quiet"> {text.suppressed(alert.suppressedBy)}</span>}
      </td>
      <td>
        {isPresent === isChanged ? text.both : isPresent ? text.onlyPresent : text.onlyChanged}
        {wasNotRaised && <span className="quiet"> {text.wasNotRaised}</span>}
      </td>
    </tr>
  );
}

/** When each side alerts, as marks on a line. */
function Timeline({ answer: { from, to, alerts } }: { readonly answer: Answer }) {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const opened = alerts.filter(
    ({ alertType, suppressedBy }) => /FAILURE|DEGRADED$/.test(alertType) && suppressedBy === null,
  );
  if (opened.length === 0 || end <= start) return null;
  const sides = [
    [text.newSettings, opened.filter(({ isChanged }) => isChanged)],
    [text.presentSettings, opened.filter(({ isPresent }) => isPresent)],
  ] as const;
  return (
    <div className={css['timeline']} aria-hidden>
      {sides.map(([name, marks]) => (
        <div key={name} className={css['side']}>
          <span>{name}</span>
          <span className={css['line']}>
            {marks.map((alert) => (
              <span
                key={keyOf(alert)}
                className={css['mark']}
                data-type={alert.alertType}
                style={{ left: `${(100 * (Date.parse(alert.at) - start)) / (end - start)}%` }}
              />
            ))}
          </span>
        </div>
      ))}
    </div>
  );
}
