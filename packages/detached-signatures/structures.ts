import { type Element, elementsIn } from './elements.ts';

/** The elements of each structure: their tags in hexadecimal (RFC 5652, sections 3, 5 and 10; RFC 5280, section 4.1). */
const shapes = {
  contentInfo: /^06 a0$/,
  content: /^30$/,
  signedData: /^02 31 30( a0)?( a1)? 31$/,
  encapContentInfo: /^06( a0)?$/,
  signerInfo: /^02 (30|80) 30( a0)? 30 04( a1)?$/,
  issuerAndSerialNumber: /^30 02$/,
  algorithm: /^06( ..)?$/,
  attribute: /^06 31$/,
  certificate: /^30 30 03$/,
  publicKey: /^30 03$/,
  revocationList: /^(02 )?30 30 1[78]( 1[78])?( 30)?( a0)?$/,
  tbsCertificate: /^(a0 )?02 30 30 30 30 30( 81)?( 82)?( a3)?$/,
  extensions: /^30$/,
  extension: /^06( 01)? 04$/,
  attributeOfName: /^06 ..$/,
};
const MOST_PARTS = 10;

export const [TAGGED_0, TAGGED_3] = [0xa0, 0xa3];

export type Pair = [Element, Element];

/** The parts of a structure. Additional ones are refused, because the service would receive them with the signature. */
export function partsOf<Parts extends Element[] = [Element, ...Element[]]>(
  { content }: Element,
  shape: keyof typeof shapes,
): Parts {
  const parts: Element[] = [];
  for (const part of elementsIn(content)) if (parts.push(part) > MOST_PARTS) break;
  const tags = parts.map(({ tag }) => tag.toString(16).padStart(2, '0'));
  if (shapes[shape].test(tags.join(' '))) return parts as Parts;
  throw new Error('it has elements that do not belong to SignedData');
}
