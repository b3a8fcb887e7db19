/** Reads and listings of objects, of the present and of the past. */
package io.volute.versioning.read;
