// When a channel sends alerts: periods of the week, and what happens at other times.
import { Plus, X } from 'lucide-react';
import type { FormValue } from '#lib/schema/form.ts';
import { useAll } from '../../api/all.ts';
import { useChannelNames } from '../../ui/alerts/channels.tsx';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { type Draft, textOf } from '../../ui/form/draft.ts';
import { itemsOf, withItem, withoutItem } from '../../ui/form/pairs.tsx';
import { Flag, TextInput } from '../../ui/form/text.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';
import css from './channels.module.css';

const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const newPeriod: Draft = { days: ['MON', 'TUE', 'WED', 'THU', 'FRI'], from: '08:00', to: '18:00' };
/** Periods that a channel may have. */
const maxPeriods = 14;

interface HoursProps {
  /** null = always. */
  readonly hours: Draft | null;
  /** The edited channel, which cannot stand in for itself; null = a new one. */
  readonly channelId: number | null;
  readonly onChange: (hours: Draft | null) => void;
}

export function ActiveHours({ hours, channelId, onChange }: HoursProps) {
  const change = (part: Draft): void => onChange({ ...hours, ...part });
  const periods = itemsOf(hours?.['periods']);
  return (
    <div className={css['hours']}>
      <Flag
        label={text.onlyAt}
        help={text.onlyAtHelp}
        value={hours !== null}
        onChange={(isOn) => onChange(isOn ? { timeZone: ownZone, periods: [newPeriod], outside: 'WAIT' } : null)}
      />
      {hours !== null && (
        <>
          <TextInput
            name="activeHours.timeZone"
            label={text.timeZone}
            help={text.timeZoneHelp}
            value={textOf(hours['timeZone'])}
            onChange={(zone) => change({ timeZone: zone })}
          />
          {periods.map((period, index) => (
            <Period
              key={index}
              index={index}
              period={period}
              onChange={(part) => change({ periods: withItem(periods, index, part) })}
              onRemove={periods.length === 1 ? null : () => change({ periods: withoutItem(periods, index) })}
            />
          ))}
          {periods.length < maxPeriods && (
            <Button kind="quiet" onPress={() => change({ periods: [...periods, newPeriod] })}>
              <Plus size={15} aria-hidden /> {text.addPeriod}
            </Button>
          )}
          <Outside hours={hours} channelId={channelId} onChange={change} />
        </>
      )}
    </div>
  );
}

interface PeriodProps {
  readonly index: number;
  readonly period: Draft;
  readonly onChange: (part: Draft) => void;
  /** null = it is the only one. */
  readonly onRemove: (() => void) | null;
}

function Period({ index, period, onChange, onRemove }: PeriodProps) {
  const days: readonly FormValue[] = Array.isArray(period['days']) ? period['days'] : [];
  const path = `activeHours.periods[${index}]`;
  return (
    <fieldset className={parts['checks']}>
      <legend>{text.period(index + 1)}</legend>
      <div className={css['days']}>
        {Object.entries(text.weekdays).map(([day, label]) => (
          <Flag
            key={day}
            label={label}
            value={days.includes(day)}
            onChange={(isOn) => onChange({ days: isOn ? [...days, day] : days.filter((each) => each !== day) })}
          />
        ))}
      </div>
      <div className={css['days']}>
        <TextInput
          name={`${path}.from`}
          label={text.from}
          value={textOf(period['from'])}
          onChange={(from) => onChange({ from })}
        />
        <TextInput
          name={`${path}.to`}
          label={text.to}
          help={text.toHelp}
          value={textOf(period['to'])}
          onChange={(to) => onChange({ to })}
        />
        {onRemove !== null && (
          <IconButton label={text.removePeriod(index + 1)} onPress={onRemove}>
            <X size={15} />
          </IconButton>
        )}
      </div>
    </fieldset>
  );
}

function Outside({
  hours,
  channelId,
  onChange,
}: {
  readonly hours: Draft;
  readonly channelId: number | null;
  readonly onChange: (part: Draft) => void;
}) {
  const channels = useAll('listAlertChannels');
  const nameOf = useChannelNames();
  const others = (channels.data ?? []).filter(({ id }) => id !== channelId);
  const outside = hours['outside'] === 'OTHER_CHANNEL' ? 'OTHER_CHANNEL' : 'WAIT';
  return (
    <>
      <Choice
        label={text.outside}
        value={outside}
        options={Object.entries(text.outsides) as (readonly [typeof outside, string])[]}
        onChange={(chosen) =>
          onChange({ outside: chosen, otherChannelId: chosen === 'WAIT' ? null : (others[0]?.id ?? null) })
        }
      />
      {outside === 'OTHER_CHANNEL' && (
        <Choice
          label={text.otherChannel}
          value={textOf(hours['otherChannelId'])}
          options={[
            ...(others.length === 0 ? [['', text.noChannel] as const] : []),
            ...others.map(({ id }) => [String(id), nameOf(id)] as const),
          ]}
          onChange={(id) => onChange({ otherChannelId: id === '' ? null : Number(id) })}
        />
      )}
    </>
  );
}
