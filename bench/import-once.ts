/** Prints the milliseconds that the import of one module takes in a fresh process. */
const begun = performance.now();
await import(process.argv[2] as string);
process.stdout.write(JSON.stringify(performance.now() - begun));
