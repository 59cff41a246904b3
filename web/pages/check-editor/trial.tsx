// Runs the settings once and shows what they find, with values to assert on.
import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import { use, useState } from 'react';
import type { CheckForm } from '#checks/form.ts';
import type { AssertionSourceForm } from '#lib/schema/form.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { evidenceOf, shownTime } from '../../ui/checks/evidence.ts';
import { OutcomeBadge } from '../../ui/checks/state.tsx';
import type { Mark } from '../../ui/form/code-editor.ts';
import { type Draft, textOf, valueAt } from '../../ui/form/draft.ts';
import { itemsOf } from '../../ui/form/pairs.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorMessage } from '../../ui/layout/feedback.tsx';
import { milliseconds, sentence, withoutColours } from '../../ui/text/format.ts';
import { findable } from './findable.ts';
import { text } from './strings.ts';
import css from './check-editor.module.css';

type Trial = AnswerOf<'getCheckTrial'>;

export interface TrialRun {
  readonly trial: Trial | null;
  /** The settings that it ran with. */
  readonly tried: Draft;
  readonly error: unknown;
  readonly isRunning: boolean;
  readonly run: () => void;
}

/** @param checkId the stored check whose secrets the settings may mask; null = none */
export function useTrial(checkType: string, draft: Draft, checkId: string | null): TrialRun {
  const accountId = use(AccountContext);
  const [state, setState] = useState<Omit<TrialRun, 'run'>>({ trial: null, tried: {}, error: null, isRunning: false });
  const run = async (): Promise<void> => {
    const client = clientOf(accountId);
    setState({ trial: null, tried: draft, error: null, isRunning: true });
    try {
      const check = { checkType, ...draft, name: draft['name'] || 'Trial' };
      let trial: Trial = await client.call('createCheckTrial', {
        // The form of the kind describes the body.
        body: { check, ...(checkId !== null && { checkId }) },
      });
      while (trial.status !== 'ended') {
        setState({ trial, tried: draft, error: null, isRunning: true });
        trial = await client.call('getCheckTrial', { params: { id: trial.id }, query: { waitSeconds: 20 } });
      }
      setState({ trial, tried: draft, error: null, isRunning: false });
    } catch (error) {
      setState({ trial: null, tried: draft, error, isRunning: false });
    }
  };
  return { ...state, run: () => void run() };
}

/** Where a trial failed in the script and the files of a draft, by the path of the field. */
export function marksOf(form: CheckForm, trial: Trial | null, draft: Draft): Readonly<Record<string, readonly Mark[]>> {
  if (trial?.result == null) return {};
  const marks: Record<string, Mark[]> = {};
  const fields = form.sections.flatMap((section) => section.fields);
  const script = fields.find(({ input }) => input === 'code')?.path ?? '';
  const files = fields.find(({ input }) => input === 'files')?.path ?? '';
  const names = itemsOf(valueAt(draft, files)).map((each) => textOf(each['path']));
  for (const { message, file, line, column } of evidenceOf(trial.result).script?.errors ?? []) {
    if (line === null) continue;
    const index = names.indexOf(file ?? '');
    const path = index < 0 ? script : `${files}[${index}].content`;
    (marks[path] ??= []).push({ line, column: column ?? 1, message: withoutColours(message) });
  }
  return marks;
}

/** @param onAssert adds an assertion to the list at a path */
export function TrialResult({
  trial: { trial, error, isRunning },
  form,
  onAssert,
}: {
  readonly trial: TrialRun;
  readonly form: CheckForm;
  readonly onAssert: (path: string, assertion: Draft) => void;
}) {
  return (
    <aside className={css['trial']} aria-label={text.trialTitle}>
      <h2>{text.trialTitle}</h2>
      <div role="status">
        {error !== null && <ErrorMessage error={error} />}
        {isRunning && (
          <p className={css['running']}>
            <LoaderCircle size={15} aria-hidden className={css['spin']} />{' '}
            {trial?.status === 'waiting' ? text.trialWaiting(trial.location) : text.trialRunning}
          </p>
        )}
        {trial === null && error === null && !isRunning && <p className="quiet">{text.trialEmpty}</p>}
        {trial?.result && <Found trial={trial} form={form} onAssert={onAssert} />}
      </div>
    </aside>
  );
}

function Found({
  trial,
  form,
  onAssert,
}: {
  readonly trial: Trial;
  readonly form: CheckForm;
  readonly onAssert: (path: string, assertion: Draft) => void;
}) {
  const { result } = trial;
  if (result === null) return null;
  const ms = shownTime(result);
  const { assertions = [], sections, script } = evidenceOf(result);
  return (
    <>
      <p className={css['verdict']}>
        <OutcomeBadge outcome={result.outcome} />
        {ms !== null && <span>{milliseconds(ms)}</span>}
        <span className="quiet">{result.runLocation}</span>
      </p>
      <p>{result.message === null ? text.passed : sentence(result.message)}</p>
      {assertions.length > 0 && (
        <ul className={css['outcomes']}>
          {assertions.map(({ passed, source, property, actual, problem }, index) => (
            <li key={index} data-passed={passed}>
              {passed ? <CircleCheck size={15} aria-label="Holds" /> : <CircleX size={15} aria-label="Broken" />}
              <span>
                {index + 1}. {source.replaceAll('_', ' ').toLowerCase()} {property}{' '}
                <code>{problem ?? actual ?? '–'}</code>
              </span>
            </li>
          ))}
        </ul>
      )}
      {script?.errors.map(({ message }) => (
        <pre key={message} className={css['text']}>
          {withoutColours(message)}
        </pre>
      ))}
      {trial.screenshots.map(({ name, contentType, content }) => (
        <img key={name} src={`data:${contentType};base64,${content}`} alt={name} className={css['picture']} />
      ))}
      <Values form={form} trial={trial} onAssert={onAssert} />
      {sections.map(({ title, line, facts = [], texts = [] }) => (
        <section key={title} className={css['evidence']}>
          <h3>{title}</h3>
          {line !== undefined && <code>{line}</code>}
          <dl>
            {facts.map(([name, value]) =>
              value === null ? null : (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ),
            )}
          </dl>
          {texts.map(({ label, text: shown, isBinary }) =>
            shown === '' || isBinary === true ? null : (
              <div key={label}>
                <h4>{label}</h4>
                <pre className={css['text']}>{shown.slice(0, 4000)}</pre>
              </div>
            ),
          )}
        </section>
      ))}
    </>
  );
}

/** Values of the response; a press asserts that they stay as they are. */
function Values({
  form,
  trial: { result },
  onAssert,
}: {
  readonly form: CheckForm;
  readonly trial: Trial;
  readonly onAssert: (path: string, assertion: Draft) => void;
}) {
  const field = form.sections
    .flatMap(({ fields }) => fields)
    .find(
      (
        each,
      ): each is typeof each & { readonly input: 'assertions'; readonly sources: readonly AssertionSourceForm[] } =>
        each.input === 'assertions',
    );
  if (field === undefined || result === null) return null;
  const values = findable(result, new Set(field.sources.map(({ source }) => source)));
  if (values.length === 0) return null;
  return (
    <details className={css['values']}>
      <summary>{text.pick}</summary>
      <ul>
        {values.map(({ source, property, target, label }) => (
          <li key={`${source} ${property}`}>
            <Button
              kind="quiet"
              aria-label={text.assertThis(label)}
              onPress={() => onAssert(field.path, { source, property, comparison: 'EQUALS', target, regex: null })}
            >
              <span>{label}</span> <code>{target.slice(0, 80)}</code>
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
