/**
 * Free segment files: the pool of spares, the reserves of cleaner and deletes, and the state of a
 * full disk.
 */
package io.volute.storage.log.space;
