/** Settings of a log on BookKeeper and of a cluster of nodes. */
package io.volute.server.config.cluster;
