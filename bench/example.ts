import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../examples/two-offers/', import.meta.url));

/** The files of the example that is measured, `order.json` last. */
export const examplePackage = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => statSync(folder + file).isFile())
  .sort((one, other) => Number(one === 'order.json') - Number(other === 'order.json'))
  .map((name) => {
    const contentType = name.endsWith('.pdf') ? 'application/pdf' : 'application/json';
    return { name, content: readFileSync(folder + name), contentType };
  });

/** The offers that its rule confirms. */
export const OFFERS_CHOSEN = 2;

/** The waits of the simulated service and bank, as on the laptop. */
export const WAITS = { pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 2 };
