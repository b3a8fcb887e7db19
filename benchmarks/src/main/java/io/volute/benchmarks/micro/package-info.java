/** JMH suites for parts: the log, the index, checksums, signatures. */
package io.volute.benchmarks.micro;
