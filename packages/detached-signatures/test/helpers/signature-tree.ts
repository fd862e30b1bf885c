import { encoded } from '../../der.ts';
import { elementAt, elementsIn } from '../../elements.ts';

export interface Node {
  tag: number;
  value: Buffer | Node[];
}

export function tree(der: Buffer): Node {
  const { tag, content } = elementAt(der);
  return { tag, value: (tag & 0x20) === 0 ? content : [...elementsIn(content)].map(({ bytes }) => tree(bytes)) };
}

/** The bytes of an element: in DER, or with an indefinite length wherever `isIndefinite` says so. */
export function written({ tag, value }: Node, isIndefinite: (tag: number) => boolean = () => false): Buffer {
  if (Buffer.isBuffer(value)) return encoded(tag, value);
  const inner = Buffer.concat(value.map((child) => written(child, isIndefinite)));
  return isIndefinite(tag) ? Buffer.concat([Buffer.of(tag, 0x80), inner, Buffer.of(0, 0)]) : encoded(tag, inner);
}

/** The same signature in BER. Constructed elements get an indefinite length (X.690, 8.1.3.6), except inside certificates. */
export function asBer(der: Uint8Array): Buffer {
  const signature = tree(Buffer.from(der));
  for (const certificate of certificatesOf(signature)) certificate.value = elementAt(written(certificate)).content;
  return written(signature, () => true);
}

export const children = (node: Node | undefined): Node[] => (node && !Buffer.isBuffer(node.value) ? node.value : []);
const signedDataOf = (signature: Node) => children(children(signature)[1])[0];
export const certificatesOf = (signature: Node): Node[] => children(children(signedDataOf(signature))[3]);
export const signersOf = (signature: Node): Node[] => children(children(signedDataOf(signature)).at(-1));
export const attributesOf = (signature: Node): Node[] => children(children(signersOf(signature)[0])[3]);

export const all = (node: Node): Node[] => [node, ...children(node).flatMap(all)];
