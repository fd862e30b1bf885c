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

/** The page that opens the console: its script gets the key. */
export const shellWith = (key: string) => SHELL.replace('</head>', `<meta name="key" content="${key}">\n</head>`);
