// How ICMP checks are presented.
import type { CheckShow, Format, PartOf } from '../../show.ts';
import type { icmpSchema } from './schema.ts';

type IcmpPart = PartOf<(typeof icmpSchema)['result']>;

export const icmpShow: CheckShow<typeof icmpSchema> = {
  type: 'ICMP',
  label: 'ICMP',
  timeLabel: 'Round trip',
  request: ({ request }) => ({ ...request, target: request.hostname }),
  evidence: ({ request, response, address, ...part }, format) => ({
    ...part,
    timeMs: response?.latency?.avg,
    hasResponse: response !== null,
    sections: [
      {
        title: 'Answer',
        note: part.requestError,
        facts: [
          ['Request', request && request.hostname],
          ['Address', address],
          ['Packets', response && `${response.received} of ${response.sent} returned`],
          ['Packet loss', response && `${response.packetLoss}%`],
          ['DNS lookup', part.timingPhases?.['dns'] ? format.milliseconds(part.timingPhases['dns']) : null],
          ['Round trip', roundTrip(response, format)],
        ],
        texts: [{ label: 'Replies', text: repliesOf(response, format) }],
        isShort: request === null,
      },
    ],
    comparable: [
      ['Packet loss', response && `${response.packetLoss}%`],
      ['Address', address],
    ],
  }),
};

function roundTrip(response: IcmpPart['response'], { milliseconds }: Format): string | null {
  if (!response?.latency) return null;
  const { min, avg, max, stdDev } = response.latency;
  return `min ${milliseconds(min)}, average ${milliseconds(avg)}, max ${milliseconds(max)}, deviation ${milliseconds(stdDev)}`;
}

function repliesOf(response: IcmpPart['response'], { milliseconds }: Format): string {
  return (response?.replies ?? []).map(({ number, time }) => `#${number}  ${milliseconds(time)}`).join('\n');
}
