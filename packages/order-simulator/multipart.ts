import { createHash } from 'node:crypto';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { RecordedFile } from './call-record.ts';
import { ServiceError } from './errors.ts';

/** A received file. `bytes` is absent if the file was larger than `keptBytes`. */
export interface ReceivedFile extends RecordedFile {
  bytes?: Buffer;
}

export interface ReceivedForm {
  fields: Record<string, string>;
  files: ReceivedFile[];
}

/**
 * Reads a multipart/form-data request. Hashes files while they arrive, and keeps files of up to `keptBytes` in memory.
 * Throws a ServiceError: 415 for another content type, 400 for a malformed form.
 */
export async function readForm(request: FastifyRequest, keptBytes: number): Promise<ReceivedForm> {
  if (!request.isMultipart()) {
    throw new ServiceError(415, 'unsupported_media_type', 'This operation takes multipart/form-data.');
  }
  const form: ReceivedForm = { fields: {}, files: [] };
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') form.files.push(await receive(part, keptBytes));
      else addField(form.fields, part.fieldname, part.value, part.valueTruncated);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError(400, 'malformed_multipart', `The multipart body cannot be read: ${reason}`);
  }
  return form;
}

/** The one file of a request, in the given field. Throws 400 for anything else (specification, 8.1). */
export function singleFile(form: ReceivedForm, field: string): ReceivedFile {
  const [file, second] = form.files;
  if (second) {
    throw new ServiceError(400, 'one_file_per_request', `One file per request: ${form.files.length} files were sent.`);
  }
  if (!file || file.field !== field) {
    throw new ServiceError(400, 'missing_field', `The request has no file in the field ${field}.`);
  }
  if (file.size === 0) throw new ServiceError(400, 'empty_file', `The file in the field ${field} is empty.`);
  return file;
}

export function requiredField(form: ReceivedForm, name: string): string {
  const value = form.fields[name];
  if (value === undefined || value === '') {
    throw new ServiceError(400, 'missing_field', `The request has no field ${name}, or it is empty.`);
  }
  return value;
}

export function withoutBytes({ fields, files }: ReceivedForm) {
  return { fields, files: files.map(({ bytes: _bytes, ...file }): RecordedFile => file) };
}

async function receive(part: MultipartFile, keptBytes: number): Promise<ReceivedFile> {
  const hash = createHash('sha256');
  let kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of part.file as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
    if (size <= keptBytes) kept.push(chunk);
    else kept = [];
  }
  return {
    field: part.fieldname,
    name: part.filename,
    contentType: part.mimetype,
    size,
    sha256: hash.digest('hex'),
    ...(size <= keptBytes && { bytes: Buffer.concat(kept) }),
  };
}

function addField(fields: Record<string, string>, name: string, value: unknown, truncated: boolean): void {
  if (truncated) throw new ServiceError(413, 'too_large', `The field ${name} is too long.`);
  if (typeof value !== 'string') throw new ServiceError(400, 'malformed_field', `The field ${name} is not text.`);
  if (Object.hasOwn(fields, name))
    throw new ServiceError(400, 'repeated_field', `The field ${name} was sent more than once.`);
  fields[name] = value;
}
