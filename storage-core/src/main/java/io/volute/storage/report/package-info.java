/**
 * Reports of a cube about itself: space, decisions of the cleaners, counters, recovery and checks.
 * Immutable values for metrics, the admin API and tests.
 */
package io.volute.storage.report;
