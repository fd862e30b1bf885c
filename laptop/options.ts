/** The options of `loan-orders local`. */
export interface Options {
  /** Default: `local`. */
  stage?: string;
  once?: true;
  /** Whether the partner's signer signs. */
  signer?: boolean;
  events?: true;
  /** 0 means any free port. */
  port?: number;
  simulatorPort?: number;
  service?: string;
  authorization?: string;
  tokenPath?: string;
  sign?: true;
}
