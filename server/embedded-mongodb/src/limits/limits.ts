/** The limits that hello announces and the wire enforces: those of MongoDB. */
export const MAX_MESSAGE_BYTES = 48_000_000;
export const MAX_BSON_OBJECT_BYTES = 16 * 1024 * 1024;
export const MAX_WRITE_BATCH = 100_000;
