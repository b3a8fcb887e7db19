/** One class for each S3 operation; all take a verified and authorised request. */
package io.volute.server.s3.operation;
