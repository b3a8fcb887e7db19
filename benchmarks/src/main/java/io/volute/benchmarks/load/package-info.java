/**
 * A load driver for any S3 server: closed and open loops, and a comparison of two servers in turn.
 */
package io.volute.benchmarks.load;
