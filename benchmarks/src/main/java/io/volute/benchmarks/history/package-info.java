/** Experiments of Causality-based Versioning: the cost of history, and recovery with it. */
package io.volute.benchmarks.history;
