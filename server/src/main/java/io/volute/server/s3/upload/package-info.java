/** The operations of multipart uploads. */
package io.volute.server.s3.upload;
