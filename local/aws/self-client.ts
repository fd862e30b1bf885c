import { AwsError } from './errors.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { parseObject } from './json-service.ts';

/** Calls the embedded AWS's own endpoint, for what only answers over HTTP (dynalite). */
export class SelfClient {
  readonly #endpoint: () => string;

  constructor(endpoint: () => string) {
    this.#endpoint = endpoint;
  }

  /** `target` is an X-Amz-Target. Throws the service's error as an AwsError. */
  async call(target: string, input: JsonObject): Promise<JsonObject> {
    const response = await fetch(this.#endpoint(), {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target },
      body: JSON.stringify(input),
    });
    const output = parseObject(await response.text());
    if (response.ok) return output;
    const code = String(output.__type).split('#').pop() ?? '';
    throw new AwsError(code, String(output.message ?? output.Message ?? code), response.status);
  }
}

export function stringMember(output: JsonObject, ...path: string[]): string | undefined {
  const found = path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), output);
  return typeof found === 'string' ? found : undefined;
}
