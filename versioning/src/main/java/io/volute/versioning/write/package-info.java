/** Writes of objects: the rows of a write, its causality, and the commit of both. */
package io.volute.versioning.write;
