import type { OidcDescription } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { ButtonLink } from '../ui/button.tsx';

/** The way to the provider that members sign in at, and back to this page; nothing where there is none. */
export const Provider = () => {
  const [name, setName] = useState<string>();
  useEffect(() => {
    ask<OidcDescription>('GET', 'auth/oidc').then(
      (provider) => provider.is_available && setName(provider.name),
      // Without it there is the password.
      () => undefined,
    );
  }, []);
  if (name === undefined) return null;
  const query = new URLSearchParams({
    return_to: location.pathname + location.search,
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  return (
    <ButtonLink href={`/api/v1/auth/oidc/start?${query}`}>{words.value.signIn.provider(name)}</ButtonLink>
  );
};
