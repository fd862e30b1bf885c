import type { ServerResponse } from 'node:http';
import { XMLParser } from 'fast-xml-parser';
import { sendXml as sendElement } from '../protocol/answer.ts';
import { AwsError } from '../protocol/operation.ts';

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

const parser = new XMLParser({ ignoreAttributes: true, parseTagValue: false, trimValues: false });

export function sendS3Xml(response: ServerResponse, status: number, root: string, members: object): void {
  sendElement(response, status, root, members, NAMESPACE);
}

/** Parses a request's body with the given root element. Throws an AwsError (MalformedXML). */
export function parseXml(text: string, root: string): Record<string, unknown> {
  try {
    const parsed = (parser.parse(text) as Record<string, unknown>)[root];
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // Falls through to the error below.
  }
  throw new AwsError('MalformedXML', 'The XML you provided was not well-formed or did not validate.');
}

/** Returns an element that may be repeated as a list. */
export function listOf(element: unknown): Record<string, string>[] {
  if (element === undefined) return [];
  return (Array.isArray(element) ? element : [element]) as Record<string, string>[];
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
