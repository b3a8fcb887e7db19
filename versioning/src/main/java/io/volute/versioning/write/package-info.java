/** Changes of objects: plans the rows of a write, records its causes, and commits both together. */
package io.volute.versioning.write;
