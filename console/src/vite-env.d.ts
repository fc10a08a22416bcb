/// <reference types="vite/client" />

/** The widget's settings as the schema in `shared/src/widget.ts` describes them; made by `console/build.mjs`. */
declare module 'virtual:widget-settings' {
  /** JSON Schema (2020-12), by the setting's name. */
  export const LIMITS: Readonly<
    Record<
      keyof import('@parlor/shared').NewWidget,
      {
        readonly default: string | number | boolean;
        readonly maxLength?: number;
        readonly pattern?: string;
        readonly minimum?: number;
        readonly maximum?: number;
        readonly enum?: readonly string[];
        readonly 'x-unit'?: string;
      }
    >
  >;
}
