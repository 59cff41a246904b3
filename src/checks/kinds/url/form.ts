// The form of URL checks.
import type { CheckForm } from '../../form.ts';
import { assertionField, connectionFields, responseTimeFields, urlField } from '../../parts/form.ts';

export const urlForm: CheckForm = {
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
    { title: 'Assertions', fields: [assertionField('request.assertions', ['STATUS_CODE'])] },
    { title: 'Response time', fields: responseTimeFields(3000, 5000) },
  ],
};
