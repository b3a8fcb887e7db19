/** The S3 server: HTTP, signatures, the S3 protocol, configuration and start. */
package io.volute.server;
