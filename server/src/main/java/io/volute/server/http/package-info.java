/**
 * HTTP/1.1 on Netty: strict framing, limits, back-pressure both ways. The only package that imports
 * {@code io.netty}. Event loops move bytes and never block; each request runs on a virtual thread.
 */
package io.volute.server.http;
