/**
 * The standby of a node: indexes that follow the logs of all cubes, and reads from views of them.
 */
package io.volute.server.cluster.standby;
