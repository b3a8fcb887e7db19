/** The operations on buckets, and the listings of objects in them. */
package io.volute.server.s3.bucket;
