/** The checksum families of S3, computed while bytes pass. */
package io.volute.server.s3.checksum;
