/**
 * Measures cleaning as the paper on log-structured memory does: throughput against utilisation, and
 * space under changing sizes of objects. On a real directory, with everything durable: in-process
 * over the public API of a cube, the throughput also through a server process over HTTP.
 */
package io.volute.benchmarks.cleaning;
