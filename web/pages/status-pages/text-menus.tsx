// Menus that fill an incident or an update with a built-in text, or with one of an earlier incident.
import { TextQuote } from 'lucide-react';
import { useEveryEntry, useMoreEntries } from '../../api/entries.ts';
import { type FieldsOfDraft, textsOf } from '../../ui/check-settings/section.ts';
import { Button } from '../../ui/controls/button.tsx';
import { type Action, ActionMenu } from '../../ui/controls/menu.tsx';
import { textOf } from '../../ui/form/draft.ts';
import { type Template, templatesIn, updateTextsIn } from './incident-texts.ts';
import { text } from './strings.ts';

/** Most earlier incidents, and texts of them, in a menu. */
const [mostIncidents, mostTexts] = [8, 5];

/** The language of the first page that shows one of the services, or of the first page of all. */
function useLanguage(serviceIds: readonly string[]) {
  const pages = useEveryEntry('listStatusPages').data ?? [];
  const shows = pages.find(({ cards }) =>
    cards.some(({ services }) => services.some(({ id }) => serviceIds.includes(id))),
  );
  return (shows ?? pages[0])?.language ?? 'en';
}

/** Begins a new incident. */
export function TemplateMenu({ draft, onChange }: FieldsOfDraft) {
  const chosen = textsOf(draft['services']);
  const services = useEveryEntry('listStatusServices').data ?? [];
  const names = chosen.flatMap((id) => services.find((service) => service.id === id)?.name ?? []);
  const builtIn = templatesIn(useLanguage(chosen), names);
  const { items: earlier = [] } = useMoreEntries('listStatusIncidents', { isDraft: false });
  const fill = ({ name, severity, status, text: description }: Template): void => {
    onChange('name', name);
    onChange('severity', severity);
    onChange('status', status);
    onChange('description', description);
  };
  const actions = [
    ...builtIn.map((template): Action => ({ id: template.name, label: template.name, run: () => fill(template) })),
    ...earlier.slice(0, mostIncidents).flatMap((incident): Action[] => {
      const { id, name, severity, incidentUpdates } = incident;
      const [first] = incidentUpdates;
      if (first === undefined) return [];
      const run = (): void => {
        fill({ name, severity, status: first.status, text: first.description });
        onChange(
          'services',
          incident.services.map((service) => service.id),
        );
      };
      return [{ id, label: text.asEarlier(name), run }];
    }),
  ];
  return <TextMenu label={text.fromTemplate} actions={actions} />;
}

/** Fills the text of an update. */
export function UpdateTextMenu({
  draft,
  onChange,
  serviceIds,
}: FieldsOfDraft & { readonly serviceIds: readonly string[] }) {
  const status = textOf(draft['status']);
  const builtIn = updateTextsIn(useLanguage(serviceIds), status);
  const { items: earlier = [] } = useMoreEntries('listStatusIncidents', { isDraft: false });
  const used = earlier.flatMap(({ incidentUpdates }) => incidentUpdates.filter((each) => each.status === status));
  const texts = [...new Set([...builtIn, ...used.map(({ description }) => description).slice(0, mostTexts)])];
  const actions = texts.map((each) => ({ id: each, label: shortened(each), run: () => onChange('description', each) }));
  return <TextMenu label={text.insertText} actions={actions} />;
}

function TextMenu({ label, actions }: { readonly label: string; readonly actions: readonly Action[] }) {
  return (
    <span>
      <ActionMenu
        label={label}
        actions={actions}
        trigger={
          <Button kind="quiet">
            <TextQuote size={15} aria-hidden /> {label}
          </Button>
        }
      />
    </span>
  );
}

const mostCharacters = 80;

function shortened(label: string): string {
  return label.length <= mostCharacters ? label : `${label.slice(0, mostCharacters - 1)}…`;
}
