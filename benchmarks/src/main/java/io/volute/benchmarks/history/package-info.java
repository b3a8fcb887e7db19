/** What history costs, and what it gives back: the experiments of Causality-based Versioning. */
package io.volute.benchmarks.history;
