/** A file system in memory that loses, tears and refuses what a real one may, by seed. */
package io.volute.testkit.sim;
