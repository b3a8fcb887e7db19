/**
 * A cube at work: the wiring of log, index, commits, cleaning and reads into one {@code Cube}. The
 * log is the truth; the index is a cache of it.
 */
package io.volute.storage.cube;
