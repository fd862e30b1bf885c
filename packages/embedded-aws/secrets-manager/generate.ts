import { randomInt } from 'node:crypto';
import { UnsupportedError } from '../protocol/errors.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** The value for a template's `GenerateSecretString`: a password, or a JSON object that contains one. */
export function generateSecretString(settings: JsonObject): string {
  const password = generatePassword(settings);
  const { SecretStringTemplate: template, GenerateStringKey: key } = settings;
  if (template === undefined) return password;
  const parsed: unknown = JSON.parse(String(template));
  if (!isJsonObject(parsed) || typeof key !== 'string') {
    throw new UnsupportedError('SecretStringTemplate must be a JSON object and needs a GenerateStringKey.');
  }
  return JSON.stringify({ ...parsed, [key]: password });
}

function generatePassword(settings: JsonObject): string {
  const excluded = String(settings.ExcludeCharacters ?? '');
  const alphabet = [
    settings.ExcludeLowercase === true ? '' : LOWER,
    settings.ExcludeUppercase === true ? '' : LOWER.toUpperCase(),
    settings.ExcludeNumbers === true ? '' : DIGITS,
    settings.ExcludePunctuation === true ? '' : PUNCTUATION,
    settings.IncludeSpace === true ? ' ' : '',
  ]
    .join('')
    .split('')
    .filter((character) => !excluded.includes(character));
  if (alphabet.length === 0) throw new UnsupportedError('GenerateSecretString excludes every character.');
  const length = Number(settings.PasswordLength ?? 32);
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
