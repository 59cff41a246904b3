// Fields of an incident of status pages and of its updates.
import type { FieldsOfDraft } from '../../ui/check-settings/section.ts';
import { textsOf } from '../../ui/check-settings/section.ts';
import { Choice } from '../../ui/controls/field.tsx';
import { type Draft, textOf } from '../../ui/form/draft.ts';
import { Flag, TextInput } from '../../ui/form/text.tsx';
import { instantText, localText, ownZone } from '../../ui/text/zone.ts';
import { ChosenServices } from './chosen-services.tsx';
import type { Incident } from '../../ui/status-incidents/publish.tsx';
import { text as incidentText } from '../../ui/status-incidents/strings.ts';
import { text } from './strings.ts';
import { UpdateTextMenu } from './text-menus.tsx';
import css from './status-pages.module.css';

const mostServices = 100;

export function incidentDraft(incident: Incident | null): Draft {
  return {
    name: incident?.name ?? '',
    severity: incident?.severity ?? 'MAJOR',
    services: (incident?.services ?? []).map(({ id }) => id),
    startedAt: incident === null ? '' : localText(incident.startedAt, ownZone),
  };
}

/** The part of a body without updates. */
export function incidentBody(draft: Draft): object {
  return {
    name: textOf(draft['name']),
    severity: textOf(draft['severity']),
    services: textsOf(draft['services']),
    startedAt: instantOrNull(draft, 'startedAt'),
  };
}

export function updateDraft(update: Incident['incidentUpdates'][number] | null, status = 'INVESTIGATING'): Draft {
  return {
    status: update?.status ?? status,
    description: update?.description ?? '',
    notifySubscribers: update?.notifySubscribers ?? true,
    publicAt: update === null ? '' : localText(update.publicIncidentUpdateDate, ownZone),
  };
}

export function updateBody(draft: Draft): object {
  return {
    status: textOf(draft['status']),
    description: textOf(draft['description']),
    notifySubscribers: draft['notifySubscribers'] === true,
    publicIncidentUpdateDate: instantOrNull(draft, 'publicAt'),
  };
}

function instantOrNull(draft: Draft, name: string): string | null {
  const local = textOf(draft[name]);
  return local === '' ? null : instantText(local, ownZone);
}

export function IncidentFields({ draft, onChange }: FieldsOfDraft) {
  return (
    <>
      <div className={css['pair']}>
        <TextInput
          name="name"
          label={text.name}
          placeholder={text.incidentExample}
          value={textOf(draft['name'])}
          onChange={(value) => onChange('name', value)}
          isRequired
        />
        <Choice
          label={text.severity}
          value={textOf(draft['severity'])}
          options={text.severities}
          onChange={(value) => onChange('severity', value)}
        />
        <TextInput
          name="startedAt"
          type="datetime-local"
          label={text.startedAt}
          help={text.startedHelp}
          value={textOf(draft['startedAt'])}
          onChange={(value) => onChange('startedAt', value)}
        />
      </div>
      <ChosenServices
        chosen={textsOf(draft['services'])}
        onChange={(services) => onChange('services', services)}
        label={text.affected}
        help={text.affectedHelp}
        most={mostServices}
      />
    </>
  );
}

/** @param path of the update in the body, with a dot; '' = it is the body */
export function UpdateFields({
  draft,
  onChange,
  serviceIds,
  path = '',
}: FieldsOfDraft & { readonly serviceIds: readonly string[]; readonly path?: string }) {
  return (
    <div className={css['form']}>
      <div className={css['pair']}>
        <Choice
          label={text.status}
          value={textOf(draft['status'])}
          options={incidentText.statuses}
          onChange={(value) => onChange('status', value)}
        />
        <TextInput
          name={`${path}publicIncidentUpdateDate`}
          type="datetime-local"
          label={text.visibleFrom}
          help={text.visibleHelp}
          value={textOf(draft['publicAt'])}
          onChange={(value) => onChange('publicAt', value)}
        />
      </div>
      <TextInput
        name={`${path}description`}
        label={text.message}
        help={text.markdown}
        placeholder={text.messageExample}
        lines="text"
        value={textOf(draft['description'])}
        onChange={(value) => onChange('description', value)}
        isRequired
      />
      <UpdateTextMenu draft={draft} onChange={onChange} serviceIds={serviceIds} />
      <Flag
        label={text.notifySubscribers}
        help={text.notifyHelp}
        value={draft['notifySubscribers'] === true}
        onChange={(value) => onChange('notifySubscribers', value)}
      />
    </div>
  );
}
