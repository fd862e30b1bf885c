/** The page before its script runs. The script fills in the language and everything else. */
export const SHELL = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Loan orders</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%23245'/%3E%3Cpath d='M4 8.5l2.5 2.5L12 5.5' stroke='%23fff' stroke-width='2' fill='none'/%3E%3C/svg%3E">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/page.js"></script>
</head>
<body></body>
</html>
`;

/** What a browser without a session sees. */
export const CLOSED_SHELL = plainPage(
  'This console is not open in this browser',
  'Open the address that the terminal printed last. Each address works once; after each use the terminal prints the next one.',
  'Откройте адрес, который последним напечатан в терминале. Каждый адрес действует один раз; после этого терминал печатает следующий.',
);

/** What a browser sees at an address that has no meaning. */
export const UNREADABLE_SHELL = plainPage(
  'There is no such page',
  '<a href="/">To the orders</a>',
  'Такой страницы нет. <a href="/">К заявкам</a>',
);

function plainPage(heading: string, english: string, russian: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Loan orders</title></head>
<body><main><h1>${heading}</h1>
<p>${english}</p>
<p lang="ru">${russian}</p>
</main></body></html>
`;
}
