import type { Model } from 'mongoose';
import { defineModel } from '../../../database/model.ts';
import { SECRET } from '../../../platform/random-secret.ts';

/**
 * A member's picture. Which one is the member's present one says the member: `avatar` there is the key. In a collection
 * of its own, so that whoever reads members or messages reads no bytes.
 */
export interface StoredAvatar {
  /** 256 random bits, which its address ends with. */
  _id: string;
  account: string;
  member: string;
  bytes: Buffer;
  made_at: Date;
}

/** What a key looks like, which is a `newSecret`: nothing else is looked up. */
export const AVATAR_KEY = SECRET;

export type AvatarModel = Model<StoredAvatar>;

export const avatarModel = defineModel<StoredAvatar>(
  'Avatar',
  { _id: String, account: String, member: String, bytes: Buffer, made_at: Date },
  [[{ account: 1, made_at: 1 }], [{ member: 1 }]],
);
