/**
 * AWS Signature Version 4 as a server sees it (S3 API Reference, "Authenticating Requests"): one
 * authenticator for headers and presigned queries, and the decoder of {@code aws-chunked} bodies.
 */
package io.volute.server.auth.sigv4;
