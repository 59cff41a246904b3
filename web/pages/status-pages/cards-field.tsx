// The cards of a status page: headings with services, in order.
import { Plus, X } from 'lucide-react';
import { type FieldsOfDraft, textsOf } from '../../ui/check-settings/section.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { type Draft, textOf } from '../../ui/form/draft.ts';
import { itemsOf, withItem, withoutItem } from '../../ui/form/pairs.tsx';
import { TextInput } from '../../ui/form/text.tsx';
import { ChosenServices, MoveButtons, useMoves } from './chosen-services.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';
import css from './status-pages.module.css';

/** Most cards of a page, and services of a card. */
const [mostCards, mostServices] = [30, 100];

export function CardsField({ draft, onChange }: FieldsOfDraft) {
  const cards = itemsOf(draft['cards']);
  const write = (items: readonly Draft[]): void => onChange('cards', items);
  const { host, move } = useMoves(cards, write);
  return (
    <div className={parts['list']}>
      <span className="quiet">{text.cardsHelp}</span>
      <ul ref={host} className={css['cards']} aria-label={text.cards}>
        {cards.map((card, index) => {
          const name = textOf(card['name']) || text.card(index + 1);
          return (
            <li key={textOf(card['key'])} className={css['card']}>
              <div className={css['line']}>
                <TextInput
                  name={`cards[${index}].name`}
                  label={text.cardName(index + 1)}
                  placeholder={text.cardExample}
                  value={textOf(card['name'])}
                  onChange={(value) => write(withItem(cards, index, { name: value }))}
                  isRequired
                />
                <MoveButtons name={name} index={index} count={cards.length} onMove={move} />
                <IconButton label={text.removeCard(index + 1)} onPress={() => write(withoutItem(cards, index))}>
                  <X size={15} />
                </IconButton>
              </div>
              <ChosenServices
                chosen={textsOf(card['services'])}
                onChange={(services) => write(withItem(cards, index, { services }))}
                label={text.addService}
                help={text.addServiceHelp}
                most={mostServices}
                hasChecks
              />
            </li>
          );
        })}
      </ul>
      {cards.length < mostCards && (
        <Button
          kind="quiet"
          onPress={() => write([...cards, { key: newKey(cards), id: null, name: '', services: [] }])}
        >
          <Plus size={15} aria-hidden /> {text.addCard}
        </Button>
      )}
    </div>
  );
}

/** A key that no card has. */
function newKey(cards: readonly Draft[]): string {
  const keys = new Set(cards.map(({ key }) => textOf(key)));
  let number = cards.length;
  while (keys.has(`new ${number}`)) number++;
  return `new ${number}`;
}
