// Trying a channel over HTTP: preview and test message (decisions: Resources of our own).
import type { ChannelTestBody, PreviewBody } from '#contract/alert-channel-operations.ts';
import type { AlertType } from '#domain/alert.ts';
import type { Caller } from '#domain/api-key.ts';
import type { Attempt, Delivery, RenderedRequest } from '#domain/delivery.ts';
import type { JsonObject } from '#domain/json.ts';
import type { TemplateVariables } from '#domain/template-variables.ts';
import { deliveryToWire, exchangeToWire } from './deliveries.ts';
import { type Route, route } from './route.ts';

/** What a caller may try of a channel. */
export interface AlertMessageActions {
  preview(
    caller: Caller,
    order: {
      readonly config: JsonObject;
      readonly alertType: AlertType;
      readonly checkResultId: string | null;
      readonly variables: TemplateVariables;
    },
  ): Promise<{
    readonly request: RenderedRequest | null;
    readonly warnings: PreviewBody['warnings'];
    readonly errors: PreviewBody['errors'];
  }>;
  test(
    caller: Caller,
    channelId: number,
    alertType: AlertType,
    signal: AbortSignal,
  ): Promise<{ readonly delivery: Delivery; readonly attempt: Attempt }>;
}

/** The routes of previews and test messages. */
export function alertMessageRoutes(actions: AlertMessageActions): Route[] {
  return [
    route('previewAlertChannel', async ({ caller, body }): Promise<PreviewBody> => {
      const { config, alertType, checkResultId = null, variables } = body;
      const preview = await actions.preview(caller, { config, alertType, checkResultId, variables });
      return { ...preview, request: preview.request === null ? null : previewed(preview.request) };
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

function previewed({ method, url, headers, body }: RenderedRequest): NonNullable<PreviewBody['request']> {
  return { method, url, headers: Object.fromEntries(headers), body };
}
