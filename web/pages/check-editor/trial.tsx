// Runs the settings once and shows what they find, with values to assert on.
import { LoaderCircle } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { CheckForm } from '#checks/form.ts';
import type { Evidence, ScriptEvidence } from '#checks/show.ts';
import type { AssertionSourceForm } from '#lib/schema/form.ts';
import { evidenceOf, shownTime } from '../../ui/checks/evidence.ts';
import { OutcomeBadge } from '../../ui/checks/state.tsx';
import { type AssertionOutcome, OutcomeLine } from '../../ui/form/assertions.tsx';
import type { Mark } from '../../ui/form/code-editor.ts';
import { type Draft, textOf, valueAt } from '../../ui/form/draft.ts';
import { itemsOf } from '../../ui/form/pairs.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorMessage } from '../../ui/layout/feedback.tsx';
import { codeText, milliseconds, sentence, withoutColours } from '../../ui/text/format.ts';
import { findable } from './findable.ts';
import type { LiveOutcomes } from './live-outcomes.ts';
import { ScriptRun } from './script-run.tsx';
import { text } from './strings.ts';
import type { Progress, Trial, TrialRun } from './use-trial.ts';
import css from './check-editor.module.css';

type RunOutcome = NonNullable<Evidence['assertions']>[number];

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
  trial: { trial, progress, error, isRunning, stop },
  live,
  form,
  onAssert,
}: {
  readonly trial: TrialRun;
  readonly live: LiveOutcomes;
  readonly form: CheckForm;
  readonly onAssert: (path: string, assertion: Draft) => void;
}) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone it is below the form.
    if (isRunning) panel.current?.scrollIntoView({ block: 'nearest' });
  }, [isRunning]);
  return (
    <aside ref={panel} className={css['trial']} aria-label={text.trialTitle}>
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
        {trial?.result && <Found trial={trial} live={live} form={form} onAssert={onAssert} />}
      </div>
      {isRunning && (
        <div className={css['stop']}>
          <Button kind="quiet" onPress={stop}>
            {text.stop}
          </Button>
          <span className="quiet">{text.stopHelp}</span>
        </div>
      )}
      {isRunning && progress !== null && <ScriptRun progress={progress} />}
    </aside>
  );
}

function Found({
  trial,
  live,
  form,
  onAssert,
}: {
  readonly trial: Trial;
  readonly live: LiveOutcomes;
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
      {result.message !== null && <p>{sentence(result.message)}</p>}
      {live.isEdited && <p className="quiet">{text.edited}</p>}
      {(live.outcomes.length > 0 ? live.outcomes : assertions.map(outcomeOf)).map((outcome, index) => (
        <OutcomeLine key={index} outcome={outcome} />
      ))}
      {script?.errors.map(({ message }) => (
        <pre key={message} className={css['text']}>
          {withoutColours(message)}
        </pre>
      ))}
      {script !== undefined && <ScriptRun progress={endOf(script, trial)} />}
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

/** The outcome in a run, for results that do not have the values. */
function outcomeOf({ passed, source, property, problem, actual }: RunOutcome): AssertionOutcome {
  return { passed, message: `${codeText(source)} ${property}: ${problem ?? actual ?? text.noValue}` };
}

/** What a script has reported when it has ended. */
function endOf({ steps, jobLog, pageLines }: ScriptEvidence, { screenshots }: Trial): Progress {
  const lines = pageLines.map((line) => ({ ...line, url: '' }));
  return { openStep: null, steps: steps ?? [], jobLog: jobLog ?? [], pageLines: lines, screenshots, isCut: false };
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
