/**
 * The segment log over files: writers for the head, for streams and for survivors, discovery and
 * replay at start, and holes in sealed segments.
 */
package io.volute.storage.log.file;
