/** Decides which node of a cluster has which cube. */
package io.volute.server.cluster.placing;
