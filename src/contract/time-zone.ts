// Names of time zones in requests.
import { z } from 'zod';
import { isZone } from '#domain/checks/wall-time.ts';

/** An IANA name. Offsets are rejected because they have no daylight saving time. */
export const timeZoneName = z.string().max(100).refine(isZone, 'must be an IANA time zone, such as Europe/Berlin');
