// What a webhook would send, while its templates are written: request, errors with their place, warnings.
import { useQuery } from '@tanstack/react-query';
import { use, useDeferredValue, useEffect, useState } from 'react';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { Exchange } from '../../ui/alerts/exchange.tsx';
import type { Draft } from '../../ui/form/draft.ts';
import { text } from './strings.ts';
import css from './channels.module.css';

/** Pause after the last key before the preview is asked for, ms. */
const pauseMs = 400;

export function Preview({ type, config }: { readonly type: string; readonly config: Draft }) {
  const accountId = use(AccountContext);
  const typed = useDeferredValue(JSON.stringify(config));
  const [asked, setAsked] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const preview = useQuery({
    queryKey: [accountId, 'previewAlertChannel', type, asked],
    queryFn: ({ signal }) =>
      clientOf(accountId).call('previewAlertChannel', {
        // The form of the kind describes the configuration.
        body: { type, config: JSON.parse(asked) } as never,
        signal,
      }),
    placeholderData: (before) => before,
    retry: false,
  });
  const { request = null, errors = [], warnings = [] } = preview.data ?? {};
  return (
    <aside className={css['preview']} aria-label={text.preview}>
      <h2>{text.preview}</h2>
      <p className="quiet">{text.previewHelp}</p>
      {errors.map(({ path, line, column, message }) => (
        <p key={`${path} ${line} ${column}`} role="alert" className={css['fault']}>
          <code>{path}</code>, {text.line(line, column)}: {message}
        </p>
      ))}
      {warnings.map(({ path, message, example }) => (
        <p key={`${path} ${message}`} className={css['warning']}>
          <code>{path}</code> {message}
          {example !== undefined && (
            <>
              {' '}
              {text.example('')}
              <code>{example}</code>
            </>
          )}
        </p>
      ))}
      {request !== null && (
        <Exchange
          title={text.request}
          line={`${request.method} ${request.url}`}
          headers={request.headers}
          body={request.body}
        />
      )}
    </aside>
  );
}
