/** Drawings of results. */
package io.volute.benchmarks.plot;
