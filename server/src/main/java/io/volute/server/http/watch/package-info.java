/** Observers of requests, and the figures that they add up. */
package io.volute.server.http.watch;
