/** The rows of the system cube about cubes: their list, the places of buckets, and moves. */
package io.volute.versioning.cubes.rows;
