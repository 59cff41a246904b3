// How failed runs of a check, or of the checks of a group, are retried.
import { Choice } from '../controls/field.tsx';
import { type Draft, textOf } from '../form/draft.ts';
import { Flag, TextInput } from '../form/text.tsx';
import type { FieldsOfDraft } from './section.ts';
import { text } from './strings.ts';

const firstRetry = { baseBackoffSeconds: 60, maxRetries: 2, maxDurationSeconds: 600, sameRegion: true };

/** @param others choices before "Never": the value of the field, and its words */
export function RetryFields({
  draft,
  onChange,
  others = [],
}: FieldsOfDraft & { readonly others?: readonly (readonly [value: string, text: string])[] }) {
  const value = draft['retryStrategy'];
  const strategy = typeof value === 'object' ? (value as Draft | null) : null;
  const named = typeof value === 'string' ? value : null;
  const type = named ?? textOf(strategy?.['type'] ?? 'NO_RETRIES');
  const numberField = (name: string, label: string, unit?: string) => (
    <TextInput
      name={`retryStrategy.${name}`}
      label={label}
      isNumber
      value={textOf(strategy?.[name])}
      onChange={(entered) => onChange(`retryStrategy.${name}`, entered === '' ? null : Number(entered))}
      {...(unit !== undefined && { unit })}
    />
  );
  const choose = (chosen: string): void => {
    if (chosen === 'NO_RETRIES') onChange('retryStrategy', null);
    else if (others.some(([other]) => other === chosen)) onChange('retryStrategy', chosen);
    else onChange('retryStrategy', { ...firstRetry, ...strategy, type: chosen });
  };
  return (
    <>
      <Choice
        label={text.retry}
        value={type}
        options={[...others, ['NO_RETRIES', text.never], ...text.retryTypes]}
        onChange={choose}
      />
      {named === null && type !== 'NO_RETRIES' && (
        <>
          {numberField('baseBackoffSeconds', text.pause, text.seconds)}
          {type !== 'SINGLE_RETRY' && numberField('maxRetries', text.maxRetries)}
          {numberField('maxDurationSeconds', text.maxDuration, text.seconds)}
          <Flag
            label={text.sameLocation}
            value={strategy?.['sameRegion'] !== false}
            onChange={(isSame) => onChange('retryStrategy.sameRegion', isSame)}
          />
          <Flag
            label={text.networkOnly}
            value={Array.isArray(strategy?.['onlyOn'])}
            onChange={(isOnly) => onChange('retryStrategy.onlyOn', isOnly ? ['NETWORK_ERROR'] : null)}
          />
        </>
      )}
    </>
  );
}
