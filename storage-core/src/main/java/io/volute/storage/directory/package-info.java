/**
 * The data directory of a server: its lock, its version mark, and the identity of the cube in it.
 */
package io.volute.storage.directory;
