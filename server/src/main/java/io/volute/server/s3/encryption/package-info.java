/** Encryption as S3 clients select it: headers, defaults of buckets, encrypted objects. */
package io.volute.server.s3.encryption;
