// The form of a check beside the result of trying it.
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { CheckForm } from '#checks/form.ts';
import type { FormValue } from '#lib/schema/form.ts';
import type { OperationId } from '#contract/operations.ts';
import { useWrite } from '../../api/query.ts';
import { Backtest } from '../../ui/backtest/backtest.tsx';
import { RetryFields } from '../../ui/check-settings/retries.tsx';
import { Interval, Places } from '../../ui/check-settings/schedule.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { type Draft, textOf, useDraft, valueAt } from '../../ui/form/draft.ts';
import { itemsOf } from '../../ui/form/pairs.tsx';
import { OutcomesContext } from '../../ui/form/assertions.tsx';
import { MarksContext } from '../../ui/form/code.tsx';
import { FormFields, summaryOf } from '../../ui/form/fields.tsx';
import { Fold } from '../../ui/form/fold.tsx';
import { type Stored, useConflicts } from '../../ui/form/changed-meanwhile.tsx';
import { Cancel, EditorForm } from '../../ui/form/editor-form.tsx';
import { type Faults, TextInput } from '../../ui/form/text.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { useLiveOutcomes } from './live-outcomes.ts';
import { Advanced, Alerting } from './sections.tsx';
import { text } from './strings.ts';
import { marksOf, TrialResult } from './trial.tsx';
import { useTrial } from './use-trial.ts';
import css from './check-editor.module.css';

interface EditorProps {
  readonly form: CheckForm;
  /** What is edited: its draft is kept under this name. */
  readonly name: string;
  readonly start: Draft;
  /** null = a new check. */
  readonly checkId: string | null;
  /** The revision of `start`, and how to read the check again; absent = a new check. */
  readonly stored?: { readonly revision: string; readonly read: () => Promise<Stored> };
  /** The check whose masked values a copy shows. */
  readonly copyOf?: string;
  /** @param id of the created check; null = cancelled, or nothing new */
  readonly onDone: (id: string | null) => void;
}

/** Lists that a new check changes. */
const refreshes = ['getOverview', 'listChecks', 'getCheck'] as const satisfies OperationId[];

export function Editor({ form, name, start, checkId, copyOf, stored, onDone }: EditorProps) {
  const kept = useDraft(name, start, stored?.revision);
  const { draft, change, reset } = kept;
  const { conflicts, guarded } = useConflicts(kept, stored?.read ?? null);
  const { save, error, isSaving } = useSave({ form, checkId, copyOf, draft, reset, guarded, onDone });
  const trial = useTrial(form.type, draft, checkId ?? copyOf ?? null);
  const marks = useMemo(() => marksOf(form, trial.trial, trial.tried), [form, trial.trial, trial.tried]);
  const live = useLiveOutcomes(form, draft, trial.trial?.result ?? null, trial.tried);
  const fields = { draft, onChange: change };
  return (
    <div className={css['editor']}>
      <EditorForm
        className={css['form']}
        kept={kept}
        isNew={checkId === null}
        managed={checkId === null ? undefined : { type: 'check', id: checkId }}
        save={save}
        error={error}
        otherError={trial.error}
        isDisabled={isSaving}
        submit={checkId === null ? text.create : text.save}
        actions={
          <>
            {form.hasInterval && (
              <Button onPress={trial.run} isDisabled={trial.isRunning}>
                {text.run}
              </Button>
            )}
            {checkId === null ? (
              <Link to="/checks/new" search={{}} className={css['other']}>
                {text.another}
              </Link>
            ) : (
              <Cancel kept={kept} onCancel={() => onDone(null)} />
            )}
          </>
        }
        conflicts={conflicts}
        conflictFields={[...form.target, ...form.sections.flatMap((section) => section.fields)]}
      >
        {(faults) => (
          <>
            <div className={css['main']}>
              <TextInput
                name="name"
                label={text.name}
                value={textOf(draft['name'])}
                onChange={(value) => change('name', value)}
                isRequired
              />
              <FormFields fields={form.target} {...fields} />
              {form.hasInterval && <Interval shortest={form.shortestInterval} {...fields} />}
            </div>
            <MarksContext value={marks}>
              <OutcomesContext value={{ [live.path]: live.outcomes }}>
                <Folds form={form} faults={faults} self={checkId} {...fields} />
              </OutcomesContext>
            </MarksContext>
          </>
        )}
      </EditorForm>
      {form.hasInterval && (
        <TrialResult
          trial={trial}
          live={live}
          form={form}
          onAssert={(path, assertion) => change(path, [...itemsOf(valueAt(draft, path)), assertion])}
        />
      )}
      {checkId !== null && (
        <div className={css['below']}>
          {/* The form of the kind describes the definition. */}
          <Backtest question={{ checkId, check: { ...draft, checkType: form.type } }} whose={text.thisCheck} />
        </div>
      )}
    </div>
  );
}

/** Creates or changes the check. */
function useSave({
  form,
  checkId,
  copyOf,
  draft,
  reset,
  guarded,
  onDone,
}: Pick<EditorProps, 'form' | 'checkId' | 'onDone'> & { readonly copyOf: string | undefined } & Pick<
    ReturnType<typeof useDraft>,
    'draft' | 'reset'
  > &
  Pick<ReturnType<typeof useConflicts>, 'guarded'>) {
  const create = useWrite(`create${kindName(form.type)}Check`, refreshes);
  const update = useWrite(`update${kindName(form.type)}Check`, refreshes);
  const save = async (): Promise<void> => {
    const title = textOf(draft['name']);
    // The form of the kind describes the body.
    if (checkId === null) {
      const { id } = await create.mutateAsync({
        body: draft,
        ...(copyOf !== undefined && { query: { copyOf } }),
      });
      reset();
      toast.done(text.created(title));
      onDone(id);
      return;
    }
    await guarded((headers) => update.mutateAsync({ params: { id: checkId }, body: draft, headers }));
    reset();
    toast.done(text.saved(title));
    onDone(null);
  };
  return { save, error: (checkId === null ? create : update).error, isSaving: create.isPending || update.isPending };
}

/** Parts of the form that are closed at first, but for scripts and what has an error. */
function Folds({
  form,
  faults,
  self,
  ...fields
}: {
  readonly form: CheckForm;
  readonly faults: Faults;
  /** ID of the edited check; null = a new one. */
  readonly self: string | null;
  readonly draft: Draft;
  readonly onChange: (path: string, value: FormValue) => void;
}) {
  const isScript = form.sections.some(({ fields: own }) => own.some(({ input }) => input === 'code'));
  const hasFault = (...paths: readonly string[]): boolean =>
    Object.keys(faults).some((fault) => paths.some((path) => fault.startsWith(path)));
  return (
    <>
      {form.sections.map(({ title, fields: own }, index) => (
        <Fold
          key={title}
          title={title}
          note={summaryOf(own, fields.draft)}
          isOpen={(index === 0 && form.target.length === 0) || hasFault(...own.map(({ path }) => path))}
        >
          <FormFields fields={own} {...fields} />
        </Fold>
      ))}
      {form.hasInterval && (
        <>
          <Fold title={text.schedule} isOpen={hasFault('locations', 'privateLocations', 'frequency', 'runParallel')}>
            <Places {...fields} />
          </Fold>
          <Fold title={text.retries} isOpen={hasFault('retryStrategy')}>
            <RetryFields {...fields} />
          </Fold>
        </>
      )}
      <Fold
        title={text.alerting}
        isOpen={hasFault(
          'alertChannelSubscriptions',
          'alertSettings',
          'dependsOn',
          'runbookUrl',
          'notes',
          'triggerIncident',
        )}
      >
        <Alerting {...fields} {...(self !== null && { self })} />
      </Fold>
      <Fold title={text.advanced} isOpen={hasFault('tags', 'groupId', 'environmentVariables', 'runtimeId')}>
        <Advanced hasRuntime={isScript} {...fields} />
      </Fold>
    </>
  );
}

/** The name of a type in operations: `MultiStep`. Their bodies are described by the form of the kind. */
function kindName(type: string): 'Api' {
  return type.replaceAll(/_?([A-Z])([A-Z]*)/g, (_, first: string, rest: string) => first + rest.toLowerCase()) as 'Api';
}
