/** The store of several cubes: finds the cube of a bucket, and opens, creates and closes cubes. */
package io.volute.versioning.cubes;
