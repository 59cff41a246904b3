// The form of a group: what it sets for all its checks.
import { useWrite } from '../../api/query.ts';
import { AlertSettingsOfGroup } from '../../ui/alert-settings/of-group.tsx';
import { ChannelFields } from '../../ui/check-settings/channels.tsx';
import { DependsOnField } from '../../ui/check-settings/depends-on.tsx';
import { RuntimeField, TagField } from '../../ui/check-settings/labels.tsx';
import { LocationFields } from '../../ui/check-settings/locations.tsx';
import { RetryFields } from '../../ui/check-settings/retries.tsx';
import type { FieldsOfDraft } from '../../ui/check-settings/section.ts';
import { Backtest } from '../../ui/backtest/backtest.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { type Draft, textOf, useDraft } from '../../ui/form/draft.ts';
import { type Stored, useConflicts } from '../../ui/form/changed-meanwhile.tsx';
import { Cancel, EditorForm } from '../../ui/form/editor-form.tsx';
import { FormFields, summaryOf } from '../../ui/form/fields.tsx';
import { Fold } from '../../ui/form/fold.tsx';
import { checkForms } from '../../ui/form/forms.ts';
import { VariableList } from '../../ui/form/pairs.tsx';
import { type Faults, Flag, TextInput } from '../../ui/form/text.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { text } from './strings.ts';
import css from './group-editor.module.css';

interface EditorProps {
  /** What is edited: its draft is kept under this name. */
  readonly name: string;
  readonly start: Draft;
  /** null = a new group. */
  readonly groupId: number | null;
  /** The revision of `start`, and how to read the group again; absent = a new group. */
  readonly stored?: { readonly revision: string; readonly read: () => Promise<Stored> };
  /** The group whose masked values a copy shows. */
  readonly copyOf?: number;
  /** @param id of the created group; null = cancelled, or an existing one was saved */
  readonly onDone: (id: number | null) => void;
}

const refreshes = [
  'listCheckGroups',
  'getCheckGroup',
  'getOverview',
  'getCheck',
  'listChecks',
  'listNotices',
  'getCheckAlerting',
] as const;

export function GroupEditor({ name, start, groupId, copyOf, stored, onDone }: EditorProps) {
  const kept = useDraft(name, start, stored?.revision);
  const { draft, change, reset } = kept;
  const { conflicts, guarded } = useConflicts(kept, stored?.read ?? null);
  const create = useWrite('createCheckGroupV2', refreshes);
  const update = useWrite('updateCheckGroupV2', refreshes);
  const { error } = groupId === null ? create : update;
  const save = async (): Promise<void> => {
    const title = textOf(draft['name']);
    // The server describes and validates the body.
    const body = draft as { readonly name: string };
    if (groupId === null) {
      const query = copyOf === undefined ? {} : { query: { copyOf } };
      const { id } = await create.mutateAsync({ body, ...query });
      reset();
      toast.done(text.created(title));
      onDone(id);
      return;
    }
    await guarded((headers) => update.mutateAsync({ params: { id: groupId }, body, headers }));
    reset();
    toast.done(text.saved(title));
    onDone(null);
  };
  return (
    <>
      <EditorForm
        className={css['form']}
        kept={kept}
        isNew={groupId === null}
        managed={groupId === null ? undefined : { type: 'check-group', id: String(groupId) }}
        save={save}
        error={error}
        isDisabled={create.isPending || update.isPending}
        submit={groupId === null ? text.create : text.save}
        actions={<Cancel kept={kept} onCancel={() => onDone(null)} />}
        conflicts={conflicts}
        conflictFields={checkForms.flatMap(({ ofGroups = [] }) => ofGroups.flatMap((section) => section.fields))}
      >
        {(faults) => (
          <>
            <p className="quiet">{text.about}</p>
            <Fields draft={draft} onChange={change} faults={faults} />
          </>
        )}
      </EditorForm>
      {/* The server describes and validates the body. */}
      {groupId !== null && <Backtest question={{ groupId, group: draft }} whose={text.thisGroup} />}
    </>
  );
}

function Fields({ faults, ...fields }: FieldsOfDraft & { readonly faults: Faults }) {
  const { draft, onChange } = fields;
  const hasFault = (...paths: readonly string[]): boolean =>
    Object.keys(faults).some((fault) => paths.some((path) => fault.startsWith(path)));
  return (
    <>
      <TextInput
        name="name"
        label={text.name}
        placeholder={text.nameExample}
        value={textOf(draft['name'])}
        onChange={(value) => onChange('name', value)}
        isRequired
      />
      <TagField {...fields} help={text.tagsHelp} />
      <Flag
        label={text.active}
        help={text.activeHelp}
        value={draft['activated'] !== false}
        onChange={(value) => onChange('activated', value)}
      />
      <Fold title={text.alerting} isOpen={hasFault('alertChannelSubscriptions', 'alertSettings', 'dependsOn')}>
        <ChannelFields {...fields} note={text.channelsNote} />
        <AlertSettingsOfGroup {...fields} />
        <DependsOnField {...fields} />
      </Fold>
      <Fold title={text.schedule} isOpen={hasFault('locations', 'privateLocations', 'runParallel')}>
        <LocationFields {...fields} none={text.locationsHelp} />
        <Choice
          label={text.runs}
          value={typeof draft['runParallel'] === 'boolean' ? String(draft['runParallel']) : ''}
          options={text.runModes}
          onChange={(chosen) => onChange('runParallel', chosen === '' ? null : chosen === 'true')}
        />
      </Fold>
      <Fold title={text.retries} isOpen={hasFault('retryStrategy')}>
        <RetryFields {...fields} others={[['FALLBACK', text.asChecks]]} />
      </Fold>
      {checkForms
        .flatMap(({ ofGroups = [] }) => ofGroups)
        .map(({ title, fields: own }) => (
          <Fold
            key={title}
            title={title}
            note={summaryOf(own, draft)}
            isOpen={hasFault(...own.map(({ path }) => path))}
          >
            <FormFields fields={own} draft={draft} onChange={onChange} />
          </Fold>
        ))}
      <Fold title={text.advanced} isOpen={hasFault('environmentVariables', 'runtimeId')}>
        <VariableList
          path="environmentVariables"
          label={text.variables}
          value={draft['environmentVariables']}
          onChange={(value) => onChange('environmentVariables', value)}
        />
        <span className="quiet">{text.variablesHelp}</span>
        <RuntimeField {...fields} none={text.runtimeNone} />
      </Fold>
    </>
  );
}
