// The form of URL checks.
import type { CheckForm, LineCheck } from '../../form.ts';
import { assertionField, connectionFields, errorStatusField, responseTimeFields, urlField } from '../../parts/form.ts';

/** An address; without a scheme, HTTPS. */
function fromLine(line: string): LineCheck | null {
  const address = /^https?:\/\//i.test(line)
    ? line
    : /^[\w-]+(\.[\w-]+)+(:\d+)?([/?]\S*)?$/.test(line)
      ? `https://${line}`
      : '';
  const url = URL.parse(address);
  if (url === null) return null;
  return { name: url.host + (url.pathname === '/' ? '' : url.pathname), body: { request: { url: address } } };
}

export const urlForm: CheckForm = {
  fromLine,
  lineExample: 'https://shop.example/',
  type: 'URL',
  label: 'URL',
  isCommon: true,
  about: 'requests a page and checks its status',
  hasInterval: true,
  shortestInterval: 10,
  start: { request: { url: '' } },
  target: [urlField],
  sections: [
    { title: 'Request', fields: connectionFields },
    { title: 'Assertions', fields: [assertionField('request.assertions', ['STATUS_CODE']), errorStatusField] },
    { title: 'Response time', fields: responseTimeFields(3000, 5000) },
  ],
};
