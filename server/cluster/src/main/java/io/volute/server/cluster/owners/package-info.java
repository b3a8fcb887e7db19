/** Calls between the owner of a store and the owners of its placed cubes. */
package io.volute.server.cluster.owners;
