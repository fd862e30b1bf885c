import { PutObjectCommand, type S3Client, type StorageClass } from '@aws-sdk/client-s3';
import type { Choice } from '../../../core/package/kept-decision.ts';
import type { SignatureVersion } from '../checks/witness.ts';

/** What the partner did for one order. The checks compare it with what the service has. */
export interface PartnerActs {
  /** Every uploaded signature by `fileId`, oldest first. */
  signatures: Map<string, SignatureVersion[]>;
  /** The choices of all decisions. */
  chosen: Choice[];
  chosenLast: Choice[];
  decided: boolean;
  /** The versions of every uploaded `decision.json`. */
  decisions: string[];
}

export class Uploads {
  readonly #s3: S3Client;
  readonly #bucket: string | undefined;
  readonly #acts = new Map<string, PartnerActs>();

  constructor(s3: S3Client, bucket: string | undefined) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  acts(orderRef: string): PartnerActs {
    const nothing = { signatures: new Map(), chosen: [], chosenLast: [], decided: false, decisions: [] };
    const acts = this.#acts.get(orderRef) ?? nothing;
    this.#acts.set(orderRef, acts);
    return acts;
  }

  async put(orderRef: string, file: string, Body: string | Uint8Array, StorageClass?: StorageClass): Promise<string> {
    const Key = `orders/${orderRef}/${file}`;
    const { VersionId } = await this.#s3.send(new PutObjectCommand({ Bucket: this.#bucket, Key, Body, StorageClass }));
    return VersionId ?? '';
  }
}
