// What a channel would send, while it is edited: the message, errors with their place, warnings and fixes.
import { useQuery } from '@tanstack/react-query';
import { use, useDeferredValue, useMemo, useState } from 'react';
import type { ChannelForm } from '#channels/form.ts';
import type { AnswerOf } from '#contract/operations.ts';
import type { FormField } from '#lib/schema/form.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { alertWords } from '../../ui/alerts/alert-words.ts';
import { Exchange } from '../../ui/alerts/exchange.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Choice, SearchChoice } from '../../ui/controls/field.tsx';
import { labelOf } from '../../ui/form/changed-meanwhile.tsx';
import type { Mark } from '../../ui/form/code-editor.ts';
import { type Draft, textOf, valueAt } from '../../ui/form/draft.ts';
import { faultsOf } from '../../ui/form/faults.tsx';
import { useSettled } from '../../ui/form/settled.ts';
import { Fold } from '../../ui/form/fold.tsx';
import { ErrorMessage } from '../../ui/layout/feedback.tsx';
import { dayAndTime } from '../../ui/text/format.ts';
import { Mail, TextMessage } from './message-view.tsx';
import { text } from './strings.ts';
import css from './channels.module.css';

type Answer = AnswerOf<'previewAlertChannel'>;
type Sent = NonNullable<Answer['request']>;
type AlertType = keyof typeof alertWords;

/** The newest incidents whose values can be chosen. */
const incidents = 50;

/** What is previewed, and the answer. */
export interface PreviewState {
  readonly answer: Answer | undefined;
  readonly error: unknown;
  /** Errors and warnings by the path of the field. */
  readonly marks: Readonly<Record<string, readonly Mark[]>>;
  readonly alertType: AlertType;
  readonly setAlertType: (alertType: AlertType) => void;
  /** ID of the result whose values are used; '' = a sample. */
  readonly resultId: string;
  readonly setResult: (resultId: string) => void;
}

/** Previews a configuration while it is edited. */
export function usePreview({ type, example }: ChannelForm, config: Draft): PreviewState {
  const accountId = use(AccountContext);
  const [alertType, setAlertType] = useState<AlertType>('ALERT_FAILURE');
  const [resultId, setResult] = useState('');
  const asked = useSettled(useDeferredValue(JSON.stringify(withExample(config, example))));
  const preview = useQuery({
    queryKey: [accountId, 'previewAlertChannel', type, asked, alertType, resultId],
    queryFn: ({ signal }) =>
      clientOf(accountId).call('previewAlertChannel', {
        // The form of the kind describes the configuration.
        body: {
          type,
          config: JSON.parse(asked),
          alertType,
          ...(resultId !== '' && { checkResultId: resultId }),
        } as never,
        signal,
      }),
    placeholderData: (before) => before,
  });
  const { data: answer } = preview;
  const marks = useMemo(() => marksOf(answer), [answer]);
  const error = preview.isPlaceholderData ? null : preview.error;
  return { answer, error, marks, alertType, setAlertType, resultId, setResult };
}

function marksOf(answer: Answer | undefined): PreviewState['marks'] {
  const { errors = [], warnings = [] } = answer ?? {};
  const all = [
    ...errors.map((each) => ({ ...each, isWarning: false })),
    ...warnings.flatMap(({ path, message, line, column }) =>
      line === undefined || column === undefined ? [] : { path, message, line, column, isWarning: true },
    ),
  ];
  return Object.fromEntries(Map.groupBy(all, ({ path }) => path));
}

interface PreviewProps {
  readonly form: ChannelForm;
  readonly config: Draft;
  /** @param path of a template in the body */
  readonly onFix: (path: string, value: string) => void;
}

export function Preview({ preview, form, config, onFix }: PreviewProps & { readonly preview: PreviewState }) {
  const { answer, alertType, resultId } = preview;
  const { request = null, view = null, errors = [], warnings = [] } = answer ?? {};
  const refused = Object.entries(faultsOf(preview.error));
  const fields = fieldsOf(form);
  return (
    <aside className={css['preview']} aria-label={text.preview}>
      <h2>{text.preview}</h2>
      <Choice
        label={text.previewOf}
        value={alertType}
        options={Object.entries(alertWords) as (readonly [AlertType, string])[]}
        onChange={preview.setAlertType}
      />
      <Source value={resultId} onChange={preview.setResult} />
      {preview.error !== null && refused.length === 0 && <ErrorMessage error={preview.error} />}
      {refused.length > 0 && <p className="quiet">{text.previewLater}</p>}
      {errors.map(({ path, line, column, message }) => (
        <p key={`${path} ${line} ${column}`} role="alert" className={css['fault']}>
          {labelOf(path, fields)}, {text.line(line, column)}: {message}
        </p>
      ))}
      {warnings.map((warning) => (
        <Warning
          key={`${warning.path} ${warning.message}`}
          label={labelOf(warning.path, fields)}
          warning={warning}
          config={config}
          onFix={onFix}
        />
      ))}
      {request !== null && view?.kind === 'mail' && <Mail view={view} request={request} />}
      {request !== null && view?.kind === 'text' && <TextMessage view={view} />}
      {request !== null && <Request request={request} isFolded={view !== null} />}
    </aside>
  );
}

/** All fields of a form. */
export function fieldsOf({ target, sections }: ChannelForm): readonly FormField[] {
  return [...target, ...sections.flatMap((section) => section.fields)];
}

/** The configuration with examples for what is not entered yet. */
function withExample(config: Draft, example: Draft): Draft {
  const missing = Object.entries(example).filter(([name]) => textOf(config[name]) === '');
  return { ...config, ...Object.fromEntries(missing) };
}

function Request({ request, isFolded }: { readonly request: Sent; readonly isFolded: boolean }) {
  const exchange = (
    <Exchange
      title={text.request}
      line={`${request.method} ${request.url}`}
      headers={request.headers}
      body={request.body}
    />
  );
  if (!isFolded) return exchange;
  return (
    <Fold title={text.technical} isOpen={false}>
      {exchange}
    </Fold>
  );
}

/** Whose values fill the templates. @param value ID of a result; '' = a sample */
function Source({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const { data } = useRead('listIncidents', { query: { limit: incidents } });
  if (data === undefined || data.length === 0) return null;
  return (
    <SearchChoice
      key={data.length}
      label={text.previewWith}
      help={text.previewWithHelp(data.length)}
      none={text.noIncident}
      value={value}
      options={[
        ['', text.sample],
        ...data.map(
          ({ checkResultId, name, openedAt }) =>
            [checkResultId, text.incident(name, dayAndTime(Date.parse(openedAt)))] as const,
        ),
      ]}
      onChange={onChange}
    />
  );
}

function Warning({
  label,
  warning: { path, message, example, fix },
  config,
  onFix,
}: Pick<PreviewProps, 'config' | 'onFix'> & {
  readonly label: string;
  readonly warning: Answer['warnings'][number];
}) {
  const template = textOf(valueAt({ config }, path));
  return (
    <div className={css['warning']}>
      <p>
        {label}: {message}
      </p>
      {example !== undefined && example.trim() !== '' && (
        <p>
          {text.example} <code>{example.length > shownExample ? `${example.slice(0, shownExample)}…` : example}</code>
        </p>
      )}
      {/* The template may have changed since the preview was asked for. */}
      {fix !== undefined && template.includes(fix.find) && (
        <Button
          onPress={() =>
            onFix(
              path,
              template.replace(fix.find, () => fix.replaceWith),
            )
          }
        >
          {text.fix(fix.replaceWith)}
        </Button>
      )}
    </div>
  );
}

/** Characters of an example that are shown. */
const shownExample = 40;
