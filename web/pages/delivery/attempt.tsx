// An attempt: request and response.
import type { AnswerOf } from '#contract/operations.ts';
import { Code } from '../../ui/controls/copy.tsx';
import { Exchange } from '../../ui/alerts/exchange.tsx';
import { milliseconds } from '../../ui/text/format.ts';
import { Ago, At } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import css from './delivery.module.css';

type Attempt = AnswerOf<'getDelivery'>['attempts'][number];

export function AttemptView({ attempt, isOpen }: { readonly attempt: Attempt; readonly isOpen: boolean }) {
  const { number, startedAt, durationMs, request, response, error, note, nextAttemptAt } = attempt;
  return (
    <li className={css['attempt']}>
      <details open={isOpen}>
        <summary>
          <strong>{text.attempt(number)}</strong>{' '}
          <span className={response !== undefined && response.status < 400 ? css['good'] : css['bad']}>
            {response === undefined ? (error?.message ?? text.noResponse) : `HTTP ${response.status}`}
          </span>{' '}
          <span className="quiet">
            <At at={startedAt} />, {text.took} {milliseconds(durationMs)}
            {nextAttemptAt !== undefined && (
              <>
                {' · '}
                {text.next} <Ago at={nextAttemptAt} />
              </>
            )}
          </span>
        </summary>
        {error !== undefined && response !== undefined && <p className={css['reason']}>{error.message}</p>}
        {note !== undefined && <p className={css['reason']}>{note}</p>}
        <div className={css['sides']}>
          <Exchange
            title={text.request}
            line={`${request.method} ${request.url}`}
            headers={request.headers}
            body={request.body ?? ''}
          />
          {response === undefined ? (
            <Code label={text.response} text={error?.message ?? text.noResponse} />
          ) : (
            <Exchange
              title={text.response}
              line={`${request.method === 'MAIL' ? 'SMTP' : 'HTTP'} ${response.status}`}
              headers={response.headers}
              body={response.body ?? ''}
            />
          )}
        </div>
      </details>
    </li>
  );
}
