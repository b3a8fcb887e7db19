/** JMH suites and whole-system drivers. */
package io.volute.benchmarks;
