/** The stores that the cleaning benchmarks measure: a cube in this process, or a server. */
package io.volute.benchmarks.cleaning.store;
