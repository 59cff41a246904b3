// The form of a window, with what it would do beside it.
import { useWrite } from '../../api/query.ts';
import { ZoneChoice, zoneName } from '../../ui/controls/zone-choice.tsx';
import { type Draft, textOf, useDraft } from '../../ui/form/draft.ts';
import { Cancel, EditorForm } from '../../ui/form/editor-form.tsx';
import { Flag, TextInput } from '../../ui/form/text.tsx';
import type { FieldsOfDraft } from '../../ui/check-settings/section.ts';
import { Choice } from '../../ui/controls/field.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { useNow } from '../../ui/text/now.ts';
import { spanIn } from '../../ui/text/zone.ts';
import { AffectedChecks, usePreview } from './affected.tsx';
import { bodyOf } from './draft.ts';
import { refreshes } from './occurrence.tsx';
import { ScopeFields } from './scope-fields.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';
import css from './maintenance.module.css';

interface EditorProps {
  /** What is edited: its draft is kept under this name. */
  readonly name: string;
  readonly start: Draft;
  /** null = a new window. */
  readonly windowId: number | null;
  /** @param id of the saved window; null = cancelled */
  readonly onDone: (id: number | null) => void;
}

export function WindowEditor({ name, start, windowId, onDone }: EditorProps) {
  const kept = useDraft(name, start);
  const { draft, change, reset } = kept;
  const create = useWrite('createMaintenanceWindow', refreshes);
  const update = useWrite('updateMaintenanceWindow', refreshes);
  const { error, isPending } = windowId === null ? create : update;
  const save = async (): Promise<void> => {
    const title = textOf(draft['name']);
    const body = bodyOf(draft);
    const { id, warnings = [] } =
      windowId === null
        ? await create.mutateAsync({ body })
        : await update.mutateAsync({ params: { id: windowId }, body });
    reset();
    toast.done([text.saved(title), ...warnings.map(({ message }) => message)].join(' '));
    onDone(id);
  };
  return (
    <div className={css['editor']}>
      <EditorForm
        className={css['form']}
        kept={kept}
        isNew={windowId === null}
        managed={windowId === null ? undefined : { type: 'maintenance-window', id: String(windowId) }}
        save={save}
        error={error}
        isDisabled={isPending}
        submit={windowId === null ? text.create : text.save}
        actions={<Cancel kept={kept} onCancel={() => onDone(null)} />}
      >
        {() => (
          <>
            <TextInput
              name="name"
              label={text.name}
              placeholder={text.nameExample}
              value={textOf(draft['name'])}
              onChange={(value) => change('name', value)}
              isRequired
            />
            <TimeFields draft={draft} onChange={change} />
            <ScopeFields draft={draft} onChange={change} />
            <TextInput
              name="description"
              label={text.description}
              lines="text"
              value={textOf(draft['description'])}
              onChange={(value) => change('description', value)}
            />
            <Flag
              label={text.isPublic}
              help={text.isPublicHelp}
              value={draft['isPublic'] === true}
              onChange={(value) => change('isPublic', value)}
            />
          </>
        )}
      </EditorForm>
      <PreviewSide draft={draft} />
    </div>
  );
}

function TimeFields({ draft, onChange }: FieldsOfDraft) {
  const zone = textOf(draft['timezone']);
  const field = (name: 'from' | 'to' | 'repeatUntil', path: string, label: string, help?: string) => (
    <TextInput
      name={path}
      label={label}
      type="datetime-local"
      value={textOf(draft[name])}
      onChange={(value) => onChange(name, value)}
      isRequired={name !== 'repeatUntil'}
      {...(help !== undefined && { help })}
    />
  );
  const repeat = textOf(draft['repeatUnit']) as (typeof text.repeatChoices)[number][0];
  return (
    <div className={parts['fields']}>
      {field('from', 'startsAt', text.from)}
      {field('to', 'endsAt', text.to)}
      <ZoneChoice
        key={zone}
        label={text.timeZone}
        help={text.formZoneHelp}
        value={zone}
        onChange={(chosen) => onChange('timezone', chosen)}
      />
      <Choice
        label={text.repeat}
        value={repeat}
        options={text.repeatChoices}
        onChange={(chosen) => onChange('repeatUnit', chosen)}
      />
      {repeat !== '' && (
        <>
          <TextInput
            name="repeatInterval"
            label={text.interval}
            isNumber
            unit={text.intervalUnits[repeat]}
            placeholder="1"
            value={textOf(draft['repeatInterval'])}
            onChange={(value) => onChange('repeatInterval', value)}
          />
          {field('repeatUntil', 'repeatEndsAt', text.repeatEnds, text.repeatEndsHelp)}
        </>
      )}
    </div>
  );
}

/** What the window would do. */
function PreviewSide({ draft }: { readonly draft: Draft }) {
  const { name: _name, description: _description, isPublic: _isPublic, ...body } = bodyOf(draft);
  const zone = textOf(draft['timezone']);
  const { preview, isOld } = usePreview(withTimes(body));
  const now = useNow();
  return (
    <aside className={css['preview']} aria-label={text.preview} aria-busy={isOld}>
      <h2>{text.preview}</h2>
      <div role="status" data-old={isOld ? '' : undefined}>
        {preview !== undefined && <AffectedChecks preview={preview} />}
      </div>
      <h3>{text.nextTimes(zoneName(zone))}</h3>
      {preview === undefined || preview.occurrences.length === 0 ? (
        <p className="quiet">{text.noTimes}</p>
      ) : (
        <ul className={css['occurrences']}>
          {preview.occurrences.map(({ startsAt, endsAt }) => (
            <li key={startsAt}>{spanIn(Date.parse(startsAt), Date.parse(endsAt), zone, now)}</li>
          ))}
        </ul>
      )}
    </aside>
  );
}

/** Without times that are not complete or not in order yet, so that the checks are shown all the same. */
function withTimes({
  startsAt,
  endsAt,
  repeatEndsAt,
  ...scope
}: Omit<ReturnType<typeof bodyOf>, 'name' | 'description' | 'isPublic'>) {
  const isSpan = Date.parse(startsAt) < Date.parse(endsAt);
  if (!isSpan) return { ...scope, repeatUnit: null, repeatInterval: null };
  return {
    ...scope,
    startsAt,
    endsAt,
    repeatEndsAt: repeatEndsAt !== null && repeatEndsAt > startsAt ? repeatEndsAt : null,
  };
}
