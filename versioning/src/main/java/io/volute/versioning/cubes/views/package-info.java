/** Catalogs over views of the cubes that other nodes of a cluster have. */
package io.volute.versioning.cubes.views;
