/** The one way in which markup comes into a page: a page of this very service, which makes text of everything it was given. */
const pages = policy();

interface Policy {
  createHTML(markup: string): string;
}

function policy(): Policy {
  const { trustedTypes } = window as unknown as {
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
  };
  const rules = { createHTML: (markup: string) => markup };
  return trustedTypes?.createPolicy('inbox', rules) ?? rules;
}

/** Fetches a page of this service; null where it cannot be had, or is not the page that was asked for. */
export async function fetchPage(address: string, init: RequestInit = {}): Promise<Document | null> {
  try {
    const response = await fetch(address, { ...init, headers: { accept: 'text/html' }, credentials: 'same-origin' });
    const isPage = response.headers.get('content-type')?.startsWith('text/html') === true && !response.redirected;
    if (!isPage || response.status >= 500) return null;
    return new DOMParser().parseFromString(pages.createHTML(await response.text()), 'text/html');
  } catch {
    return null;
  }
}
