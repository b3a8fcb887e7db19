/** The S3 protocol: bytes and strings in, operations on the object store, answers out. */
package io.volute.server.s3;
