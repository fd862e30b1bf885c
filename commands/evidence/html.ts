/** HTML that is already escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | readonly Html[] | undefined;

/** HTML with values in it. Every text is escaped: most of them were chosen by somebody else. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.map((part, at) => part + textOf(values[at])).join(''));
}

function textOf(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A table, headings first. */
export function table(headings: readonly string[], rows: readonly (readonly (string | Html)[])[]): Html {
  if (rows.length === 0) return html`<p>None.</p>`;
  const head = headings.map((heading) => html`<th>${heading}</th>`);
  const body = rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>\n`);
  return html`<table>\n<tr>${head}</tr>\n${body}</table>`;
}

/** A link to a file of the archive. It works once the archive is unpacked. */
export function link(path: string): Html {
  return html`<a href="${path.split('/').map(encodeURIComponent).join('/')}">${path}</a>`;
}

const STYLE =
  'body{font:16px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#111;background:#fff}' +
  'table{border-collapse:collapse;margin:1em 0}th,td{border:1px solid #bbb;padding:.3em .6em;text-align:left;' +
  'vertical-align:top;overflow-wrap:anywhere}th{background:#eee}code{font-size:.85em}h2{margin-top:2em}';

/** A page that loads nothing and runs nothing. */
export function page(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
${body}
</body>
</html>
`.text;
}
