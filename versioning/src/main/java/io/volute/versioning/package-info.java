/**
 * The API of the object store: buckets, keys, versions, multipart uploads, history and provenance.
 */
package io.volute.versioning;
