/**
 * The exchange of causes and of order between the owners of different cubes of one store: before an
 * owner handles a request that may write, it asks the others. Uses no other package of the cluster.
 */
package io.volute.server.cluster.exchange;
