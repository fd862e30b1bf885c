/** Prints how many milliseconds the import of a module takes in a new process. */
const begun = performance.now();
await import(process.argv[2] as string);
process.stdout.write(JSON.stringify(performance.now() - begun));
