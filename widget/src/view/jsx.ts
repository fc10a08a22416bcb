import { type ComponentType, createElement, Fragment } from 'preact';

/**
 * The build puts this in the place of `preact/jsx-runtime`, whose further uses (templates, server rendering)
 * would cost every visitor 200 bytes.
 */
export function jsx(type: string | ComponentType, props: Record<string, unknown>, key?: string) {
  return createElement(type as string, key === undefined ? props : { ...props, key });
}
export { Fragment, jsx as jsxs };
