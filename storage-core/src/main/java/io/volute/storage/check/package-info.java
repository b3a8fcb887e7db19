/**
 * The consistency check of a running cube: log, chunks, extents, reference counts and accounting.
 */
package io.volute.storage.check;
