// When a subscribed channel is notified: at once, or some minutes after the alert if nobody acknowledged it.
import { Choice } from '../controls/field.tsx';

const text = {
  label: (channel: string) => (channel === '' ? 'Escalation' : `Escalation of ${channel}`),
  atOnce: 'At once',
  after: (minutes: number) => `After ${minutes} min, if not acknowledged`,
} as const;

const offered = [5, 10, 15, 30, 60, 120, 240, 480, 1440];

/** `After 10 min, if not acknowledged` @param minutes 0 = at once */
export function escalationWords(minutes: number): string {
  return minutes === 0 ? text.atOnce : text.after(minutes);
}

/** @param of whose escalation it is; '' = plain from the context */
export function Escalation({
  of,
  minutes,
  onChange,
}: {
  readonly of: string;
  readonly minutes: number;
  readonly onChange: (minutes: number) => void;
}) {
  const options = [...new Set([0, ...offered, minutes])].sort((a, b) => a - b);
  return (
    <Choice
      label={text.label(of)}
      isLabelHidden
      value={String(minutes)}
      options={options.map((each) => [String(each), escalationWords(each)] as const)}
      onChange={(value) => onChange(Number(value))}
    />
  );
}
