/** Requests and answers as the protocol and the HTTP layer exchange them. */
package io.volute.server.s3.request;
