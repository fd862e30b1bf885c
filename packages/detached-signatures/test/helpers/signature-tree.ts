import { elements, lengthsOf } from './cms.ts';

/** An element that a test can change. */
export interface Node {
  tag: number;
  value: Buffer | Node[];
}

export function tree(der: Buffer): Node {
  const tag = der[0] ?? 0;
  const value = der.subarray(lengthsOf(der).headerLength);
  return { tag, value: (tag & 0x20) === 0 ? value : elements(value).map(tree) };
}

/** The bytes of an element: in DER, or with an indefinite length wherever `isIndefinite` says so. */
export function written({ tag, value }: Node, isIndefinite: (tag: number) => boolean = () => false): Buffer {
  if (Buffer.isBuffer(value)) return element(tag, value);
  const inner = Buffer.concat(value.map((child) => written(child, isIndefinite)));
  return isIndefinite(tag) ? Buffer.concat([Buffer.of(tag, 0x80), inner, Buffer.of(0, 0)]) : element(tag, inner);
}

export function element(tag: number, value: Buffer): Buffer {
  if (value.length < 0x80) return Buffer.concat([Buffer.of(tag, value.length), value]);
  const hex = value.length.toString(16);
  const length = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 + length.length), length, value]);
}

export const children = (node: Node | undefined): Node[] => (node && !Buffer.isBuffer(node.value) ? node.value : []);
const signedDataOf = (signature: Node) => children(children(signature)[1])[0];
export const certificatesOf = (signature: Node): Node[] => children(children(signedDataOf(signature))[3]);
export const signersOf = (signature: Node): Node[] => children(children(signedDataOf(signature)).at(-1));
export const attributesOf = (signature: Node): Node[] => children(children(signersOf(signature)[0])[3]);

/** Every element of a signature. */
export function all(node: Node): Node[] {
  return [node, ...children(node).flatMap(all)];
}
