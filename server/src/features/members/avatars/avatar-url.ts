/** Where pictures are; the key of one follows. */
export const AVATAR_PATH = '/api/v1/avatars/';

/** The address of a picture; null where there is none. @param base what every address of this server begins with */
export const avatarUrl = (base: string, key: string | undefined): string | null =>
  key === undefined ? null : `${base}${AVATAR_PATH}${key}`;

/** What an address of a picture says of the picture alone, wherever the server is. */
export const avatarKey = (url: string | null): string | null =>
  url === null ? null : url.slice(url.lastIndexOf('/') + 1);
