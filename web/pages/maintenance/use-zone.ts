// The time zone of the account's maintenance: that of its messages, or else that of the browser.
import { useRead } from '../../api/query.ts';
import { ownZone } from '../../ui/text/zone.ts';

/** undefined = not known yet. */
export function useZone(): string | undefined {
  const { data, error } = useRead('getOwnAccount');
  if (data === undefined) return error === null ? undefined : ownZone;
  return data.timeZone ?? ownZone;
}
