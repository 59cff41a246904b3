// Routes of previews and test messages (decisions: Resources of our own).
import type { AlertMessageActions } from '#actions/alerts/alert-messages.ts';
import type { ChannelPreset } from '#domain/alerts/alert-channel.ts';
import type {
  ChannelTestBody,
  PresetBody,
  PreviewBody,
  TemplateNamesBody,
} from '#contract/alerts/alert-channel-operations.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import { deliveryToWire, exchangeToWire } from './deliveries.ts';
import { type Route, route } from '../route.ts';

export function alertMessageRoutes(actions: AlertMessageActions): Route[] {
  return [
    route('previewAlertChannel', async ({ caller, body }): Promise<PreviewBody> => {
      const { request, view, warnings, errors } = await actions.preview(caller, { checkResultId: null, ...body });
      const shown = request === null ? null : previewed(request);
      return { request: shown, view, warnings: [...warnings], errors: [...errors] };
    }),
    route('listAlertChannelPresets', ({ caller }): PresetBody[] => actions.presets(caller).map(presetToWire)),
    route('getTemplateNames', async ({ caller }): Promise<TemplateNamesBody> => {
      const { variables, helpers } = await actions.templateNames(caller);
      return { variables: [...variables], helpers: [...helpers] };
    }),
    route('testAlertChannel', async ({ caller, params, body, signal }): Promise<ChannelTestBody> => {
      const { delivery, attempt } = await actions.test(caller, params.id, body.alertType, signal);
      const { request, response, error } = exchangeToWire(delivery, attempt);
      return {
        delivery: deliveryToWire(delivery, [attempt]),
        request,
        ...(response && { response }),
        ...(error && { error }),
      };
    }),
  ];
}

function previewed({ method, url, headers, body }: Message): NonNullable<PreviewBody['request']> {
  return { method, url, headers: Object.fromEntries(headers), body };
}

function presetToWire({ variables, config, ...rest }: ChannelPreset): PresetBody {
  return { ...rest, variables: [...variables], config: { ...config } };
}
