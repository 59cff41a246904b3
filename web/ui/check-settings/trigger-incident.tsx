// The incident of a status page that the failure of a check publishes.
import { useEveryEntry } from '../../api/entries.ts';
import { Choice } from '../controls/field.tsx';
import { type Draft, textOf } from '../form/draft.ts';
import { Flag, TextInput } from '../form/text.tsx';
import { text as incidentText } from '../status-incidents/strings.ts';
import type { FieldsOfDraft } from './section.ts';
import { text } from './strings.ts';

export function TriggerIncidentFields({ draft, onChange }: FieldsOfDraft) {
  const services = useEveryEntry('listStatusServices').data ?? [];
  const trigger = (draft['triggerIncident'] ?? null) as Draft | null;
  const serviceId = textOf(trigger?.['serviceId']);
  if (services.length === 0 && trigger === null) return null;
  const choose = (chosen: string): void => {
    const name = services.find(({ id }) => id === chosen)?.name ?? '';
    const fresh = { severity: 'MAJOR', name, description: '', notifySubscribers: true };
    onChange('triggerIncident', chosen === '' ? null : { ...fresh, ...trigger, serviceId: chosen });
  };
  const options = services.map(({ id, name }) => [id, name] as const);
  const isKnown = serviceId === '' || services.some(({ id }) => id === serviceId);
  return (
    <>
      <Choice
        label={text.incidentOf}
        value={serviceId}
        options={[['', text.noIncident], ...options, ...(isKnown ? [] : [[serviceId, text.deletedService] as const])]}
        onChange={choose}
      />
      {trigger !== null && (
        <>
          <p className="quiet">{text.incidentHelp}</p>
          <Choice
            label={text.severity}
            value={textOf(trigger['severity'])}
            options={incidentText.severities}
            onChange={(value) => onChange('triggerIncident.severity', value)}
          />
          <TextInput
            name="triggerIncident.name"
            label={text.incidentTitle}
            value={textOf(trigger['name'])}
            onChange={(value) => onChange('triggerIncident.name', value)}
            isRequired
          />
          <TextInput
            name="triggerIncident.description"
            label={text.firstUpdate}
            lines="text"
            value={textOf(trigger['description'])}
            onChange={(value) => onChange('triggerIncident.description', value)}
            isRequired
          />
          <Flag
            label={text.notifySubscribers}
            value={trigger['notifySubscribers'] !== false}
            onChange={(value) => onChange('triggerIncident.notifySubscribers', value)}
          />
        </>
      )}
    </>
  );
}
