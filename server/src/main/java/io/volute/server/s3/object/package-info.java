/** The operations on objects. */
package io.volute.server.s3.object;
