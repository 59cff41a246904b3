// Wire schema of a Slack configuration (reference §1).
import { z } from 'zod';
import { orNull } from '#lib/schema/fields.ts';
import { secretText } from '#lib/schema/secrets.ts';
import { showAs } from '#lib/schema/shown.ts';
import { labelText, longTail } from '../../parts/fields.ts';

export const slackConfig = z
  .strictObject({
    name: labelText,
    url: showAs(
      secretText(z.string().min(1).max(2000)).describe(
        'URL of an incoming webhook. A secret: responses show only its host. Omit it in an update to keep it.',
      ),
      z.string().describe('Masked except for its host.'),
    ),
    channel: orNull(z.string().max(100), () => '')
      .default('')
      .describe('Channel to post to, e.g. `#ops`. Only legacy webhooks and compatible servers obey it.'),
    longTail,
  })
  .meta({ id: 'SlackConfigWrite' });

export const slackSchema = { type: 'SLACK', config: slackConfig } as const;
