import { linkify } from '@parlor/shared/linkify';

/** A text with its addresses as links; everything in it is text, never HTML. */
export const Text = ({ text }: { text: string }) => (
  <>
    {linkify(text).map(({ text: piece, href }) =>
      href ? (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow">
          {piece}
        </a>
      ) : (
        piece
      ),
    )}
  </>
);
