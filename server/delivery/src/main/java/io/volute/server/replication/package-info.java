/** Replication: which changes go to other buckets, and their delivery. */
package io.volute.server.replication;
