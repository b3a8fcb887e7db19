/**
 * The mixes that people use, measured with one command: results with machine, commit and settings,
 * and plots of them.
 */
package io.volute.benchmarks.suite;
