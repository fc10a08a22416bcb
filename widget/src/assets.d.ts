/** A style sheet as minified text, for `CSSStyleSheet.replaceSync`: no style element, no CSP exception. */
declare module '*.css?inline' {
  const text: string;
  export default text;
}

/** The chat's hashed file name, put in by build.mjs. */
declare const __CHAT_FILE__: string;
