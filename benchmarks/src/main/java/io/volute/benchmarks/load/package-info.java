/**
 * A load driver for any S3 server: a small HTTP/1.1 client that leaves the processor to the server
 * under test, closed and open loops, and a comparison of two servers in turn.
 */
package io.volute.benchmarks.load;
