package io.volute.server.cluster;

/**
 * What this node serves in one election: a placed cube, or the store, which is the system cube with
 * all cubes that have no owner of their own.
 *
 * @param lease until when the node answers for it
 * @param gate counts the requests in it
 */
record Serving(long election, OwnerLease lease, CubeGate gate) {}
