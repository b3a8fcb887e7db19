/**
 * A server as one node of a cluster: it forwards requests to the owner of the store, and takes the
 * store over when the owner is lost.
 */
package io.volute.server.cluster;
