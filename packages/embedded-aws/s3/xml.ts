import type { ServerResponse } from 'node:http';
import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import { AwsError } from '../protocol/errors.ts';

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

const builder = new XMLBuilder({ ignoreAttributes: false, suppressEmptyNode: false });
const parser = new XMLParser({ ignoreAttributes: true, parseTagValue: false, trimValues: false });

/** Sends an XML element. Undefined properties are left out, and an array repeats its element. */
export function sendXml(response: ServerResponse, status: number, root: string, members: object): void {
  // An error has no namespace: otherwise the CLI would not find its code.
  const namespace = root === 'Error' ? {} : { '@_xmlns': NAMESPACE };
  const body = builder.build({ [root]: { ...namespace, ...members } }) as string;
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
}

/** Parses a request's body with the given root element. Throws an AwsError (MalformedXML). */
export function parseXml(text: string, root: string): Record<string, unknown> {
  try {
    const parsed = (parser.parse(text) as Record<string, unknown>)[root];
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // Answered below, like a body with another root element.
  }
  throw new AwsError('MalformedXML', 'The XML you provided was not well-formed or did not validate.');
}

/** An element that may be repeated, as a list. */
export function listOf(element: unknown): Record<string, string>[] {
  if (element === undefined) return [];
  return (Array.isArray(element) ? element : [element]) as Record<string, string>[];
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
