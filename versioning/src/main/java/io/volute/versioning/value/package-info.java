/**
 * Values of the API: buckets, keys, versions, callers. Immutable, and checked when they are made.
 */
package io.volute.versioning.value;
