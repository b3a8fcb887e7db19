/**
 * The object store itself: buckets, keys, versions, multipart uploads, on top of the storage core.
 */
package io.volute.versioning;
