// The updates of an incident of status pages, newest first, and the forms that add and change them.
import { useState } from 'react';
import type { InputOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { useDraft } from '../../ui/form/draft.ts';
import { Cancel, EditorForm } from '../../ui/form/editor-form.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { Markdown } from '../../ui/text/markdown.tsx';
import { At } from '../../ui/text/time.tsx';
import { type Incident, incidentReads } from '../../ui/status-incidents/publish.tsx';
import { statusText } from '../../ui/status-incidents/strings.ts';
import { changedFields } from './frame.tsx';
import { updateBody, updateDraft, UpdateFields } from './incident-fields.tsx';
import { text } from './strings.ts';
import css from './status-pages.module.css';

type Update = Incident['incidentUpdates'][number];

export function Updates({ incident }: { readonly incident: Incident }) {
  const { write } = useMay();
  const [editing, setEditing] = useState<string | null>(null);
  const [removing, setRemoving] = useState<string | null>(null);
  const remove = useWrite('deleteIncidentUpdate', incidentReads);
  const { id, incidentUpdates } = incident;
  const isOnly = incidentUpdates.length === 1;
  return (
    <Section title={text.updates}>
      <ul className={css['updates']} aria-label={text.updates}>
        {incidentUpdates.toReversed().map((update) => (
          <li key={update.id}>
            {editing === update.id ? (
              <UpdateForm incident={incident} update={update} onDone={() => setEditing(null)} />
            ) : (
              <Shown
                update={update}
                onEdit={write ? () => setEditing(update.id) : null}
                onRemove={write && !isOnly ? () => setRemoving(update.id) : null}
              />
            )}
          </li>
        ))}
        {write && (
          <li>
            <h3>{text.addUpdate}</h3>
            <UpdateForm incident={incident} update={null} onDone={null} />
          </li>
        )}
      </ul>
      <Confirm
        title={text.removeUpdateTitle}
        action={text.remove}
        isDanger
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id, updateId: removing ?? '' } });
          toast.done(text.removedUpdate);
        }}
      >
        <p>{text.removeUpdateHelp}</p>
      </Confirm>
    </Section>
  );
}

function Shown({
  update: { status, description, isScheduled, publicIncidentUpdateDate, notified = null },
  onEdit,
  onRemove,
}: {
  readonly update: Update;
  readonly onEdit: (() => void) | null;
  readonly onRemove: (() => void) | null;
}) {
  const name = statusText(status);
  return (
    <>
      <div className={css['updateHead']}>
        <strong>{name}</strong>
        <span className="quiet">
          {isScheduled && `${text.scheduled} `}
          <At at={publicIncidentUpdateDate} />
        </span>
      </div>
      <Markdown text={description} />
      {notified !== null && <p className="quiet">{notifiedText(notified)}</p>}
      {onEdit !== null && (
        <div className={css['buttons']}>
          <Button kind="quiet" aria-label={text.editUpdate(name)} onPress={onEdit}>
            {text.edit}
          </Button>
          {onRemove !== null && (
            <Button kind="quiet" aria-label={text.removeUpdate(name)} onPress={onRemove}>
              {text.remove}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** Progress of the notifications of an update. */
function notifiedText({ status, notified, subscribers }: NonNullable<Update['notified']>): string {
  if (status === 'SENDING') return text.notified.SENDING(notified, subscribers);
  return status === 'SENT' ? text.notified.SENT(notified) : text.notified[status];
}

/** @param update null = it adds one @param onDone null = the form stays */
function UpdateForm({
  incident: { id, lastUpdateStatus, services },
  update,
  onDone,
}: {
  readonly incident: Incident;
  readonly update: Update | null;
  readonly onDone: (() => void) | null;
}) {
  const kept = useDraft(`status incident ${id} update ${update?.id ?? ''}`, updateDraft(update, lastUpdateStatus));
  const create = useWrite('createIncidentUpdate', incidentReads);
  const change = useWrite('updateIncidentUpdate', incidentReads);
  const save = async (): Promise<void> => {
    const body = updateBody(kept.draft) as InputOf<'createIncidentUpdate'>['body'];
    if (update === null) await create.mutateAsync({ params: { id }, body });
    else {
      const changed = changedFields(updateBody(kept.start), body);
      await change.mutateAsync({ params: { id, updateId: update.id }, body: changed });
    }
    kept.reset();
    toast.done(update === null ? text.added : text.saved(statusText(body.status)));
    onDone?.();
  };
  return (
    <EditorForm
      className={`${css['form']} ${css['several']}`}
      kept={kept}
      isNew={update === null}
      save={save}
      error={update === null ? create.error : change.error}
      isDisabled={create.isPending || change.isPending}
      submit={update === null ? text.addUpdate : text.saveUpdate}
      actions={onDone !== null && <Cancel kept={kept} onCancel={onDone} />}
    >
      {() => (
        <UpdateFields draft={kept.draft} onChange={kept.change} serviceIds={services.map((service) => service.id)} />
      )}
    </EditorForm>
  );
}
