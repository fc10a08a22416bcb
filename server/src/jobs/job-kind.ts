import type { Duration } from '../platform/duration.ts';
import type { PlaceLimits } from './places.ts';

/** A document of its kind's own collection, which carries the queue's fields for as long as it waits. */
export interface Job {
  _id: string;
  /** Attempts so far. */
  tries: number;
  due_at?: Date;
}

/** What the jobs of a queue go to. */
export interface Target {
  origin: string;
}

/** What came of an attempt. */
export interface Result {
  /** Whether the origin is well; undefined: the attempt says nothing of it. */
  isWell: boolean | undefined;
  /** When the job is due again; undefined: it leaves the queue. */
  due: Date | undefined;
}

/** How much is sent at a time, and when an origin is left alone (docs/contract.md#origins). */
export interface OriginLimits {
  perQueue: number;
  perOrigin: number;
  /** Failures in a row that pause an origin. */
  pauseAfter: number;
  /** Milliseconds between two probes of a paused origin. */
  probeEvery: Duration;
}

/** What is sent, and how. Jobs stand in queues, each of which goes to one origin at a time. */
export interface JobKind<J extends Job, T extends Target, R extends Result> {
  limits: OriginLimits;
  /** Attempts under way, whatever the number of origins; what a job holds in memory counts here alone. */
  places: PlaceLimits;
  /** Milliseconds between two searches for jobs that nobody looks after, whatever the reason. */
  sweepEvery: Duration;
  /** How far ahead of now a job is ever due (milliseconds). */
  longestDelay: Duration;
  /** Milliseconds that the attempts under way may take when the process stops. */
  stopTimeout: Duration;
  /** The first queue after this one in which something waits, by name, and when its first job is due. */
  nextQueue(after: string): Promise<{ queue: string; due_at: Date } | null>;
  /** The first jobs of a queue, by the time when they are due, without what may be large. */
  read(queue: string, limit: number): Promise<J[]>;
  /** Has at hand what jobs need that were just read, as far as there is room. */
  prepare?(jobs: readonly J[]): Promise<void>;
  /** Lets go of what was prepared for a job, which is recorded, or left to the database again. */
  release?(id: string): void;
  /**
   * Makes due now what is due later than `latest`: it was put off before the clock was put back.
   * @returns whether there was any
   */
  bringForward(queue: string, latest: Date): Promise<boolean>;
  /** Whose job it is, the same for all of a queue: at an origin owners take turns, and pause it for themselves alone. */
  ownerOf(job: J): string;
  /** Where a queue goes at the moment; undefined: there is nobody any more, and what waits is dropped. */
  target(queue: string): Promise<T | undefined>;
  /** Tries a job once. @returns undefined when nothing was sent, and the job is as the database has it now */
  attempt(job: J, target: T): Promise<R | undefined>;
  /** Writes results down, each before the job is forgotten, and may change when it is due; called again when it fails. */
  record(results: readonly R[]): Promise<void>;
  /**
   * Writes down a result that its document refuses, without what that holds, or gives the job up: it must not be sent over
   * and over. The log has one line of it.
   */
  recordRefused(result: R, error: unknown): Promise<void>;
  /** What else follows from a result, once it is written down. */
  recorded?(result: R): Promise<void>;
  /** Drops some of a queue whose target is gone. @returns whether there may be more */
  drop(queue: string): Promise<boolean>;
}
