// How ICMP checks are presented.
import { lightEvidence } from '../../parts/show.ts';
import type { CheckShow, EvidenceSection, Format, PartOf } from '../../show.ts';
import type { icmpSchema } from './schema.ts';

type IcmpPart = PartOf<(typeof icmpSchema)['result']>;

export const icmpShow: CheckShow<typeof icmpSchema> = {
  type: 'ICMP',
  label: 'ICMP',
  timeLabel: 'Round trip',
  request: ({ request }) => ({ ...request, target: request.hostname }),
  evidence: (part, format) => {
    const { request, response, address, timingPhases } = part;
    const loss = ['Packet loss', response && `${response.packetLoss}%`] as const;
    const section: Partial<EvidenceSection> = {
      facts: [
        ['Request', request && request.hostname],
        ['Address', address],
        ['Packets', response && `${response.received} of ${response.sent} returned`],
        loss,
        ['DNS lookup', timingPhases?.['dns'] ? format.milliseconds(timingPhases['dns']) : null],
        ['Round trip', roundTrip(response, format)],
      ],
      texts: [{ label: 'Replies', text: repliesOf(response, format) }],
    };
    return { ...lightEvidence(part, section, valuesOf(response), [loss]), timeMs: response?.latency?.avg };
  },
};

function valuesOf(response: IcmpPart['response']) {
  if (response === null) return null;
  const { replies: _replies, ...figures } = response;
  return { LATENCY: { ...response.latency }, JSON_RESPONSE: figures };
}

function roundTrip(response: IcmpPart['response'], { milliseconds }: Format): string | null {
  if (!response?.latency) return null;
  const { min, avg, max, stdDev } = response.latency;
  return `min ${milliseconds(min)}, average ${milliseconds(avg)}, max ${milliseconds(max)}, deviation ${milliseconds(stdDev)}`;
}

function repliesOf(response: IcmpPart['response'], { milliseconds }: Format): string {
  return (response?.replies ?? []).map(({ number, time }) => `#${number}  ${milliseconds(time)}`).join('\n');
}
