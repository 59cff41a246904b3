// The OpenAPI document and the page to read it, both written once.
import { openApiDocument } from '#contract/openapi.ts';
import { docsPage } from './docs-page.ts';
import { pageHeaders } from '../html.ts';
import { Answer, JsonText, type Route, route } from '../route.ts';

/** The routes of the document. @param service what stands in it: the version, and the address clients use, asked at the first request */
export function docsRoutes(service: { readonly version: string; readonly server: () => string }): Route[] {
  let written: { readonly json: JsonText; readonly page: Answer } | null = null;
  const both = () => {
    if (written !== null) return written;
    const document = openApiDocument({ version: service.version, server: service.server() });
    written = { json: new JsonText(JSON.stringify(document)), page: new Answer(200, docsPage(document), pageHeaders) };
    return written;
  };
  return [route('getOpenApi', () => both().json), route('getDocs', () => both().page)];
}
