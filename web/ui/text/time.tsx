// Times: relative on the page, exact in the viewer's zone and in UTC on hover and for screen readers.
import { coarse, day, dayAndSecond, dayAndTime, duration, exact, relative, utc } from './format.ts';
import { useNow } from './now.ts';

function epoch(at: string | number): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

function titleOf(at: number): string {
  return `${exact(at)} (${utc(at)})`;
}

/** `12 min ago`. @param at ISO 8601 text or epoch ms */
export function Ago({ at }: { readonly at: string | number }) {
  const instant = epoch(at);
  return (
    <time dateTime={new Date(instant).toISOString()} title={titleOf(instant)}>
      {relative(instant, useNow())}
    </time>
  );
}

/** `Nov 26, 14:03`. @param at ISO 8601 text or epoch ms @param precise with seconds */
export function At({ at, precise = false }: { readonly at: string | number; readonly precise?: boolean }) {
  const instant = epoch(at);
  return (
    <time dateTime={new Date(instant).toISOString()} title={titleOf(instant)}>
      {precise ? dayAndSecond(instant) : dayAndTime(instant)}
    </time>
  );
}

/** `Nov 26, 2026`. @param at ISO 8601 text or epoch ms */
export function Day({ at }: { readonly at: string | number }) {
  const instant = epoch(at);
  return (
    <time dateTime={new Date(instant).toISOString()} title={titleOf(instant)}>
      {day(instant)}
    </time>
  );
}

/** How long something has lasted: `3 h 20 min`. @param since ISO 8601 text or epoch ms @param brief `3 h` */
export function Lasting({ since, brief = false }: { readonly since: string | number; readonly brief?: boolean }) {
  const instant = epoch(since);
  const ms = Math.max(0, useNow() - instant);
  return (
    <time dateTime={new Date(instant).toISOString()} title={`since ${titleOf(instant)}`}>
      {brief ? coarse(ms) : duration(ms)}
    </time>
  );
}
