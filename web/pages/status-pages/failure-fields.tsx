// What the failure of a service does: an incident as a draft, one that is published by itself, or nothing.
import type { FieldsOfDraft } from '../../ui/check-settings/section.ts';
import { Choice } from '../../ui/controls/field.tsx';
import { type Draft, textOf } from '../../ui/form/draft.ts';
import { TextInput } from '../../ui/form/text.tsx';
import type { Service } from './frame.tsx';
import { text } from './strings.ts';
import css from './status-pages.module.css';

/** The fields of the draft of a service. */
export function failureDraft(service: Service | null): Draft {
  const {
    mode = 'PROPOSE',
    afterMinutes = 0,
    severity = 'MAJOR',
    name,
    description,
    resolution,
  } = service?.incidents ?? {};
  return {
    mode,
    afterMinutes: afterMinutes === 0 ? '' : String(afterMinutes),
    severity,
    incidentName: name ?? '',
    incidentText: description ?? '',
    incidentEnd: resolution ?? '',
  };
}

/** The rule in the body of a write. */
export function failureBody(draft: Draft) {
  return {
    mode: textOf(draft['mode']),
    afterMinutes: draft['mode'] === 'PUBLISH' ? Number(draft['afterMinutes'] ?? 0) : 0,
    severity: textOf(draft['severity']),
    name: textOf(draft['incidentName']) || null,
    description: textOf(draft['incidentText']) || null,
    resolution: textOf(draft['incidentEnd']) || null,
  };
}

export function FailureFields({ draft, onChange }: FieldsOfDraft) {
  const mode = textOf(draft['mode']) as (typeof text.failureModes)[number][0];
  return (
    <div className={css['form']}>
      <Choice
        label={text.onFailure}
        value={mode}
        options={text.failureModes}
        onChange={(value) => onChange('mode', value)}
      />
      {mode !== 'NEVER' && (
        <>
          <p className="quiet">{text.failureHelp}</p>
          <div className={css['pair']}>
            {mode === 'PUBLISH' && (
              <TextInput
                name="incidents.afterMinutes"
                label={text.afterMinutes}
                isNumber
                unit={text.minutes}
                placeholder="0"
                value={textOf(draft['afterMinutes'])}
                onChange={(value) => onChange('afterMinutes', value)}
              />
            )}
            <Choice
              label={text.severity}
              value={textOf(draft['severity']) as (typeof text.severities)[number][0]}
              options={text.severities}
              onChange={(value) => onChange('severity', value)}
            />
            <TextInput
              name="incidents.name"
              label={text.incidentTitle}
              help={text.incidentTitleHelp}
              placeholder={textOf(draft['name'])}
              value={textOf(draft['incidentName'])}
              onChange={(value) => onChange('incidentName', value)}
            />
          </div>
          <TextInput
            name="incidents.description"
            label={text.firstUpdate}
            help={text.firstUpdateHelp}
            lines="text"
            value={textOf(draft['incidentText'])}
            onChange={(value) => onChange('incidentText', value)}
          />
          <TextInput
            name="incidents.resolution"
            label={text.lastUpdate}
            help={text.lastUpdateHelp}
            lines="text"
            value={textOf(draft['incidentEnd'])}
            onChange={(value) => onChange('incidentEnd', value)}
          />
        </>
      )}
    </div>
  );
}
