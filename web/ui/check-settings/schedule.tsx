// How often and where a check runs.
import { Choice } from '../controls/field.tsx';
import { Flag } from '../form/text.tsx';
import { duration } from '../text/format.ts';
import { LocationFields } from './locations.tsx';
import type { FieldsOfDraft } from './section.ts';
import { text } from './strings.ts';

/** Minutes of `frequency`, and the seconds that `frequency` 0 stands for. */
const [minutes, seconds] = [
  [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440],
  [10, 20, 30],
] as const;

/** @param shortest seconds @param isLabelHidden something else names it */
export function Interval({
  draft,
  onChange,
  shortest,
  isLabelHidden = false,
}: FieldsOfDraft & { readonly shortest: number; readonly isLabelHidden?: boolean }) {
  const frequency = Number(draft['frequency'] ?? 10);
  const value = frequency === 0 ? Number(draft['frequencyOffset'] ?? 30) : frequency * 60;
  const choices = [...seconds, ...minutes.map((each) => each * 60)].filter((each) => each >= shortest);
  return (
    <Choice
      label={text.interval}
      isLabelHidden={isLabelHidden}
      value={String(value)}
      options={choices.map((each) => [String(each), duration(each * 1000)])}
      onChange={(chosen) => {
        const every = Number(chosen);
        onChange('frequency', every < 60 ? 0 : every / 60);
        onChange('frequencyOffset', every < 60 ? every : null);
      }}
    />
  );
}

/** The locations, and whether it runs at all of them at once. */
export function Places({ draft, onChange }: FieldsOfDraft) {
  return (
    <>
      <LocationFields draft={draft} onChange={onChange} none={text.locationsHelp} />
      <Flag
        label={text.parallel}
        help={text.parallelHelp}
        value={draft['runParallel'] === true}
        onChange={(value) => onChange('runParallel', value)}
      />
    </>
  );
}
