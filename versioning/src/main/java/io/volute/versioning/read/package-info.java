/** Reads and listings of present and past objects. */
package io.volute.versioning.read;
