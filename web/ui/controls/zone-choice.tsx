// The choice of a time zone, found by typing a part of its name.
import type { ReactNode } from 'react';
import { SearchChoice } from './field.tsx';

/** Browsers know these names, but may only list older ones, such as Asia/Calcutta. */
const newerNames = [
  'America/Argentina/Buenos_Aires',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
];
/** Names of zones. Browsers do not list UTC. */
const zones = ['UTC', ...new Set([...newerNames, ...Intl.supportedValuesOf('timeZone')].toSorted())];

/** `America/New York`, as people type it. */
export function zoneName(zone: string): string {
  return zone.replaceAll('_', ' ');
}

interface ZoneChoiceProps {
  readonly label: string;
  readonly help: ReactNode;
  readonly value: string;
  /** Choices before the zones. */
  readonly others?: readonly (readonly [value: string, text: string])[];
  readonly onChange: (zone: string) => void;
}

export function ZoneChoice({ value, others = [], ...props }: ZoneChoiceProps) {
  const isOther = others.some(([id]) => id === value);
  const listed = isOther || zones.includes(value) ? zones : [value, ...zones];
  const options = [...others, ...listed.map((zone) => [zone, zoneName(zone)] as const)];
  return <SearchChoice {...props} value={value} options={options} none="No time zone has this name" />;
}
