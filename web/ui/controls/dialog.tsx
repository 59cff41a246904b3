// Dialogs: confirmation of irreversible actions, and panels beside the page.
import { type ReactNode, useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './button.tsx';
import { ErrorMessage } from '../layout/feedback.tsx';
import css from './dialog.module.css';

interface PanelProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog in the middle of the page. */
export function Panel({ title, isOpen, onClose, children }: PanelProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => !open && onClose()}
      className={css['overlay'] ?? ''}
    >
      <Modal className={css['modal'] ?? ''}>
        <Dialog className={css['dialog'] ?? ''}>
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Asks before an action. The dialog stays open, with the reason, if the action fails. */
export function Confirm({
  action,
  onConfirm,
  isDanger = false,
  ...panel
}: PanelProps & {
  readonly action: string;
  readonly isDanger?: boolean;
  readonly onConfirm: () => Promise<unknown>;
}) {
  const [fault, setFault] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const run = async (): Promise<void> => {
    setRunning(true);
    try {
      await onConfirm();
      setFault(null);
      panel.onClose();
    } catch (error) {
      setFault(error);
    } finally {
      setRunning(false);
    }
  };
  return (
    <Panel {...panel}>
      {panel.children}
      {fault !== null && <ErrorMessage error={fault} />}
      <div className={css['actions']}>
        <Button kind="quiet" onPress={panel.onClose}>
          Cancel
        </Button>
        <Button kind={isDanger ? 'danger' : 'primary'} isDisabled={isRunning} onPress={() => void run()}>
          {action}
        </Button>
      </div>
    </Panel>
  );
}
