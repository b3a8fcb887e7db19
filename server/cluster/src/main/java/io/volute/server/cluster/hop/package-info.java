/**
 * Requests between the nodes of a cluster: a node seals and forwards a request, and the owner opens
 * the seal and handles the request as the client has sent it.
 */
package io.volute.server.cluster.hop;
