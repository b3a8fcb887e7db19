/** S3's errors. */
package io.volute.server.s3.error;
