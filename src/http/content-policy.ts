import { createHash } from 'node:crypto';

/** Of answers that are data: nothing in them is for a browser to run, show or frame. */
export const DATA_POLICY = "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'";

/** Of the page with the document: it runs its own scripts alone; the style sheets that stand in it are named by their hashes. */
export function documentationPolicy(page: unknown): string {
  const styles = typeof page === 'string' ? [...page.matchAll(/<style>(.*?)<\/style>/gs)] : [];
  const hashes = styles.map(([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  return [
    DATA_POLICY,
    "script-src 'self'",
    `style-src ${["'self'", ...hashes].join(' ')}`,
    "img-src 'self' data:",
    "connect-src 'self'",
  ].join(';');
}
