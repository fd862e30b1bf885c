import { readFileSync, writeFileSync } from 'node:fs';
import { makeGostSigner, signWithGost } from '@business-loan-orders/detached-signatures/gost-certificates';

// A partner's own program for "sign --with": `gost-program.ts <document> <signature>`. Its key is made for this run.
const [document = '', signature = ''] = process.argv.slice(2);
const signer = makeGostSigner('streebog256', { commonName: 'Signer of a rehearsal' });
writeFileSync(signature, await signWithGost(signer, readFileSync(document)));
