/** The replication configuration of buckets, and the status of versions. */
package io.volute.server.s3.replication;
