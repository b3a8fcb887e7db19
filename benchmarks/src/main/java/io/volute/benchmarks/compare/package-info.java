/**
 * Compares two files of results, line by line by the settings that the lines were measured with.
 */
package io.volute.benchmarks.compare;
