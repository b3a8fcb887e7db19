/** Event notifications of S3: the configuration of a bucket, and the records of its events. */
package io.volute.server.s3.notification;
