/** Moves of buckets from one cube of a store to another. */
package io.volute.versioning.move;
