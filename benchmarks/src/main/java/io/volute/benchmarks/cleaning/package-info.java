/**
 * Measures cleaning as the paper on log-structured memory does: throughput against utilisation, and
 * space under changing sizes of objects. In-process over the public API of a cube, on a real
 * directory, with everything durable.
 */
package io.volute.benchmarks.cleaning;
