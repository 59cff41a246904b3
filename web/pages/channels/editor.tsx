// The form of a channel, with a preview of what it sends.
import type { ChannelForm } from '#channels/form.ts';
import type { FormField } from '#lib/schema/form.ts';
import { useWrite } from '../../api/query.ts';
import { Backtest } from '../../ui/backtest/backtest.tsx';
import { MarksContext } from '../../ui/form/code.tsx';
import { type Draft, textOf, useDraft, valueAt } from '../../ui/form/draft.ts';
import { type Stored, useConflicts } from '../../ui/form/changed-meanwhile.tsx';
import { EditorForm } from '../../ui/form/editor-form.tsx';
import { FormFields, summaryOf } from '../../ui/form/fields.tsx';
import { Fold } from '../../ui/form/fold.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { ActiveHours } from './active-hours.tsx';
import { fieldsOf, Preview, usePreview } from './preview.tsx';
import { text } from './strings.ts';
import css from './channels.module.css';

const alertFieldsOf = ({ isGrouped = false }: ChannelForm): readonly FormField[] => [
  { path: 'sendFailure', label: text.sendFailure, input: 'flag', byDefault: true },
  { path: 'sendRecovery', label: text.sendRecovery, input: 'flag', byDefault: true },
  { path: 'sendDegraded', label: text.sendDegraded, input: 'flag', byDefault: false },
  { path: 'sslExpiry', label: text.sslExpiry, input: 'flag', byDefault: false },
  {
    path: 'sslExpiryThreshold',
    label: text.sslExpiryThreshold,
    input: 'number',
    byDefault: 30,
    unit: text.days,
  },
  { path: 'autoSubscribe', label: text.autoSubscribe, input: 'flag', byDefault: false },
  { path: 'grouping', label: text.grouping, help: text.groupingHelp, input: 'flag', byDefault: isGrouped },
];

interface EditorProps {
  readonly form: ChannelForm;
  /** What is edited: its draft is kept under this name. */
  readonly name: string;
  readonly start: Draft;
  /** null = a new channel. */
  readonly channelId: number | null;
  /** The revision of `start`, and how to read the channel again; absent = a new channel. */
  readonly stored?: { readonly revision: string; readonly read: () => Promise<Stored> };
  /** @param id of the created channel; null = an existing one was saved */
  readonly onDone: (id: number | null) => void;
}

const refreshes = ['listAlertChannels', 'getAlertChannel', 'getOverview', 'listNotices'] as const;

export function ChannelEditor({ form, name, start, channelId, stored, onDone }: EditorProps) {
  const kept = useDraft(name, start, stored?.revision);
  const { draft, isChanged, change, reset } = kept;
  const { conflicts, guarded } = useConflicts(kept, stored?.read ?? null);
  const create = useWrite('createAlertChannel', refreshes);
  const update = useWrite('updateAlertChannel', refreshes);
  const { error } = channelId === null ? create : update;
  const fields = { draft, onChange: change };
  const alertFields = alertFieldsOf(form);
  const config = (draft['config'] ?? {}) as Draft;
  const preview = usePreview(form, config);
  const hours = (draft['activeHours'] ?? null) as Draft | null;
  const title = textOf(valueAt(draft, 'config.name')) || textOf(valueAt(draft, form.target[0]?.path ?? ''));
  const save = async (): Promise<void> => {
    // The form of the kind describes the configuration.
    if (channelId === null) {
      const { id } = await create.mutateAsync({ body: { type: form.type, ...draft } });
      reset();
      toast.done(text.created(title));
      onDone(id);
      return;
    }
    await guarded((headers) => update.mutateAsync({ params: { id: channelId }, body: draft, headers }));
    reset();
    toast.done(text.saved(title));
    onDone(null);
  };
  return (
    <div className={css['editor']}>
      <EditorForm
        className={css['form']}
        kept={kept}
        isNew={channelId === null}
        managed={channelId === null ? undefined : { type: 'alert-channel', id: String(channelId) }}
        save={save}
        error={error}
        isDisabled={create.isPending || update.isPending || (channelId !== null && !isChanged)}
        submit={channelId === null ? text.add : text.save}
        conflicts={conflicts}
        conflictFields={[...fieldsOf(form), ...alertFields]}
      >
        {(faults) => (
          <>
            <MarksContext value={preview.marks}>
              <FormFields fields={form.target} {...fields} />
              {form.sections.map(({ title: part, fields: own }) => (
                <Fold
                  key={part}
                  title={part}
                  note={summaryOf(own, draft)}
                  isOpen={Object.keys(faults).some((fault) => own.some(({ path }) => fault.startsWith(path)))}
                >
                  <FormFields fields={own} {...fields} />
                </Fold>
              ))}
            </MarksContext>
            <Fold title={text.alerts} note={summaryOf(alertFields, draft)} isOpen={channelId === null}>
              <FormFields fields={alertFields} {...fields} />
            </Fold>
            <Fold
              title={text.hours}
              note={hours === null ? text.always : textOf(hours['timeZone'])}
              isOpen={Object.keys(faults).some((fault) => fault.startsWith('activeHours'))}
            >
              <ActiveHours hours={hours} channelId={channelId} onChange={(changed) => change('activeHours', changed)} />
            </Fold>
          </>
        )}
      </EditorForm>
      {channelId !== null && (
        <div className={css['below']}>
          <Backtest question={{ alertChannelId: channelId, channel: receivedOf(draft) }} whose={text.checksOfChannel} />
        </div>
      )}
      <Preview preview={preview} form={form} config={config} onFix={change} />
    </div>
  );
}

/** What it receives, as a backtest tries it. */
function receivedOf(draft: Draft) {
  const flag = (name: string, byDefault: boolean): boolean => (draft[name] ?? byDefault) === true;
  return {
    sendFailure: flag('sendFailure', true),
    sendRecovery: flag('sendRecovery', true),
    sendDegraded: flag('sendDegraded', false),
    grouping: flag('grouping', false),
  };
}
