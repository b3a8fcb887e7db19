/**
 * Reading and writing blobs: the route through the head or through a stream segment, verified
 * reads, and the memory images that serve small blobs.
 */
package io.volute.storage.blob;
