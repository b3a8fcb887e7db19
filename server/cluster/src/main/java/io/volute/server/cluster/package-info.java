/**
 * A server as one node of a cluster: it forwards requests to the owner of the store, and takes the
 * store over when the owner is lost. The package {@code hop} has the requests between nodes, {@code
 * standby} the indexes that follow the store, {@code placing} the nodes of cubes.
 */
package io.volute.server.cluster;
