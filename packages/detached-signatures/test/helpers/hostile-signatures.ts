import fc from 'fast-check';
import { makeAuthority, makeSigner } from '../../certificates.ts';
import { encoded } from '../../der.ts';
import { signature } from './cms.ts';
import { copies, hugeKey, line, trusted } from './hostile-certificates.ts';
import {
  all,
  asBer,
  attributesOf,
  certificatesOf,
  children,
  type Node,
  signersOf,
  tree,
  written,
} from './signature-tree.ts';

const signer = makeSigner('p-256', { authority: trusted });

export async function signedWith(others: readonly Buffer[], by = signer): Promise<Buffer> {
  const one = tree(await signature(by));
  // Added to the finished signature, because a signer would not add what is broken.
  certificatesOf(one).push(...others.map(tree));
  return written(one);
}

interface Numbers {
  /** Which element it changes. */
  at: number;
  size: number;
  octets: readonly number[];
}

const numbers = fc.record({
  at: fc.nat(),
  size: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 600 })),
  octets: fc.array(fc.nat({ max: 255 }), { minLength: 1, maxLength: 20 }),
});

type Family = (signature: Node, numbers: Numbers) => Buffer;

const WRAPPERS = [0x30, 0x31, 0xa0, 0x24, 0x04, 0x03];
const LARGEST = 1_000_000;

/** Changes one element of a signature, which `at` chooses. */
const changing =
  (change: (node: Node, numbers: Numbers) => void, isChosen: (node: Node) => boolean = () => true): Family =>
  (signature, given) => {
    const chosen = all(signature).filter(isChosen);
    change(chosen[given.at % chosen.length] as Node, given);
    return written(signature);
  };
const isList = ({ value }: Node) => !Buffer.isBuffer(value) && value.length > 0;
const isIdentifier = ({ tag }: Node) => tag === 0x06;

/** Adds certificates after those of a signature. They are made when the first signature needs them. */
const withCertificates = (make: () => readonly Buffer[]): Family => {
  let all: readonly Buffer[] | undefined;
  return (signature, { size }) => {
    all ??= make();
    certificatesOf(signature).push(...all.slice(0, size).map(tree));
    return written(signature);
  };
};

/** More certificates than a signature may have. */
const MANY = 70;

export const families: Record<string, Family> = {
  'changed octets': (signature, { at, size, octets }) => {
    const bytes = written(signature);
    for (const [position, octet] of octets.entries()) bytes[(at + position * size) % bytes.length] = octet;
    return bytes;
  },
  'cut short': (signature, { at }) => written(signature).subarray(0, at % 1000),
  'more behind it': (signature, { size, octets }) =>
    Buffer.concat([written(signature), Buffer.alloc(size * 100, octets[0])]),
  'BER in places': (signature, { octets }) => {
    let place = 0;
    return written(signature, () => (octets[place++ % octets.length] ?? 0) % 2 === 0);
  },
  'BER everywhere but in certificates': (signature) => asBer(written(signature)),
  'another tag': changing((node, { octets }) => {
    node.tag = octets[0] ?? 0;
  }),
  'another value': changing((node, { size, octets }) => {
    node.value = Buffer.alloc((size * LARGEST) / 600, octets[0]);
  }),
  'more of an element': changing((node, { size, octets }) => {
    const [first] = children(node);
    if (first) node.value = [...children(node), ...Array<Node>(size * (octets.length > 10 ? 40 : 1)).fill(first)];
  }, isList),
  'a million small elements': changing((node, { octets }) => {
    const small = [
      Buffer.of(0x05, 0x00),
      Buffer.of(0x30, 0x00),
      Buffer.of(0x30, 0x80, 0, 0),
      Buffer.of(0x06, 0x01, 0x2a),
    ];
    const one = small[(octets[0] ?? 0) % small.length] as Buffer;
    const [first] = children(node);
    node.value = Buffer.concat([first ? written(first) : one, Buffer.alloc(LARGEST - (LARGEST % one.length), one)]);
  }, isList),
  'deep in elements': changing((node, { size, octets }) => {
    const wrapper = WRAPPERS[(octets[0] ?? 0) % WRAPPERS.length] as number;
    let inner = written(node);
    for (let level = 0; level < size; level += 1) inner = encoded(wrapper, inner);
    Object.assign(node, tree(inner.length > 0 ? encoded(0x04, inner) : inner), { tag: node.tag });
  }),
  'deep in indefinite lengths': (_signature, { size, octets }) => {
    const levels = size * (octets.length > 10 ? 800 : 1);
    const start = Buffer.alloc(levels * 2, Buffer.of(WRAPPERS[(octets[0] ?? 0) % 4] as number, 0x80));
    return Buffer.concat([start, Buffer.alloc((octets[1] ?? 0) % 2 === 0 ? levels * 2 : levels)]);
  },
  'a long object identifier': changing((node, { size, octets }) => {
    node.value = Buffer.concat([Buffer.alloc(octets.length > 10 ? size * 1500 : size, octets[0]), Buffer.of(1)]);
  }, isIdentifier),
  'a large certificate': (signature, { at, size, octets }) => {
    const body = children(certificatesOf(signature)[0])[0];
    const lists = all(body as Node).filter(isList);
    const list = lists[at % lists.length] as Node;
    const one = children(list)[(octets[0] ?? 0) % children(list).length] as Node;
    list.value = [...children(list), ...Array<Node>(size * 4).fill(one)];
    return written(signature);
  },
  'a large key': (signature, { size, octets }) => {
    const body = children(certificatesOf(signature)[0])[0];
    children(body)[6] = hugeKey(size * 8, octets.length > 10 ? size * 8 : octets.length);
    const algorithm = children(signersOf(signature)[0])[4];
    if (algorithm) algorithm.value = [{ tag: 0x06, value: Buffer.from('2a864886f70d010101', 'hex') }];
    const made = children(signersOf(signature)[0])[5];
    if (made) made.value = Buffer.alloc(size * 8, 0x11);
    return written(signature);
  },
  'many signers': (signature, { size }) => {
    const signers = signersOf(signature);
    signers.push(...Array<Node>(size).fill(signers[0] as Node));
    return written(signature);
  },
  'many attributes': (signature, { size, octets }) => {
    const attributes = attributesOf(signature);
    attributes.push(...Array<Node>(size * octets.length).fill(attributes[0] as Node));
    return written(signature);
  },
  'copies of an authority that nobody trusts': withCertificates(() =>
    copies(makeAuthority({ commonName: 'CA' }), MANY),
  ),
  'copies of a trusted authority': withCertificates(() => copies(trusted, MANY)),
  'a line of authorities of one name': withCertificates(() => line(trusted, MANY)),
  'a line of authorities, the last first': withCertificates(() => line(trusted, MANY).reverse()),
  'no signature': (_signature, { size, octets }) => Buffer.alloc(size * 100, Buffer.from(octets)),
};

/** Hostile signatures: this many of each seed, in the order of the families. */
export async function* hostileSignatures(
  seed: number,
  count: number,
): AsyncGenerator<{ family: string; bytes: Buffer }> {
  const good = await signedWith([trusted.certificate]);
  const names = Object.keys(families);
  for (const [position, given] of fc.sample(numbers, { seed, numRuns: count }).entries()) {
    const family = names[position % names.length] as string;
    yield { family, bytes: (families[family] as Family)(tree(good), given) };
  }
}
