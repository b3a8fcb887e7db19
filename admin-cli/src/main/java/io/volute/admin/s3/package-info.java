/** A client of S3 for the commands that read and write objects, of this server or another one. */
package io.volute.admin.s3;
