// The secret that signs a channel's deliveries: its replacement, while the previous one also signs for a time.
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import type { ChannelForm } from '#channels/form.ts';
import { useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { Panel } from '../../ui/controls/dialog.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { textOf, valueAt } from '../../ui/form/draft.ts';
import { ErrorMessage } from '../../ui/layout/feedback.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { At } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import css from './channels.module.css';

const hourMs = 3_600_000;
type Hours = keyof typeof text.overlaps;
const choices = Object.entries(text.overlaps) as (readonly [Hours, string])[];

interface RotationProps {
  readonly channel: AnswerOf<'getAlertChannel'>;
  readonly names: NonNullable<ChannelForm['rotation']>;
}

export function Rotation({ channel: { id, config }, names }: RotationProps) {
  const [isOpen, setOpen] = useState(false);
  const update = useWrite('updateAlertChannel', ['getAlertChannel', 'listAlertChannels']);
  const until = textOf(valueAt(config, names.previousUntil));
  if (textOf(valueAt(config, names.secret)) === '') return null;
  const end = async (): Promise<unknown> =>
    update.mutateAsync({ params: { id }, body: { config: { [names.previousUntil]: null } } });
  return (
    <Section
      title={text.rotation}
      aside={
        <Button onPress={() => setOpen(true)}>
          <KeyRound size={15} aria-hidden /> {text.rotate}
        </Button>
      }
    >
      {until === '' ? (
        <p className="quiet">{text.signed}</p>
      ) : (
        <p>
          {text.untilWhen} <At at={until} />.{' '}
          <Button kind="quiet" isDisabled={update.isPending} onPress={() => void toast.of(end(), text.ended)}>
            {text.endNow}
          </Button>
        </p>
      )}
      {isOpen && <Rotate id={id} names={names} isRotating={until !== ''} onClose={() => setOpen(false)} />}
    </Section>
  );
}

interface RotateProps {
  readonly id: number;
  readonly names: RotationProps['names'];
  readonly isRotating: boolean;
  readonly onClose: () => void;
}

function Rotate({ id, names, isRotating, onClose }: RotateProps) {
  const [hours, setHours] = useState<Hours>('24');
  const [secret, setSecret] = useState<string | null>(null);
  const update = useWrite('updateAlertChannel', ['getAlertChannel', 'listAlertChannels']);
  const rotate = async (): Promise<void> => {
    const made = newSecret();
    const previousUntil = new Date(Date.now() + Number(hours) * hourMs).toISOString();
    const config = { [names.secret]: made, [names.previousUntil]: previousUntil };
    await update.mutateAsync({ params: { id }, body: { config } });
    setSecret(made);
  };
  return (
    <Panel title={text.rotate} isOpen onClose={onClose}>
      {secret === null ? (
        <>
          <p>{text.rotateHelp}</p>
          {isRotating && <p>{text.rotateEnds}</p>}
          <Choice label={text.overlap} value={hours} options={choices} onChange={setHours} />
          {update.error !== null && <ErrorMessage error={update.error} />}
          <div className={css['buttons']}>
            {/* The error is shown above. */}
            <Button kind="primary" isDisabled={update.isPending} onPress={() => void rotate().catch(() => undefined)}>
              {text.rotate}
            </Button>
          </div>
        </>
      ) : (
        <>
          <p>{text.newSecretHelp}</p>
          <Code text={secret} label={text.newSecret} />
          <div className={css['buttons']}>
            <Button kind="primary" onPress={onClose}>
              {text.close}
            </Button>
          </div>
        </>
      )}
    </Panel>
  );
}

/** 32 random bytes in the form that Standard Webhooks libraries read. */
function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}
