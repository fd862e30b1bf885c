/*
 * Streebog, GOST R 34.11-2012 (RFC 6986), with incremental updates. Numbers are little-endian, as all protocols use them; the RFC prints
 * them big-endian. The code needs a little-endian machine, which all Node platforms except AIX and s390x are.
 */

/** RFC 6986, section 6.2: the substitution Pi. */
const SUBSTITUTION = Buffer.from(
  'fceedd11cf6e3116fbc4fada23c5044de977f0db932e99ba1736f1bb14cd5fc1' +
    'f918655ae25cef21811c3c428b018e4f058402aee36a8fa0060bed987fd4d31f' +
    'eb342c51eac848abf22a68a2fd3aceccb5700e56080c7612bf7213479cb75d87' +
    '15a19629107b9ac7f391786f9d9eb2b13275193dff358a7e6d54c680c3bd0d57' +
    'dff524a93ea843c9d779d6f67c22b903e00fecde7a94b0bcdce828504e330a4a' +
    'a79760731e0062441ab83882649f2641ad454692275e552f8ca3a57d69d5953b' +
    '0758b34086ac1df730376be488d9e789e11b83494c3ff8fe8d53aa90cad88561' +
    '207167a42d2b095bcb9b25d0bee56c5259a674d2e6f4b4c0d166afc2394b63b6',
  'hex',
);

/** RFC 6986, section 6.4: the rows of the matrix A. The first row is for the most significant bit. */
const MATRIX = Buffer.from(
  '8e20faa72ba0b47047107ddd9b505a38ad08b0e0c3282d1cd8045870ef14980e' +
    '6c022c38f90a4c073601161cf205268d1b8e0b0e798c13c883478b07b2468764' +
    'a011d380818e8f405086e740ce47c9202843fd2067adea1014aff010bdd87508' +
    '0ad97808d06cb40405e23c0468365a028c711e02341b2d0146b60f011a83988e' +
    '90dab52a387ae76f486dd4151c3dfdb924b86a840e90f0d2125c354207487869' +
    '092e94218d243cba8a174a9ec8121e5d4585254f64090fa0accc9ca9328a8950' +
    '9d4df05d5f661451c0a878a0a1330aa660543c50de970553302a1e286fc58ca7' +
    '18150f14b9ec46dd0c84890ad27623e00642ca05693b9f700321658cba93c138' +
    '86275df09ce8aaa8439da0784e745554afc0503c273aa42ad960281e9d1d5215' +
    'e230140fc080298471180a8960409a42b60c05ca30204d215b068c651810a89e' +
    '456c34887a3805b9ac361a443d1c8cd2561b0d22900e46692b838811480723ba' +
    '9bcf4486248d9f5dc3e9224312c8c1a0effa11af0964ee50f97d86d98a327728' +
    'e4fa2054a80b329c727d102a548b194e39b008152acb82279258048415eb419d' +
    '492c024284fbaec0aa16012142f35760550b8e9e21f7a530a48b474f9ef5dc18' +
    '70a6a56e2440598e3853dc371220a2471ca76e95091051ad0edd37c48a08a6d8' +
    '07e095624504536c8d70c431ac02a736c83862965601dd1b641c314b2b8ee083',
  'hex',
);

/** RFC 6986, section 6.5: the constants C1 to C12. */
const ROUNDS = [
  'b1085bda1ecadae9ebcb2f81c0657c1f2f6a76432e45d016714eb88d7585c4fc4b7ce09192676901a2422a08a460d31505767436cc744d23dd806559f2a64507',
  '6fa3b58aa99d2f1a4fe39d460f70b5d7f3feea720a232b9861d55e0f16b501319ab5176b12d699585cb561c2db0aa7ca55dda21bd7cbcd56e679047021b19bb7',
  'f574dcac2bce2fc70a39fc286a3d843506f15e5f529c1f8bf2ea7514b1297b7bd3e20fe490359eb1c1c93a376062db09c2b6f443867adb31991e96f50aba0ab2',
  'ef1fdfb3e81566d2f948e1a05d71e4dd488e857e335c3c7d9d721cad685e353fa9d72c82ed03d675d8b71333935203be3453eaa193e837f1220cbebc84e3d12e',
  '4bea6bacad4747999a3f410c6ca923637f151c1f1686104a359e35d7800fffbdbfcd1747253af5a3dfff00b723271a167a56a27ea9ea63f5601758fd7c6cfe57',
  'ae4faeae1d3ad3d96fa4c33b7a3039c02d66c4f95142a46c187f9ab49af08ec6cffaa6b71c9ab7b40af21f66c2bec6b6bf71c57236904f35fa68407a46647d6e',
  'f4c70e16eeaac5ec51ac86febf240954399ec6c7e6bf87c9d3473e33197a93c90992abc52d822c3706476983284a05043517454ca23c4af38886564d3a14d493',
  '9b1f5b424d93c9a703e7aa020c6e41414eb7f8719c36de1e89b4443b4ddbc49af4892bcb929b069069d18d2bd1a5c42f36acc2355951a8d9a47f0dd4bf02e71e',
  '378f5a541631229b944c9ad8ec165fde3a7d3a1b258942243cd955b7e00d0984800a440bdbb2ceb17b2b8a9aa6079c540e38dc92cb1f2a607261445183235adb',
  'abbedea680056f52382ae548b2e4f3f38941e71cff8a78db1fffe18a1b3361039fe76702af69334b7a1e6c303b7652f43698fad1153bb6c374b4c7fb98459ced',
  '7bcd9ed0efc889fb3002c6cd635afe94d8fa6bbbebab076120018021148466798a1d71efea48b9caefbacd1d7d476e98dea2594ac06fd85d6bcaa4cd81f32d1b',
  '378ee767f11631bad21380b00449b17acda43c32bcdf1d77f82012d430219f9b5d80ef9d1891cc86e71da4aa88e12852faf417d5d9b21b9948bc924af11bd720',
].map((text) => words(Buffer.from(text, 'hex').reverse()));

const BLOCK = 64;

/**
 * Precomputed results of S, P and L (RFC 6986, section 7) for each octet at each of the eight positions in a word. V8 does not allocate a
 * BigInt for each word of a BigUint64Array.
 */
const TABLE = new BigUint64Array(8 * 256).map((_, at) => {
  const octet = SUBSTITUTION[at & 0xff] as number;
  let sum = 0n;
  for (let bit = 0; bit < 8; bit += 1) {
    if (((octet >> bit) & 1) === 1) sum ^= MATRIX.readBigUInt64BE(8 * (63 - 8 * (at >> 8) - bit));
  }
  return sum;
});

/** Copies octets into words. */
function words(octets: Uint8Array): BigUint64Array {
  return new BigUint64Array(Uint8Array.from(octets).buffer);
}

/** Computes one digest of 32 or 64 octets. */
export class Streebog {
  /** The names of RFC 6986, section 5.2: h, N and the sum. */
  readonly #h = new BigUint64Array(8);
  readonly #n = new BigUint64Array(8);
  readonly #sum = new BigUint64Array(8);
  readonly #block = new Uint8Array(BLOCK);
  #filled = 0;
  readonly #length: 32 | 64;

  /** @param length of the digest, in octets. */
  constructor(length: 32 | 64) {
    this.#length = length;
    // RFC 6986, section 5.1.
    if (length === 32) this.#h.fill(0x0101010101010101n);
  }

  update(octets: Uint8Array): this {
    for (let at = 0; at < octets.length; ) {
      const part = octets.subarray(at, at + BLOCK - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === BLOCK) this.#take();
    }
    return this;
  }

  /** Returns the digest. Call it once, last. */
  digest(): Buffer {
    const left = this.#filled;
    this.#block.fill(0, left);
    this.#block[left] = 1;
    this.#filled = left;
    this.#take();
    const none = new BigUint64Array(8);
    compress(this.#h, none, this.#n);
    compress(this.#h, none, this.#sum);
    return Buffer.from(new Uint8Array(this.#h.buffer).slice(BLOCK - this.#length));
  }

  /** Processes a block: stages 2 and 3 of RFC 6986, section 10. */
  #take(): void {
    const message = words(this.#block);
    compress(this.#h, this.#n, message);
    addTo(this.#n, BigUint64Array.of(BigInt(8 * this.#filled)));
    addTo(this.#sum, message);
    this.#filled = 0;
  }
}

/** Adds `number` to `sum`, modulo 2^512. */
function addTo(sum: BigUint64Array, number: BigUint64Array): void {
  let carry = 0n;
  for (let at = 0; at < sum.length; at += 1) {
    const added = (sum[at] as bigint) + (number[at] ?? 0n) + carry;
    sum[at] = added;
    carry = added >> 64n;
  }
}

const key = new BigUint64Array(8);
const state = new BigUint64Array(8);
const mixed = new BigUint64Array(8);
const octets = new Uint8Array(mixed.buffer);

/** The compression function g_N (RFC 6986, section 8). Changes `h`. */
function compress(h: BigUint64Array, n: BigUint64Array, message: BigUint64Array): void {
  transform(h, n, key);
  state.set(message);
  for (const constant of ROUNDS) {
    transform(state, key, state);
    transform(key, constant, key);
  }
  for (let at = 0; at < 8; at += 1) {
    h[at] = (h[at] as bigint) ^ (state[at] as bigint) ^ (key[at] as bigint) ^ (message[at] as bigint);
  }
}

/** LPS of the sum of two vectors (RFC 6986, section 7). Octet `row` of each word goes into word `row`. */
function transform(first: BigUint64Array, second: BigUint64Array, into: BigUint64Array): void {
  for (let at = 0; at < 8; at += 1) mixed[at] = (first[at] as bigint) ^ (second[at] as bigint);
  // Unrolled: a loop over the eight positions takes three times as long.
  for (let row = 0; row < 8; row += 1) {
    into[row] =
      (TABLE[octets[row] as number] as bigint) ^
      (TABLE[256 | (octets[8 | row] as number)] as bigint) ^
      (TABLE[512 | (octets[16 | row] as number)] as bigint) ^
      (TABLE[768 | (octets[24 | row] as number)] as bigint) ^
      (TABLE[1024 | (octets[32 | row] as number)] as bigint) ^
      (TABLE[1280 | (octets[40 | row] as number)] as bigint) ^
      (TABLE[1536 | (octets[48 | row] as number)] as bigint) ^
      (TABLE[1792 | (octets[56 | row] as number)] as bigint);
  }
}
