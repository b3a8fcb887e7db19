/**
 * The lifecycle rules of buckets: their document, what they remove and when. The server's upkeep
 * does the removing.
 */
package io.volute.server.s3.lifecycle;
