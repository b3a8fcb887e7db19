/** Buckets and the multipart uploads in them. */
package io.volute.versioning.bucket;
