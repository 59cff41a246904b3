// Gatus: variables of the environment in its configuration, as placeholders of resource files.
import { escaped } from '#files/placeholders.ts';

/** `$NAME` and `${NAME}` become `${env:NAME}`, and `$$` becomes `$`. */
export function withPlaceholders(text: string): string {
  const parts = text.split(/(\$\$|\$\{[A-Za-z_]\w*\}|\$[A-Za-z_]\w*)/);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return escaped(part);
      return part === '$$' ? '$' : `\${env:${part.replace(/[${}]/g, '')}}`;
    })
    .join('');
}
