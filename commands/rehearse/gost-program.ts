import { readFileSync, writeFileSync } from 'node:fs';
import { makeGostSigner } from '@business-loan-orders/detached-signatures/gost-certificates';
import { signWithGost } from './gost-signature.ts';

// A partner's own program for "sign --with": `gost-program.ts <document> <signature>`. Its key is made for this run.
const [document = '', signature = ''] = process.argv.slice(2);
const signer = makeGostSigner('streebog256', { commonName: 'Signer of a rehearsal' });
writeFileSync(signature, await signWithGost(signer, readFileSync(document)));
